"""Wrong arguments of constraints and costs through every door: one clear message, nothing left behind."""

from __future__ import annotations

import time
from typing import Any

import duckdb
import pytest

import gensearch_db
from gensearch_db.anonymization import problem_from_fields
from gensearch_db.cost.registry import cost_from_text
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
    "k_anonymity('10')": "k must be a whole number of at least 1, not the text '10': write it without quotes",
    "k_anonymity(k = '5')": "not the text '5': write it without quotes",
    "k_anonymity(ten)": "k must be a whole number of at least 1, not the name ten",
    "t_closeness('0.2', s)": "t must be a number, not the text '0.2': write it without quotes",
    "distinct_l_diversity(2, 5)": "column must be a name, not a number",
    "delta_disclosure('1', s)": "delta must be a number, not the text '1': write it without quotes",
    "recursive_l_diversity(3, '2', s)": "l must be a whole number of at least 1, not the text '2': write it without quotes",
    "minimum_length('5', a)": "length must be a number, not the text '5': write it without quotes",
    "epsilon_privacy(2, 10, s, b = x)": "b must be a whole number of at least 0, not the name x",
    "minimum_length(nowhere, 2)": "'nowhere' is not a quasi-identifier",
}
WRONG_COSTS = {
    "0 * ncp": "the weight of ncp must be greater than 0, not 0",
    "ncp + -1 * volume": "the weight of volume must be greater than 0, not -1",
    "1e999999999 * ncp": "at most 18 digits",
    "1e17 * classification(u)": "too much to be counted exactly",
    "classification(nowhere)": "'nowhere'",
    "classification(5)": "must be a name, not a number",
    "volume(1)": "unit must be a name, not a number",
    "count_error('600')": "queries must be a whole number of at least 1, not the text '600': write it without quotes",
    "count_error(queries = 5, predicates = '1.5')": "predicates must be a number or a range like '1 to 4', not '1.5'",
    "count_error(queries = 5, selectivity = '0.1')": "selectivity must be a number, not the text '0.1': write",
    "count_error(queries = 5, seed = x)": "seed must be a whole number of at least 0, not the name x",
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
    started = time.process_time()
    with pytest.raises(SpecificationError) as caught:
        release(table, constraint, cost)
    assert message in str(caught.value)
    statement = f"ANONYMIZE TABLE t INTO r QUASI IDENTIFIERS (a) SENSITIVE (s, u) SUBJECT TO {constraint} MINIMIZE {cost}"
    with gensearch_db.connect() as connection:
        connection.execute("CREATE TABLE t AS SELECT i % 5 AS a, 'v' || i % 3 AS s, i % 2 AS u FROM range(30) AS numbers(i)")
        with pytest.raises(GensearchError) as told:
            connection.execute(statement)
    assert any(words in str(told.value) for words in (message, "that large or small", "expected a cost"))
    assert time.process_time() - started < 20
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


def test_one_predicate_may_be_written_as_a_text() -> None:
    assert cost_from_text("count_error(queries = 5, predicates = '2')") == cost_from_text(
        "count_error(queries = 5, predicates = 2)"
    )


FIELDS: list[tuple[dict[str, Any], str]] = [
    ({"quasi_identifiers": 5}, "quasi_identifiers: must be a list of names, or a group of named values, not 5"),
    ({"quasi_identifiers": ["age", 5]}, "quasi_identifiers: a column's name must be a text, not 5"),
    ({"quasi_identifiers": {5: {}}}, "quasi_identifiers: a column's name must be a text, not 5"),
    ({"quasi_identifiers": {"age": {"order": "true"}}}, "order: must be a list of values, from the first to the last, or true"),
    ({"quasi_identifiers": {"age": {"domain": 5}}}, "domain: must be the lowest and the highest value: [0, 120]"),
    ({"quasi_identifiers": {"age": {"weight": True}}}, "quasi_identifiers.age.weight: must be a number, not true"),
    ({"sensitive": 5}, "sensitive: must be a list of names, or a group of named values, not 5"),
    ({"sensitive": [5]}, "sensitive: a column's name must be a text, not 5"),
    ({"sensitive": {"s": {"order": "x"}}}, "sensitive.s.order: must be a list of values, from the first to the last, or true"),
    ({"suppress_at_most": True}, "suppress_at_most: must be a number, not true"),
    ({"node_limit": False}, "node_limit: must be a number, not false"),
    ({"stop_after": True}, "stop_after: must be a number, not true"),
    ({"stop_after": "1.2.3 s"}, "stop_after: '1.2.3' is not a number; write for example '90 seconds'"),
]


@pytest.mark.parametrize(("fields", "message"), FIELDS)
def test_fields_of_the_wrong_type_in_python_and_in_a_problem_file(fields: dict[str, Any], message: str) -> None:
    """Some were no error of ours (a TypeError of Python's), true was taken for 1, and texts that name no type said little."""
    with pytest.raises(SpecificationError) as told:
        problem_from_fields({"table": "t", "into": "r", "quasi_identifiers": {"age": {}}, **fields})
    assert message in str(told.value)
    assert len(told.value.problems or [1]) == 1
