"""Labels that state the values that occur, and least lengths of edges, do not go together, wherever the length is given."""

from __future__ import annotations

from typing import Any

import duckdb
import pytest

from gensearch_db import Release, anonymization
from gensearch_db.errors import SpecificationError


@pytest.fixture
def rows(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    connection.execute("CREATE TABLE t AS SELECT chr(97 + i::INT % 4) AS q, i % 3 AS z FROM range(24) numbers(i)")
    return connection


def release(connection: duckdb.DuckDBPyConnection, **fields: Any) -> Release:
    columns = {"q": {"unordered": True}, "z": {}}
    given = {"quasi_identifiers": columns, "subject_to": ["k_anonymity(2)"], "minimize": "ncp", **fields}
    return anonymization.anonymize(connection, "t", into="r", **given)


@pytest.mark.parametrize(
    "fields",
    [
        {"subject_to": ["k_anonymity(2)", "minimum_length(q, 2)"]},
        {"quasi_identifiers": {"q": {"unordered": True, "minimum_length": 2}, "z": {}}},
        {"subject_to": ["minimum_length(z, 2)", "k_anonymity(2)"]},
    ],
)
def test_labels_of_values_refuse_least_lengths(rows: duckdb.DuckDBPyConnection, fields: dict[str, Any]) -> None:
    with pytest.raises(SpecificationError, match=r"labels = 'values' and minimum_length\([qz], 2\) do not go together"):
        release(rows, labels="values", **fields)
    assert rows.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name LIKE 'r%'").fetchone() == (0,)
    assert release(rows, **fields).audit.passed


def test_labels_of_values_without_lengths_are_as_before(rows: duckdb.DuckDBPyConnection) -> None:
    assert release(rows, labels="values").audit.passed


@pytest.mark.parametrize("order", [True, ["a", "b", "c"]])
@pytest.mark.parametrize("strategy", ["enumeration", "mondrian"])
def test_ordered_categories_with_labels_of_values_are_published_as_the_sets_that_cost_what_is_said(
    connection: duckdb.DuckDBPyConnection, order: Any, strategy: str
) -> None:
    """2026-11-28: the block of a and c was published as everything from a to c, and cost as if it were not."""
    connection.execute("CREATE TABLE t AS FROM (VALUES ('a', 1), ('c', 1), ('b', 9)) v(q, z), range(3) r(i)")
    connection.execute("INSERT INTO t SELECT * FROM t WHERE q = 'b'")
    columns = {"q": {"order": order}, "z": {"split": "at 5"}}
    found = release(
        connection, quasi_identifiers=columns, subject_to=["k_anonymity(6)"], labels="values", strategy=strategy, node_limit=100
    )
    blocks = connection.execute("SELECT q, q_values, z, count FROM r_blocks ORDER BY z").fetchall()
    assert blocks == [("{a, c}", ["a", "c"], "< 5", 6), ("b", ["b"], ">= 5", 6)]
    assert found.cost == pytest.approx(6 * 2 / 3 + 6 * 4 / 9 + 6 * 5 / 9)  # two of three values; z is 1 to 4, or 5 to 9
    assert found.audit.passed
