"""Releases with suppressed rows: estimates and bounds speak of the rows that were released."""

from __future__ import annotations

import duckdb
import pytest

import gensearch_db
from gensearch_db.count_queries import estimate

QUERIES = ("age < 40", "age BETWEEN 30 AND 34 AND town = 'a'", "town <> 'a' OR age >= 90", "age > 20")


@pytest.mark.parametrize("labels", ["region", "values"])
def test_bounds_hold_for_the_rows_that_were_released(labels: str) -> None:
    with duckdb.connect() as connection:
        connection.execute(
            """CREATE TABLE people AS SELECT 20 + i * 7 % 30 AS age, ['a', 'b', 'c'][1 + i % 3] AS town FROM range(120) t(i)
               UNION ALL SELECT 90 + i, 'far' FROM range(3) t(i)"""
        )
        connection.execute("CREATE TABLE lonely AS SELECT * FROM people WHERE age >= 90")
        gensearch_db.anonymize(
            connection,
            "people",
            into="rel",
            quasi_identifiers={"age": {"split": "every 5"}, "town": {"unordered": True}},
            k=5,
            suppress_at_most=3,
            labels=labels,
        )
        (released,) = connection.execute("SELECT sum(count)::BIGINT FROM rel_blocks").fetchone() or (0,)
        assert released == 120, "the three lonely rows were suppressed"
        for condition in QUERIES:
            answer = estimate(connection, "rel", f"SELECT count(*) FROM people WHERE {condition}")
            one = answer.estimates[0]
            (all_rows,) = connection.execute(f"SELECT count(*) FROM people WHERE {condition}").fetchone() or (0,)
            (suppressed,) = connection.execute(f"SELECT count(*) FROM lonely WHERE {condition}").fetchone() or (0,)
            assert one.lower <= all_rows - suppressed <= one.upper
            assert one.lower <= one.estimate <= one.upper
