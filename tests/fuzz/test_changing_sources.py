"""Sources that others change while they are read: the release of one state of theirs, to the letter, or a refusal."""

from __future__ import annotations

import re
import tempfile
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

import gensearch_db
from gensearch_db.errors import GensearchError
from tests.cases.invariants import fingerprint
from tests.cases.naming import literal, quoted
from tests.faults.statements import struck

from .checks import INTERNAL, some
from .problems import Case, cases

MOST = 130
"""About as many statements as a run sends; what comes later comes too late for it."""


@dataclass(frozen=True)
class Change:
    """Statements that somebody sends (all or none) just before the run sends its statement of the number ``moment``.

    ``own``: the run's own connection is used, where no transaction of the run is open on it.
    """

    moment: int
    statements: tuple[str, ...]
    own: bool


@st.composite
def changes(draw: st.DrawFn, case: Case) -> Change:
    """Rows more, fewer or others; a column more, fewer or of another type; another table, or none, of the same name."""
    names = [quoted(name) for name, *_ in case.columns]
    name, other = draw(st.sampled_from(names)), draw(st.sampled_from(names))
    row, second = (draw(st.integers(0, max(0, case.rows - 1))) for _ in range(2))
    cell = f"(SELECT {name} FROM src WHERE rowid = {second})"
    of_rows: list[tuple[str, ...]] = [
        (f"DELETE FROM src WHERE rowid = {row}",),
        (f"DELETE FROM src WHERE {name} IS NOT DISTINCT FROM {cell}",),
        (f"INSERT INTO src SELECT * FROM src WHERE rowid = {row}",),
        (f"UPDATE src SET {name} = {cell} WHERE rowid = {row}",),
        (f"UPDATE src SET {name} = NULL WHERE rowid = {row}",),
        (f"UPDATE src SET {name} = CASE rowid WHEN {row} THEN {cell} ELSE (SELECT {name} FROM src WHERE rowid = {row}) END "
         f"WHERE rowid IN ({row}, {second})",),
    ]  # fmt: skip
    of_tables: list[tuple[str, ...]] = [
        ("ALTER TABLE src ADD COLUMN more INTEGER DEFAULT 1",),
        (f"ALTER TABLE src DROP COLUMN {name}",),
        (f"ALTER TABLE src ALTER {name} TYPE VARCHAR",),
        (f"ALTER TABLE src RENAME {name} TO renamed",),
        ("DROP TABLE src",),
        ("DROP TABLE src", "CREATE TABLE src AS SELECT 42 AS answer"),
        (f"CREATE OR REPLACE TABLE src AS SELECT * REPLACE ({name}::VARCHAR AS {name}) FROM src",),
        (f"CREATE OR REPLACE TABLE src AS SELECT * REPLACE ({name} AS {other}, {other} AS {name}) FROM src",),
        (f"CREATE OR REPLACE TABLE src AS FROM src WHERE rowid <> {row}",),
        ("ALTER TABLE src RENAME TO old", f"CREATE VIEW src AS FROM old WHERE {name} IS NOT NULL"),
    ]
    if name == other:
        of_tables = [each for each in of_tables if "REPLACE (" not in each[0] or "VARCHAR" in each[0]]
    of_tables += [(f"DELETE FROM {tree} WHERE rowid = 0",) for tree in case.trees]
    of_tables += [(f"DROP TABLE {tree}",) for tree in case.trees]
    return Change(draw(st.integers(1, MOST)), draw(st.sampled_from(of_rows) | st.sampled_from(of_tables)), draw(st.booleans()))


@st.composite
def changing(draw: st.DrawFn) -> tuple[Case, list[Change]]:
    """A case and one or two changes of its source, the earlier one first."""
    case = draw(cases(most_rows=12, most_attributes=2).filter(lambda case: case.rows))
    found = draw(st.lists(changes(case), min_size=1, max_size=2, unique_by=lambda change: change.moment))
    return case, sorted(found, key=lambda change: change.moment)


KINDS = ("table", "table", "view", "query", "people.parquet")


class House:
    """A database whose table ``src`` is read in one of several ways, and changes."""

    def __init__(self, case: Case, kind: str, folder: Path) -> None:
        self.connection = duckdb.connect()
        self.changes = 0
        self.file = folder / kind if kind.endswith(".parquet") else None
        case.create(self.connection)
        names = ", ".join(quoted(name) for name, *_ in case.columns)
        if kind == "view":
            self.connection.execute("CREATE VIEW seen AS FROM src")
        self._write()
        source = {"table": "src", "view": "seen", "query": f"(SELECT {names} FROM src)"}.get(kind, str(self.file))
        self.case = case.with_problem(table=source)

    def __enter__(self) -> House:
        return self

    def __exit__(self, *_: Any) -> None:
        self.connection.close()

    def _write(self) -> None:
        if self.file is not None:
            self.connection.cursor().execute(f"COPY src TO {literal(str(self.file))}")

    def change(self, change: Change) -> None:
        """All of its statements or none; by the run's own connection where no transaction is open on it."""
        self.changes += 1
        numbers = [self.connection.execute("SELECT txid_current()").fetchone() for _ in range(2)]
        by = self.connection if change.own and numbers[0] != numbers[1] else self.connection.cursor()
        by.execute("BEGIN")
        try:
            for statement in change.statements:
                by.execute(statement).fetchall()
            by.execute("COMMIT")
        except duckdb.Error:
            with suppress(duckdb.Error):
                by.execute("ROLLBACK")
        with suppress(duckdb.Error):  # no table is left to write
            self._write()

    def run(self) -> GensearchError | None:
        try:
            gensearch_db.anonymize(self.connection, **self.case.problem)
        except GensearchError as error:
            return error
        return None

    def end(self, error: GensearchError | None) -> Any:
        """The release to the letter, or the class of the refusal."""
        return type(error).__name__ if error is not None else fingerprint(self.connection, "rel")

    def tables(self) -> set[str]:
        """The tables that are there, temporary ones too."""
        return {name for (name,) in self.connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()}


@pytest.mark.slow
@some(2)
@given(changing(), st.sampled_from(KINDS))
def test_a_source_that_changes(both: tuple[Case, list[Change]], kind: str) -> None:
    """Nothing but the release is there afterwards, and the next run gives what it gives on the source as it is then."""
    case, changes_ = both
    with tempfile.TemporaryDirectory() as name:
        try:
            house = House(case, kind, Path(name))
        except duckdb.Error:
            return  # a type that Parquet lacks
        with house, ExitStack() as strikes:
            tables = house.tables()
            for change in changes_:
                strikes.enter_context(struck(change.moment, partial(house.change, change)))
            error = house.run()
            strikes.close()
            event(f"{kind}: {type(error).__name__ if error else 'a release'}")
            ends = [_undisturbed(case, changes_[:count], kind, Path(name)) for count in range(house.changes + 1)]
            if error is None:
                assert house.end(None) in ends, f"of no state: {house.end(None)}\n{ends}"
            else:
                assert type(error).__name__ in {"SourceChangedError", *(end for end in ends if isinstance(end, str))}, str(
                    error
                )
                assert not re.search("|".join((*INTERNAL, "gensearch_[0-9a-f]{12}")), str(error)), str(error)
                assert house.tables() - tables <= {"more", "old"}
                assert house.end(house.run()) == ends[-1]


def _undisturbed(case: Case, changes_: list[Change], kind: str, folder: Path) -> Any:
    """How a run ends on the source as the changes leave it."""
    with House(case, kind, folder) as house:
        for change in changes_:
            house.change(change)
        return house.end(house.run())
