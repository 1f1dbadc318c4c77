"""Small pieces of SQL that statements are put together from: positions of values on a line, samples, literals."""

from __future__ import annotations

from gensearch_db.count_queries.release import Family
from gensearch_db.database.rendering import Sql, literal, type_name

Position = int | float
"""A place on the line of an ordered column: an integer (steps of the last digit, days, micro- or nanoseconds), or a float."""

_POSITIONS = {
    Family.WHOLE: "CAST({} AS HUGEINT)",
    Family.DECIMAL: "CAST(replace(CAST({} AS VARCHAR), '.', '') AS HUGEINT)",
    Family.FLOAT: "CAST({} AS DOUBLE)",
    Family.DATE: "({} - DATE '1970-01-01')",
    Family.MICROSECONDS: "epoch_us({})",
    Family.NANOSECONDS: "epoch_ns({})",
}
_HAS_INFINITIES = (Family.FLOAT, Family.DATE, Family.MICROSECONDS, Family.NANOSECONDS)


def position_of(family: Family, value: Sql) -> Sql:
    """The position of a value on its line."""
    return Sql(_POSITIONS.get(family, "{}").format(value))


def upper_of(family: Family, lower: Sql, upper: Sql) -> Sql:
    """The position where an interval ends. A single value may be published with lower = upper: it is one step wide."""
    if family is not Family.FLOAT:
        return Sql(f"{position_of(family, upper)} + CASE WHEN {lower} = {upper} THEN 1 ELSE 0 END")
    return position_of(family, upper)


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
