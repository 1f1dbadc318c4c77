"""Compiled: the divisions of sets of values into two parts: every one, or, of many values, those along candidate orders."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gensearch_db.compilation import compiled
from gensearch_db.search.arrays import RELAXED, TAXONOMY, SpaceArrays
from gensearch_db.search.bounds import LAST_PLAIN_FEATURE
from gensearch_db.search.sides import push, side_worth
from gensearch_db.search.state import BOUNDS, Kernel
from gensearch_db.search.words import ONE, ZERO, attribute_mask, bit_count, join_words, lowest_bit, lowest_cover, set_words

MOST_EXACT_PARTS = 12
"""Sets of up to this many parts are split in every way; larger ones along candidate orders."""

MOST_TRIED_PARTS = 6
"""The same for the greedy search, which claims nothing: two thousand divisions a block would slow them down."""


@compiled
def tries_all_splits(kernel: Kernel, words: NDArray[np.uint64]) -> bool:
    """Whether the sets of a block have so few values that they are divided in every way: then what is proven of it is proven
    of all its partitions, those that candidate orders miss included."""
    space = kernel.space
    for j in range(len(space.kinds)):
        if space.kinds[j] > TAXONOMY and bit_count(attribute_mask(space, words, j)) > MOST_EXACT_PARTS:
            return False
    return True


@compiled
def set_parts(space: SpaceArrays, words: NDArray[np.uint64], j: int, lower: int, upper: int, parts: NDArray[np.uint64]) -> int:
    """The parts that a set region may be divided into, as leaf masks: its values, or the siblings it is made of."""
    mask = attribute_mask(space, words, j)
    count = 0
    if space.kinds[j] == RELAXED:
        node = lowest_cover(space, j, lower, upper)
        first = space.node_first_child[node]
        for child in range(first, first + space.node_child_count[node]):
            width = np.uint64(space.node_upper[child] - space.node_lower[child])
            part = (((ONE << width) - ONE) << np.uint64(space.node_lower[child])) & mask
            if part != ZERO:
                parts[count] = part
                count += 1
        return count
    while mask != ZERO:
        bit = mask & (~mask + ONE)
        parts[count] = bit
        count += 1
        mask ^= bit
    return count


@compiled
def push_divisions(
    kernel: Kernel,
    words: NDArray[np.uint64],
    j: int,
    lower: int,
    upper: int,
    rows: int,
    limit: float,
) -> bool:
    """Every division of a set into two parts, or, of many parts, those along the candidate orders. Returns whether some
    divisions were left out."""
    space, sums = kernel.space, kernel.sums
    parts = np.zeros(64, np.uint64)
    count = set_parts(space, words, j, lower, upper, parts)
    most = MOST_EXACT_PARTS if kernel.candidates.worth[0] == BOUNDS else MOST_TRIED_PARTS
    if count <= most:
        for choice in range(2 ** (count - 1) - 1):
            first = parts[0]
            for p in range(1, count):
                if (choice >> (p - 1)) & 1:
                    first |= parts[p]
            push_division(kernel, words, j, lower, upper, first, rows, limit)
        return False
    for p in range(count):
        push_division(kernel, words, j, lower, upper, parts[p], rows, limit)
    for column in range(len(sums.left_features) + 1):
        if column > 0 and column <= LAST_PLAIN_FEATURE:
            continue
        sort_parts(kernel, j, parts, count, column)
        first = parts[0]
        for p in range(1, count - 2):
            first |= parts[p]
            push_division(kernel, words, j, lower, upper, first, rows, limit)
    return True


@compiled
def sort_parts(kernel: Kernel, j: int, parts: NDArray[np.uint64], count: int, column: int) -> None:
    """Sort the first ``count`` parts by their rows in the block, the most frequent first (column 0), or by the mean per row
    of a feature: what the other attributes of those rows are like."""
    sums, base = kernel.sums, kernel.space.leaf_starts[j]
    weight = np.zeros(count)
    for p in range(count):
        bits = parts[p]
        rows, total = 0.0, 0.0
        while bits != ZERO:
            i = base + lowest_bit(bits)
            rows += sums.rows[i]
            if column > 0:
                total += sums.features[i, column - 1]
            bits &= bits - ONE
        weight[p] = -rows if column == 0 else total / max(1.0, rows)
    for p in range(1, count):
        q = p
        while q > 0 and weight[q] < weight[q - 1]:
            weight[q], weight[q - 1] = weight[q - 1], weight[q]
            parts[q], parts[q - 1] = parts[q - 1], parts[q]
            q -= 1


@compiled
def push_division(
    kernel: Kernel,
    words: NDArray[np.uint64],
    j: int,
    lower: int,
    upper: int,
    first: int,
    rows: int,
    limit: float,
) -> None:
    """One division of a set: ``first`` holds the leaf values of its first part."""
    space, sums = kernel.space, kernel.sums
    base = space.leaf_starts[j]
    sums.left_words[:] = space.empty_words
    sums.right_words[:] = space.empty_words
    sums.left_features[:] = 0.0
    left_rows = np.int64(0)
    for code in range(lower, upper):
        i = base + code
        if sums.rows[i] == 0:
            continue
        if (first >> np.uint64(code)) & ONE != ZERO:
            left_rows += sums.rows[i]
            join_words(space, sums.left_words, sums.words[i])
            for f in range(len(sums.left_features)):
                sums.left_features[f] += sums.features[i, f]
        else:
            join_words(space, sums.right_words, sums.words[i])
    for f in range(len(sums.right_features)):
        sums.right_features[f] = sums.block_features[f] - sums.left_features[f]
    left, left_exact, right, right_exact = 0.0, True, 0.0, True
    if space.tightening == 0:
        set_words(space, words, j, first, sums.left_words)
        set_words(space, words, j, attribute_mask(space, words, j) & ~first, sums.right_words)
    if left_rows > 0:
        left, left_exact = side_worth(kernel, left_rows, sums.left_features, sums.left_words, limit)
    if left_rows < rows and left < limit:
        right, right_exact = side_worth(kernel, rows - left_rows, sums.right_features, sums.right_words, limit)
    push(kernel.candidates, j, np.int64(first), left + right, left_exact and right_exact and left < limit)
