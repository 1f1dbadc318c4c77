"""Compiled: one sweep along an order: divisions into its first parts and the rest, ranked by what the sides promise to cost."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gensearch_db.compilation import compiled
from gensearch_db.cost.kernel import BlockContext, block_cost
from gensearch_db.search.arrays import ORDERED
from gensearch_db.search.block_kernel import fill_regions
from gensearch_db.search.bounds import SQUARES, balanced_squares
from gensearch_db.search.marginals import all_right, move_part
from gensearch_db.search.sides import SIDE_EFFORT, push
from gensearch_db.search.state import Kernel
from gensearch_db.search.words import ZERO, join_words


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
