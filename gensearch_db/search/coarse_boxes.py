"""Compiled: the least sum of squared sizes for every box of a coarse space, by dynamic programming (THEORY 2.1).

A coarse space keeps a few boundaries of each ordered attribute. Its boxes are numbered in slabs (``slabs.py``). A box takes 32
bits, so that a hundred million of them fit into half a gigabyte.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gensearch_db.compilation import compiled
from gensearch_db.search.slabs import Slabs, count_up
from gensearch_db.search.state import Kernel
from gensearch_db.search.words import code_range

TOO_DEAR = np.int32(2**30 - 1)
"""In place of an optimum: nothing feasible, or nothing that can be told in this room. Two of them can be added."""
BOXES_READ = 3
"""So many boxes of a slab are read in the time that a value of a cell takes to be read."""


class CoarseTable(NamedTuple):
    """``interval_of[p, code]`` is the interval of place p that a leaf value lies in.

    ``before[slab, i]``: the slab's rows before interval i of the first place. ``optimum[slab, r]``: of the box of that range.
    """

    slabs: Slabs
    interval_of: NDArray[np.int64]
    before: NDArray[np.int32]
    optimum: NDArray[np.int32]


class KnownBoxes(NamedTuple):
    """Boxes, ascending by slab, inside which a block of so many rows has a partition of so many squares."""

    slabs: NDArray[np.int64]
    ranges: NDArray[np.int64]
    rows: NDArray[np.int64]
    squares: NDArray[np.float64]


@compiled
def place_cells(kernel: Kernel, table: CoarseTable, start: int, end: int) -> None:
    """Count the rows of the cells ``order[start:end]`` in the slabs of single intervals."""
    for i in range(start, end):
        cell = kernel.order[i]
        slab = 0
        for p in range(1, len(table.slabs.sizes)):  # ranges of one interval come first
            slab += table.interval_of[p, kernel.cells.codes[cell, table.slabs.attributes[p]]] * table.slabs.strides[p]
        first = table.interval_of[0, kernel.cells.codes[cell, table.slabs.attributes[0]]]
        for interval in range(first, table.slabs.intervals[0]):
            table.before[slab, interval + 1] += kernel.cells.rows[cell]


@compiled
def boxes_around(
    kernel: Kernel, table: CoarseTable, words: NDArray[np.uint64], slabs: NDArray[np.int64], ranges: NDArray[np.int64]
) -> None:
    """Find the smallest box around each of some blocks."""
    for i in range(len(slabs)):
        for p in range(len(table.slabs.sizes)):
            lower, upper = code_range(kernel.space, words[i], table.slabs.attributes[p])
            which = table.slabs.number[p, table.interval_of[p, lower], table.interval_of[p, upper - 1] + 1]
            slabs[i] += which * table.slabs.strides[p]
            if p == 0:
                ranges[i] = which


@compiled
def solve_slabs(table: CoarseTable, known: KnownBoxes, first: int, last: int, minimum_rows: int) -> int:
    """Find the optima of all boxes of the slabs ``first <= slab < last``; those before them are known. Returns the effort."""
    places = len(table.slabs.sizes)
    digits = np.zeros(places, np.int64)
    for p in range(1, places):
        digits[p] = first // table.slabs.strides[p] % table.slabs.sizes[p]
    told = int(np.searchsorted(known.slabs, first))
    effort = 0
    for slab in range(first, last):
        join_rows(table, slab, digits)
        for r in range(table.slabs.sizes[0]):
            table.optimum[slab, r] = TOO_DEAR
        if table.before[slab, table.slabs.intervals[0]] >= 2 * minimum_rows:
            effort += try_splits(table, slab, digits, minimum_rows)
        while told < len(known.slabs) and known.slabs[told] == slab:
            use_known(table, known, told)
            told += 1
        effort += solve_ranges(table, slab, minimum_rows)
        count_up(table.slabs, digits)
    return effort


@compiled
def join_rows(table: CoarseTable, slab: int, digits: NDArray[np.int64]) -> None:
    """The rows of a slab: those of its parts along any split; a slab of single intervals has its own."""
    for p in range(1, len(digits)):
        lower, upper = table.slabs.lower[p, digits[p]], table.slabs.upper[p, digits[p]]
        if upper - lower > 1:
            base = slab - digits[p] * table.slabs.strides[p]
            left = base + table.slabs.number[p, lower, lower + 1] * table.slabs.strides[p]
            right = base + table.slabs.number[p, lower + 1, upper] * table.slabs.strides[p]
            for i in range(table.slabs.intervals[0] + 1):
                table.before[slab, i] = table.before[left, i] + table.before[right, i]
            return


@compiled
def try_splits(table: CoarseTable, slab: int, digits: NDArray[np.int64], minimum_rows: int) -> int:
    """The least that splits of other attributes than the first lead to, for all boxes of a slab. Returns the effort."""
    splits, last = 0, table.slabs.intervals[0]
    optimum = table.optimum[slab]
    for p in range(1, len(digits)):
        lower, upper, stride = table.slabs.lower[p, digits[p]], table.slabs.upper[p, digits[p]], table.slabs.strides[p]
        base = slab - digits[p] * stride
        for boundary in range(lower + 1, upper):
            left = base + table.slabs.number[p, lower, boundary] * stride
            right = base + table.slabs.number[p, boundary, upper] * stride
            if table.before[left, last] < minimum_rows or table.before[right, last] < minimum_rows:
                continue  # where such a side is empty, the cuts of the other one do for the box
            splits += 1
            before, behind = table.optimum[left], table.optimum[right]
            for r in range(len(optimum)):
                optimum[r] = min(optimum[r], np.int32(before[r] + behind[r]))
    return splits * len(optimum) // BOXES_READ


@compiled
def use_known(table: CoarseTable, known: KnownBoxes, told: int) -> None:
    """Enter what is known of a block, if the box around it has no more rows than the block."""
    slab, r = known.slabs[told], known.ranges[told]
    rows = table.before[slab, table.slabs.upper[0, r]] - table.before[slab, table.slabs.lower[0, r]]
    if rows == known.rows[told] and known.squares[told] < table.optimum[slab, r]:
        table.optimum[slab, r] = np.int32(known.squares[told])


@compiled
def solve_ranges(table: CoarseTable, slab: int, minimum_rows: int) -> int:
    """End the boxes of a slab, narrow ones first: each as a block of its own, and by the splits of the first attribute."""
    before, optimum, number = table.before[slab], table.optimum[slab], table.slabs.number[0]
    read = len(optimum)
    for r in range(len(optimum)):
        lower, upper = table.slabs.lower[0, r], table.slabs.upper[0, r]
        rows = np.int64(before[upper] - before[lower])
        if rows < minimum_rows:
            optimum[r] = TOO_DEAR if rows > 0 else np.int32(0)
            continue
        best = min(np.int64(optimum[r]), rows * rows)
        if rows >= 2 * minimum_rows:
            read += upper - lower
            for middle in range(lower + 1, upper):
                best = min(best, np.int64(optimum[number[lower, middle]]) + np.int64(optimum[number[middle, upper]]))
        optimum[r] = min(best, np.int64(TOO_DEAR))
    return read // BOXES_READ
