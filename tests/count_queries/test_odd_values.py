"""Values that no string literal, no JSON and no value of Python can hold, in everything that writes or names one."""

from __future__ import annotations

import json
from typing import Any

import duckdb
import pytest

from gensearch_db import Connection, anonymize, estimate
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


ODD = {
    "HUGEINT": ["1", "100000000000000000000000", "-5"],
    "DOUBLE": ["inf", "-inf", "1.5"],
    "DECIMAL(38,10)": ["0", "1", "-2.5"],
    "TIMESTAMP": ["2000-01-01", "22000-01-01", "0044-03-15 (BC)"],
    "DATE": ["2000-01-01", "12000-01-01", "0044-03-15 (BC)"],
    "TIME WITH TIME ZONE": ["00:00:00+00", "00:00:00+05:30", "01:02:03+00"],
    "BLOB": ["\\x00", "a'b", "c"],
    "UUID": [f"00000000-0000-0000-0000-00000000000{i}" for i in range(3)],
    "BIT": ["0", "11", "101"],
}
"""By type: values that Python, JSON or Arrow cannot hold, and others."""


@pytest.mark.parametrize("type_", ODD)
def test_groups_of_any_type_are_named_as_duckdb_names_them(connection: duckdb.DuckDBPyConnection, type_: str) -> None:
    """Found 2026-11-28: OverflowError, ArrowTypeError, and ValueError of JSON, in place of an answer."""
    connection.execute(f"CREATE TABLE t (age INTEGER, s {type_})")
    connection.executemany("INSERT INTO t VALUES (?, ?)", [(i % 6, ODD[type_][i % 3]) for i in range(36)])
    anonymize(connection, "t", into="r", quasi_identifiers=["age"], sensitive=["s"], k=2)
    true = sorted(connection.execute("SELECT s::VARCHAR, count(*)::DOUBLE FROM t GROUP BY s").fetchall())
    answer = estimate(connection, "r", "SELECT s, COUNT(*) FROM t GROUP BY s")
    assert sorted((_as_duckdb(connection, type_, one.group[0]), one.estimate) for one in answer.estimates) == true
    written = json.loads(json.dumps(answer.to_dict(), allow_nan=False))["estimates"]
    assert sorted((_as_duckdb(connection, type_, one["group"][0]), one["estimate"]) for one in written) == true
    rows = Connection(connection).execute("ESTIMATE SELECT s, COUNT(*) FROM t GROUP BY s USING r").fetchall()
    assert sorted((_as_duckdb(connection, type_, row[0]), row[2]) for row in rows) == true


def _as_duckdb(connection: duckdb.DuckDBPyConnection, type_: str, value: Any) -> str:
    (text,) = connection.execute(f"SELECT CAST(CAST(? AS {type_}) AS VARCHAR)", [value]).fetchall()[0]
    return str(text)


def test_intervals_may_reach_beyond_the_years_of_python(connection: duckdb.DuckDBPyConnection) -> None:
    """Found 2026-11-28: an open end is taken to be as wide as its neighbour, here to January 10000: an OverflowError."""
    connection.execute("CREATE TABLE t AS SELECT DATE '9999-12-20' + (i % 12)::INT AS d, i % 7 AS w FROM range(84) r(i)")
    anonymize(connection, "t", into="r", quasi_identifiers=["d: at 9999-12-24, 9999-12-29"], sensitive=["w"], k=1)
    answer = estimate(connection, "r", "SELECT d, COUNT(*) FROM t GROUP BY d")
    groups = [str(one.group[0]) for one in answer.estimates]
    assert groups == [str(day) for (day,) in connection.execute(
        "SELECT (DATE '9999-12-19' + i::INT)::VARCHAR FROM range(15) r(i)"
    ).fetchall()]  # fmt: skip
    rows = Connection(connection).execute("ESTIMATE SELECT d, COUNT(*) FROM t GROUP BY d USING r").fetchall()
    assert [(str(row[0]), row[2]) for row in rows] == [(str(one.group[0]), one.estimate) for one in answer.estimates]


def test_queries_are_drawn_from_years_that_python_lacks(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("CREATE TABLE t AS SELECT DATE '12000-01-01' + (i % 12)::INT AS d, i % 7 AS w FROM range(84) r(i)")
    anonymize(connection, "t", into="r", quasi_identifiers=["d: every day"], sensitive=["w"], k=1)
    text = generate_workload(connection, "r", queries=10, seed=1)
    assert "(DATE '1970-01-01' + CAST(36" in text
    for query in text.splitlines()[1:]:
        (true,) = connection.execute(query.replace('FROM "r"', "FROM t")).fetchall()
        (one,) = estimate(connection, "r", query).estimates
        assert one.lower <= true[0] <= one.upper
