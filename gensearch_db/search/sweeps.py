"""Compiled: the splits of a block that rollouts try, ranked by what their sides promise to cost.

Ordered attributes are swept along their order; sets along several orders of their values: by frequency, by the mean of the
first ordered attribute, and by the mean of attributes drawn at random. A sweep carries words, sizes and, where the cost reads
them, marginals from one side to the other, so each division costs only what changes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gensearch_db.compilation import compiled
from gensearch_db.cost.kernel import BlockContext, block_cost
from gensearch_db.search.arrays import ORDERED, TAXONOMY
from gensearch_db.search.block_kernel import ONE, ZERO, code_range, fill_regions, join_words, lowest_bit, lowest_cover
from gensearch_db.search.bounds import SQUARES, balanced_squares
from gensearch_db.search.candidates import SIDE_EFFORT, push, set_parts
from gensearch_db.search.memory import hash_of
from gensearch_db.search.state import Kernel
from gensearch_db.search.subset_sums import nearest_sum, parts_of_sum, reachable_sums

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
def promise(kernel: Kernel, rows: int, squares: float, words: NDArray[np.uint64], context: BlockContext) -> float:
    """What the rows of one side are expected to cost: as a block, but squared sizes as if cut evenly into least groups."""
    guide, bounds = kernel.guide, kernel.bounds
    kernel.counters.effort[0] += SIDE_EFFORT
    fill_regions(kernel.space, words, context)
    cost = block_cost(guide.costs, rows, rows, squares, context)
    if bounds.squares_weight > 0.0:
        cost += bounds.squares_weight * balanced_squares(rows, max(1, rows // bounds.minimum_rows))
    if guide.tie_weight > 0.0:
        loss = 0.0
        for j in range(len(context.losses)):
            loss += context.losses[j]
        cost += guide.tie_weight * rows * loss
    return cost


@compiled
def push_sweeps(kernel: Kernel, start: int, end: int, words: NDArray[np.uint64], rows: int, gridded: bool) -> None:
    """Put the splits of the block evaluated last on the stack, ranked by the promises of their sides. ``gridded``: of ordered
    attributes only those at boundaries of the grid.

    What is drawn depends on the block and the epoch only: a rollout that was interrupted finds the same splits again.
    """
    space, guide = kernel.space, kernel.guide
    guide.random[0] = hash_of(words) ^ (np.uint64(guide.epoch[0]) * np.uint64(0x9E3779B97F4A7C15)) | ONE
    masks = np.zeros(64, np.uint64)
    leaves = occurring_leaves(kernel)
    likeness, others = likeness_to_others(kernel, start, end, words)
    for j in range(len(space.kinds)):
        lower, upper = code_range(space, words, j)
        if upper - lower < 2:
            continue
        if space.kinds[j] == TAXONOMY:
            push_children(kernel, start, end, words, j, lower, upper, leaves)
        elif space.kinds[j] == ORDERED:
            sweep_codes(kernel, start, end, j, lower, upper, rows, leaves, gridded)
        else:
            count = set_parts(space, words, j, lower, upper, masks)
            if count > 1:
                sweep_sets(kernel, start, end, j, lower, upper, rows, masks, count, likeness, others, leaves)


@compiled
def sweep_codes(
    kernel: Kernel,
    start: int,
    end: int,
    j: int,
    lower: int,
    upper: int,
    rows: int,
    leaves: NDArray[np.int64],
    gridded: bool,
) -> None:
    """Sweep an ordered attribute: every code that occurs is a part, or all of them between two boundaries of the grid."""
    sum_rows, base = kernel.sums.rows, kernel.space.leaf_starts[j]
    place = np.zeros(upper - lower, np.int64)
    marks = np.zeros(upper - lower, np.uint64)
    count = 0
    apart = True
    for code in range(lower, upper):
        apart |= not gridded or kernel.guide.grid[base + code]
        if sum_rows[base + code] > 0:
            if apart:
                marks[count] = np.uint64(code)
                count += 1
                apart = False
            place[code - lower] = count - 1
    table = contingency(kernel, start, end, j, lower, place, count, leaves)
    sweep(kernel, j, lower, upper, rows, place, marks, count, table, leaves)


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


@compiled
def sweep(
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
    """Push the divisions into the first parts of an order and the rest. ``place``: the position in the order of each leaf code
    from ``lower`` on; ``marks``: of each part its leaf mask, or its code where the attribute is ordered; ``table``: its
    marginals (:func:`contingency`)."""
    space, sums, smallest = kernel.space, kernel.sums, kernel.bounds.minimum_rows
    base, ordered = space.leaf_starts[j], space.kinds[j] == ORDERED
    part_rows, part_squares = np.zeros(count, np.int64), np.zeros(count)
    part_words = np.zeros((count, len(space.empty_words)), np.uint64)
    part_words[:] = space.empty_words
    for code in range(lower, upper):
        i = base + code
        if sums.rows[i] > 0:
            p = place[code - lower]
            part_rows[p] += sums.rows[i]
            part_squares[p] += sums.features[i, SQUARES]
            join_words(space, part_words[p], sums.words[i])
    suffix = part_words.copy()
    for p in range(count - 2, -1, -1):
        join_words(space, suffix[p], suffix[p + 1])
    marginals = len(leaves) > 0
    if marginals:
        all_right(kernel)
    sums.left_words[:] = space.empty_words
    left_rows, left_squares, mask = np.int64(0), 0.0, ZERO
    for p in range(count - 1):
        left_rows += part_rows[p]
        left_squares += part_squares[p]
        mask |= marks[p]
        join_words(space, sums.left_words, part_words[p])
        if marginals:
            move_part(kernel, table[p], leaves)
        if left_rows < smallest or rows - left_rows < smallest:
            continue
        worth = promise(kernel, left_rows, left_squares, sums.left_words, kernel.left)
        worth += promise(kernel, rows - left_rows, sums.block_features[SQUARES] - left_squares, suffix[p + 1], kernel.right)
        position = marks[p + 1] if ordered else mask
        push(kernel.candidates, j, np.int64(position), worth, False)  # type: ignore[arg-type]


@compiled
def occurring_leaves(kernel: Kernel) -> NDArray[np.int64]:
    """The leaf values of all attributes that occur in the block evaluated last; none where the cost reads no marginals."""
    space, context, rows = kernel.space, kernel.context, kernel.sums.rows
    leaves = np.empty(space.leaf_starts[len(space.kinds)] if kernel.guide.reads_marginals == 1 else 0, np.int64)
    count = 0
    for a in range(len(space.kinds) if len(leaves) > 0 else 0):
        for leaf in range(space.leaf_starts[a] + context.lower[a], space.leaf_starts[a] + context.upper[a]):
            if rows[leaf] > 0:
                leaves[count] = leaf
                count += 1
    return leaves[:count]


@compiled
def contingency(
    kernel: Kernel, start: int, end: int, j: int, lower: int, part_of: NDArray[np.int64], count: int, leaves: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The rows of each part of attribute j by leaf value of all attributes: what its sweeps move from one side to the other."""
    codes, cell_rows, order, leaf_starts = kernel.cells.codes, kernel.cells.rows, kernel.order, kernel.space.leaf_starts
    attributes = codes.shape[1]
    table = np.zeros((count if len(leaves) > 0 else 0, leaf_starts[attributes]), np.int64)
    kernel.counters.effort[0] += (end - start) * attributes if len(leaves) > 0 else 0
    for i in range(start, end if len(leaves) > 0 else start):
        cell = order[i]
        part = part_of[codes[cell, j] - lower]
        for a in range(attributes):
            table[part, leaf_starts[a] + codes[cell, a]] += cell_rows[cell]
    return table


@compiled
def all_right(kernel: Kernel) -> None:
    """Put the marginals of all cells on the right side."""
    space, context = kernel.space, kernel.context
    for a in range(len(space.kinds)):
        first, last = space.leaf_starts[a] + context.lower[a], space.leaf_starts[a] + context.upper[a]
        kernel.left.marginals[first:last] = 0
        kernel.right.marginals[first:last] = kernel.sums.rows[first:last]


@compiled
def move_part(kernel: Kernel, part: NDArray[np.int64], leaves: NDArray[np.int64]) -> None:
    """Move a part's marginals from the right side to the left."""
    left, right = kernel.left.marginals, kernel.right.marginals
    for leaf in leaves:
        left[leaf] += part[leaf]
        right[leaf] -= part[leaf]


@compiled
def push_children(
    kernel: Kernel,
    start: int,
    end: int,
    words: NDArray[np.uint64],
    j: int,
    lower: int,
    upper: int,
    leaves: NDArray[np.int64],
) -> None:
    """The one split of a taxonomy node, unless a child holds too few rows."""
    space, sums, left = kernel.space, kernel.sums, kernel.left.marginals
    base = space.leaf_starts[j]
    node = lowest_cover(space, j, lower, upper)
    first, count = space.node_first_child[node], space.node_child_count[node]
    place = np.zeros(upper - lower, np.int64)
    for code in range(lower, upper):
        while space.node_upper[first + place[code - lower]] <= code:
            place[code - lower] += 1
    table = contingency(kernel, start, end, j, lower, place, count, leaves)
    if len(leaves) > 0:
        all_right(kernel)
    worth = 0.0
    for child in range(count):
        sums.left_words[:] = space.empty_words
        rows, squares = np.int64(0), 0.0
        for code in range(max(lower, space.node_lower[first + child]), min(upper, space.node_upper[first + child])):
            if sums.rows[base + code] > 0:
                rows += sums.rows[base + code]
                squares += sums.features[base + code, SQUARES]
                join_words(space, sums.left_words, sums.words[base + code])
        if rows == 0:
            continue
        if rows < kernel.bounds.minimum_rows:
            return
        for leaf in leaves:
            left[leaf] = table[child, leaf]
        worth += promise(kernel, rows, squares, sums.left_words, kernel.left)  # type: ignore[arg-type]
    push(kernel.candidates, j, node, worth, False)
