"""Columns that reach from one end of their type to the other: released, audited and counted, checked by plain SQL."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gensearch_db.statements.connection import Connection, connect


@pytest.fixture
def connection() -> Iterator[Connection]:
    with connect() as opened:
        yield opened


def filled(connection: Connection, type_name: str, values: tuple[str, ...]) -> None:
    """Table ``t`` with six rows of each value."""
    connection.execute(f"CREATE TABLE t(x {type_name}, a INTEGER)").fetchall()
    for value in values:
        connection.execute(f"INSERT INTO t SELECT ({value})::{type_name}, i % 2 FROM range(6) r(i)").fetchall()


LENGTHS = {
    "TINYINT": ("", ("-128", "127"), 256),
    "INTEGER": ("", ("-2147483648", "2147483647"), 2**32),
    "BIGINT": ("", ("-9223372036854775808", "9223372036854775807"), 2**64),
    "UBIGINT": ("", ("0", "18446744073709551615"), 2**64),
    "HUGEINT": ("", (f"'{-(2**127)}'", f"'{2**127 - 1}'"), 2**128),
    "DECIMAL(38,0)": ("", (f"'-{'9' * 38}'", f"'{'9' * 38}'"), 2 * (10**38 - 1)),
    "DATE": ("", ("'5877642-06-25 (BC)'", "'5881580-07-10'"), 2**32 - 3),
    "TIMESTAMP": ("", ("'290309-12-22 (BC) 00:00:00'", "'294247-01-10 00:00:00'"), 213503982),
    "TIMESTAMP_S": ("", ("'0001-01-01'", "'9999-12-31'"), 3652058),
    "TIMESTAMP_MS": ("", ("'0001-01-01'", "'9999-12-31'"), 3652058),
    "TIMESTAMPTZ": ("TIMEZONE 'UTC'", ("'290309-12-22 (BC) 00:00:00+00'", "'294247-01-10 00:00:00+00'"), 213503982),
}
"""Type: the zone's clause, its least and largest value, the length between (values of whole numbers and dates, else days)."""


@pytest.mark.parametrize("type_name", LENGTHS)
def test_the_length_of_a_whole_type_is_audited(connection: Connection, type_name: str) -> None:
    zone, values, length = LENGTHS[type_name]
    filled(connection, type_name, values)
    connection.execute(
        f"ANONYMIZE TABLE t INTO r QUASI IDENTIFIERS (x SPLIT ANYWHERE {zone} MINIMUM LENGTH 5) SUBJECT TO k_anonymity(2)"
        " USING enumeration"
    ).fetchall()
    (check,) = (row for row in connection.execute("AUDIT r").fetchall() if row[0] == "minimum_length")
    assert check[2] == "PASSED"
    assert check[3] == pytest.approx(length, rel=1e-15)


@pytest.mark.parametrize("type_name", ["TIMESTAMP_S", "TIMESTAMP_MS"])
@pytest.mark.parametrize(
    "split", ["ANYWHERE", "EVERY CENTURY", "EVERY 7 SECONDS", "AT '0001-01-01', '9999-12-31'", "2 QUANTILES"]
)
def test_coarse_timestamps_of_all_years(connection: Connection, type_name: str, split: str) -> None:
    """Found 2026-11-29: DuckDB's microseconds of these types end with the years 1677 and 2262."""
    values = (
        "'290309-12-22 (BC) 00:00:00'",
        "'0044-03-15 (BC)'",
        "'0001-01-01'",
        "'9999-12-31 23:59:59'",
        "'294247-01-10 04:00:53'",
    )
    filled(connection, type_name, values)
    connection.execute(
        f"ANONYMIZE TABLE t INTO r QUASI IDENTIFIERS (x SPLIT {split}, a) SUBJECT TO k_anonymity(3) USING enumeration"
    ).fetchall()
    holding = """
        (x_lower IS NULL OR t.x >= x_lower) AND (x_upper IS NULL OR t.x < x_upper OR x_lower = x_upper AND t.x = x_lower)
        AND (a_lower IS NULL OR t.a >= a_lower) AND (a_upper IS NULL OR t.a < a_upper)
    """
    found = connection.execute(f"SELECT (SELECT count(*) FROM r_blocks WHERE {holding}) FROM t").fetchall()
    assert found == [(1,)] * 30
    sizes = connection.execute(f"SELECT count, (SELECT count(*) FROM t WHERE {holding}) FROM r_blocks").fetchall()
    assert all(told == true >= 3 for told, true in sizes)
    (estimate,) = connection.execute(
        "ESTIMATE SELECT COUNT(*) FROM t WHERE x >= '0044-03-15 (BC)' OR x < '0044-03-15 (BC)' USING r"
    ).fetchall()
    assert estimate[1] == pytest.approx(30)


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Apia", "America/New_York"])
@pytest.mark.parametrize("unit", ["SECOND", "HOUR", "WEEK", "MONTH", "10000 YEARS"])
def test_calendar_bins_of_instants_reach_to_the_ends_of_the_type(connection: Connection, unit: str, zone: str) -> None:
    """Found 2026-11-29: refused in DuckDB's words, with places of other rows in them."""
    filled(connection, "TIMESTAMPTZ", (*LENGTHS["TIMESTAMPTZ"][1], "'2000-01-01 00:00:00+00'"))
    connection.execute(
        f"ANONYMIZE TABLE t INTO r QUASI IDENTIFIERS (x SPLIT EVERY {unit} TIMEZONE '{zone}') SUBJECT TO k_anonymity(3)"
    ).fetchall()
    holding = "(x_lower IS NULL OR t.x >= x_lower) AND (x_upper IS NULL OR t.x < x_upper)"
    assert connection.execute(f"SELECT (SELECT count(*) FROM r_blocks WHERE {holding}) FROM t").fetchall() == [(1,)] * 18
    sizes = connection.execute(f"SELECT count, (SELECT count(*) FROM t WHERE {holding}) FROM r_blocks").fetchall()
    assert sizes == [(6, 6)] * 3


@pytest.mark.parametrize(
    "split",
    ["AT '5877642-06-26 (BC)', '5881580-07-10'", "EVERY YEAR DOMAIN ('5877642-06-25 (BC)', '5881580-07-10')", "ORDERED"],
)
def test_dates_at_the_ends_of_their_type_are_cut_points(connection: Connection, split: str) -> None:
    """Found 2026-11-29: refused in DuckDB's words, also by USING RELEASE, which cuts at the bounds of the release."""
    filled(connection, "DATE", (*LENGTHS["DATE"][1], "'2000-01-01'"))
    option = split if split == "ORDERED" else f"SPLIT {split}"
    connection.execute(f"ANONYMIZE TABLE t INTO r QUASI IDENTIFIERS (x {option}) SUBJECT TO k_anonymity(3)").fetchall()
    connection.execute("ANONYMIZE TABLE t INTO again USING RELEASE r").fetchall()
    holding = "(x_lower IS NULL OR t.x >= x_lower) AND (x_upper IS NULL OR t.x < x_upper)"
    for release in ("r", "again"):
        found = connection.execute(f"SELECT count, (SELECT count(*) FROM t WHERE {holding}) FROM {release}_blocks").fetchall()
        assert found == [(6, 6)] * 3
