"""The paper's system end to end: Python drives, grouped SQL counts. Both sources of statistics give the same search."""

from __future__ import annotations

from typing import Any

import duckdb
import pytest

from gensearch_db.anonymization import anonymize

PROBLEM: dict[str, Any] = {
    "quasi_identifiers": {"age": {"split": "every 10"}, "job": {"unordered": True}, "sex": {}},
    "sensitive": ["illness"],
    "strategy": "enumeration",
}


@pytest.fixture
def people(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    connection.execute(
        """
        CREATE TABLE people AS
        SELECT 20 + (i * 7) % 50 AS age, ['nurse', 'cook', 'smith'][1 + (i * i) % 3] AS job,
               CASE WHEN i % 5 < 2 THEN 'f' ELSE 'm' END AS sex, 'illness ' || (i * 11) % 4 AS illness
        FROM range(120) AS numbers(i)
        """
    )
    return connection


@pytest.mark.parametrize(
    ("minimize", "subject_to"),
    [
        ("discernibility", ["k_anonymity(5)", "entropy_l_diversity(2)"]),
        ("ncp", ["k_anonymity(4)", "t_closeness(0.3)"]),
        ("non_uniform_entropy", ["distinct_l_diversity(2)"]),
    ],
)
def test_sql_and_memory_give_the_same_search(people: duckdb.DuckDBPyConnection, minimize: str, subject_to: list[str]) -> None:
    releases = [
        anonymize(people, "people", into=f"by_{source}", minimize=minimize, subject_to=subject_to, statistics=source, **PROBLEM)
        for source in ("sql", "memory")
    ]
    assert releases[0].status == releases[1].status == "OPTIMAL"
    assert releases[0].cost == releases[1].cost == releases[1].lower_bound
    assert releases[0].counters == releases[1].counters
    assert releases[0].counters["blocks_asked"] > 0
    same = people.execute("SELECT count(*) FROM (FROM by_sql EXCEPT ALL FROM by_memory)").fetchone()
    assert same == (0,)
