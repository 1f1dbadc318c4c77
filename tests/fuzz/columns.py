"""Columns of every type that DuckDB has: values to fill them with, and the ways in which each may be generalized."""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

Ways = dict[str, Any]
Values = st.SearchStrategy[Any]


@dataclass(frozen=True)
class Kind:
    """A column type. ``spread``: SQL that makes one of thousands of values of a whole number ``h``, for large tables.

    ``categories``: a taxonomy or an order may be declared over its values. ``refused``: no quasi-identifier can have the type.
    """

    type: str
    values: Values
    ways: Sequence[Ways] = ({},)
    spread: str | None = None
    categories: bool = False
    refused: bool = False


def whole(bits: int, *, signed: bool = True) -> Values:
    """Small whole numbers, and the extremes of a type."""
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    return st.one_of(st.integers(max(low, -5), 30), st.sampled_from([low, high]))


SPLITS: tuple[Ways, ...] = ({}, {"split": "anywhere"})
INTEGERS: tuple[Ways, ...] = (
    *SPLITS,
    {"split": "4 quantiles"},
    {"split": "at 3, 10"},
    {"split": "every 7"},
    {"split": "every 5", "domain": [-10, 40]},
    {"unordered": True},
    {"order": True},
    {"weight": 2.5},
    {"split": "every 2", "minimum_length": 4},
)
TEXTS: tuple[Ways, ...] = ({}, {"unordered": True}, {"order": True}, {"prefix": True}, {"prefix": True, "relaxed": True})
DATES: tuple[Ways, ...] = (*SPLITS, {"split": "every year"}, {"split": "every 3 months"}, {"split": "2 quantiles"})
MOMENTS: tuple[Ways, ...] = (
    {},
    {"split": "every year"},
    {"split": "every month"},
    {"split": "at 2000-01-01, 2020-02-29"},
    {"split": "3 quantiles"},
)
ZONES: tuple[Ways, ...] = tuple(
    {**ways, "timezone": zone} for ways in MOMENTS[:3] for zone in ("Europe/Berlin", "America/New_York", "UTC")
)

_TEXT = st.one_of(
    st.sampled_from(
        ["", " ", "NULL", "*", "a", "A", "ä", "a'b", "{a, b}", "[1, 2)", "a .. b", "x or NULL", "#1", "a #2", "\n"]
    ),
    st.text(max_size=4),
)
_LEVELS = ("low", "middle", "it's high", "never", "")
_MOMENT = st.datetimes(datetime.datetime(1700, 1, 1), datetime.datetime(2200, 1, 1))

KINDS = {
    kind.type: kind
    for kind in (
        Kind("TINYINT", whole(8), INTEGERS, "(h % 100)::TINYINT"),
        Kind("INTEGER", whole(32), INTEGERS, "(h % 3000)::INTEGER", categories=True),
        Kind("UBIGINT", whole(64, signed=False), SPLITS, "(h % 5000)::UBIGINT"),
        Kind("BIGINT", whole(64), SPLITS, "(h % 5000)::BIGINT - 100"),
        Kind("HUGEINT", whole(128), SPLITS, "(h % 5000)::HUGEINT * 1000000000000000000000"),
        Kind("UHUGEINT", whole(128, signed=False), SPLITS, "(h % 50)::UHUGEINT"),
        Kind("FLOAT", st.floats(-1e6, 1e6, width=32), (*SPLITS, {"split": "every 0.1"}), "(h % 900 / 10)::FLOAT"),
        Kind(
            "DOUBLE",
            st.one_of(st.floats(-1e9, 1e9), st.floats(allow_infinity=False), st.sampled_from([0.0, -0.0, 0.1, 1e300, 5e-324])),
            (*SPLITS, {"split": "3 quantiles"}, {"unordered": True}),
            "(h % 5000 / 7)::DOUBLE",
        ),
        Kind(
            "DECIMAL(18,3)",
            st.decimals(-1000, 1000, places=3),
            (*SPLITS, {"split": "every 0.5"}, {"split": "at -1.5, 0.001"}),
            "(h % 5000 / 8)::DECIMAL(18,3)",
        ),
        Kind("DECIMAL(38,10)", st.integers(-(10**37), 10**37).map(lambda n: Decimal(n).scaleb(-10)), SPLITS),
        Kind("VARCHAR", _TEXT, TEXTS, "lpad((h % 400)::VARCHAR, 4, '0')", categories=True),
        Kind("ENUM", st.sampled_from(_LEVELS), ({}, {"unordered": True}, {"order": True}), categories=True),
        Kind("BOOLEAN", st.booleans(), ({}, {"unordered": True}, {"order": True})),
        Kind(
            "DATE",
            st.one_of(st.dates(datetime.date(2020, 1, 1), datetime.date(2022, 12, 31)), st.dates()),
            DATES,
            "DATE '1950-01-01' + (h % 20000)::INTEGER",
        ),
        Kind(
            "TIMESTAMP", _MOMENT, (*MOMENTS, {"split": "anywhere"}), "TIMESTAMP '2001-01-01' + to_hours((h % 90000)::INTEGER)"
        ),
        Kind("TIMESTAMP_S", _MOMENT.map(lambda moment: moment.replace(microsecond=0)), MOMENTS),
        Kind("TIMESTAMP_MS", _MOMENT, MOMENTS),
        Kind("TIMESTAMP_NS", _MOMENT, MOMENTS),
        Kind(
            "TIMESTAMPTZ",
            _MOMENT.map(lambda moment: moment.replace(tzinfo=datetime.UTC)),
            ZONES,
            "TIMESTAMPTZ '2001-01-01 00:00:00+00' + to_hours((h % 90000)::INTEGER)",
        ),
        Kind("BLOB", st.binary(max_size=3), refused=True),
        Kind("INTEGER[]", st.lists(st.integers(0, 3), max_size=2), refused=True),
        Kind("STRUCT(a INTEGER, b VARCHAR)", st.fixed_dictionaries({"a": st.integers(0, 2), "b": _TEXT}), refused=True),
        Kind("TIME", st.times(), refused=True),
        Kind("INTERVAL", st.timedeltas(datetime.timedelta(0), datetime.timedelta(9)), refused=True),
        Kind("UUID", st.integers(0, 2**128 - 1).map(lambda n: str(uuid.UUID(int=n))), refused=True),
        Kind("BIT", st.sampled_from(["0", "1", "0101"]), refused=True),
    )
}
"""Every kind of column by its type."""

GENERALIZED = sorted(name for name, kind in KINDS.items() if not kind.refused)
REFUSED = sorted(name for name, kind in KINDS.items() if kind.refused)

SENSITIVE = ("VARCHAR", "INTEGER", "BOOLEAN", "ENUM", "DATE", "DECIMAL(18,3)")
"""Types of the sensitive column, most often text."""


def declared_type(type_name: str) -> str:
    """The type as CREATE TABLE reads it."""
    if type_name != "ENUM":
        return type_name
    return "ENUM(" + ", ".join("'" + level.replace("'", "''") + "'" for level in _LEVELS) + ")"


ILLNESSES: dict[str, st.SearchStrategy[list[Any]]] = {
    "VARCHAR": st.sampled_from([["flu", "hiv", "", None, "x'y"], ["flu", "hiv", None, "x'y", "ärger"]]),
    **{
        name: st.lists(st.one_of(KINDS[name].values, st.none()), min_size=2, max_size=5)
        for name in SENSITIVE
        if name != "VARCHAR"
    },
}
"""The few values that a sensitive column of each type has."""
