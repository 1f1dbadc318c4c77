"""Wrong arguments of constraints and costs through every door: one clear message, nothing left behind."""

from __future__ import annotations

import time

import duckdb
import pytest

import gensearch_db
from gensearch_db.errors import GensearchError, InfeasibleError, SpecificationError

WRONG = {
    "t_closeness(1.2, s)": "t is a distance between 0 and 1",
    "t_closeness(-0.1, s)": "t must be at least 0",
    "t_closeness(0.2, nowhere)": "'nowhere' is not declared sensitive",
    "t_closeness(0.2, a)": "'a' is not declared sensitive",
    "t_closeness(0.2)": "which sensitive column is meant? name one of s, u",
    "t_closeness(0.2, s, distance = hierarchical)": "column 's' has no taxonomy",
    "t_closeness(1e-400, s)": "at most 18 digits",
    "distinct_l_diversity(2.5, s)": "l must be a whole number",
    "entropy_l_diversity(0.5, s)": "l must be at least 1",
    "entropy_l_diversity(2.5000000000000000000000001, s)": "at most 18 digits",
    "recursive_l_diversity(1e300, 2, s)": "at most 18 digits",
    "alpha_k_anonymity(1.5, 2, s)": "alpha is a share and must be at most 1",
    "epsilon_privacy(2, 0, 0, s)": "sigma + b must be at least 1",
    "delta_disclosure(1e30, s)": "at most 18 digits",
    "k_anonymity(0)": "k must be a whole number of at least 1",
    "k_anonymity(1e999999999)": "at most 18 digits",
    "minimum_length(nowhere, 2)": "'nowhere' is not a quasi-identifier",
}
WRONG_COSTS = {
    "0 * ncp": "the weight of ncp must be greater than 0, not 0",
    "ncp + -1 * volume": "the weight of volume must be greater than 0, not -1",
    "1e999999999 * ncp": "at most 18 digits",
    "1e17 * classification(u)": "too much to be counted exactly",
    "classification(nowhere)": "'nowhere'",
}


@pytest.fixture
def table() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT i % 5 AS a, 'v' || i % 3 AS s, i % 2 AS u FROM range(30) AS numbers(i)")
    return connection


def release(connection: duckdb.DuckDBPyConnection, constraint: str, cost: str = "discernibility") -> gensearch_db.Release:
    return gensearch_db.anonymize(
        connection, "t", into="r", quasi_identifiers=["a"], sensitive=["s", "u"], subject_to=[constraint], minimize=cost
    )


@pytest.mark.parametrize(("constraint", "cost", "message"), [
    *((constraint, "discernibility", message) for constraint, message in WRONG.items()),
    *(("k_anonymity(2)", cost, message) for cost, message in WRONG_COSTS.items()),
])  # fmt: skip
def test_in_python_and_in_sql(table: duckdb.DuckDBPyConnection, constraint: str, cost: str, message: str) -> None:
    started = time.monotonic()
    with pytest.raises(SpecificationError) as caught:
        release(table, constraint, cost)
    assert message in str(caught.value)
    statement = f"ANONYMIZE TABLE t INTO r QUASI IDENTIFIERS (a) SENSITIVE (s, u) SUBJECT TO {constraint} MINIMIZE {cost}"
    with gensearch_db.connect() as connection:
        connection.execute("CREATE TABLE t AS SELECT i % 5 AS a, 'v' || i % 3 AS s, i % 2 AS u FROM range(30) AS numbers(i)")
        with pytest.raises(GensearchError) as told:
            connection.execute(statement)
    assert any(words in str(told.value) for words in (message, "that large or small", "expected a cost"))
    assert time.monotonic() - started < 20
    assert table.execute("SELECT list(table_name) FROM duckdb_tables()").fetchone() == (["t"],)


def test_unmeetable_constraints_are_told_together(table: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(InfeasibleError) as caught:
        gensearch_db.anonymize(
            table,
            "t",
            into="r",
            quasi_identifiers=["a"],
            sensitive=["s"],
            subject_to=["k_anonymity(31)", "entropy_l_diversity(4)"],
        )
    assert "reaches size 30" in str(caught.value)
    assert "reaches entropy l 3" in str(caught.value)


@pytest.mark.parametrize("delta", ["1000", "1e6", "1e17"])
def test_a_huge_delta_only_asks_for_every_value(table: duckdb.DuckDBPyConnection, delta: str) -> None:
    """Every block must hold all three values of ``s``, as distinct 3-diversity asks."""
    huge = release(table, f"delta_disclosure({delta}, s)").cost
    table.execute("DROP TABLE r; DROP TABLE r_blocks; DROP SCHEMA gensearch CASCADE")
    assert huge == release(table, "distinct_l_diversity(3, s)").cost
