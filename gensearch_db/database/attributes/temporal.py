"""Calendar bins of dates and timestamps: by second, …, day, week, month, quarter, year, decade, century, or several of them.

Places on the line are days (DATE), micro- or nanoseconds since 1970; calendar arithmetic is numpy's, which knows all years.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gensearch_db.database.attributes.clock_changes import enclosing_bins
from gensearch_db.database.attributes.families import Family
from gensearch_db.database.attributes.leaves import Plan
from gensearch_db.database.attributes.numeric import RESOLUTION, Domain, binned
from gensearch_db.database.attributes.splits import Every
from gensearch_db.database.attributes.values import DistinctValues
from gensearch_db.errors import SpecificationError

_STEP = {
    "second": ("s", 1),
    "minute": ("m", 1),
    "hour": ("h", 1),
    "day": ("D", 1),
    "week": ("D", 7),
    "month": ("M", 1),
    "quarter": ("M", 3),
    "year": ("Y", 1),
    "decade": ("Y", 10),
    "century": ("Y", 100),
}
_LEAST_SECONDS = {"s": 1, "m": 60, "h": 3_600, "D": 86_400, "M": 28 * 86_400, "Y": 365 * 86_400}
_MONDAY = -3
"""1969-12-29, in days since 1970-01-01."""
_FINER_THAN_A_DAY = ("second", "minute", "hour")

ToInstant = Callable[[Sequence[int]], Sequence[int]]
"""Turns local times into places on the line (they differ only for TIMESTAMPTZ)."""


def calendar(values: DistinctValues, split: Every, local: Sequence[int], to_instant: ToInstant, domain: Domain) -> Plan:
    """One leaf per calendar unit that occurs; ``local`` are the values' local times, in the order of the ordinals.

    Several units together (``every 10 years``) lie on a grid through the year 0; days and shorter ones through 1970-01-01;
    weeks begin on Mondays.
    """
    assert split.unit is not None
    if values.family is Family.DATE and split.unit in _FINER_THAN_A_DAY:
        raise SpecificationError(f"column '{values.column.name}' is a DATE; a {split.unit} is shorter than a day")
    code, factor = _STEP[split.unit]
    width = factor * int(split.width)
    origin = _MONDAY if split.unit == "week" else {"Y": -1970, "M": -1970 * 12}.get(code, 0)
    resolution = RESOLUTION[values.family]
    bins = (_units(np.asarray(local, np.int64), code, resolution) - origin) // width

    def starts(numbers: NDArray[np.int64]) -> NDArray[np.datetime64]:
        """The local times at which bins begin."""
        return (numbers * width + origin).view(f"datetime64[{code}]")

    def begin(numbers: NDArray[np.int64]) -> Sequence[int]:
        """The same as positions on the attribute's line; of instants, in the zone that is set."""
        return to_instant(_places(starts(numbers), resolution))

    if values.family is Family.TIMESTAMPTZ and len(bins):
        positions = np.asarray(values.positions, np.int64)
        bins, edge = enclosing_bins(bins, positions, begin, width * _LEAST_SECONDS[code])
    else:
        numbers = np.union1d(bins, bins + 1)
        edge = dict(zip(numbers.tolist(), begin(numbers), strict=True))
    plan = binned(values, bins.tolist(), edge.__getitem__, domain)
    named = zip(edge, starts(np.asarray(list(edge), np.int64)), strict=True)
    return _labelled(plan, {edge[number]: (edge.get(number + 1), start) for number, start in named}, split)


def _per(code: str, resolution: str) -> int:
    """How many of the resolution a unit of a fixed length (at most a day) has."""
    return int(np.timedelta64(1, code) // np.timedelta64(1, resolution))


def _units(moments: NDArray[np.int64], code: str, resolution: str) -> NDArray[np.int64]:
    """The number, since 1970, of the unit that each moment lies in. (numpy's own division wraps around at the first day.)"""
    if code in ("Y", "M"):
        return moments.view(f"datetime64[{resolution}]").astype(f"datetime64[{code}]").astype(np.int64)
    return moments // _per(code, resolution)


def _places(starts: NDArray[np.datetime64], resolution: str) -> list[int]:
    """Beginnings of calendar units as whole numbers of the resolution; exact beyond numpy's 64 bits too."""
    days_or_less = starts.astype("datetime64[D]") if np.datetime_data(starts.dtype)[0] in ("Y", "M") else starts
    unit = _per(np.datetime_data(days_or_less.dtype)[0], resolution)
    return [int(start) * unit for start in days_or_less.astype(np.int64)]


def default_split(local: Sequence[int], family: Family) -> Every:
    """By year; by month where all values lie in one year."""
    moments = np.asarray(local, np.int64).view(f"datetime64[{RESOLUTION[family]}]")
    years = np.unique(moments.astype("datetime64[Y]"))
    return Every(Fraction(1), "year" if len(years) > 1 else "month")


def _labelled(plan: Plan, units: dict[Any, tuple[Any, np.datetime64]], split: Every) -> Plan:
    """Leaves that are exactly one calendar unit are called by its name; open ends and several units keep their bounds."""
    if split.width != 1:
        return plan
    leaves = tuple(
        replace(leaf, label=_unit_name(units[leaf.lower][1], split.unit))
        if leaf.occurs and leaf.lower in units and units[leaf.lower][0] == leaf.upper is not None
        else leaf
        for leaf in plan.leaves
    )
    return replace(plan, leaves=leaves)


def _unit_name(start: np.datetime64, unit: str | None) -> str | None:
    if unit in ("day", "month", "year"):
        return str(start)
    if unit == "quarter":
        return f"{start.astype('datetime64[Y]')}-Q{int(start.astype(np.int64)) % 12 // 3 + 1}"
    if unit == "week":
        thursday = start + np.timedelta64(3, "D")
        year = thursday.astype("datetime64[Y]")
        return f"{year}-W{int((thursday - year.astype('datetime64[D]')).astype(int)) // 7 + 1:02d}"
    if unit == "decade":
        return f"{start}s"
    return None
