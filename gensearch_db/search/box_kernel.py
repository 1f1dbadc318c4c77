"""Compiled: the optimum of every box of a small space, by dynamic programming (THEORY 2.1).

Boxes are taken in the order of their numbers, so the parts of a box are known before it. Its statistics are the sums of those
of its parts along one split; nobody looks at cells again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gensearch_db.compilation import compiled
from gensearch_db.cost.kernel import block_cost
from gensearch_db.privacy.kernel import block_holds
from gensearch_db.search.arrays import TAXONOMY
from gensearch_db.search.block_kernel import fill_regions, long_enough, occurring_totals
from gensearch_db.search.box_regions import BoxRegions
from gensearch_db.search.state import Kernel
from gensearch_db.search.words import ONE, ZERO, attribute_mask, join_words, lowest_bit

WHOLE, NOTHING = -1, -2
"""In place of a split: publish the box as it is; no feasible partition (or an empty box)."""


class BoxTable(NamedTuple):
    """One entry per box: rows, sum of its cells' squared rows, histograms (all columns side by side, column c from
    ``histogram_starts[c]`` on), the words of its cells, its optimum, and the split that leads to it. ``region_words``: the
    words of each region's leaf values, for spaces whose regions stay untightened. ``reads_marginals``: 1 if the cost does.
    """

    regions: BoxRegions
    rows: NDArray[np.int64]
    squares: NDArray[np.float64]
    histograms: NDArray[np.int64]
    histogram_starts: NDArray[np.int64]
    words: NDArray[np.uint64]
    region_words: NDArray[np.uint64]
    optimum: NDArray[np.float64]
    choice: NDArray[np.int32]
    reads_marginals: int


@compiled
def place_cells(kernel: Kernel, table: BoxTable) -> None:
    """Give every cell's own box its statistics."""
    cells, regions = kernel.cells, table.regions
    for box in range(len(table.rows)):
        table.words[box] = kernel.space.empty_words
    for cell in range(len(cells.rows)):
        box = 0
        for j in range(len(regions.sizes)):
            box += regions.leaves[regions.leaf_starts[j] + cells.codes[cell, j]] * regions.strides[j]
        table.rows[box] = cells.rows[cell]
        table.squares[box] = float(cells.rows[cell]) * float(cells.rows[cell])
        table.words[box] = cells.words[cell]
        for c in range(cells.histogram_starts.shape[0]):
            for e in range(cells.histogram_starts[c, cell], cells.histogram_starts[c, cell + 1]):
                table.histograms[box, table.histogram_starts[c] + cells.histogram_codes[e]] += cells.histogram_counts[e]


@compiled
def solve_boxes(kernel: Kernel, table: BoxTable, first: int, last: int) -> None:
    """Find the optima of the boxes ``first <= box < last``; all before them are known."""
    regions = table.regions
    attributes = len(regions.sizes)
    digits = np.zeros(attributes, np.int64)
    for j in range(attributes):
        digits[j] = (first // regions.strides[j]) % regions.sizes[j]
    words = np.zeros(table.words.shape[1], np.uint64)
    for box in range(first, last):
        add_parts(kernel, table, box, digits)
        table.choice[box] = NOTHING
        table.optimum[box] = 0.0
        if table.rows[box] > 0:
            cost = evaluate_box(kernel, table, box, digits, words)
            table.optimum[box] = cost
            if cost < np.inf:
                table.choice[box] = WHOLE
            try_splits(table, box, digits)
        for j in range(attributes):
            digits[j] += 1
            if digits[j] < regions.sizes[j]:
                break
            digits[j] = 0


@compiled
def add_parts(kernel: Kernel, table: BoxTable, box: int, digits: NDArray[np.int64]) -> None:
    """The statistics of a box from its parts along any one split; a box of single values has its cell's already."""
    regions = table.regions
    for j in range(len(digits)):
        region = regions.starts[j] + digits[j]
        split = regions.split_starts[region]
        if split == regions.split_starts[region + 1]:
            continue
        for p in range(regions.part_starts[split], regions.part_starts[split + 1]):
            part = box + (regions.parts[p] - digits[j]) * regions.strides[j]
            if table.rows[part] == 0:
                continue
            table.rows[box] += table.rows[part]
            table.squares[box] += table.squares[part]
            join_words(kernel.space, table.words[box], table.words[part])
            for h in range(table.histograms.shape[1]):
                table.histograms[box, h] += table.histograms[part, h]
        return


@compiled
def evaluate_box(kernel: Kernel, table: BoxTable, box: int, digits: NDArray[np.int64], words: NDArray[np.uint64]) -> float:
    """What the box costs as a block, infinite where it is infeasible: as ``evaluate_block`` does, without its cells."""
    space, context, rows = kernel.space, kernel.context, table.rows[box]
    words[:] = table.words[box]
    if space.tightening == 0:
        words[:] = space.empty_words
        for j in range(len(digits)):
            join_words(space, words, table.region_words[table.regions.starts[j] + digits[j]])
    fill_regions(space, words, context)
    if table.reads_marginals == 1:
        fill_marginals(kernel, table, box, digits, words)
        occurring_totals(space, context)
    for c in range(len(table.histogram_starts) - 1):
        start, width = table.histogram_starts[c], table.histogram_starts[c + 1] - table.histogram_starts[c]
        for h in range(width):
            context.histograms[c, h] = table.histograms[box, start + h]
    feasible = block_holds(kernel.constraints, rows, context.histograms) and long_enough(space, context)
    if kernel.costs.suppression_price == 0.0 and not feasible:
        return np.inf
    cost = block_cost(kernel.costs, rows, rows, table.squares[box], context)
    if kernel.costs.suppression_price > 0.0:
        price = kernel.costs.suppression_price * rows
        cost = min(cost, price) if feasible else price
    return cost


@compiled
def fill_marginals(kernel: Kernel, table: BoxTable, box: int, digits: NDArray[np.int64], words: NDArray[np.uint64]) -> None:
    """The box's rows by leaf value: those of the boxes that differ from it in one attribute only, which has that value."""
    space, context, regions = kernel.space, kernel.context, table.regions
    for j in range(len(digits)):
        base = space.leaf_starts[j]
        context.marginals[base + context.lower[j] : base + context.upper[j]] = 0
        if space.kinds[j] <= TAXONOMY:
            for code in range(context.lower[j], context.upper[j]):
                leaf = regions.leaves[base + code]
                context.marginals[base + code] = table.rows[box + (leaf - digits[j]) * regions.strides[j]]
            continue
        bits = attribute_mask(space, table.words[box], j)
        while bits != ZERO:
            code = lowest_bit(bits)
            leaf = regions.leaves[base + code]
            context.marginals[base + code] = table.rows[box + (leaf - digits[j]) * regions.strides[j]]
            bits &= bits - ONE


@compiled
def try_splits(table: BoxTable, box: int, digits: NDArray[np.int64]) -> None:
    """Replace the box's own cost by the cheapest sum of optima that one of its splits leads to, if that is cheaper."""
    regions = table.regions
    best, choice = table.optimum[box], table.choice[box]
    for j in range(len(digits)):
        region = regions.starts[j] + digits[j]
        stride = regions.strides[j]
        for split in range(regions.split_starts[region], regions.split_starts[region + 1]):
            total = 0.0
            for p in range(regions.part_starts[split], regions.part_starts[split + 1]):
                total += table.optimum[box + (regions.parts[p] - digits[j]) * stride]
            if total < best:
                best = total
                choice = np.int32(split)
    table.optimum[box] = best
    table.choice[box] = choice
