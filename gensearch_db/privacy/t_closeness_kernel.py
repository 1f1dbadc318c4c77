"""The tests of t-closeness as the kernel compiles them, one for each ground distance, in whole numbers.

Each takes a block's histogram, how many values it has, and the numbers that ``TCloseness.compiled`` lays out, and says whether
the block's distance to the table is at most t.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def ordered(histogram: NDArray[np.int64], values: int, integers: NDArray[np.int64]) -> bool:
    """Ordered distance: the prefix sums are compared."""
    n = histogram[:values].sum()
    total = integers[3]
    distance = below = table_below = 0
    for code in range(values):
        below += histogram[code]
        table_below += integers[4 + code]
        distance += abs(total * below - n * table_below)
    return bool(distance <= n * integers[0] + n * integers[1] // integers[2])


def equal(histogram: NDArray[np.int64], values: int, integers: NDArray[np.int64]) -> bool:
    """Equal distance: value by value."""
    n = histogram[:values].sum()
    total = integers[3]
    distance = 0
    for code in range(values):
        distance += abs(total * histogram[code] - n * integers[4 + code])
    return bool(distance <= n * integers[0] + n * integers[1] // integers[2])


def hierarchical(histogram: NDArray[np.int64], values: int, integers: NDArray[np.int64]) -> bool:
    """Hierarchical distance: node by node, extras as differences of prefix sums."""
    n = histogram[:values].sum()
    total = integers[3]
    below = histogram[:values].copy()
    running = 0
    for code in range(values):
        running += n * integers[4 + code] - total * histogram[code]
        below[code] = running
    distance = 0
    place = 4 + values
    while place < len(integers):
        surplus = deficit = 0
        for child in range(integers[place + 1]):
            lower, upper = integers[place + 2 + 2 * child], integers[place + 3 + 2 * child]
            extra = below[upper - 1]
            if lower > 0:
                extra -= below[lower - 1]
            if extra > 0:
                surplus += extra
            else:
                deficit -= extra
        distance += integers[place] * min(surplus, deficit)
        place += 2 + 2 * integers[place + 1]
    return bool(distance <= n * integers[0] + n * integers[1] // integers[2])
