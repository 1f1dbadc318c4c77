"""Columns that are published as ``*``, with and without a range beside it: estimates against plain SQL on the source."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import duckdb
import pytest

import gensearch_db
from gensearch_db.count_queries import estimate, estimate_sql
from gensearch_db.count_queries.estimating import Estimate

ROWS = 40
MEASURED = ("DOUBLE", "FLOAT")


@dataclass(frozen=True)
class Source:
    """A column's type, its value in row i as SQL, constants inside and outside its range, and a domain around it."""

    type: str
    value: str
    constants: tuple[str, ...]
    domain: tuple[Any, Any]


MOMENT = "TIMESTAMP '2020-01-01' + i * INTERVAL 1 HOUR"
SOURCES = [
    Source("INTEGER", "20 + i", ("25", "1000", "-3", "59"), (0, 99)),
    Source("UTINYINT", "20 + i", ("25", "255", "0"), (0, 99)),
    Source("HUGEINT", "20 + i", ("25", "100000000000000000000"), (0, 99)),
    Source("DECIMAL(6,2)", "20 + i / 4", ("25", "22.25", "-3"), (0, 99)),
    Source("DOUBLE", "20 + i / 4", ("25", "22.25", "1e300"), (0, 99)),
    Source("FLOAT", "20 + i / 4", ("25", "22.25", "-1e10"), (0, 99)),
    Source("DATE", "DATE '2020-01-01' + i::INTEGER", ("DATE '2020-01-20'", "DATE '1900-01-01'"), ("2019-01-01", "2021-12-31")),
    Source("TIMESTAMP", MOMENT, ("TIMESTAMP '2020-01-02'",), ("2019-01-01", "2021-12-31")),
    Source("TIMESTAMP_NS", MOMENT, ("TIMESTAMP '2020-01-02'",), ("2019-01-01", "2021-12-31")),
]  # fmt: skip
OPERATORS = ("<", "<=", "=", "<>", ">=", ">")


def released(source: Source, *, missing: bool, domain: bool) -> duckdb.DuckDBPyConnection:
    """A table and its release in one block, so that the column is ``*``, or ``*`` with NULL in it."""
    connection = duckdb.connect()
    value = f"CASE WHEN i % 8 < {int(missing)} THEN NULL ELSE {source.value} END"
    connection.execute(f"CREATE TABLE t AS SELECT CAST({value} AS {source.type}) AS age, i % 3 AS ill FROM range({ROWS}) r(i)")
    how: dict[str, Any] = {"split": "2 quantiles"} | ({"domain": list(source.domain)} if domain else {})
    gensearch_db.anonymize(
        connection, "t", into="r", quasi_identifiers={"age": how}, sensitive=["ill"], k=ROWS, strategy="mondrian"
    )
    assert connection.execute("SELECT count(*), any_value(age) FROM r_blocks").fetchall() == [(1, "*")]
    return connection


def answer(connection: duckdb.DuckDBPyConnection, condition: str) -> Estimate:
    """The estimate, whose bounds hold plain SQL's count and the estimate itself; the statement written out says the same."""
    query = f"SELECT COUNT(*) FROM t WHERE {condition}"
    (found,) = estimate(connection, "r", query).estimates
    (truth,) = connection.execute(query).fetchone() or (-1,)
    assert found.lower <= truth <= found.upper, condition
    assert found.lower - 1e-9 <= found.estimate <= found.upper + 1e-9, condition
    assert connection.execute(estimate_sql(connection, "r", query)).fetchall()[0][1:5] == pytest.approx(
        (found.estimate, found.deviation, found.lower, found.upper)
    )
    return found


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.type)
def test_nothing_known_of_a_column_is_a_guess_that_says_so(source: Source, missing: bool) -> None:
    """Found 2026-11-29: whole numbers above any constant were estimated as 0.0 ± 0.0."""
    connection = released(source, missing=missing, domain=False)
    for constant in source.constants:
        found = {operator: answer(connection, f"age {operator} {constant}") for operator in OPERATORS}
        assert all((one.lower, one.upper) == (0, ROWS) for one in found.values())
        assert found["<"].estimate == pytest.approx(found[">"].estimate)
        if source.type in MEASURED:
            assert (found[">"].estimate, found["="].estimate) == (ROWS / 2, 0)
        else:
            assert found[">"].estimate == pytest.approx(found["="].estimate) == pytest.approx(ROWS / (4 if missing else 3))
        for first, second in (("<=", ">"), ("<", ">="), ("=", "<>")):
            both = found[first].estimate + found[second].estimate
            unknown = answer(connection, f"age IS NULL AND (age = {constant} OR age IS NULL)").estimate
            assert both + unknown == pytest.approx(ROWS)
        for one in found.values():
            assert one.deviation == pytest.approx(math.sqrt((ROWS - one.estimate) * one.estimate))


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.type)
def test_a_declared_domain_tells_the_range_of_a_star(source: Source, missing: bool) -> None:
    connection = released(source, missing=missing, domain=True)
    low, high = (f"CAST('{end}' AS {source.type})" for end in source.domain)
    constant = source.constants[0]

    def place(value: str) -> str:
        """The value as a number."""
        typed = f"CAST({value} AS {source.type})"
        return f"epoch_ns({typed})::DOUBLE" if source.type in ("DATE", "TIMESTAMP", "TIMESTAMP_NS") else f"{typed}::DOUBLE"

    (share,) = connection.execute(
        f"SELECT ({place(high)} - {place(constant)}) / ({place(high)} - {place(low)})"
    ).fetchone() or (0,)  # fmt: skip
    above = answer(connection, f"age > {constant}")
    assert above.estimate == pytest.approx(ROWS * share, rel=0.02)
    assert above.deviation == pytest.approx(math.sqrt(above.estimate * (ROWS - above.estimate) / ROWS), rel=0.02)
    assert answer(connection, f"age < {low}").upper == 0
    if source.type not in MEASURED:  # the end is the next number, which no row has
        assert answer(connection, f"age > {high}").upper == 0


def test_one_bound_and_the_constants_place_the_ends() -> None:
    """``< 30`` and ``>= 30``: found 2026-11-29, ``age > 40`` was 0.0 ± 0.0."""
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT (10 + i)::INTEGER AS age FROM range(40) r(i)")
    gensearch_db.anonymize(connection, "t", into="r", quasi_identifiers=["age: at 30"], k=20, strategy="mondrian")
    assert connection.execute("SELECT age FROM r_blocks ORDER BY age").fetchall() == [("< 30",), (">= 30",)]
    above = answer(connection, "age > 40")  # 30 and 40 are 10 apart: [30, 51) has 21 values, 10 of them above 40
    assert above.estimate == pytest.approx(20 * 10 / 21)
    assert (above.lower, above.upper) == (0, 20)
    assert above.deviation == pytest.approx(math.sqrt((20 - above.estimate) * above.estimate))
    assert answer(connection, "age >= 30").deviation == 0
    below = answer(connection, "age <= 24 OR age >= 30")  # 24 and 30 are 6 apart: [18, 30) has 12 values, 7 up to 24
    assert below.estimate == pytest.approx(20 + 20 * 7 / 12)
    assert below.deviation == pytest.approx(math.sqrt((40 - below.estimate) * (below.estimate - 20)))


def test_a_guess_beside_what_is_known_has_the_bounds_of_what_is_known() -> None:
    connection = released(SOURCES[0], missing=False, domain=False)
    (ill,) = connection.execute("SELECT count(*) FROM t WHERE ill = 1").fetchone() or (0,)
    both = answer(connection, "age > 25 AND ill = 1")
    assert both.estimate == pytest.approx(ill / 3)
    assert (both.lower, both.upper) == (0, ill)
    assert both.deviation == pytest.approx(math.sqrt((ill - both.estimate) * both.estimate))
    either = answer(connection, "age > 25 OR ill = 1")
    assert either.estimate == pytest.approx(ill + (ROWS - ill) / 3)
    assert (either.lower, either.upper) == (ill, ROWS)
    assert either.deviation == pytest.approx(math.sqrt((ROWS - either.estimate) * (either.estimate - ill)))
