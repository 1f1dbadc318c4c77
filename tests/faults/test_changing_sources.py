"""Sources that change between two looks of a run: refused by name, with nothing of ours in the message, and nothing written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

import gensearch_db
from gensearch_db.database import prepared, release
from gensearch_db.errors import AuditError, SourceChangedError

PEOPLE = (
    "CREATE TABLE people AS SELECT [20, 30, 40, 47][1 + i % 4] AS age, 'd' || i % 3 AS illness, i AS note FROM range(24) r(i)"
)
PROBLEM: dict[str, Any] = {
    "into": "rel",
    "quasi_identifiers": {"age": {"split": "anywhere"}},
    "sensitive": ["illness"],
    "keep": ["note"],
    "subject_to": ["k_anonymity(3)"],
    "strategy": "enumeration",
}

ROWS_AS_MANY = {
    "a value that is gone": "UPDATE people SET age = 40 WHERE age = 47",
    "values that have other rows": "UPDATE people SET age = 40 WHERE note = 3",
    "a sensitive value that is gone": "UPDATE people SET illness = 'd0' WHERE illness = 'd2'",
    "a value that is new": "UPDATE people SET age = 41 WHERE note = 3",
}
OTHER_COLUMNS = {
    "gone": "DROP TABLE people",
    "another table": "CREATE OR REPLACE TABLE people AS SELECT 42 AS answer",
    "a column gone": "ALTER TABLE people DROP COLUMN age",
    "a kept column gone": "ALTER TABLE people DROP COLUMN note",
    "another type": "ALTER TABLE people ALTER age TYPE VARCHAR",
}
WHEN = {
    "before the cells are counted": (prepared, "count_cells"),
    "before the release is written": (release, "_load_partition"),
}


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        opened.execute(PEOPLE)
        yield opened


def before(monkeypatch: pytest.MonkeyPatch, place: tuple[Any, str], act: Callable[[], Any]) -> None:
    """Let ``act`` happen just before a function is called."""
    original = getattr(*place)

    def disturbed(*arguments: Any, **named: Any) -> Any:
        monkeypatch.undo()
        act()
        return original(*arguments, **named)

    monkeypatch.setattr(*place, disturbed)


def refused(connection: duckdb.DuckDBPyConnection, table: str) -> str:
    """The message of the refusal; nothing was written then, and no helper table is left."""
    tables = set(connection.execute("SELECT table_name FROM duckdb_tables()").fetchall())
    with pytest.raises(SourceChangedError, match=r"people.* changed .*nothing was written, run it again") as error:
        gensearch_db.anonymize(connection, table, **PROBLEM)
    assert set(connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()) <= tables
    assert "gensearch_" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("change", ROWS_AS_MANY)
def test_as_many_rows_with_other_values(connection: duckdb.DuckDBPyConnection, monkeypatch: Any, change: str) -> None:
    """2026-11-28: leaf values of the old rows, cells of the new ones: only their number was compared."""
    before(monkeypatch, WHEN["before the cells are counted"], lambda: connection.cursor().execute(ROWS_AS_MANY[change]))
    refused(connection, "people")


@pytest.mark.parametrize("when", WHEN)
@pytest.mark.parametrize("change", OTHER_COLUMNS)
def test_other_columns(connection: duckdb.DuckDBPyConnection, monkeypatch: Any, change: str, when: str) -> None:
    """2026-11-28: DuckDB's complaint about our own SQL, and 'Did you mean "gensearch_…_values"?'."""
    before(monkeypatch, WHEN[when], lambda: connection.cursor().execute(OTHER_COLUMNS[change]).fetchall())
    refused(connection, "people")


@pytest.mark.parametrize("kind", ["INTEGER", "DECIMAL(18,3)", "DOUBLE"])
def test_another_type_before_the_values_are_numbered(
    connection: duckdb.DuckDBPyConnection, monkeypatch: Any, kind: str
) -> None:
    """2026-11-28, seed 3491346213: texts where decimals were, a TypeError."""
    connection.execute(f"ALTER TABLE people ALTER age TYPE {kind}")
    before(monkeypatch, (prepared, "distinct_values"), lambda: connection.cursor().execute(OTHER_COLUMNS["another type"]))
    refused(connection, "people")


OTHER_TYPES = [
    ("age", "INTEGER", "BIGINT"),
    ("age", "DECIMAL(18,3)", "DOUBLE"),
    ("age", "FLOAT", "DOUBLE"),
    ("age", "DECIMAL(18,3)", "DECIMAL(18,2)"),
    ("age", "DATE", "TIMESTAMP"),
    ("age", "TIMESTAMP", "TIMESTAMP_NS"),
    ("age", "ENUM ('20', '30', '40', '47')", "ENUM ('47', '40', '30', '20', 'new')"),
    ("illness", "VARCHAR", "ENUM ('d0', 'd1', 'd2')"),
    ("illness", "ENUM ('d0', 'd1', 'd2')", "ENUM ('d2', 'd1', 'd0', 'new')"),
    ("note", "INTEGER", "BIGINT"),
    ("note", "INTEGER[]", "BIGINT[]"),
]
"""A column, its type, and another one that holds the same values."""


@pytest.mark.parametrize("when", [*WHEN, "before its values are numbered"])
@pytest.mark.parametrize(("column", "first", "then"), OTHER_TYPES)
def test_another_type_that_holds_the_same_values(
    connection: duckdb.DuckDBPyConnection, monkeypatch: Any, column: str, first: str, then: str, when: str
) -> None:
    """2026-11-28: released, the kept column in its new type and the dictionary with the old one."""
    using = {"DATE": "DATE '2001-01-01' + age", "TIMESTAMP": "TIMESTAMP '2001-01-01' + to_days(age)", "INTEGER[]": "[note]"}
    value = f"{using.get(first, column)}{'::VARCHAR' if first.startswith('ENUM') else ''}"
    connection.execute(f"CREATE OR REPLACE TABLE people AS SELECT * REPLACE (({value})::{first} AS {column}) FROM people")
    place = WHEN.get(when, (prepared, "distinct_values"))
    before(monkeypatch, place, lambda: connection.cursor().execute(f"ALTER TABLE people ALTER {column} TYPE {then}"))
    refused(connection, "people")


@pytest.mark.parametrize("where", ["file", "view"])
def test_a_file_that_is_replaced_before_the_audit(
    connection: duckdb.DuckDBPyConnection, monkeypatch: Any, tmp_path: Path, where: str
) -> None:
    """2026-11-28: no transaction keeps a file as it was; that was an AuditError, as if the package were to blame."""
    file = tmp_path / "people.parquet"
    connection.execute(f"COPY people TO '{file}'")
    connection.execute(f"CREATE VIEW people_seen AS FROM '{file}'")
    replaced = f"COPY (SELECT * REPLACE (note + 1 AS note) FROM people) TO '{file}'"
    before(monkeypatch, (release, "audit_subject"), lambda: connection.cursor().execute(replaced))
    assert "24 rows" not in refused(connection, str(file) if where == "file" else "people_seen")


def test_an_audit_that_fails_on_a_source_that_did_not_change_says_so(
    connection: duckdb.DuckDBPyConnection, monkeypatch: Any
) -> None:
    before(monkeypatch, (release, "audit_subject"), lambda: connection.execute("UPDATE rel SET note = note + 1").fetchall())
    with pytest.raises(AuditError, match="rolled back"):
        gensearch_db.anonymize(connection, "people", **PROBLEM)


def test_a_view_that_gives_other_rows_each_time_is_refused(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("CREATE VIEW people_some AS SELECT * REPLACE (20 + (random() * 30)::INTEGER AS age) FROM people")
    assert "must be made a table first" in refused(connection, "people_some")
