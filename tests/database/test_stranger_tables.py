"""Another table where a release was: neither REPLACE nor DROP RELEASE takes it for the release, and PUBLISH hands out none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

import gensearch_db
from gensearch_db.errors import SpecificationError

PEOPLE = "CREATE TABLE people AS SELECT 20 + i // 3 AS age, 'd' || i % 2 AS illness, i AS id FROM range(12) r(i)"
PROBLEM: dict[str, Any] = {
    "into": "rel",
    "quasi_identifiers": ["age"],
    "sensitive": ["illness"],
    "k": 2,
    "strategy": "mondrian",
}

STRANGERS = {
    "a table of its name": "DROP TABLE rel; CREATE TABLE rel AS SELECT 'precious' AS mine",
    "the source under its name": "DROP TABLE rel; CREATE TABLE rel AS FROM people",
    "a view of its name": "DROP TABLE rel; CREATE VIEW rel AS SELECT age::VARCHAR AS age, illness FROM people",
    "a table of its blocks' name": "DROP TABLE rel_blocks; CREATE TABLE rel_blocks AS SELECT 'precious' AS mine",
    "a column more": "ALTER TABLE rel ADD COLUMN note VARCHAR",
}


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        opened.execute(PEOPLE)
        gensearch_db.anonymize(opened, "people", **PROBLEM)
        yield opened


def content(connection: duckdb.DuckDBPyConnection) -> Any:
    names = [name for (name,) in connection.execute("SELECT name FROM (SHOW TABLES) ORDER BY ALL ASC").fetchall()]
    return {name: connection.execute(f"FROM {name} ORDER BY ALL ASC").fetchall() for name in names}


@pytest.mark.parametrize("stranger", STRANGERS)
def test_another_table_is_not_dropped(connection: duckdb.DuckDBPyConnection, stranger: str) -> None:
    """2026-11-28: it was, though only the catalog said that it was a release."""
    connection.execute(STRANGERS[stranger])
    before = content(connection)
    with pytest.raises(SpecificationError, match="is not the table that was written for the release 'rel'"):
        gensearch_db.anonymize(connection, "people", replace=True, **PROBLEM)
    with pytest.raises(SpecificationError, match="is not dropped: rename it, or drop it yourself"):
        gensearch_db.drop_release(connection, "rel")
    assert content(connection) == before


@pytest.mark.parametrize("gone", ["rel", "rel_blocks"])
@pytest.mark.parametrize("typed", [True, False])
def test_a_release_that_is_half_gone_can_be_replaced_and_dropped(
    connection: duckdb.DuckDBPyConnection, gone: str, typed: bool
) -> None:
    gensearch_db.anonymize(connection, "people", replace=True, typed_columns=typed, keep=["id"], **PROBLEM)
    connection.execute(f"DROP TABLE {gone}")
    gensearch_db.anonymize(connection, "people", replace=True, **PROBLEM)
    assert gensearch_db.audit(connection, "rel").passed
    gensearch_db.drop_release(connection, "rel")
    assert list(content(connection)) == ["people"]
    assert gensearch_db.list_releases(connection) == []


CHANGES = {
    "a column more": ("ALTER TABLE rel ADD COLUMN name VARCHAR DEFAULT 'NAMESECRET'", "columns are others"),
    "the source": ("DROP TABLE rel; CREATE TABLE rel AS FROM people", "columns are others"),
    "a view": ("DROP TABLE rel; CREATE VIEW rel AS SELECT age::VARCHAR AS age, illness FROM people", "columns are others"),
    "a column of the blocks more": (
        "ALTER TABLE rel_blocks ADD COLUMN name VARCHAR DEFAULT 'NAMESECRET'",
        "columns are others",
    ),
    "its columns, not generalized": (
        "DROP TABLE rel; CREATE TABLE rel AS SELECT age::VARCHAR AS age, illness FROM people",
        "blocks_agree: ",
    ),
    "a row less": ("DELETE FROM rel WHERE rowid = 0", "blocks_agree: .*; distributions_agree: "),
    "another illness": ("UPDATE rel SET illness = 'd9' WHERE rowid = 0", "distributions_agree: "),
}


@pytest.mark.parametrize("target", ["out/*.csv", "out/*.parquet", "out.duckdb"])
@pytest.mark.parametrize("change", CHANGES)
def test_what_was_changed_since_is_not_handed_out(tmp_path: Path, change: str, target: str) -> None:
    """Names in a column that was added, or the people themselves under the release's name, went out without a word."""
    sql, message = CHANGES[change]
    with gensearch_db.connect() as connection:
        connection.execute(
            "CREATE TABLE people AS SELECT 20 + i AS age, 'd' || i % 2 AS illness, 'NAMESECRET' || i AS name"
            " FROM range(12) r(i)"
        )
        made = "INTO rel QUASI IDENTIFIERS (age SPLIT EVERY 4) SENSITIVE (illness) SUBJECT TO k_anonymity(3) USING mondrian"
        connection.execute(f"ANONYMIZE TABLE people {made}").fetchall()
        connection.execute(f"PUBLISH rel TO '{tmp_path / 'before.duckdb'}'").fetchall()
        connection.execute(sql).fetchall()
        with pytest.raises(gensearch_db.GensearchError, match=message) as caught:
            connection.execute(f"PUBLISH rel TO '{tmp_path / target}'")
        assert "not handed out" in str(caught.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["before.duckdb", "before.duckdb.dictionary.json"]


def test_the_audit_finds_columns_that_were_added(connection: duckdb.DuckDBPyConnection) -> None:
    assert gensearch_db.audit(connection, "rel").passed
    connection.execute("ALTER TABLE rel ADD COLUMN name VARCHAR DEFAULT 'NAMESECRET'")
    report = gensearch_db.audit(connection, "rel")
    assert not report.passed
    assert "columns that were not released were added: name" in report.check("columns_agree").message
