"""Messages that go on after one of DuckDB's, which end with a mark of their own or with none: one mark, not two, not none."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import pytest

import gensearch_db
from gensearch_db import Connection
from gensearch_db.database.engine_errors import in_our_words
from gensearch_db.errors import GensearchError

TWO_MARKS = re.compile(r"[.!?]['\"]?[.;,](?!\w)")


def refused(connection: Connection, statement: str) -> str:
    """What is told of a statement that cannot be done, without the statement below it."""
    with pytest.raises(GensearchError) as told:
        connection.execute(statement).fetchall()
    return str(told.value).split("\n  " + statement[:20])[0]


@pytest.fixture
def wide() -> Connection:
    """A release of numbers at the very end of 128 bits."""
    connection = gensearch_db.connect()
    connection.execute(
        f"CREATE TABLE t AS SELECT [0, 5, {2**127 - 1}][1 + i % 3]::HUGEINT AS x, i % 4 AS a FROM range(24) r(i)"
    ).fetchall()
    connection.execute("ANONYMIZE TABLE t INTO r QUASI IDENTIFIERS (x SPLIT ANYWHERE, a) SUBJECT TO k_anonymity(2)").fetchall()
    return connection


def test_counts_at_the_end_of_128_bits(wide: Connection) -> None:
    for query in ("SELECT COUNT(*) FROM t WHERE x > 5", "SELECT x, COUNT(*) FROM t GROUP BY x"):
        told = refused(wide, f"ESTIMATE {query} USING r")
        assert " Values at the very ends of 'x' (HUGEINT) cannot be measured" in told
        assert not TWO_MARKS.search(told), told


def test_a_workload_that_cannot_be_measured(wide: Connection, tmp_path: Path) -> None:
    (tmp_path / "w.sql").write_text("SELECT COUNT(*) FROM t WHERE x > 5 AND a = 1")
    told = refused(
        wide,
        "ANONYMIZE TABLE t INTO q QUASI IDENTIFIERS (x SPLIT ANYWHERE, a) SUBJECT TO k_anonymity(2)"
        f" MINIMIZE count_error('{tmp_path}/w.sql')",
    )
    assert " Leave it out of the workload, or make a narrower number" in told
    assert not TWO_MARKS.search(told), told


@pytest.mark.parametrize("text", ["No space left on device", "IO Error: No space left on device!"])
def test_a_full_disk(text: str) -> None:
    told = str(in_our_words(duckdb.IOException(text)))
    assert re.search(r"device[.!] Make room", told)


def test_near_matches_stand_where_no_mark_follows() -> None:
    with gensearch_db.connect() as connection:
        connection.execute("CREATE TABLE t AS SELECT i % 3 AS a, i % 2 AS s FROM range(24) r(i)").fetchall()
        before = "ANONYMIZE TABLE t INTO r QUASI IDENTIFIERS (a) SENSITIVE (s) SUBJECT TO k_anonymity(2)"
        for clause in (
            "USING block_graph (price = true)",
            "USING enumeration (maxsize = 100)",
            "MINIMIZE count_error(querys = 3)",
            "MINIMIZE count_error(quries = 3, predicats = '1 to 2')",
            "AND t_closeness(0.2, s, distanc = equal)",
            "AND t_closeness(0.2, s, distance = equl)",
        ):
            told = refused(connection, f"{before} {clause}")
            assert "did you mean" in told, told
            assert not TWO_MARKS.search(told), told
