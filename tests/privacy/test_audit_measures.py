"""The audit's SQL against the exact tests in Python: two implementations that share no code."""

from __future__ import annotations

import math
import random

import duckdb
import pytest

from gensearch_db.database.rendering import Sql, statement
from gensearch_db.domain.cells import Table
from gensearch_db.privacy.constraint import Constraint
from gensearch_db.privacy.registry import constraint_from_text
from tests.privacy.instances import random_constraints, random_part, random_table, statistics, table_of


def fill(connection: duckdb.DuckDBPyConnection, table: Table, parts: list[tuple[int, ...]]) -> None:
    """The tables that an audit makes before it measures."""
    values = table.sensitive["s"].values
    kind = "BLOB" if isinstance(values[0], str) else "INTEGER"
    connection.execute("CREATE OR REPLACE TABLE classes (class BIGINT, key_0 BIGINT, size BIGINT, suppressed BOOLEAN)")
    connection.execute(f"CREATE OR REPLACE TABLE histogram (class BIGINT, value {kind}, count BIGINT)")
    connection.execute(f"CREATE OR REPLACE TABLE baseline (value {kind}, count BIGINT)")

    def stored(code: int) -> object:
        value = None if code == table.sensitive["s"].missing else values[code]
        return value.encode() if isinstance(value, str) else value

    for number, part in enumerate(parts):
        connection.execute("INSERT INTO classes VALUES (?, ?, ?, false)", [number, number, sum(part)])
        for code, count in enumerate(part):
            if count:
                connection.execute("INSERT INTO histogram VALUES (?, ?, ?)", [number, stored(code), count])
    for code, count in enumerate(table.statistics.sensitive["s"]):
        connection.execute("INSERT INTO baseline VALUES (?, ?)", [stored(code), count])


def measure(connection: duckdb.DuckDBPyConnection, constraint: Constraint, table: Table) -> list[tuple[int, float, bool]]:
    audit = constraint.audit_measure(table.sensitive["s"])
    assert audit is not None
    textual = isinstance(table.sensitive["s"].values[0], str)
    sql = statement(
        audit.template,
        classes=["classes"],
        histogram=["histogram"],
        baseline=["baseline"],
        member=Sql("encode(member)" if textual else "member"),
    )
    rows = connection.execute(f"SELECT * FROM ({sql}) ORDER BY class", audit.parameters).fetchall()
    summary = statement("audit/measured", measure=sql, classes=["classes"])
    blocks, smallest, largest, bad, _ = connection.execute(summary, audit.parameters).fetchone()
    assert (blocks, bad) == (len(rows), sum(not holds for _, _, holds in rows))
    assert (smallest, largest) == (min(row[1] for row in rows), max(row[1] for row in rows))
    return rows


@pytest.mark.parametrize("seed", range(12))
def test_measures_agree_with_the_exact_tests(seed: int) -> None:
    chance = random.Random(seed)
    table = random_table(chance)
    parts = [random_part(chance, table.statistics.sensitive["s"]) for _ in range(12)]
    with duckdb.connect() as connection:
        fill(connection, table, parts)
        for constraint in random_constraints(chance, table):
            for (number, reached, holds), part in zip(measure(connection, constraint, table), parts, strict=True):
                expected = constraint.reached(statistics(part), (), table)
                assert holds == constraint.holds(statistics(part), (), table), (constraint, number, part)
                assert math.isclose(reached, expected, rel_tol=1e-9, abs_tol=1e-12), (constraint, part, reached, expected)


def test_a_tie_at_t_is_met() -> None:
    """B11: a part of two equal values has t exactly 0.3; in floats it looks like more."""
    table = table_of([1, 2, 7])
    tie = constraint_from_text("t_closeness(0.3, distance = equal)", ["s"])
    with duckdb.connect() as connection:
        fill(connection, table, [(0, 0, 2)])
        assert measure(connection, tie, table) == [(0, pytest.approx(0.3), True)]


def test_bad_blocks_come_worst_first() -> None:
    table = table_of([5, 5])
    with duckdb.connect() as connection:
        fill(connection, table, [(4, 0), (1, 1), (0, 3)])
        sql = statement("audit/k_anonymity", classes=["classes"])
        bad = statement("audit/bad_blocks", measure=sql, classes=["classes"], worst_first=Sql("ASC"))
        assert connection.execute(bad, {"k": 4, "limit": 9}).fetchall() == [(1, 2, 2.0), (2, 3, 3.0)]
