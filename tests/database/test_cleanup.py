"""Whatever statement of a run fails, even one that tidies up: no helper table stays, no setting stays changed."""

from __future__ import annotations

import os
from collections.abc import Callable

import duckdb
import pytest

import gensearch_db
from gensearch_db.errors import ResourceError
from tests.faults.statements import statement_count, struck


def interrupt() -> None:
    raise KeyboardInterrupt


def run_out_of_memory() -> None:
    raise duckdb.OutOfMemoryException("Out of Memory Error: failed to allocate data of size 1.0 GiB (200 MiB/200 MiB used)")


def run(connection: duckdb.DuckDBPyConnection) -> None:
    quasi_identifiers = {"age": {"split": "every 5"}, "seen": {"split": "every month", "timezone": "Europe/Berlin"}}
    gensearch_db.anonymize(
        connection,
        "people",
        into="rel",
        quasi_identifiers=quasi_identifiers,
        sensitive=["illness"],
        k=2,
        strategy="mondrian",
        replace=True,
    )


@pytest.fixture
def people(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    connection.execute("SET preserve_insertion_order = false")
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute(
        "CREATE TABLE people AS SELECT i AS age, TIMESTAMPTZ '2024-01-01' + to_days(i::INTEGER * 9) AS seen,"
        " 'd' || i % 3 AS illness FROM range(12) r(i)"
    )
    return connection


EVERY_TIME = os.environ.get("GENSEARCH_KILL_EVERY") == "1"
"""Whether each statement is struck, and not only every other (want of memory: third) one."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "raised", "every"),
    [(interrupt, KeyboardInterrupt, 1 if EVERY_TIME else 2), (run_out_of_memory, ResourceError, 1 if EVERY_TIME else 3)],
)
@pytest.mark.parametrize("after", [False, True])
def test_nothing_stays_whatever_statement_fails(
    people: duckdb.DuckDBPyConnection, fault: Callable[[], None], raised: type[BaseException], every: int, after: bool
) -> None:
    count = statement_count(lambda: run(people))
    failed = 0
    for number in range(1, count + 1, every):
        try:
            with struck(number, fault, after=after):
                run(people)
        except raised:
            failed += 1
        left = people.execute("SELECT table_name FROM duckdb_tables() WHERE database_name = 'temp'").fetchall()
        assert left == [], f"statement {number} of {count}"
        settings = people.execute("SELECT current_setting('preserve_insertion_order'), current_setting('TimeZone')").fetchone()
        assert settings == (False, "UTC"), f"statement {number} of {count}"
    assert failed > count // (2 * every)
