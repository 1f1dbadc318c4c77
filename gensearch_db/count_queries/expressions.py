"""Small pieces of SQL that statements are put together from: positions of values on a line, samples, literals."""

from __future__ import annotations

import sys
from decimal import Decimal

from gensearch_db.count_queries.release import Family
from gensearch_db.database.attributes.families import decimal_scale
from gensearch_db.database.rendering import Sql, literal, type_name

Position = int | float
"""A place on the line of an ordered column: an integer (steps of the last digit, days, micro- or nanoseconds), or a float."""

_POSITIONS = {
    Family.WHOLE: "CAST({} AS HUGEINT)",
    Family.DECIMAL: "CAST(replace(CAST({} AS VARCHAR), '.', '') AS HUGEINT)",
    Family.FLOAT: "CAST({} AS DOUBLE)",
    Family.DATE: "({} - DATE '1970-01-01')",
    # Of TIMESTAMP_S and TIMESTAMP_MS themselves DuckDB knows the microseconds of the years 1677 to 2262 alone.
    Family.TIMESTAMP: "CAST(epoch_us(CAST({} AS TIMESTAMP)) AS HUGEINT)",
    Family.MICROSECONDS: "CAST(epoch_us({}) AS HUGEINT)",
    Family.NANOSECONDS: "CAST(epoch_ns({}) AS HUGEINT)",
}
"""Wider than the types themselves: an open end may be placed beyond their values."""
MOMENTS = {
    Family.DATE: "DATE '1970-01-01' + CAST({} AS INTEGER)",
    Family.TIMESTAMP: "make_timestamp(CAST({} AS BIGINT))",
    Family.MICROSECONDS: "make_timestamp(CAST({} AS BIGINT))",
    Family.NANOSECONDS: "make_timestamp_ns(CAST({} AS BIGINT))",
}
"""The families of dates and times, and how the one at a position is computed."""
WITH_ZONE = "TIMESTAMP WITH TIME ZONE"
_HAS_INFINITIES = (Family.FLOAT, Family.DATE, Family.TIMESTAMP, Family.MICROSECONDS, Family.NANOSECONDS)


def position_of(family: Family, value: Sql) -> Sql:
    """The position of a value on its line."""
    return Sql(_POSITIONS.get(family, "{}").format(value))


def moment_at(family: Family, position: Sql) -> Sql:
    """The date or time at a position, of any year: Python's years end with 9999. Of an instant it is the time in UTC."""
    return Sql(MOMENTS[family].format(position))


def upper_of(family: Family, lower: Sql, upper: Sql) -> Sql:
    """The position where an interval ends. A single value may be published with lower = upper: it is one step wide."""
    if family is not Family.FLOAT:
        return Sql(f"{position_of(family, upper)} + CASE WHEN {lower} = {upper} THEN 1 ELSE 0 END")
    return position_of(family, upper)


def below(family: Family, position: Sql, width: Sql) -> Sql:
    """The position that lies this much below another, NULL where one of them is; at least the next one, and a finite one.

    Beside 1e235 a width of 1 is lost, and an interval that is taken to be so wide would hold nothing.
    """
    moved = f"{position} - {width}"
    if family is not Family.FLOAT:
        return Sql(moved)
    lowest = number(-sys.float_info.max)
    return Sql(f"CASE WHEN {moved} IS NOT NULL THEN greatest(least({moved}, nextafter({position}, {lowest})), {lowest}) END")


def above(family: Family, position: Sql, width: Sql) -> Sql:
    """The position that lies this much above another, as :func:`below`."""
    moved = f"{position} + {width}"
    if family is not Family.FLOAT:
        return Sql(moved)
    highest = number(sys.float_info.max)
    return Sql(f"CASE WHEN {moved} IS NOT NULL THEN least(greatest({moved}, nextafter({position}, {highest})), {highest}) END")


def decimal_at(type_name: str, position: int) -> Decimal:
    """The number of a DECIMAL column at a position, to its last digit: Python's own context keeps 28."""
    return Decimal(f"{position}E-{decimal_scale(type_name)}")


def around(family: Family, low: Sql, high: Sql, anchor: Sql) -> tuple[Sql, Sql]:
    """Where open ends are taken to be where no two bounds are published: as far outside the outermost places known as these are
    apart, or by 1. Known are the first and the last constant of a query and the one bound, ``anchor``; each may be NULL.

    A counted column ends behind the place so found: what lies as far above a constant as below it weighs the same.
    """
    first, last = f"coalesce(least({low}, {anchor}), 0)", f"coalesce(greatest({high}, {anchor}), 0)"
    width = Sql(f"CASE WHEN {first} = {last} THEN 1 ELSE {last} - {first} END")
    behind = last if family is Family.FLOAT else f"{last} + 1"
    return below(family, Sql(first), width), above(family, Sql(behind), width)


def open_ends(family: Family) -> dict[str, Sql]:
    """Where open ends are taken to be, made of ``bounds``, the list of all bounds: as wide as the neighbouring interval.

    NULL where there are no two bounds; ``anchor`` is the only one, or NULL (:func:`around`).
    """
    return {
        "anchor": Sql("bounds[1]"),
        "outer_first": below(family, Sql("bounds[1]"), Sql("(bounds[2] - bounds[1])")),
        "outer_last": above(family, Sql("bounds[-1]"), Sql("(bounds[-1] - bounds[-2])")),
    }


def scale(first: str, last: str) -> Sql:
    """What to multiply floating-point positions with, so that the length between these two is a finite number."""
    return Sql(f"CASE WHEN isinf({last} - {first}) THEN 0.25 ELSE 1 END")


def finite(family: Family, type_text: str, value: Sql) -> Sql:
    """The value, or NULL where it is infinite or NaN."""
    if family not in _HAS_INFINITIES or type_text == "TIME":
        return value
    return Sql(f"CASE WHEN isfinite({value}) THEN {value} END")


def sample_of(family: Family, type_text: str) -> Sql:
    """Some value of the type, to try a comparison with; NULL where none is known."""
    if family in (Family.WHOLE, Family.DECIMAL, Family.FLOAT, Family.BOOLEAN):
        return Sql(f"CAST(0 AS {type_name(type_text)})")
    if family is Family.OTHER:
        return Sql(f"CAST(NULL AS {type_name(type_text)})")
    text = "00:00:00" if type_text == "TIME" else "1970-01-01"
    return Sql(f"CAST({literal(text)} AS {type_name(type_text)})")


def known(family: Family, value: Sql) -> Sql:
    """The value, with NaN taken as missing."""
    return Sql(f"CASE WHEN NOT isnan({value}) THEN {value} END") if family is Family.FLOAT else value


def number(position: Position) -> Sql:
    """A position as a literal that keeps its value exactly."""
    if isinstance(position, float):
        return Sql(f"CAST('{position!r}' AS DOUBLE)")
    return Sql(f"({position})" if position < 0 else str(position))


def typed_literal(text: str, type_text: str) -> Sql:
    """A value as a constant, from DuckDB's own text of it. A literal cannot hold a NUL character, which is joined in."""
    written = Sql(" || chr(0) || ".join(literal(part) for part in text.split("\0")))
    if "\0" in text:
        written = Sql(f"({written})")
    if type_text == "VARCHAR":
        return written
    return Sql(f"CAST({written} AS {type_name(type_text)})")
