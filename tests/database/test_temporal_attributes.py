"""Leaves of dates and timestamps: calendar units as DuckDB's own date_trunc counts them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gensearch_db.database.session import Session, open_database
from gensearch_db.errors import DataError, SpecificationError
from tests.database.tables import leaf_counts, prepared_from


@pytest.fixture
def session() -> Iterator[Session]:
    with open_database(":memory:") as opened:
        yield opened


UNITS = ["year", "quarter", "month", "week", "day", "decade", "century"]
DAYS = "CREATE TABLE t AS SELECT (DATE '{first}' + (i * {step})::INTEGER)::{type} AS v FROM range({count}) r(i)"


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("type_name", ["DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_NS"])
def test_units_agree_with_date_trunc(session: Session, unit: str, type_name: str) -> None:
    setup = DAYS.format(first="1899-11-05", step=97, count=500, type=type_name)
    with prepared_from(session, setup, {"v": {"split": f"every {unit}"}}) as prepared:
        expected = session.connection.execute(
            f"SELECT count(*)::BIGINT FROM t GROUP BY date_trunc('{unit}', v) ORDER BY date_trunc('{unit}', v)"
        ).fetchall()
        assert list(leaf_counts(prepared).values()) == [count for (count,) in expected]
        (outside,) = session.connection.execute(
            f"""SELECT count(*) FROM t JOIN "{prepared.value_maps[0][2]}" m ON t.v = m.value
                JOIN "{prepared.leaf_tables[0][2]}" l USING (code)
                WHERE NOT (coalesce(v >= l.lower, true) AND coalesce(v < l.upper, true)
                           AND coalesce(date_trunc('{unit}', v) = l.lower, true))"""
        ).fetchone() or (None,)
        assert outside == 0


@pytest.mark.parametrize(
    ("unit", "label"),
    [("month", "2024-03"), ("quarter", "2024-Q1"), ("year", "2024"), ("week", "2024-W11"), ("day", "2024-03-15")],
)
def test_a_unit_is_called_by_its_name(session: Session, unit: str, label: str) -> None:
    setup = "CREATE TABLE t(v DATE); INSERT INTO t VALUES ('1990-01-01'), ('2024-03-15'), ('2030-01-01')"
    with prepared_from(session, setup, {"v": {"split": f"every {unit}"}}) as prepared:
        labels = [leaf.label for leaf in prepared.space.attributes[0].leaves]
        assert labels[1] == label
        assert labels[0].startswith("< ")
        assert labels[2].startswith(">= ")


def test_several_years_lie_on_a_grid(session: Session) -> None:
    setup = "CREATE TABLE t(v DATE); INSERT INTO t VALUES ('1980-01-01'), ('1989-12-31'), ('1990-01-01'), ('2001-06-01')"
    with prepared_from(session, setup, {"v": {"split": "every 10 years"}}) as prepared:
        assert leaf_counts(prepared) == {"< 1990-01-01": 2, "[1990-01-01, 2000-01-01)": 1, ">= 2000-01-01": 1}


@pytest.mark.parametrize(("last", "leaves"), [("1980-12-31", 12), ("1981-01-01", 2)])
def test_the_default_is_by_year_and_within_one_year_by_month(session: Session, last: str, leaves: int) -> None:
    setup = f"CREATE TABLE t AS SELECT unnest(generate_series(DATE '1980-01-01', DATE '{last}', INTERVAL 1 DAY))::DATE AS v"
    with prepared_from(session, setup, {"v": {}}) as prepared:
        assert prepared.space.attributes[0].leaf_count == leaves


def test_infinite_dates_are_refused_with_column_and_count(session: Session) -> None:
    setup = "CREATE TABLE t(born DATE); INSERT INTO t VALUES ('1980-01-01'), ('infinity'), ('-infinity')"
    with pytest.raises(DataError, match="'born' holds 2 infinite values"):
        prepared_from(session, setup, {"born": {}})


def test_years_beyond_what_python_knows(session: Session) -> None:
    setup = "CREATE TABLE t(v DATE); INSERT INTO t VALUES ('0044-03-15 (BC)'), ('2024-01-01'), ('12024-01-01')"
    for split in ("every year", "anywhere", "at 2000-01-01, 10000-01-01"):
        session.connection.execute("DROP TABLE IF EXISTS t")
        with prepared_from(session, setup, {"v": {"split": split}}) as prepared:
            assert list(leaf_counts(prepared).values()) == [1, 1, 1]


def test_dates_may_be_cut_at_dates_and_have_a_domain(session: Session) -> None:
    setup = "CREATE TABLE t(v DATE); INSERT INTO t VALUES ('2020-01-01'), ('2020-06-30'), ('2020-07-01')"
    with prepared_from(session, setup, {"v": {"split": "at 2020-07-01", "domain": ["2020-01-01", "2020-12-31"]}}) as prepared:
        assert leaf_counts(prepared) == {"[2020-01-01, 2020-07-01)": 2, "[2020-07-01, 2021-01-01)": 1}


def test_a_zone_decides_on_which_day_an_instant_falls(session: Session) -> None:
    setup = """CREATE TABLE t(v TIMESTAMPTZ); INSERT INTO t VALUES
               ('2024-03-30 22:59:59+00'), ('2024-03-30 23:00:00+00'), ('2024-03-31 21:59:59+00'), ('2024-03-31 22:00:00+00')"""
    with prepared_from(session, setup, {"v": {"split": "every day", "timezone": "Europe/Berlin"}}) as prepared:
        assert list(leaf_counts(prepared).values()) == [1, 2, 1]
        assert leaf_counts(prepared)["2024-03-31"] == 2


def test_the_hour_that_a_clock_change_repeats_stays_in_order(session: Session) -> None:
    setup = (
        """CREATE TABLE t AS SELECT TIMESTAMPTZ '2024-10-26 22:00:00+00' + i * INTERVAL 10 MINUTE AS v FROM range(40) r(i)"""
    )
    with prepared_from(session, setup, {"v": {"split": "every hour", "timezone": "Europe/Berlin"}}) as prepared:
        (outside,) = session.connection.execute(
            f"""SELECT count(*) FROM t JOIN "{prepared.value_maps[0][2]}" m ON t.v = m.value
                JOIN "{prepared.leaf_tables[0][2]}" l USING (code)
                WHERE NOT (coalesce(v >= l.lower, true) AND coalesce(v < l.upper, true))"""
        ).fetchone() or (None,)
        assert outside == 0
        assert sum(leaf_counts(prepared).values()) == 40


CHANGES = {
    "Europe/Berlin": ("2024-03-31 01:00+00", "2024-10-27 01:00+00"),
    "Australia/Lord_Howe": ("2024-04-06 15:00+00", "2024-10-05 15:30+00"),
    "Antarctica/Troll": ("2024-03-31 01:00+00", "2024-10-27 01:00+00"),
    "Asia/Beirut": ("2024-03-30 22:00+00", "2024-10-26 21:00+00"),
    "Pacific/Apia": ("2011-12-30 10:00+00",),
}
"""Changes of an hour, of half an hour, of two, at midnight, and of a whole day."""


@pytest.mark.parametrize("width", ["second", "50 minutes", "hour", "5 hours", "day", "month"])
@pytest.mark.parametrize("zone", CHANGES)
def test_every_instant_around_a_clock_change_lies_in_one_bin(session: Session, zone: str, width: str) -> None:
    """Found 2026-11-29: a KeyError, or rows outside of their bins, where the bin that encloses a repeated hour has no other
    row. One instant alone, and then some together."""
    for change in CHANGES[zone]:
        for minutes in ("-31", "29", "59", "range(-130, 130, 35)"):
            some = minutes if minutes.startswith("range") else f"range({minutes}, {int(minutes) + 1})"
            setup = f"CREATE OR REPLACE TABLE t AS SELECT TIMESTAMPTZ '{change}' + to_minutes(i::INT) AS v FROM {some} r(i)"
            with prepared_from(session, setup, {"v": {"split": f"every {width}", "timezone": zone}}) as prepared:
                rows = session.connection.execute(
                    f"""SELECT list(l.code) FILTER (coalesce(v >= l.lower, true) AND coalesce(v < l.upper, true)) = [m.code]
                        FROM t JOIN "{prepared.value_maps[0][2]}" m ON t.v = m.value CROSS JOIN "{prepared.leaf_tables[0][2]}" l
                        GROUP BY t.v, m.code"""
                ).fetchall()
                assert set(rows) == {(True,)}, (change, minutes)


def test_bins_around_a_clock_change_are_those_of_the_grid(session: Session) -> None:
    """One instant an hour: the bin from 1 to 2 o'clock lasts two of them, as the clock shows 2 to 3 for the second time only
    then, and the one from 2 to 3 does not exist in spring."""
    setup = "CREATE TABLE t AS SELECT TIMESTAMPTZ '2024-{}+00' + to_hours(i::INT) AS v FROM range(6) r(i)"
    for start, counts in (("10-26 22:30", [1, 2, 1, 1, 1]), ("03-30 22:30", [1, 1, 1, 1, 1, 1])):
        with prepared_from(
            session, setup.format(start), {"v": {"split": "every hour", "timezone": "Europe/Berlin"}}
        ) as prepared:
            assert list(leaf_counts(prepared).values()) == counts
        session.connection.execute("DROP TABLE t")


def test_an_unknown_zone_is_refused(session: Session) -> None:
    setup = "CREATE TABLE t(v TIMESTAMPTZ); INSERT INTO t VALUES ('2024-03-30 22:59:59+00')"
    with pytest.raises(SpecificationError, match="column 'v': there is no time zone 'Nowhere'"):
        prepared_from(session, setup, {"v": {"timezone": "Nowhere"}})


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.integers(-3_000_000, 3_000_000), min_size=1, max_size=20),
    st.sampled_from(["every week", "every 3 months", "every 7 days", "every 100 years", "anywhere", "3 quantiles"]),
)
def test_every_date_lies_in_exactly_its_leaf(days: list[int], split: str) -> None:
    with open_database(":memory:") as session:
        session.connection.execute("CREATE TABLE t AS SELECT DATE '1970-01-01' + unnest(?::INTEGER[]) AS v", [days])
        with prepared_from(session, "", {"v": {"split": split}}) as prepared:
            (outside,) = session.connection.execute(
                f"""SELECT count(*) FROM t JOIN "{prepared.value_maps[0][2]}" m ON t.v = m.value
                    JOIN "{prepared.leaf_tables[0][2]}" l USING (code)
                    WHERE NOT (coalesce(v >= l.lower, true) AND coalesce(v < l.upper, true))"""
            ).fetchone() or (None,)
            assert outside == 0
            assert sum(leaf_counts(prepared).values()) == len(days)
