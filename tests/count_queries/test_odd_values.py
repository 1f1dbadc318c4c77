"""Values that no string literal can hold, in everything that writes a value into a query."""

from __future__ import annotations

import duckdb
import pytest

from gensearch_db import Connection, anonymize
from gensearch_db.count_queries.generating import generate_workload

VALUES = ("p\0", "a'b", "", "x\0\0y")


@pytest.fixture
def rows(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    connection.execute("CREATE TABLE t (q VARCHAR, z INTEGER)")
    connection.executemany("INSERT INTO t VALUES (?, ?)", [(VALUES[i % 4], i % 3) for i in range(48)])
    return connection


def test_a_search_draws_queries_on_values_with_nul_characters(rows: duckdb.DuckDBPyConnection) -> None:
    made = anonymize(
        rows, "t", into="r", quasi_identifiers=["q", "z"], k=4, minimize="count_error(queries = 20, predicates = '1 to 2')"
    )
    assert made.audit.passed


def test_values_with_nul_characters_are_generated_estimated_and_grouped(rows: duckdb.DuckDBPyConnection) -> None:
    anonymize(rows, "t", into="r", quasi_identifiers=["q", "z"], k=2, minimize="ncp")
    text = generate_workload(rows, "r", queries=40, seed=1)
    assert "chr(0)" in text
    session = Connection(rows)
    for value, written in zip(VALUES, ("'p' || chr(0)", "'a''b'", "''", "'x' || chr(0) || chr(0) || 'y'"), strict=True):
        answer = session.execute(f"ESTIMATE SELECT COUNT(*) FROM t WHERE q = {written} USING r").fetchall()
        assert rows.execute("SELECT count(*) FROM t WHERE q = ?", [value]).fetchone() == (12,)
        assert answer[0][1] == 12
    grouped = session.execute("ESTIMATE SELECT q, COUNT(*) FROM t GROUP BY q USING r").fetchall()
    assert sorted(row[0] for row in grouped) == sorted(VALUES)
    assert {row[2] for row in grouped} == {12}
