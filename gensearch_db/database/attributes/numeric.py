"""Numeric attributes: bins of a width, between cut points, by quantiles, or every distinct value.

Everything is computed on the exact numbers (Python integers, decimals, doubles) and compared as DuckDB compares them, so that
the bounds which are published hold for every row.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Context, Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gensearch_db.database.attributes.families import Family, decimal_scale
from gensearch_db.database.attributes.leaves import LeafPlan, Plan, with_ends
from gensearch_db.database.attributes.values import DistinctValues
from gensearch_db.database.source import Column
from gensearch_db.errors import SpecificationError

FEW_VALUES = 200
"""Up to this many distinct values, a column without a specification may be split anywhere; above, at quantiles."""
DEFAULT_QUANTILES = 64

RESOLUTION = {Family.DATE: "D", Family.TIMESTAMP: "us", Family.TIMESTAMPTZ: "us", Family.TIMESTAMP_NS: "ns"}
"""The unit, as numpy has it, in which places on the line of dates and timestamps count."""

_EXACT = Context(prec=1000)
"""Python rounds to 28 digits otherwise; DECIMAL has up to 38, and the edge of a wide bin may have more."""

Domain = tuple[Any, Any] | None


def anywhere(values: DistinctValues, domain: Domain) -> Plan:
    """Each distinct value is a leaf that reaches to the next value that its type can hold: not to the next one of the data,
    which may belong to rows that are suppressed later."""
    leaves = [
        LeafPlan(position, next_place(position, values.family, values.column.type), point=ordinal)
        for ordinal, position in enumerate(values.positions)
    ]
    if domain is not None and leaves:
        # The ends reach to the declared bounds: bounds of their own would print the extreme values.
        leaves[0] = replace(leaves[0], lower=domain[0])
        leaves[-1] = replace(leaves[-1], upper=domain[1])
    return _plan(leaves, list(range(len(leaves))), domain)


def at(values: DistinctValues, cuts: Sequence[Any], domain: Domain) -> Plan:
    """Leaves between cut points; those that no row falls in are kept, as the user drew them, and cut points outside the domain
    cut nothing. Between a cut point that is given twice and itself lies one value: a leaf of its own."""
    alone = {cut for cut, times in Counter(cuts).items() if times > 1}
    behind = {next_place(cut, values.family, values.column.type) for cut in alone}
    reached = {place for place in behind if place <= values.positions[-1]}
    inner = sorted(cut for cut in {*cuts, *reached} if domain is None or domain[0] < cut < domain[1])
    ends = [None, *inner, None]
    codes = [bisect_right(inner, position) for position in values.positions]
    occupied = set(codes)
    ordinal = {position: number for number, position in enumerate(values.positions) if position in alone}
    leaves = [
        LeafPlan(lower, upper, point=ordinal.get(domain[0] if lower is None and domain else lower), occurs=code in occupied)
        for code, (lower, upper) in enumerate(pairwise(ends))
    ]
    return _plan(leaves, codes, domain)


def quantiles(values: DistinctValues, count: int, domain: Domain) -> Plan:
    """Up to ``count`` leaves of about the same number of rows; a value is never cut.

    A cut is the roundest place between two neighbouring values, so that it tells as little as possible of either.
    """
    total = sum(values.counts)
    cuts: list[Any] = []
    before, below = 0, None
    for position, rows in zip(values.positions, values.counts, strict=True):
        # The next cut goes before the first value that has its share of the rows below it.
        if before and before * count >= total * (len(cuts) + 1):
            cuts.append(roundest_place(below, position, values.family, values.column.type))
        before, below = before + rows, position
    return at(values, cuts, domain)


def every(values: DistinctValues, width: Fraction, domain: Domain) -> Plan:
    """Bins ``[i * width, (i + 1) * width)`` that hold a value: never more than there are values, however wide the range."""
    if values.family is Family.FLOAT:
        bin_of, edge = _float_grid(width, single=values.column.type == "FLOAT")
    else:
        bin_of, edge = _exact_grid(width, values.column)
    return binned(values, [bin_of(position) for position in values.positions], edge, domain)


def binned(values: DistinctValues, bins: Sequence[int], edge: Callable[[int], Any], domain: Domain) -> Plan:
    """One leaf per bin that occurs, from ``edge(bin)`` to ``edge(bin + 1)``."""
    numbers = sorted(set(bins))
    code_of = {number: code for code, number in enumerate(numbers)}
    leaves = [LeafPlan(edge(number), edge(number + 1)) for number in numbers]
    return _plan(leaves, [code_of[number] for number in bins], domain)


def no_codes() -> NDArray[np.int32]:
    """The codes of a column that has no values at all."""
    return np.zeros(0, np.int32)


def same_number(text: str, found: Any, family: Family) -> bool:
    """Whether a whole or decimal column holds the number as written; floating-point numbers and dates are read by DuckDB."""
    if family is Family.FLOAT:
        return math.isfinite(found)
    if family not in (Family.INTEGER, Family.DECIMAL):
        return True
    try:
        return Fraction(text) == Fraction(found)
    except ValueError:  # forms that only DuckDB reads, as 0x10
        return False


def next_place(position: Any, family: Family, type_name: str) -> Any:
    """The next value that the type can hold: declared domains include both bounds, intervals are half-open."""
    if family is Family.DECIMAL:
        return _EXACT.add(position, Decimal(1).scaleb(-decimal_scale(type_name)))
    if type_name == "FLOAT":
        with np.errstate(over="ignore"):
            return float(np.nextafter(np.float32(position), np.float32(np.inf)))
    if family is Family.FLOAT:
        return math.nextafter(position, math.inf)
    return position + {"TIMESTAMP_S": 1_000_000, "TIMESTAMP_MS": 1_000}.get(type_name, 1)


def roundest_place(below: Any, position: Any, family: Family, type_name: str) -> Any:
    """The place between two values that has the fewest digits (a calendar unit for dates), of several such places the middle
    one; the upper value where the type has nothing between.

    A cut at a value would print it, and the value may be that of somebody who is suppressed later.
    """
    if family.temporal:
        return _roundest_moment(below, position, family)
    largest = math.ceil(max(abs(Fraction(below)), abs(Fraction(position))))
    finest = -MOST_DIGITS if family is Family.FLOAT else -decimal_scale(type_name)
    for exponent in range(len(str(largest)), finest - 1, -1):
        step = Fraction(10) ** exponent
        middle = _middle(math.floor(Fraction(below) / step) + 1, math.ceil(Fraction(position) / step) - 1)
        if middle is not None:
            place = _held(middle * step, family, type_name)
            if below < place < position:
                return place
    return position


def _middle(first: int, last: int) -> int | None:
    """The middle of some whole numbers; None where there are none."""
    return (first + last) // 2 if first <= last else None


MOST_DIGITS = 340
"""Digits behind the point of the smallest floating-point number, and some."""


def _held(exact: Fraction, family: Family, type_name: str) -> Any:
    """A number as the column's family holds it."""
    if family is Family.INTEGER:
        return math.floor(exact)
    if family is Family.DECIMAL:
        scale = decimal_scale(type_name)
        return Decimal(math.floor(exact * 10**scale)).scaleb(-scale, _EXACT)
    nearest = _nearest_double(exact)
    return _nearest_single(exact, nearest) if type_name == "FLOAT" else nearest


def _roundest_moment(below: int, position: int, family: Family) -> int:
    resolution = RESOLUTION[family]
    for unit in ("Y", "M", "D", "h", "m", "s", "ms", "us", "ns"):
        before, behind = (
            int(np.datetime64(place, resolution).astype(f"datetime64[{unit}]").astype(np.int64))
            for place in (below, position - 1)
        )
        middle = _middle(before + 1, behind)
        if middle is not None:
            place = int(np.datetime64(middle, unit).astype(f"datetime64[{resolution}]").astype(np.int64))
            if below < place < position:
                return place
        if unit == resolution:
            break
    return position


def _plan(leaves: Sequence[LeafPlan], codes: Sequence[int], domain: Domain) -> Plan:
    if not leaves:
        return Plan((), no_codes())
    ended = with_ends(leaves, domain)
    shift = 1 if ended[0].occurs is False and ended[0].upper == leaves[0].lower and len(ended) > len(leaves) else 0
    return Plan(ended, np.asarray(codes, np.int32) + np.int32(shift))


def _exact_grid(width: Fraction, column: Column) -> tuple[Callable[[Any], int], Callable[[int], Any]]:
    """Bins of integers and decimals, counted in units of the last digit."""
    type_name = column.type
    scale = decimal_scale(type_name)
    step = width * 10**scale
    if step.denominator != 1:
        raise SpecificationError(
            f"column '{column.name}': a width of {float(width):g} is finer than the column's type {type_name} can tell apart"
        )
    whole = int(step)
    if scale == 0 and not type_name.startswith("DECIMAL"):
        return lambda position: position // whole, lambda number: number * whole
    return (
        lambda position: int(position.scaleb(scale, _EXACT)) // whole,
        lambda number: Decimal(number * whole).scaleb(-scale, _EXACT),
    )


def _float_grid(width: Fraction, *, single: bool) -> tuple[Callable[[float], int], Callable[[int], float]]:
    """Bins of floating-point numbers: an edge is the number nearest to its multiple of the width, and a value belongs to
    the bin whose edges, so rounded, enclose it."""

    def edge(number: int) -> float:
        """The lower edge of a bin."""
        nearest = _nearest_double(number * width)
        return _nearest_single(number * width, nearest) if single else nearest

    def bin_of(position: float) -> int:
        """The number of the bin that a value belongs to."""
        # The largest multiple that is rounded to the value or below it lies at most half way to the next value. (Steps of
        # one bin would not do: far from 0 millions of multiples round to one value.)
        following = next_place(position, Family.FLOAT, "FLOAT" if single else "DOUBLE")
        half_way = (Fraction(position) + Fraction(following)) / 2 if math.isfinite(following) else Fraction(position)
        number = math.floor(half_way / width)
        return number if edge(number) <= position else number - 1

    return bin_of, edge


def _nearest_double(exact: Fraction) -> float:
    """The double nearest to ``exact``; infinite beyond the largest."""
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def _nearest_single(exact: Fraction, nearest: float) -> float:
    """The single-precision number nearest to ``exact``; rounding its double again could end beside it."""
    with np.errstate(over="ignore"):
        rounded = np.float32(nearest)
        neighbours = (np.nextafter(rounded, np.float32(-np.inf)), np.nextafter(rounded, np.float32(np.inf)))
    if not np.isfinite(rounded):
        return float(rounded)
    finite = [float(rounded), *(float(neighbour) for neighbour in neighbours if np.isfinite(neighbour))]
    return min(finite, key=lambda candidate: abs(Fraction(candidate) - exact))
