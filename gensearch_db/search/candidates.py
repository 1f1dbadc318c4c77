"""Compiled: every available split of a block with a lower bound of what it leads to, from one pass over the block's cells.

The sums by leaf value (:class:`Accumulators`) give rows, features and words of both sides of every split, hence their bounds
and their entries in memory, without looking at the cells again.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gensearch_db.compilation import compiled
from gensearch_db.cost.kernel import block_cost
from gensearch_db.search.arrays import ORDERED, RELAXED, TAXONOMY, SpaceArrays
from gensearch_db.search.block_kernel import (
    ONE,
    ZERO,
    attribute_mask,
    bit_count,
    code_range,
    fill_regions,
    join_words,
    lowest_bit,
    lowest_cover,
)
from gensearch_db.search.bounds import LAST_PLAIN_FEATURE, SQUARES, bound_from_sums, most_groups
from gensearch_db.search.memory import FREE, slot_of
from gensearch_db.search.state import BOUNDS, Candidates, Kernel

SIDE_EFFORT = 32
"""What it takes to judge one side of a split, in values of cells read."""
MOST_EXACT_PARTS = 12
"""Sets of up to this many parts are split in every way; larger ones along candidate orders."""
MOST_TRIED_PARTS = 6
"""The same for the greedy search, which claims nothing: two thousand divisions a block would slow them down."""


@compiled
def side_worth(
    kernel: Kernel, rows: int, features: NDArray[np.float64], words: NDArray[np.uint64], limit: float
) -> tuple[float, bool]:
    """The lower bound of one side of a split, and whether it is the side's optimum; or the side's own cost."""
    kernel.counters.effort[0] += SIDE_EFFORT
    bound = bound_from_sums(kernel.bounds, rows, features)
    if bound >= limit:
        return bound, False
    if kernel.candidates.worth[0] != BOUNDS:
        return side_cost(kernel, rows, features, words), False
    if is_single_group(kernel, rows, features):
        return side_cost(kernel, rows, features, words), True
    memory = kernel.memory
    slot = slot_of(memory, words)
    if memory.tag[slot] != FREE:
        return max(bound, memory.lower[slot]), memory.lower[slot] >= memory.upper[slot]
    return bound, False


@compiled
def is_single_group(kernel: Kernel, rows: int, features: NDArray[np.float64]) -> bool:
    """Whether the only feasible partition of a block is the block itself, at the cost that :func:`side_cost` tells."""
    return kernel.bounds.single_groups == 1 and most_groups(kernel.bounds.minimum_rows, rows, features) == 1


@compiled
def side_cost(kernel: Kernel, rows: int, features: NDArray[np.float64], words: NDArray[np.uint64]) -> float:
    """What one side costs as a block, as far as its regions and size tell."""
    cost = 0.0
    if len(kernel.guide.costs.kinds) > 0:
        fill_regions(kernel.space, words, kernel.left)
        cost = block_cost(kernel.guide.costs, rows, rows, features[SQUARES], kernel.left)
    return cost + kernel.bounds.squares_weight * float(rows) * float(rows)


@compiled
def push(candidates: Candidates, j: int, position: int, bound: float, exact: bool) -> None:
    """Put a split on the stack, or keep it as the best if all its parts are known exactly."""
    if bound == np.inf:
        return
    if exact:
        if bound < candidates.best[0]:
            candidates.best[0] = bound
            candidates.best_split[0] = j
            candidates.best_split[1] = position
        return
    top = candidates.top[0]
    candidates.attribute[top] = j
    candidates.position[top] = position
    candidates.bound[top] = bound
    candidates.top[0] = top + 1


@compiled
def pop_best(candidates: Candidates, first: int) -> tuple[int, int]:
    """Take the split with the least bound off the stack, among those from ``first`` on. Its attribute and position."""
    last = candidates.top[0] - 1
    pick = first
    for i in range(first + 1, last + 1):
        if candidates.bound[i] < candidates.bound[pick]:
            pick = i
    j, position = candidates.attribute[pick], candidates.position[pick]
    candidates.attribute[pick] = candidates.attribute[last]
    candidates.position[pick] = candidates.position[last]
    candidates.bound[pick] = candidates.bound[last]
    candidates.top[0] = last
    return j, position


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
def tries_all_splits(kernel: Kernel, words: NDArray[np.uint64]) -> bool:
    """Whether the sets of a block have so few values that they are divided in every way: then what is proven of it is proven
    of all its partitions, those that candidate orders miss included."""
    space = kernel.space
    for j in range(len(space.kinds)):
        if space.kinds[j] > TAXONOMY and bit_count(attribute_mask(space, words, j)) > MOST_EXACT_PARTS:
            return False
    return True


@compiled
def interval_words(
    space: SpaceArrays, words: NDArray[np.uint64], j: int, lower: int, upper: int, target: NDArray[np.uint64]
) -> None:
    """The words of a block narrowed to lower <= code < upper in attribute j, untightened."""
    target[:] = words
    if space.wide[j]:
        target[space.word[j]] = (np.uint64(lower) << np.uint64(32)) | np.uint64(upper - 1)
        return
    leaves = space.leaf_starts[j + 1] - space.leaf_starts[j]
    whole = ~ZERO if leaves == 64 else (ONE << np.uint64(leaves)) - ONE
    part = ~ZERO if upper - lower == 64 else ((ONE << np.uint64(upper - lower)) - ONE) << np.uint64(lower)
    shift = np.uint64(space.shift[j])
    target[space.word[j]] = (target[space.word[j]] & ~(whole << shift)) | (part << shift)


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


@compiled
def set_words(space: SpaceArrays, words: NDArray[np.uint64], j: int, mask: int, target: NDArray[np.uint64]) -> None:
    """The words of a block narrowed to the leaf values ``mask`` in a set attribute, untightened."""
    target[:] = words
    leaves = space.leaf_starts[j + 1] - space.leaf_starts[j]
    whole = (ONE << np.uint64(leaves)) - ONE
    shift = np.uint64(space.shift[j])
    target[space.word[j]] = (target[space.word[j]] & ~(whole << shift)) | (mask << shift)
