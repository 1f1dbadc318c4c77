"""Compiled: what every partition of every box of a blurred space costs at least, by dynamic programming.

A blurred space (``blurred_spaces.py``) keeps the frequent values of each ordered attribute sharp. A box is a range of sharp
values of each attribute: whatever has only such values, or blurred ones between them, is *surely* inside; blurred values next
to its ends are *perhaps* inside, as rows of them may be on either side of a cut. A block of the real space is assigned to the
box of the sharp values that its region has, so its rows are among those perhaps inside, and all that are surely inside are
among its rows.

What a block costs beyond the prices of its rows (a row of a cell of c rows: max(c, least rows of a block)) adds up over a
partition, and is never negative. So that is what is counted, in whole grains: rounded down, and no further than 16 bits
reach. Both only lower a bound, and a thousand million boxes fit into two gigabytes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gensearch_db.compilation import compiled
from gensearch_db.search.slabs import Slabs, count_up

DEAR = 65_535
"""Grains: at least so many, or nothing feasible."""
NOT_KEPT = np.int32(-1)
"""In place of a slab's number: no box of it can hold a block."""
BOXES_READ = 3
"""So many boxes of a slab are read in the time that a value of a cell takes to be read."""


class BlurredTable(NamedTuple):
    """Each sharp value is a *unit*, and so are all blurred values between two sharp ones together. Of range r at place p the
    units ``first[p, r] <= u < last[p, r]`` are surely inside, ``outer_first[p, r] <= u < outer_last[p, r]`` perhaps.

    ``sure_rows``, ``outer_rows`` and ``sure_prices`` hold sums for the slab that ``digits`` (the ranges of its places) tell
    of, level by level: those of level p begin at ``starts[p]``; they belong to its ranges at places p and on, and are
    cumulated over the units of the ``widths[p]`` combinations before. The last level is the whole table. ``changed[0]`` is
    the last place whose range changed since the levels were summed.

    ``kept[slab]`` is the row of ``least`` that tells of the slab's boxes, ``kept_count[0]`` how many there are.
    """

    slabs: Slabs
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    outer_first: NDArray[np.int64]
    outer_last: NDArray[np.int64]
    starts: NDArray[np.int64]
    widths: NDArray[np.int64]
    sure_rows: NDArray[np.int32]
    outer_rows: NDArray[np.int32]
    sure_prices: NDArray[np.int64]
    digits: NDArray[np.int64]
    changed: NDArray[np.int64]
    kept: NDArray[np.int32]
    kept_count: NDArray[np.int64]
    least: NDArray[np.uint16]


@compiled
def start_over(table: BlurredTable) -> None:
    """Go back to the first slab."""
    table.digits[:] = 0
    table.changed[0] = len(table.digits) - 1


@compiled
def next_slab(table: BlurredTable) -> None:
    """Go to the next slab."""
    table.changed[0] = max(table.changed[0], count_up(table.slabs, table.digits))


@compiled
def narrow(table: BlurredTable, sums: NDArray[Any], first: NDArray[np.int64], last: NDArray[np.int64]) -> None:
    """Sum a measure over the units of the slab's ranges at all places but the first."""
    for p in range(table.changed[0], 0, -1):
        width, r = table.widths[p], table.digits[p]
        target, source = table.starts[p], table.starts[p + 1]
        low, high = source + first[p, r] * width, source + last[p, r] * width
        for i in range(width):
            sums[target + i] = sums[high + i] - sums[low + i]


@compiled
def number_slabs(table: BlurredTable, first: int, last: int, minimum_rows: int) -> int:
    """Number those of the slabs ``first <= slab < last`` that a block may lie in. Returns the effort."""
    for slab in range(first, last):
        narrow(table, table.outer_rows, table.outer_first, table.outer_last)
        table.changed[0] = 0
        if table.outer_rows[table.starts[1] + table.widths[1] - 1] >= minimum_rows:
            table.kept[slab] = table.kept_count[0]
            table.kept_count[0] += 1
        else:
            table.kept[slab] = NOT_KEPT
        next_slab(table)
    return int((last - first) * table.widths[1] // BOXES_READ)


@compiled
def bound_slabs(table: BlurredTable, first: int, last: int, minimum_rows: int, grain: int) -> int:
    """Bound all boxes of the slabs ``first <= slab < last``; those before them are known. Returns the effort."""
    effort = 0
    for slab in range(first, last):
        if table.kept[slab] != NOT_KEPT:
            narrow(table, table.sure_rows, table.first, table.last)
            narrow(table, table.outer_rows, table.outer_first, table.outer_last)
            narrow(table, table.sure_prices, table.first, table.last)
            table.changed[0] = 0
            least = table.least[table.kept[slab]]
            least[:] = DEAR
            effort += try_splits(table, slab, least)
            effort += end_ranges(table, least, minimum_rows, grain)
        next_slab(table)
    return effort


@compiled
def try_splits(table: BlurredTable, slab: int, least: NDArray[np.uint16]) -> int:
    """The least that splits of other attributes than the first lead to, for all boxes of a slab. Returns the effort."""
    slabs, splits = table.slabs, 0
    for p in range(1, len(slabs.sizes)):
        digit, stride = table.digits[p], slabs.strides[p]
        lower, upper = slabs.lower[p, digit], slabs.upper[p, digit]
        base = slab - digit * stride
        for boundary in range(lower + 1, upper):
            left = table.kept[base + slabs.number[p, lower, boundary] * stride]
            right = table.kept[base + slabs.number[p, boundary, upper] * stride]
            if left == NOT_KEPT or right == NOT_KEPT:
                continue
            splits += 1
            before, behind = table.least[left], table.least[right]
            for r in range(len(least)):
                both = np.uint32(before[r]) + np.uint32(behind[r])
                least[r] = np.uint16(min(np.uint32(least[r]), both))
    return splits * len(least) // BOXES_READ


@compiled
def end_ranges(table: BlurredTable, least: NDArray[np.uint16], minimum_rows: int, grain: int) -> int:
    """End the boxes of a slab, narrow ones first: each as one block, and by the splits of the first attribute. Rows for two
    blocks must perhaps be inside what is split. Returns the effort."""
    number, start = table.slabs.number[0], table.starts[1]
    read = len(least)
    for r in range(len(least)):
        outer = table.outer_rows[start + table.outer_last[0, r]] - table.outer_rows[start + table.outer_first[0, r]]
        best = np.int64(one_block(table, r, outer, minimum_rows, grain))
        if outer >= 2 * minimum_rows:
            lower, upper = table.slabs.lower[0, r], table.slabs.upper[0, r]
            read += upper - lower
            best = min(best, np.int64(least[r]))
            for middle in range(lower + 1, upper):
                best = min(best, np.int64(least[number[lower, middle]]) + np.int64(least[number[middle, upper]]))
        least[r] = np.uint16(best)
    return read // BOXES_READ


@compiled
def one_block(table: BlurredTable, r: int, outer: int, minimum_rows: int, grain: int) -> int:
    """What one block of a box costs at least beyond the prices of its rows, in grains. Rows perhaps inside may bring it up to
    the least rows of a block; any further one costs more than its price."""
    if outer < minimum_rows:
        return DEAR
    start, first, last = table.starts[1], table.first[0, r], table.last[0, r]
    rows = np.int64(table.sure_rows[start + last] - table.sure_rows[start + first])
    if rows <= minimum_rows:
        return 0
    prices = table.sure_prices[start + last] - table.sure_prices[start + first]
    return int(min(np.int64(DEAR), (rows * rows - prices) // grain))
