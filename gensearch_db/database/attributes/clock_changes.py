"""Calendar bins as instants, in zones whose clocks are changed.

Clocks that are put back show an hour twice, and one that is put forward is never shown. So where bins begin as instants need
not ascend with their numbers, and a value may lie outside of the bin that its local time names: it belongs to the one that
encloses it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
Begin = Callable[[Numbers], Sequence[int]]
"""Where bins begin, by their numbers; exact also beyond 64 bits, where the type ends."""

_LARGEST_CHANGE = 2 * 86_400
"""In seconds: no clock was ever changed by two days (by one, where the date line was moved)."""


def enclosing_bins(named: Numbers, positions: Numbers, begin: Begin, unit_seconds: int) -> tuple[Numbers, dict[int, int]]:
    """The bin that encloses each position, and by number where each of these bins and the one after it begin.

    ``named``: the bins that the local times name. ``unit_seconds``: the least length of a bin, but for clock changes. Bins that
    begin where a later one does are empty.
    """
    reach = _LARGEST_CHANGE // unit_seconds + 1
    numbers = np.union1d(named, named + 1)
    while True:
        edges = list(accumulate(reversed(begin(numbers)), min))[::-1]
        place = np.searchsorted(_within_64_bits(edges), positions, side="right") - 1
        found = numbers[np.maximum(place, 0)]
        outside = (place < 0) | ~np.isin(found + 1, numbers)
        if not outside.any():
            return found, dict(zip(numbers.tolist(), edges, strict=True))
        around = np.concatenate([[named.min() - reach], numbers, [named.max() + reach]])
        lower, upper = around[place[outside] + 1], around[place[outside] + 2]
        lower, upper = np.maximum(lower, named[outside] - reach), np.minimum(upper, named[outside] + reach)
        inside = _bisected(lower, upper, positions[outside], begin)
        numbers = np.unique(np.concatenate([numbers, inside, inside + 1]))


def _within_64_bits(places: Sequence[int]) -> Numbers:
    return np.array([min(max(place, -(2**63)), 2**63 - 1) for place in places], np.int64)


def _bisected(lower: Numbers, upper: Numbers, positions: Numbers, begin: Begin) -> Numbers:
    """Of the bins from ``lower`` to before ``upper`` one that begins at or before a position while the next one does not."""
    while (upper - lower > 1).any():
        middle = (lower + upper) // 2
        before = _within_64_bits(begin(middle)) <= positions
        lower, upper = np.where(before, middle, lower), np.where(before, upper, middle)
    return lower
