"""Audits of what nobody made on purpose: any table as it is, and releases that somebody changed afterwards."""

from __future__ import annotations

from collections import Counter
from typing import Any

import duckdb
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

import gensearch_db
from tests.cases.invariants import dictionary_of
from tests.cases.naming import quoted

from .checks import attempt, occurring, some
from .problems import Case, cases
from .requirements import broken, column_of
from .sensitive import distance_of


@pytest.mark.slow
@some(2)
@given(cases(most_attributes=2, refused=True))
def test_a_table_of_anybodys_passes_where_no_block_is_wrong(case: Case) -> None:
    """Every constraint, also where it is not met: the audit's verdict is that of the definitions."""
    names = list(case.problem["quasi_identifiers"])
    if not names or not case.rows:
        return
    with duckdb.connect() as connection:
        case.create(connection)
        report = gensearch_db.audit(
            connection, "src", quasi_identifiers=names, sensitive=list(case.sensitive), subject_to=case.problem["subject_to"]
        )
        blocks = _blocks(connection, case)
        wrong = [f"k is {size}" for size, _ in blocks if size < case.k]
        for place, column in enumerate(case.sensitive):
            whole = Counter(occurring(connection, "src", column))
            distance = distance_of(case.type_of(column), {}, {}, list(whole))
            texts = [text for text in case.problem["subject_to"][1:] if column_of(text, [column])]
            found = [broken(text, Counter(lists[place]), whole, distance) for _, lists in blocks for text in texts]
            wrong += [each for each in found if each]
    event("wrong" if wrong else "right")
    assert report.passed == (not wrong), (wrong, report.to_text())


def _blocks(connection: duckdb.DuckDBPyConnection, case: Case) -> list[tuple[int, list[list[str | None]]]]:
    """Size and sensitive values of each block of the table as it is; NaN is a missing value."""
    shown = []
    for name in case.problem["quasi_identifiers"]:
        is_float = case.type_of(name) in ("FLOAT", "DOUBLE")
        shown.append(f"CASE WHEN NOT isnan({quoted(name)}) THEN {quoted(name)} + 0 END" if is_float else quoted(name))
    lists = ", ".join(f"list({name}::VARCHAR)" for name in case.sensitive)
    found = connection.execute(f"SELECT count(*), {lists} FROM src GROUP BY {', '.join(shown)}").fetchall()
    return [(size, list(values)) for size, *values in found]


@pytest.mark.slow
@some(2)
@given(cases(), st.data())
def test_a_release_that_was_changed_fails_its_audit(case: Case, data: st.DataObject) -> None:
    """Any one change of a row or a block is noticed, be it with the help of the source."""
    with duckdb.connect() as connection:
        case.create(connection)
        if attempt(connection, case) is not None:
            return
        (rows,) = connection.execute("SELECT count(*) FROM rel").fetchone() or (0,)
        if not rows:
            return
        before = _content(connection)
        change = data.draw(_changes(connection, rows))
        connection.execute(change)
        if _content(connection) == before:
            return
        event(change.split("rowid")[0][:40])
        report = gensearch_db.audit(connection, "rel")
        assert not report.passed, f"{change}\n{report.to_text()}"


def _content(connection: duckdb.DuckDBPyConnection) -> list[Counter[tuple[Any, ...]]]:
    """The rows of both tables, in any order."""
    tables = []
    for table in ("rel", "rel_blocks"):
        names = [name for name, *_ in connection.execute(f"DESCRIBE {table}").fetchall()]
        cells = ", ".join(f"{quoted(name)}::VARCHAR" for name in names)
        tables.append(Counter(connection.execute(f"SELECT {cells} FROM {table}").fetchall()))
    return tables


def _changes(connection: duckdb.DuckDBPyConnection, rows: int) -> st.SearchStrategy[str]:
    """SQL that changes one row of the release, or the count of one block."""
    row, other = st.integers(0, rows - 1), st.integers(0, rows - 1)
    names = [quoted(name) for name, *_ in connection.execute("DESCRIBE rel").fetchall()]
    count = quoted(dictionary_of(connection, "rel")["count"])
    update = "UPDATE rel SET {0} = (SELECT {0} FROM rel WHERE rowid = {1}) WHERE rowid = {2}"
    return st.one_of(
        row.map("DELETE FROM rel WHERE rowid = {}".format),
        row.map("INSERT INTO rel SELECT * FROM rel WHERE rowid = {}".format),
        st.builds(update.format, st.sampled_from(names), other, row),
        st.builds(update.format, st.sampled_from(names), other, row),
        st.builds("UPDATE rel SET {} = NULL WHERE rowid = {}".format, st.sampled_from(names), row),
        row.map(f"UPDATE rel_blocks SET {count} = {count} + 1 WHERE rowid = {{}}".format),
        row.map("DELETE FROM rel_blocks WHERE rowid = {}".format),
        row.map("INSERT INTO rel_blocks SELECT * FROM rel_blocks WHERE rowid = {}".format),
    )
