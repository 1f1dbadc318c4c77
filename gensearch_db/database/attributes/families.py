"""Families of column types: how a value of each is compared, placed on a line, and written back as a bound."""

from __future__ import annotations

import re
from enum import Enum

from gensearch_db.database.rendering import Sql, statement


class Family(Enum):
    """What a column's type lets a quasi-identifier do."""

    INTEGER = "integer"
    DECIMAL = "decimal"
    FLOAT = "float"
    DATE = "date"
    TIMESTAMP = "timestamp"
    TIMESTAMP_NS = "timestamp_ns"
    TIMESTAMPTZ = "timestamptz"
    TEXT = "text"
    ENUM = "enum"
    BOOLEAN = "boolean"
    OTHER = "other"
    """Lists, structs, intervals, …: no quasi-identifier, but may be sensitive."""

    @property
    def numeric(self) -> bool:
        """Numbers."""
        return self in (Family.INTEGER, Family.DECIMAL, Family.FLOAT)

    @property
    def temporal(self) -> bool:
        """Dates and timestamps."""
        return self in (Family.DATE, Family.TIMESTAMP, Family.TIMESTAMP_NS, Family.TIMESTAMPTZ)

    @property
    def whole(self) -> bool:
        """Whether values have a next value, so that a single value is the half-open interval [v, v + 1)."""
        return self in (Family.INTEGER, Family.DATE)


_EXACT = {
    "DATE": Family.DATE,
    "TIMESTAMP": Family.TIMESTAMP,
    "TIMESTAMP_S": Family.TIMESTAMP,
    "TIMESTAMP_MS": Family.TIMESTAMP,
    "TIMESTAMP_NS": Family.TIMESTAMP_NS,
    "TIMESTAMP WITH TIME ZONE": Family.TIMESTAMPTZ,
    "VARCHAR": Family.TEXT,
    "BOOLEAN": Family.BOOLEAN,
    "FLOAT": Family.FLOAT,
    "DOUBLE": Family.FLOAT,
}


_OTHER_ORDERED = ("TIME", "TIME_NS", "TIME WITH TIME ZONE", "INTERVAL", "BIGNUM")
"""Types beside numbers and dates whose order says something."""


def family_of(type_name: str) -> Family:
    """The family of a type as DuckDB prints it."""
    if type_name in _EXACT:
        return _EXACT[type_name]
    if re.fullmatch(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?", type_name):
        return Family.INTEGER
    if re.fullmatch(r"DECIMAL\(\d+,\d+\)", type_name):
        return Family.DECIMAL
    if type_name.startswith("ENUM(") and type_name.endswith(")"):
        return Family.ENUM
    return Family.OTHER


def has_order_of_meaning(type_name: str) -> bool:
    """Whether one value of a type being less than another says something: of numbers and times it does, of text, codes and
    lists it does not.

    >>> has_order_of_meaning("INTERVAL"), has_order_of_meaning("UUID")
    (True, False)
    """
    family = family_of(type_name)
    return family.numeric or family.temporal or type_name in _OTHER_ORDERED


def decimal_scale(type_name: str) -> int:
    """Digits after the point of a DECIMAL type; 0 for whole numbers."""
    match = re.fullmatch(r"DECIMAL\(\d+,(\d+)\)", type_name)
    return int(match.group(1)) if match else 0


def key_sql(name: str, type_name: str) -> Sql:
    """A column of the relation ``source`` as it is grouped and joined: NaN is NULL, -0.0 is 0.0, text is its bytes."""
    return statement("attributes/key", column=name, family=Sql(family_of(type_name).value))


def position_sql(value: Sql, family: Family) -> Sql:
    """A key's place on a line, as a number (days or micro-/nanoseconds since 1970 for dates and timestamps)."""
    return statement("attributes/position", value=value, family=Sql(family.value))


def bound_sql(text: Sql, family: Family, type_name: str) -> Sql:
    """A place on the line, given as text, as a value of the column's type; NULL where the type cannot hold it."""
    return statement("attributes/bound", text=text, family=Sql(family.value), type=type_name)
