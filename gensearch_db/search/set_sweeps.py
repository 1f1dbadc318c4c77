"""Compiled: sweeps of sets of values along several orders, and divisions of sets that waste few rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gensearch_db.compilation import compiled
from gensearch_db.search.arrays import ORDERED, TAXONOMY
from gensearch_db.search.marginals import contingency
from gensearch_db.search.one_sweep import sweep
from gensearch_db.search.state import Kernel
from gensearch_db.search.subset_sums import nearest_sum, parts_of_sum, reachable_sums
from gensearch_db.search.words import ONE, ZERO, code_range, lowest_bit

MOST_GROUPS = 32
"""Blocks of more least groups waste few rows whatever the division."""

DRAWN_ORDERS = 2
"""Orders by attributes drawn at random, for each set of each block."""


@compiled
def next_random(state: NDArray[np.uint64]) -> float:
    """A number in [0, 1) from a xorshift generator with its state in ``state[0]`` (never zero)."""
    value = state[0]
    value ^= value << np.uint64(13)
    value ^= value >> np.uint64(7)
    value ^= value << np.uint64(17)
    state[0] = value
    return float(value >> np.uint64(11)) / 9007199254740992.0


@compiled
def sweep_sets(
    kernel: Kernel,
    start: int,
    end: int,
    j: int,
    lower: int,
    upper: int,
    rows: int,
    masks: NDArray[np.uint64],
    count: int,
    likeness: NDArray[np.float64],
    others: NDArray[np.int64],
    leaves: NDArray[np.int64],
) -> None:
    """Sweep a set of ``count`` parts along each of its orders."""
    space, sums = kernel.space, kernel.sums
    base = space.leaf_starts[j]
    part_of = np.zeros(upper - lower, np.int64)
    part_rows = np.zeros(count)
    for p in range(count):
        bits = masks[p]
        while bits != ZERO:
            code = lowest_bit(bits)
            part_of[code - lower] = p
            part_rows[p] += sums.rows[base + code]
            bits &= bits - ONE
    table = contingency(kernel, start, end, j, lower, part_of, count, leaves)
    weight = -part_rows
    for order in range(len(others) + 1 if count > 2 else 1):
        if order > 0:
            if others[order - 1] == j:
                continue
            weight[:] = 0.0
            for code in range(lower, upper):
                weight[part_of[code - lower]] += likeness[order - 1, base + code]
            weight /= np.maximum(1.0, part_rows)
        ranking = np.argsort(weight, kind="mergesort")
        place = np.zeros(upper - lower, np.int64)
        marks = np.zeros(count, np.uint64)
        for position in range(count):
            marks[position] = masks[ranking[position]]
        rank = np.argsort(ranking)
        for code in range(upper - lower):
            place[code] = rank[part_of[code]]
        ranked = table[ranking] if len(leaves) > 0 else table
        sweep(kernel, j, lower, upper, rows, place, marks, count, ranked, leaves)
        if kernel.bounds.squares_weight > 0.0 and count > 2:
            sweep_sums(kernel, j, lower, upper, rows, place, marks, count, ranked, leaves)


@compiled
def sweep_sums(
    kernel: Kernel,
    j: int,
    lower: int,
    upper: int,
    rows: int,
    place: NDArray[np.int64],
    marks: NDArray[np.uint64],
    count: int,
    table: NDArray[np.int64],
    leaves: NDArray[np.int64],
) -> None:
    """Push divisions whose sides hold whole numbers of least groups, what is left over shared between them. ``place``,
    ``marks``: an order of the parts, as in :func:`sweep`; the first parts of it are preferred."""
    sums, smallest = kernel.sums, kernel.bounds.minimum_rows
    base = kernel.space.leaf_starts[j]
    groups = rows // smallest
    if groups < 2 or groups > MOST_GROUPS:
        return
    part_rows = np.zeros(count, np.int64)
    for code in range(lower, upper):
        if sums.rows[base + code] > 0:
            part_rows[place[code - lower]] += sums.rows[base + code]
    reachable = reachable_sums(part_rows, rows // 2 + smallest)
    spare = rows - groups * smallest
    chosen = np.zeros(count, np.int64)
    sides = np.zeros(len(place), np.int64)
    side_marks = np.zeros(2, np.uint64)
    side_table = np.zeros((2, table.shape[1] if len(leaves) > 0 else 0), np.int64)
    left, step = 1, 1
    while left <= groups // 2:
        lowest = left * smallest
        total = nearest_sum(reachable, lowest + spare * left // groups, lowest, min(lowest + spare, rows // 2 + smallest))
        if total > 0:
            parts_of_sum(reachable, part_rows, total, chosen)
            side_marks[:] = ZERO
            for p in range(count):
                side_marks[1 - chosen[p]] |= marks[p]
            for code in range(len(place)):
                sides[code] = 1 - chosen[place[code]]
            side_table[:] = 0
            for p in range(count if len(leaves) > 0 else 0):
                side_table[1 - chosen[p]] += table[p]
            sweep(kernel, j, lower, upper, rows, sides, side_marks, 2, side_table, leaves)
        if left == groups // 2:
            break
        left, step = min(left + step, groups // 2), left


@compiled
def likeness_to_others(
    kernel: Kernel, start: int, end: int, words: NDArray[np.uint64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """For each order beyond that by frequency the attribute it looks at (the first ordered one, then some drawn at random), and
    for each leaf value the sum over its rows of that attribute: of its codes if ordered, else of how frequent they are here."""
    space, sums, codes, cell_rows, order = kernel.space, kernel.sums, kernel.cells.codes, kernel.cells.rows, kernel.order
    attributes, leaf_starts = len(space.kinds), space.leaf_starts
    sets = 0
    for j in range(attributes):
        lower, upper = code_range(space, words, j)
        sets += space.kinds[j] > TAXONOMY and upper - lower > 2
    others = np.zeros(DRAWN_ORDERS + 1 if sets > 0 and attributes > 1 else 0, np.int64)
    likeness = np.zeros((len(others), leaf_starts[attributes]))
    value = np.zeros(leaf_starts[attributes])
    for i in range(len(others)):
        others[i] = kernel.guide.first_ordered
        if i > 0 or others[i] < 0:
            others[i] = int(next_random(kernel.guide.random) * attributes)
        base = leaf_starts[others[i]]
        for leaf in range(base, leaf_starts[others[i] + 1]):
            value[leaf] = leaf - base if space.kinds[others[i]] == ORDERED else sums.rows[leaf]
    kernel.counters.effort[0] += (end - start) * attributes * len(others)
    for position in range(start, end if len(others) > 0 else start):
        cell = order[position]
        for i in range(len(others)):
            worth = value[leaf_starts[others[i]] + codes[cell, others[i]]] * cell_rows[cell]
            for j in range(attributes):
                likeness[i, leaf_starts[j] + codes[cell, j]] += worth
    return likeness, others
