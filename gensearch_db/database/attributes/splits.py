"""Reading the ``split`` of a quasi-identifier: ``every 5``, ``every 3 months``, ``at 22, 26``, ``16 quantiles``, …"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from gensearch_db.errors import SpecificationError, near_matches

UNITS = ("second", "minute", "hour", "day", "week", "month", "quarter", "year", "decade", "century")
_PLURALS = {f"{unit}s": unit for unit in UNITS} | {"centuries": "century"}


@dataclass(frozen=True)
class Every:
    """Bins of one width, on a grid through 0: ``width`` numbers, or ``width`` calendar ``unit``s."""

    width: Fraction
    unit: str | None = None


@dataclass(frozen=True)
class At:
    """Bins between the given cut points, as written."""

    points: tuple[str, ...]


@dataclass(frozen=True)
class Quantiles:
    """Up to ``count`` bins of about the same number of rows."""

    count: int


@dataclass(frozen=True)
class Anywhere:
    """Every distinct value is a leaf of its own."""


Split = Every | At | Quantiles | Anywhere


def parse_split(text: str) -> Split:
    """Read a split. Raises :class:`SpecificationError` with the forms that there are."""
    words = text.strip()
    if words.lower() == "anywhere":
        return Anywhere()
    if match := re.fullmatch(r"(\d+)\s+quantiles?", words, re.IGNORECASE):
        count = int(match.group(1))
        if count < 1:
            raise SpecificationError(f"split '{text}': the number of quantiles must be at least 1")
        return Quantiles(count)
    if match := re.fullmatch(r"every\s+([0-9.eE+-]+)?\s*([a-z]+)?", words, re.IGNORECASE):
        return _every(text, *match.groups())
    if match := re.fullmatch(r"at\s+(.+)", words, re.IGNORECASE | re.DOTALL):
        points = tuple(point.strip().strip("'").strip() for point in match.group(1).strip("()").split(","))
        if all(points):
            return At(points)
    raise SpecificationError(
        f"split '{text}' cannot be read; write 'every 5', 'every month', 'at 22, 26, 31', '16 quantiles' or 'anywhere'"
    )


def _every(text: str, width: str | None, unit: str | None) -> Every:
    if unit is not None:
        name = _PLURALS.get(unit.lower(), unit.lower())
        if name not in UNITS:
            known = near_matches(name, UNITS) or f"; use one of {', '.join(UNITS)}"
            raise SpecificationError(f"split '{text}': '{unit}' is not a unit of time{known}")
        unit = name
    if width is None and unit is None:
        raise SpecificationError(f"split '{text}' has no width; write for example 'every 5' or 'every month'")
    try:
        number = Fraction(width) if width is not None else Fraction(1)
    except (ValueError, ZeroDivisionError) as error:
        raise SpecificationError(f"split '{text}': '{width}' is not a number") from error
    if number <= 0:
        raise SpecificationError(f"split '{text}': the width must be greater than 0")
    if unit is not None and number.denominator != 1:
        raise SpecificationError(f"split '{text}': a number of {unit}s must be whole")
    return Every(number, unit)
