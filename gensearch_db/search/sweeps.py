"""Compiled: the splits of a block that rollouts try, ranked by what their sides promise to cost.

Ordered attributes are swept along their order; sets along several orders of their values: by frequency, by the mean of the
first ordered attribute, and by the mean of attributes drawn at random. A sweep carries words, sizes and, where the cost reads
them, marginals from one side to the other, so each division costs only what changes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gensearch_db.compilation import compiled
from gensearch_db.search.arrays import ORDERED, TAXONOMY
from gensearch_db.search.bounds import SQUARES
from gensearch_db.search.marginals import all_right, contingency, occurring_leaves
from gensearch_db.search.memory import hash_of
from gensearch_db.search.one_sweep import promise, sweep
from gensearch_db.search.set_divisions import set_parts
from gensearch_db.search.set_sweeps import likeness_to_others, sweep_sets
from gensearch_db.search.sides import push
from gensearch_db.search.state import Kernel
from gensearch_db.search.words import ONE, code_range, join_words, lowest_cover


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
