"""Leaves of numeric columns: each row in exactly one leaf, bounds as SQL compares them, counts as plain SQL counts them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gensearch_db.database.attributes.families import Family
from gensearch_db.database.attributes.numeric import roundest_place
from gensearch_db.database.session import Session, open_database
from gensearch_db.errors import DataError, SpecificationError
from tests.database.tables import leaf_counts, prepared_from


@pytest.fixture
def session() -> Iterator[Session]:
    with open_database(":memory:") as opened:
        yield opened


def uncovered(session: Session, prepared: Any, column: str) -> int:
    """Rows that do not lie in the leaf which their value is mapped to, by a comparison in SQL."""
    value_map, leaves = prepared.value_maps[0], prepared.leaf_tables[0]
    (count,) = session.connection.execute(
        f"""SELECT count(*) FROM {prepared.source.relation} AS t
            LEFT JOIN "{value_map[2]}" AS m ON (CASE WHEN isnan(t."{column}"::DOUBLE) THEN NULL ELSE t."{column}" END)
                 IS NOT DISTINCT FROM m.value
            LEFT JOIN "{leaves[2]}" AS l ON l.code = m.code
            WHERE NOT coalesce(CASE WHEN l.label = 'NULL' THEN m.value IS NULL
                  ELSE (l.lower IS NULL OR t."{column}" >= l.lower)
                       AND (l.upper IS NULL OR t."{column}" < l.upper) END, false)"""
    ).fetchone() or (None,)
    return int(count)


@pytest.mark.parametrize(
    ("cuts", "expected"),
    [("at 0, 5, 10", {"[0, 5)": 2, "[5, 10)": 2, ">= 10": 1, "NULL": 1}), ("at 5", {"< 5": 2, ">= 5": 3, "NULL": 1})],
)
def test_the_smallest_and_the_largest_value_lie_in_a_leaf(session: Session, cuts: str, expected: dict[str, int]) -> None:
    with prepared_from(
        session, "CREATE TABLE t(v INT); INSERT INTO t VALUES (0),(1),(5),(6),(10),(NULL)", {"v": {"split": cuts}}
    ) as prepared:
        assert leaf_counts(prepared) == expected


def test_a_value_on_a_cut_point_lies_in_the_upper_leaf_alone(session: Session) -> None:
    setup = "CREATE TABLE t(v DECIMAL(4,1)); INSERT INTO t VALUES (2.0),(2.8),(2.9),(2.9),(3.0),(3.2)"
    with prepared_from(session, setup, {"v": {"split": "at 2.9", "domain": [2.0, 3.2]}}) as prepared:
        assert leaf_counts(prepared) == {"[2.0, 2.9)": 2, "[2.9, 3.3)": 4}


def test_cut_points_are_read_in_the_columns_own_type(session: Session) -> None:
    setup = "CREATE TABLE t(w FLOAT); INSERT INTO t VALUES (2.1),(2.1),(2.1),(2.2),(2.2),(2.2)"
    with prepared_from(session, setup, {"w": {"split": "at 2.1, 2.15"}}) as prepared:
        assert leaf_counts(prepared) == {"[2.1, 2.15)": 3, ">= 2.15": 3}


def test_bins_below_zero_are_floored(session: Session) -> None:
    setup = "CREATE TABLE t(temp INT); INSERT INTO t VALUES (-11),(-10),(-9),(-1),(0),(9),(10),(19)"
    with prepared_from(session, setup, {"temp": {"split": "every 10", "domain": [-20, 19]}}) as prepared:
        assert leaf_counts(prepared) == {"[-20, -10)": 1, "[-10, 0)": 3, "[0, 10)": 2, "[10, 20)": 2}


def test_bins_are_bounded_by_the_values_not_by_the_range(session: Session) -> None:
    setup = """CREATE TABLE t AS SELECT (i * 1000003)::BIGINT AS amount,
               TIMESTAMP '1900-01-01' + i * INTERVAL 1 SECOND * 86400 * 365 AS ts FROM range(0, 120) r(i)"""
    with prepared_from(session, setup, {"amount": {"split": "every 1"}, "ts": {"split": "every second"}}) as prepared:
        assert [attribute.leaf_count for attribute in prepared.space.attributes] == [120, 120]


def test_huge_integers_keep_all_their_digits(session: Session) -> None:
    setup = """CREATE TABLE t(card HUGEINT); INSERT INTO t VALUES
               (999999999999999999999999999999),(999999999999999999999999999998),(5),(-170141183460469231731687303715884105728)"""
    with prepared_from(session, setup, {"card": {"split": "anywhere"}}) as prepared:
        assert leaf_counts(prepared) == {
            "-170141183460469231731687303715884105728": 1,
            "5": 1,
            "999999999999999999999999999998": 1,
            "999999999999999999999999999999": 1,
        }
    with prepared_from(session, "", {"card": {"split": "every 100000000000000000000000000000000000000"}}) as prepared:
        assert uncovered(session, prepared, "card") == 0


@pytest.mark.parametrize(
    ("type_name", "lowest", "highest"),
    [
        ("TINYINT", -128, 127),
        ("UTINYINT", 0, 255),
        ("BIGINT", -(2**63), 2**63 - 1),
        ("UBIGINT", 0, 2**64 - 1),
        ("UHUGEINT", 0, 2**128 - 1),
    ],
)
@pytest.mark.parametrize("split", ["every 100", "anywhere", "2 quantiles"])
def test_extreme_values_of_a_type(session: Session, type_name: str, lowest: int, highest: int, split: str) -> None:
    session.connection.execute(f"CREATE TABLE t(v {type_name}); INSERT INTO t VALUES ({lowest}), ({highest}), (7), (NULL)")
    with prepared_from(session, "", {"v": {"split": split}}) as prepared:
        (outside,) = session.connection.execute(
            f"""SELECT count(*) FROM t JOIN "{prepared.value_maps[0][2]}" m ON t.v IS NOT DISTINCT FROM m.value
                JOIN "{prepared.leaf_tables[0][2]}" l ON l.code = m.code
                WHERE NOT ((l.lower IS NULL OR t.v >= l.lower) AND (l.upper IS NULL OR t.v < l.upper))"""
        ).fetchone() or (None,)
        assert outside == 0
        assert sum(leaf_counts(prepared).values()) == 4


def test_no_observed_extreme_is_printed(session: Session) -> None:
    setup = "CREATE TABLE t(age INT); INSERT INTO t VALUES (30),(31),(32),(33),(34),(103)"
    for split in ("every 5", "at 33", "3 quantiles"):
        session.connection.execute("DROP TABLE IF EXISTS t")
        with prepared_from(session, setup, {"age": {"split": split}}) as prepared:
            texts = [text for leaf in prepared.space.attributes[0].leaves for text in (leaf.label, leaf.lower, leaf.upper)]
            assert not any("103" in str(text) or "104" in str(text) for text in texts)


@pytest.mark.parametrize("missing", ["NULL", "'nan'::DOUBLE"])
def test_nan_is_a_missing_value(session: Session, missing: str) -> None:
    setup = f"CREATE TABLE t(age DOUBLE); INSERT INTO t VALUES (30),(30),(-0.0),(0.0),({missing}),(NULL)"
    with prepared_from(session, setup, {"age": {"split": "anywhere"}}) as prepared:
        assert leaf_counts(prepared) == {"0.0": 2, "30.0": 2, "NULL": 2}
        assert prepared.space.attributes[0].leaves[-1].missing


def test_infinite_numbers_are_refused_with_column_and_count(session: Session) -> None:
    setup = "CREATE TABLE t(a DOUBLE, b FLOAT); INSERT INTO t VALUES ('inf', 1), ('-inf', 'inf'), (1, 2)"
    with pytest.raises(DataError, match=r"(?s)'a' holds 2 infinite values.*'b' holds 1 infinite value:"):
        prepared_from(session, setup, {"a": {}, "b": {}})


def test_values_outside_a_declared_domain_are_refused_with_their_number(session: Session) -> None:
    setup = "CREATE TABLE t(age INT); INSERT INTO t VALUES (5),(20),(90),(121),(122)"
    with pytest.raises(DataError, match=r"'age': 3 rows lie outside the declared domain \[10, 120\]"):
        prepared_from(session, setup, {"age": {"split": "every 5", "domain": [10, 120]}})


def test_a_declared_domain_is_covered_to_its_bounds(session: Session) -> None:
    setup = "CREATE TABLE t(age INT); INSERT INTO t VALUES (17),(22),(22),(90)"
    with prepared_from(session, setup, {"age": {"split": "every 5", "domain": [0, 120]}}) as prepared:
        leaves = prepared.space.attributes[0].leaves
        assert [(leaf.label, leaf.occurs) for leaf in leaves] == [
            ("[0, 15)", False),
            ("[15, 20)", True),
            ("[20, 25)", True),
            ("[90, 95)", True),
            ("[95, 121)", False),
        ]
        assert prepared.space.attributes[0].length(prepared.space.attributes[0].root) == 121
        assert leaf_counts(prepared) == {"[15, 20)": 1, "[20, 25)": 2, "[90, 95)": 1}


@pytest.mark.parametrize(
    ("column", "specification", "message"),
    [
        ("INT", {"split": "every 2.5"}, "finer than"),
        ("INT", {"split": "at 2.5"}, "not a value of type INTEGER"),
        ("INT", {"split": "at x"}, "not a value of type INTEGER"),
        ("INT", {"split": "every month"}, "needs a number"),
        ("INT", {"split": "every 0"}, "greater than 0"),
        ("INT", {"split": "0 quantiles"}, "at least 1"),
        ("INT", {"split": "sometimes"}, "cannot be read"),
        ("DATE", {"split": "every 5"}, "needs a unit of time"),
        ("DATE", {"split": "every fortnight"}, "not a unit of time"),
        ("DATE", {"split": "every hour"}, "shorter than a day"),
        ("VARCHAR", {"split": "every 5"}, "needs numbers or dates"),
        ("VARCHAR", {"domain": [1, 2]}, "can have a domain"),
        ("TIMESTAMPTZ", {}, "name the zone"),
    ],
)
def test_splits_that_do_not_fit_are_refused(session: Session, column: str, specification: dict[str, Any], message: str) -> None:
    value = {"DATE": "'2024-01-01'", "TIMESTAMPTZ": "'2024-01-01'"}.get(column, "1")
    with pytest.raises(SpecificationError, match=message):
        prepared_from(session, f"CREATE TABLE t(v {column}); INSERT INTO t VALUES ({value})", {"v": specification})


def test_defaults_follow_the_number_of_distinct_values(session: Session) -> None:
    setup = "CREATE TABLE t AS SELECT i % 200 AS few, i % 201 AS many FROM range(4020) r(i)"
    with prepared_from(session, setup, {"few": {}, "many": {}}) as prepared:
        assert [attribute.leaf_count for attribute in prepared.space.attributes] == [200, 64]


def test_quantiles_hold_about_the_same_number_of_rows(session: Session) -> None:
    setup = "CREATE TABLE t AS SELECT i % 1000 AS v FROM range(8000) r(i)"
    with prepared_from(session, setup, {"v": {"split": "4 quantiles"}}) as prepared:
        assert leaf_counts(prepared) == {"< 250": 2000, "[250, 500)": 2000, "[500, 750)": 2000, ">= 750": 2000}


numbers = st.one_of(
    st.none(),
    st.floats(allow_nan=True, allow_infinity=False, width=32),
    st.sampled_from([0.1, 0.2, 0.3, 0.7, 1.1, -0.1, -0.3, 1e20, -1e20, 5e-5]),
)
splits = st.sampled_from(["every 0.1", "every 3", "at 0.1, 0.3, 7", "5 quantiles", "anywhere", "every 0.25"])


@settings(max_examples=25, deadline=None)
@given(st.lists(numbers, min_size=1, max_size=30), splits, st.sampled_from(["FLOAT", "DOUBLE"]))
def test_every_floating_point_row_lies_in_exactly_its_leaf(values: list[float | None], split: str, type_name: str) -> None:
    with open_database(":memory:") as session:
        session.connection.execute(f"CREATE TABLE t(v {type_name})")
        session.connection.executemany("INSERT INTO t VALUES (?)", [[value] for value in values])
        with prepared_from(session, "", {"v": {"split": split}}) as prepared:
            assert uncovered(session, prepared, "v") == 0
            assert sum(leaf_counts(prepared).values()) == len(values)
            missing = sum(value is None or math.isnan(value) for value in values)
            assert leaf_counts(prepared).get("NULL", 0) == missing


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.integers(-300, 300), min_size=1, max_size=30),
    st.sampled_from(["every 7", "at -5, 0, 13", "5 quantiles", "anywhere", "every 1"]),
    st.sampled_from(["INTEGER", "DECIMAL(9,0)", "DECIMAL(9,2)", "HUGEINT", "SMALLINT"]),
)
def test_every_exact_row_lies_in_exactly_its_leaf(values: list[int], split: str, type_name: str) -> None:
    with open_database(":memory:") as session:
        session.connection.execute(f"CREATE TABLE t(v {type_name})")
        session.connection.executemany("INSERT INTO t VALUES (?)", [[value] for value in values])
        with prepared_from(session, "", {"v": {"split": split}}) as prepared:
            assert uncovered(session, prepared, "v") == 0
            width = {"every 7": 7, "every 1": 1}.get(split)
            if width is not None:
                expected = session.connection.execute(
                    f"SELECT count(*) FROM t GROUP BY floor(v / {width}::DOUBLE) ORDER BY 1"
                ).fetchall()
                assert sorted(leaf_counts(prepared).values()) == [count for (count,) in expected]


@given(st.integers(-(10**6), 10**6), st.integers(1, 10**4), st.sampled_from([1, 1000]))
def test_a_place_between_two_values_is_neither_and_has_no_more_digits_than_it_must(below: int, gap: int, scale: int) -> None:
    """Whole numbers, and decimals with three digits after the point; digits are counted without the zeros at the end."""
    family, kind = (Family.INTEGER, "INTEGER") if scale == 1 else (Family.DECIMAL, "DECIMAL(18,3)")
    low, high = (number if scale == 1 else Decimal(number).scaleb(-3) for number in (below, below + gap))
    place = int(roundest_place(low, high, family, kind) * scale)
    if gap == 1:
        assert place == below + 1
        return
    assert below < place < below + gap

    def zeros(number: int) -> int:
        """How often 10 divides a number; zero is the roundest of all."""
        return 99 if number == 0 else len(str(number)) - len(str(number).rstrip("0"))

    most = max(zeros(number) for number in range(below + 1, below + gap))
    assert zeros(place) == most
