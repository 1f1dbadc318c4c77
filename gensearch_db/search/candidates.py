"""Compiled: every available split of a block with a lower bound of what it leads to, from one pass over the block's cells.

The sums by leaf value (:class:`Accumulators`) give rows, features and words of both sides of every split, hence their bounds
and their entries in memory, without looking at the cells again.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gensearch_db.compilation import compiled
from gensearch_db.search.arrays import ORDERED, TAXONOMY
from gensearch_db.search.set_divisions import push_divisions
from gensearch_db.search.sides import push, side_worth
from gensearch_db.search.state import Kernel
from gensearch_db.search.words import code_range, interval_words, join_words, lowest_cover


@compiled
def push_splits(
    kernel: Kernel,
    words: NDArray[np.uint64],
    rows: int,
    limit: float,
) -> bool:
    """Push every available split of the block whose sums stand in ``sums``. Returns whether some splits were left out
    (sets of too many parts). ``limit``: bounds at or above it need not be sharpened.
    """
    space = kernel.space
    restricted = False
    kernel.candidates.best[0] = np.inf
    for j in range(len(space.kinds)):
        kind = space.kinds[j]
        lower, upper = code_range(space, words, j)
        if upper - lower < 2:
            continue
        if kind == ORDERED:
            push_boundaries(kernel, words, j, lower, upper, rows, limit)
        elif kind == TAXONOMY:
            push_node(kernel, words, j, lower, upper, limit)
        else:
            restricted |= push_divisions(kernel, words, j, lower, upper, rows, limit)
    return restricted


@compiled
def push_boundaries(
    kernel: Kernel,
    words: NDArray[np.uint64],
    j: int,
    lower: int,
    upper: int,
    rows: int,
    limit: float,
) -> None:
    """Both sides of every boundary of an ordered attribute. Of boundaries that cut the same cells apart only one is tried,
    unless regions stay untightened."""
    space, sums = kernel.space, kernel.sums
    base = space.leaf_starts[j]
    tight = space.tightening == 1
    sums.suffix_words[base + upper] = space.empty_words
    for code in range(upper - 1, lower, -1):
        sums.suffix_words[base + code] = sums.suffix_words[base + code + 1]
        if sums.rows[base + code] > 0:
            join_words(space, sums.suffix_words[base + code], sums.words[base + code])
    sums.left_words[:] = space.empty_words
    sums.left_features[:] = 0.0
    left_rows = np.int64(0)
    for boundary in range(lower + 1, upper):
        i = base + boundary
        if sums.rows[i - 1] > 0:
            left_rows += sums.rows[i - 1]
            join_words(space, sums.left_words, sums.words[i - 1])
            for f in range(len(sums.left_features)):
                sums.left_features[f] += sums.features[i - 1, f]
        if tight and sums.rows[i] == 0:
            continue
        left, left_exact = 0.0, True
        if left_rows > 0:
            if not tight:
                interval_words(space, words, j, lower, boundary, sums.left_words)
            left, left_exact = side_worth(kernel, left_rows, sums.left_features, sums.left_words, limit)
            if left >= limit:
                push(kernel.candidates, j, boundary, left, False)
                continue
        right, right_exact = 0.0, True
        if left_rows < rows:
            for f in range(len(sums.right_features)):
                sums.right_features[f] = sums.block_features[f] - sums.left_features[f]
            sums.right_words[:] = sums.suffix_words[i]
            if not tight:
                interval_words(space, words, j, boundary, upper, sums.right_words)
            right, right_exact = side_worth(kernel, rows - left_rows, sums.right_features, sums.right_words, limit)
        push(kernel.candidates, j, boundary, left + right, left_exact and right_exact)


@compiled
def push_node(
    kernel: Kernel,
    words: NDArray[np.uint64],
    j: int,
    lower: int,
    upper: int,
    limit: float,
) -> None:
    """The one split of a taxonomy node: all its children at once."""
    space, sums = kernel.space, kernel.sums
    base = space.leaf_starts[j]
    node = lowest_cover(space, j, lower, upper)
    bound = 0.0
    exact = True
    first = space.node_first_child[node]
    for child in range(first, first + space.node_child_count[node]):
        sums.left_words[:] = space.empty_words
        sums.left_features[:] = 0.0
        rows = np.int64(0)
        for i in range(base + space.node_lower[child], base + space.node_upper[child]):
            if sums.rows[i] > 0:
                rows += sums.rows[i]
                join_words(space, sums.left_words, sums.words[i])
                for f in range(len(sums.left_features)):
                    sums.left_features[f] += sums.features[i, f]
        if rows == 0:
            continue
        if space.tightening == 0:
            interval_words(space, words, j, space.node_lower[child], space.node_upper[child], sums.left_words)
        side, side_exact = side_worth(kernel, rows, sums.left_features, sums.left_words, limit)
        bound += side
        exact = exact and side_exact
    push(kernel.candidates, j, node, bound, exact)
