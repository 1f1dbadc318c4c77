"""Compiled: what a block is, from its cells. Words, regions, statistics, feasibility and cost.

A block is a slice of the ``order`` array (cell numbers) together with its words (:mod:`gensearch_db.search.arrays`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gensearch_db.compilation import compiled
from gensearch_db.cost.kernel import BlockContext, block_cost
from gensearch_db.privacy.kernel import block_holds
from gensearch_db.search.arrays import TAXONOMY, SpaceArrays
from gensearch_db.search.bounds import SQUARES, bound_from_sums
from gensearch_db.search.state import Kernel
from gensearch_db.search.words import (
    ONE,
    ZERO,
    attribute_mask,
    bit_count,
    code_range,
    highest_bit,
    join_wide,
    lowest_bit,
    lowest_cover,
    region_mask,
)


@compiled
def fill_regions(space: SpaceArrays, words: NDArray[np.uint64], context: BlockContext) -> None:
    """Fill the parts of the context that follow from the words alone (of wide categories: as if all of the region occurred)."""
    for j in range(len(space.kinds)):
        lower, upper = code_range(space, words, j)
        if space.kinds[j] == TAXONOMY:
            node = lowest_cover(space, j, lower, upper)
            lower, upper = space.node_lower[node], space.node_upper[node]
        base = space.leaf_starts[j]
        boundary = base + j
        total = float(upper - lower)
        edge = float(space.occurring_before[boundary + upper] - space.occurring_before[boundary + lower])
        context.region_rows[j] = space.rows_before[boundary + upper] - space.rows_before[boundary + lower]
        length = space.ends[base + upper - 1] - space.starts[base + lower]
        context.masks[j] = ZERO
        as_set = space.kinds[j] > TAXONOMY or (space.values_labels == 1 and space.categorical[j] == 1 and space.wide[j] == 0)
        if as_set:
            mask = attribute_mask(space, words, j)
            if space.values_labels == 0:
                mask = region_mask(space, words, j)
                lower, upper = lowest_bit(mask), highest_bit(mask) + 1
            context.masks[j] = mask
            total = float(bit_count(mask))
            edge = float(bit_count(mask & space.occurring_masks[j]))
            length = total
            rows = 0
            for code in range(lower, upper if space.counts_rows == 1 else lower):
                if mask >> np.uint64(code) & ONE != ZERO:
                    rows += space.rows_before[boundary + code + 1] - space.rows_before[boundary + code]
            context.region_rows[j] = rows
        context.lower[j] = lower
        context.upper[j] = upper
        fill_lengths(space, context, j, total, edge, length)


@compiled
def fill_lengths(space: SpaceArrays, context: BlockContext, j: int, total: float, edge: float, length: float) -> None:
    """What follows from how many values the label of attribute j stands for, and from its length."""
    base = space.leaf_starts[j]
    lower, upper = context.lower[j], context.upper[j]
    context.leaf_totals[j] = total
    context.edges[j] = edge
    context.lengths[j] = length
    context.losses[j] = 0.0
    if space.whole_lengths[j] > 0 and not (total == 1.0 and space.points[base + lower] == 1):
        context.losses[j] = length / space.whole_lengths[j]
    context.spans[j] = 0.0
    if space.whole_spans[j] > 0:
        span = edge - 1.0 if space.categorical[j] == 1 else space.starts[base + upper - 1] - space.starts[base + lower]
        context.spans[j] = span / space.whole_spans[j]


@compiled
def accumulate(kernel: Kernel, start: int, end: int, columns: int) -> int:
    """Sum rows, the first ``columns`` features and words of a block by leaf value of each attribute that has several in the
    block's region; by the only one of the others, no words. Returns its rows."""
    clear_sums(kernel)
    space, sums, context, bit_words = kernel.space, kernel.sums, kernel.context, kernel.space.bit_words
    order, cells, divided = kernel.order, kernel.cells, kernel.sums.divided
    codes, cell_rows, cell_words = cells.codes, cells.rows, cells.words
    leaf_starts, sum_rows, sum_words = space.leaf_starts, sums.rows, sums.words
    word_count = cell_words.shape[1]
    attributes = 0
    for j in range(len(space.kinds)):
        if context.upper[j] - context.lower[j] > 1:
            divided[attributes] = j
            attributes += 1
    kernel.counters.effort[0] += (end - start) * (attributes + 1)
    rows = 0
    for position in range(start, end):
        cell = order[position]
        rows += cell_rows[cell]
        for a in range(attributes):
            i = leaf_starts[divided[a]] + codes[cell, divided[a]]
            sum_rows[i] += cell_rows[cell]
            for w in range(bit_words):
                sum_words[i, w] |= cell_words[cell, w]
            if word_count > bit_words:
                join_wide(sum_words[i], cell_words[cell], bit_words)
        if cells.featured[cell] and columns > 0:
            add_features(kernel, cell, columns, attributes)
    for j in range(len(space.kinds)):
        if context.upper[j] - context.lower[j] == 1:
            i = leaf_starts[j] + context.lower[j]
            sum_rows[i] = rows
            sums.features[i] = sums.block_features
    return rows


@compiled
def add_features(kernel: Kernel, cell: int, columns: int, attributes: int) -> None:
    """Add a cell's first features to the sums: of the block, and by leaf value of the divided attributes."""
    sums, features = kernel.sums, kernel.cells.features
    for f in range(columns):
        sums.block_features[f] += features[cell, f]
    for a in range(attributes):
        j = sums.divided[a]
        i = kernel.space.leaf_starts[j] + kernel.cells.codes[cell, j]
        for f in range(columns):
            sums.features[i, f] += features[cell, f]


@compiled
def clear_sums(kernel: Kernel) -> None:
    """Empty the sums of all leaf values that lie in the regions of the context."""
    space, sums, context = kernel.space, kernel.sums, kernel.context
    for j in range(len(space.kinds)):
        first, last = space.leaf_starts[j] + context.lower[j], space.leaf_starts[j] + context.upper[j]
        sums.rows[first:last] = 0
        sums.features[first:last] = 0.0
        for i in range(first, last):
            sums.words[i] = space.empty_words
    sums.block_features[:] = 0.0


@compiled
def gather(kernel: Kernel, start: int, end: int, words: NDArray[np.uint64]) -> None:
    """Set ``words`` to those of the cells in a slice together."""
    space, order, cell_words = kernel.space, kernel.order, kernel.cells.words
    bit_words, word_count = space.bit_words, len(words)
    words[:] = space.empty_words
    for position in range(start, end):
        cell = order[position]
        for w in range(bit_words):
            words[w] |= cell_words[cell, w]
        if word_count > bit_words:
            join_wide(words, cell_words[cell], bit_words)


@compiled
def count_rows(kernel: Kernel, start: int, end: int) -> int:
    """The rows of the cells in a slice."""
    rows = np.int64(0)
    for i in range(start, end):
        rows += kernel.cells.rows[kernel.order[i]]
    return rows


@compiled
def sum_features(kernel: Kernel, start: int, end: int, features: NDArray[np.float64]) -> int:
    """Set ``features`` to the sums of those of the cells in a slice; returns their rows."""
    order, cell_rows, cell_features = kernel.order, kernel.cells.rows, kernel.cells.features
    features[:] = 0.0
    rows = 0
    for position in range(start, end):
        cell = order[position]
        rows += cell_rows[cell]
        for f in range(len(features) if kernel.cells.featured[cell] else 0):
            features[f] += cell_features[cell, f]
    return rows


@compiled
def protected_size(kernel: Kernel, start: int, end: int, rows: int) -> int:
    """The block's size in the unit of protection: its distinct persons where they are declared, else its rows."""
    cells, stamps = kernel.cells, kernel.sums.person_stamps
    if len(cells.person_starts) == 0:
        return rows
    kernel.sums.clock[0] += 1
    clock = kernel.sums.clock[0]
    size = 0
    for position in range(start, end):
        cell = kernel.order[position]
        for e in range(cells.person_starts[cell], cells.person_starts[cell + 1]):
            if stamps[cells.persons[e]] != clock:
                stamps[cells.persons[e]] = clock
                size += 1
    return size


@compiled
def fill_histograms(kernel: Kernel, start: int, end: int) -> None:
    """The block's distribution of each sensitive and class column; each (person, value) pair once where persons count."""
    cells, histograms = kernel.cells, kernel.context.histograms
    for c in range(cells.histogram_starts.shape[0]):
        histograms[c, :] = 0
        kernel.sums.clock[0] += 1
        clock = kernel.sums.clock[0]
        for position in range(start, end):
            cell = kernel.order[position]
            for e in range(cells.histogram_starts[c, cell], cells.histogram_starts[c, cell + 1]):
                if cells.paired[c] == 1:
                    pair = cells.histogram_pairs[e]
                    if kernel.sums.pair_stamps[pair] == clock:
                        continue
                    kernel.sums.pair_stamps[pair] = clock
                histograms[c, cells.histogram_codes[e]] += cells.histogram_counts[e]


@compiled
def long_enough(space: SpaceArrays, context: BlockContext) -> bool:
    """Whether every edge is at least as long as its attribute's minimum length."""
    for j in range(len(space.kinds)):
        if context.lengths[j] < space.minimum_lengths[j]:
            return False
    return True


@compiled
def occurring_totals(space: SpaceArrays, context: BlockContext) -> None:
    """With labels = values: count the occurring values of wide categories, which their words do not hold."""
    for j in range(len(space.kinds)):
        if space.values_labels == 1 and space.categorical[j] == 1 and space.wide[j] == 1:
            total = 0
            rows = 0
            boundary = space.leaf_starts[j] + j
            for code in range(context.lower[j], context.upper[j]):
                if context.marginals[space.leaf_starts[j] + code] > 0:
                    total += 1
                    rows += space.rows_before[boundary + code + 1] - space.rows_before[boundary + code]
            context.region_rows[j] = rows
            fill_lengths(space, context, j, float(total), float(total), float(total))


@compiled
def evaluate_block(
    kernel: Kernel, start: int, end: int, words: NDArray[np.uint64], columns: int
) -> tuple[int, int, bool, float]:
    """Everything about one non-empty block: its rows, its size, whether it is feasible, its cost. The first ``columns``
    features are summed on the way.

    Where blocks may be suppressed at a price, every block is feasible and costs at most that.

    Leaves regions and histograms in ``context`` and the sums by leaf value in ``sums`` (``context.marginals`` is
    ``sums.rows``).
    """
    space, context = kernel.space, kernel.context
    fill_regions(space, words, context)
    rows = accumulate(kernel, start, end, columns)
    if space.values_labels == 1:
        occurring_totals(space, context)
    size = protected_size(kernel, start, end, rows)
    fill_histograms(kernel, start, end)
    feasible = block_holds(kernel.constraints, size, context.histograms) and long_enough(space, context)
    cost = block_cost(kernel.costs, rows, size, kernel.sums.block_features[SQUARES], context)
    if kernel.costs.suppression_price > 0.0:
        price = kernel.costs.suppression_price * rows
        cost = min(cost, price) if feasible else price
        feasible = True
    return rows, size, feasible, cost


@compiled
def quick_bound(kernel: Kernel, rows: int) -> float:
    """The lower bound that the features of the block evaluated last give."""
    return bound_from_sums(kernel.bounds, rows, kernel.sums.block_features)
