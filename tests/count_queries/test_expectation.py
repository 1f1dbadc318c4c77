"""Estimates, deviations and bounds against all placements of the tuples in their blocks, enumerated by plain SQL."""

from __future__ import annotations

import math
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gensearch_db.count_queries import estimate
from tests.count_queries.fixtures import categorical, make_release, ordered, sensitive

COLUMNS = [
    ordered("i", "INTEGER", missing=True), ordered("f", "DOUBLE"), categorical("c"), sensitive("ill"),
]  # fmt: skip


@st.composite
def whole_interval(draw: st.DrawFn) -> tuple[Any, ...]:
    lower = draw(st.integers(0, 6))
    missing = draw(st.sampled_from(["no", "no", "possible", "only"]))
    return (None, None, "only") if missing == "only" else (lower, lower + draw(st.integers(1, 4)), missing)


@st.composite
def real_interval(draw: st.DrawFn) -> tuple[float, float]:
    lower = draw(st.integers(0, 5))
    return (float(lower), float(lower + draw(st.integers(1, 3))))


BLOCK = st.builds(
    lambda i, f, c, ill: {"i": i, "f": f, "c": c, "ill": ill, "count": sum(ill.values())},
    whole_interval(),
    real_interval(),
    st.lists(st.sampled_from(["x", "y", "z", None]), min_size=1, max_size=3, unique=True),
    st.dictionaries(st.sampled_from(["flu", "hiv", None]), st.integers(1, 3), min_size=1, max_size=3),
)
NUMBER = st.integers(-1, 10)
LEAF = st.one_of(
    st.builds(lambda o, n: f"i {o} {n}", st.sampled_from(["=", "<>", "<", "<=", ">", ">="]), NUMBER),
    st.builds(lambda a, b: f"i BETWEEN {a} AND {b}", NUMBER, NUMBER),
    st.builds(lambda a, b, c: f"i NOT IN ({a}, {b}, {c})", NUMBER, NUMBER, NUMBER),
    st.builds(lambda o, n: f"f {o} {n}", st.sampled_from(["<", "<=", ">", ">="]), NUMBER),
    st.builds(lambda a, b: f"f NOT BETWEEN {a} AND {b}", NUMBER, NUMBER),
    st.sampled_from(["c = 'x'", "c <> 'y'", "c IN ('x', 'z')", "c IS NULL", "c > 'x'", "c LIKE '%z%'"]),
    st.sampled_from(["ill = 'flu'", "ill IS NULL", "ill NOT IN ('hiv')", "ill <= 'g'"]),
    st.sampled_from(["i IS NULL", "i IS NOT NULL"]),
)
CONDITION = st.recursive(
    LEAF,
    lambda inner: st.one_of(
        st.builds(lambda a, o, b: f"({a} {o} {b})", inner, st.sampled_from(["AND", "OR"]), inner),
        st.builds(lambda a: f"NOT ({a})", inner),
    ),
    max_leaves=7,
)


def placements(connection: duckdb.DuckDBPyConnection, blocks: list[dict[str, Any]]) -> None:
    """Every place in every block, one row per sensitive value; ``chance`` is the place's probability.

    A continuous interval is represented by the middles of its unit steps (where the chance is: bounds and constants are whole
    numbers) and by its whole numbers (no chance, but possible).
    """
    connection.execute(
        "CREATE TABLE places (block INTEGER, i INTEGER, f DOUBLE, c VARCHAR, ill VARCHAR, tuples BIGINT, chance DOUBLE)"
    )
    for number, block in enumerate(blocks):
        lower, upper, missing = block["i"]
        whole = [None] if missing == "only" else list(range(lower, upper)) + ([None] if missing == "possible" else [])
        low, high = block["f"]
        reals = [(low + step / 2, step % 2 / (high - low)) for step in range(int(2 * (high - low)))]
        for i in whole:
            for f, weight in reals:
                for c in block["c"]:
                    for ill, count in block["ill"].items():
                        chance = weight / len(whole) / len(block["c"])
                        connection.execute(
                            "INSERT INTO places VALUES (?, ?, ?, ?, ?, ?, ?)", [number, i, f, c, ill, count, chance]
                        )


@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
@given(blocks=st.lists(BLOCK, min_size=1, max_size=4), conditions=st.lists(CONDITION, min_size=1, max_size=6))
def test_the_estimate_is_the_expectation_over_all_placements(blocks: list[dict[str, Any]], conditions: list[str]) -> None:
    connection = duckdb.connect()
    make_release(connection, "r", COLUMNS, blocks)
    placements(connection, blocks)
    for condition in conditions:
        expected, variance, lower, upper = (
            connection.execute(
                f"""SELECT sum(tuples * p), sum(tuples * p * (1 - p)), sum(CASE WHEN always THEN tuples ELSE 0 END),
                       sum(CASE WHEN ever THEN tuples ELSE 0 END)
                FROM (SELECT block, ill, any_value(tuples) AS tuples, coalesce(sum(chance) FILTER ({condition}), 0) AS p,
                             bool_and(coalesce({condition}, FALSE)) AS always, bool_or(coalesce({condition}, FALSE)) AS ever
                      FROM places GROUP BY block, ill)"""
            ).fetchone()
            or (None,) * 4
        )
        (found,) = estimate(connection, "r", f"SELECT COUNT(*) FROM t WHERE {condition}").estimates
        assert found.estimate == pytest.approx(expected, abs=1e-9), condition
        assert found.deviation == pytest.approx(math.sqrt(max(0, variance)), abs=1e-6), condition
        assert (found.lower, found.upper) == (lower, upper), condition


TWO_SENSITIVE = [ordered("i", "INTEGER"), categorical("c"), sensitive("ill"), sensitive("pay", "INTEGER")]
ROW = st.tuples(st.integers(0, 9), st.sampled_from("xyz"), st.sampled_from(["flu", "hiv", "cold"]), st.sampled_from([1, 2, 3]))
PAY = st.sampled_from(["pay > 1", "pay = 2", "pay IN (1, 3)", "ill = 'flu'", "ill <> 'hiv'", "ill = 'cold'"])
MIXED = st.recursive(
    st.one_of(PAY, st.builds(lambda n: f"i < {n}", NUMBER), st.sampled_from(["c = 'x'", "c <> 'z'"])),
    lambda inner: st.one_of(
        st.builds(lambda a, o, b: f"({a} {o} {b})", inner, st.sampled_from(["AND", "OR"]), inner),
        st.builds(lambda a: f"NOT ({a})", inner),
    ),
    max_leaves=6,
)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(rows=st.lists(ROW, min_size=1, max_size=15), width=st.integers(2, 5), conditions=st.lists(MIXED, min_size=1, max_size=5))
def test_bounds_hold_for_the_rows_a_release_was_made_from(
    rows: list[tuple[int, str, str, int]], width: int, conditions: list[str]
) -> None:
    """With two sensitive columns only their own distributions are published, so Fréchet's bounds come in."""
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t (i INTEGER, c VARCHAR, ill VARCHAR, pay INTEGER)")
    connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
    blocks: dict[int, dict[str, Any]] = {}
    for i, c, ill, pay in rows:
        start = i // width * width
        new = {"i": (start, start + width), "c": [], "ill": {}, "pay": {}, "count": 0}
        block = blocks.setdefault(start, new)
        block["count"] += 1
        block["c"] = sorted({*block["c"], c})
        block["ill"][ill] = block["ill"].get(ill, 0) + 1
        block["pay"][pay] = block["pay"].get(pay, 0) + 1
    make_release(connection, "r", TWO_SENSITIVE, list(blocks.values()))
    for condition in conditions:
        (truth,) = connection.execute(f"SELECT count(*) FROM t WHERE {condition}").fetchone() or (0,)
        (found,) = estimate(connection, "r", f"SELECT COUNT(*) FROM t WHERE {condition}").estimates
        assert found.lower <= truth <= found.upper, condition
        assert found.lower - 1e-9 <= found.estimate <= found.upper + 1e-9, condition


def test_two_sensitive_columns_are_taken_as_independent_and_bounded_by_frechet() -> None:
    connection = duckdb.connect()
    block = {"i": (0, 10), "c": ["x"], "ill": {"flu": 6, "hiv": 4}, "pay": {1: 7, 2: 3}, "count": 10}
    make_release(connection, "r", TWO_SENSITIVE, [block])
    (both,) = estimate(connection, "r", "SELECT COUNT(*) FROM t WHERE ill = 'flu' AND pay = 1").estimates
    assert (both.estimate, both.lower, both.upper) == (pytest.approx(6 * 7 / 10), 3, 6)
    (either,) = estimate(connection, "r", "SELECT COUNT(*) FROM t WHERE ill = 'hiv' OR pay = 2").estimates
    assert (either.estimate, either.lower, either.upper) == (pytest.approx(10 - 4.2), 4, 7)
