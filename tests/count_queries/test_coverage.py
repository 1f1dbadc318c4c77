"""The coverage that a search gets, held to the estimates of the release that has the same blocks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

import gensearch_db
from gensearch_db.count_queries import Workload, count_error, read_queries
from gensearch_db.database.prepared import prepare
from gensearch_db.database.session import Session
from gensearch_db.errors import QueryError
from gensearch_db.problem.problem import Problem

QUERIES = """
SELECT COUNT(*) FROM t WHERE age BETWEEN 23 AND 47 AND s <> 'b';
SELECT COUNT(*) FROM t WHERE f < 2.5 AND day >= DATE '2024-01-20' AND age > 55;
SELECT COUNT(*) FROM t WHERE s IN ('a', 'c') AND age IS NOT NULL;
SELECT COUNT(*) FROM t;
"""
PROBLEM: dict[str, Any] = {
    "table": "t",
    "into": "r",
    "quasi_identifiers": {
        "age": {"split": "every 10", "domain": [20, 79]},
        "s": {"unordered": True},
        "f": {"split": "at 2, 4", "domain": [0, 6]},
        "day": {"split": "every month"},
    },
    "subject_to": ["k_anonymity(20)"],
}


def make_table() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute(
        """CREATE TABLE t AS SELECT CASE WHEN i % 17 > 0 THEN (20 + i * 7 % 60)::INTEGER END AS age,
           ['a', 'b', 'c'][1 + i % 3] AS s, (i * 5 % 13 / 2)::DOUBLE AS f,
           DATE '2024-01-01' + (i * 11 % 90)::INTEGER AS day FROM range(300) r(i)"""
    )
    return connection


def test_shares_of_leaves_make_the_estimates_of_blocks() -> None:
    """One block of everything: its estimate is the share that the coverage gives, times the rows."""
    connection = make_table()
    workload = Workload("w", read_queries(QUERIES))
    problem = Problem.from_fields({**PROBLEM, "subject_to": ["k_anonymity(300)"]})
    with Session(connection) as session, prepare(session, problem) as prepared:
        coverage = count_error(prepared, workload)
        assert [None if each is None else each.queries.tolist() for each in coverage.attributes] == [
            [0, 1, 2],
            [0, 2],
            [1],
            [1],
        ]
        shares = coverage.shares(prepared.space.root).tolist()
    values = 60 + 1  # ages 20 to 79, and the missing one
    assert shares[0] == pytest.approx(25 / values * 2 / 3)
    assert shares[2] == pytest.approx(60 / values * 2 / 3)
    assert shares[3] == 1
    gensearch_db.anonymize(connection, **{**PROBLEM, "subject_to": ["k_anonymity(300)"]})
    for query, share in zip(workload.queries, shares, strict=True):
        if "day" not in query.text:  # the open ends of day are placed by the leaf grid here, by published bounds there
            assert gensearch_db.estimate(connection, "r", query.text).estimate == pytest.approx(300 * share)


@pytest.mark.parametrize("text", ["SELECT COUNT(*) FROM t WHERE age < 30 OR s = 'a'", "SELECT s, COUNT(*) FROM t GROUP BY s"])
def test_only_conjunctions_can_be_minimised(text: str) -> None:
    connection = make_table()
    with (
        Session(connection) as session,
        prepare(session, Problem.from_fields(PROBLEM)) as prepared,
        pytest.raises(QueryError, match="line 1, column 1: a search can minimise"),
    ):
        count_error(prepared, Workload("w", read_queries(text)))


NEVER = [
    "age BETWEEN 3 AND 0",
    "f > 3 AND f < 1",
    "s = 'a' AND s = 'b'",
    "age > 30 AND FALSE",
    "day < DATE '2024-01-05' AND day > DATE '2024-02-05'",
    "s IS NULL AND s = 'a'",
]
ALWAYS = ["age IS NULL OR age >= -1", "TRUE", "s = 'a' OR s <> 'a' OR s IS NULL"]


@pytest.mark.parametrize(("conditions", "share"), [(NEVER, 0), (ALWAYS, 1)])
@pytest.mark.parametrize("split", [{}, {"split": "anywhere"}, {"split": "every 10"}])
def test_conditions_that_no_value_or_every_value_satisfies(
    conditions: list[str], share: int, split: dict[str, str], tmp_path: Path
) -> None:
    """The first kind ended in StopIteration; what counts nothing, or everything, is never in error."""
    connection = make_table()
    workload = tmp_path / "w.sql"
    workload.write_text(";\n".join(f"SELECT COUNT(*) FROM t WHERE {condition}" for condition in conditions))
    problem = {**PROBLEM, "quasi_identifiers": {**PROBLEM["quasi_identifiers"], "age": split, "f": split}}
    with Session(connection) as session, prepare(session, Problem.from_fields(problem)) as prepared:
        coverage = count_error(prepared, Workload("w", read_queries(workload.read_text())))
        assert coverage.shares(prepared.space.root).tolist() == [share] * len(conditions)
    release = gensearch_db.anonymize(connection, **{**problem, "minimize": f"count_error('{workload}')", "node_limit": 50})
    assert release.cost == 0


@pytest.mark.parametrize(("kind", "values"), [("HUGEINT", [4, 2**127 - 1, -(2**127) + 1]), ("UHUGEINT", [4, 2**128 - 1])])
def test_values_that_cannot_be_measured_are_refused_with_their_column(kind: str, values: list[int], tmp_path: Path) -> None:
    """They were an error about no column and no workload."""
    workload = tmp_path / "w.sql"
    workload.write_text("SELECT COUNT(*) FROM t WHERE age <= 4")
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE t (age {kind})")
    for value in values:
        connection.execute(f"INSERT INTO t VALUES ('{value}')")
    problem: dict[str, Any] = {"table": "t", "into": "r", "quasi_identifiers": {"age": {}}, "subject_to": ["k_anonymity(1)"]}
    with pytest.raises(QueryError, match=rf"workload 'w': values of column 'age' \({kind}\) cannot be measured"):
        gensearch_db.anonymize(connection, **problem, minimize=f"count_error('{workload}')")
