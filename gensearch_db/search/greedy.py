"""Compiled: the greedy baselines, which cut blocks by the steepest decrease of cost or at medians."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gensearch_db.compilation import compiled
from gensearch_db.search.arrays import ORDERED, TAXONOMY, SpaceArrays
from gensearch_db.search.block_kernel import ONE, ZERO, code_range, evaluate_block, lowest_cover
from gensearch_db.search.candidates import pop_best, push_splits, set_parts
from gensearch_db.search.division import divide, gather_part
from gensearch_db.search.state import OWN_COSTS, Kernel


@compiled
def parts_hold(
    kernel: Kernel,
    words: NDArray[np.uint64],
    j: int,
    position: int,
    parts: int,
    boundaries: NDArray[np.int64],
    part_words: NDArray[np.uint64],
) -> tuple[bool, float]:
    """Whether every non-empty part of a split is feasible, and what the parts cost together. Fills ``part_words``."""
    total = 0.0
    if kernel.guide.sizes_decide == 1 and kernel.costs.suppression_price == 0.0:
        for part in range(parts):  # seen sooner than by a look at everything else
            rows = np.int64(0)
            for i in range(boundaries[part], boundaries[part + 1]):
                rows += kernel.cells.rows[kernel.order[i]]
            if boundaries[part] < boundaries[part + 1] and rows < kernel.bounds.minimum_rows:
                return False, np.inf
    for part in range(parts):
        start, end = boundaries[part], boundaries[part + 1]
        if start == end:
            continue
        gather_part(kernel, words, j, position, part, start, end, part_words[part])
        _, _, feasible, cost = evaluate_block(kernel, start, end, part_words[part], kernel.cells.cost_columns)
        if not feasible:
            return False, np.inf
        total += cost
    return True, total


@compiled
def take_steepest(
    kernel: Kernel,
    start: int,
    end: int,
    words: NDArray[np.uint64],
    cost: float,
    boundaries: NDArray[np.int64],
    part_words: NDArray[np.uint64],
) -> tuple[int, int, int]:
    """Divide a feasible block by the split with the least cost of its parts among those with only feasible parts. Returns its
    attribute, position and number of parts; attribute -1 where every split would raise the cost. The sums of the block must
    stand in ``kernel.sums``.
    """
    candidates = kernel.candidates
    first = candidates.top[0]
    rows = np.int64(0)
    for i in range(start, end):
        rows += kernel.cells.rows[kernel.order[i]]
    candidates.worth[0] = OWN_COSTS
    push_splits(kernel, words, rows, np.inf)
    checks = kernel.guide.checks
    best, best_attribute, best_position = np.inf, -1, 0
    while candidates.top[0] > first and checks > 0:
        j, position = pop_best(candidates, first)
        parts = divide(kernel, start, end, j, position, boundaries)
        hold, total = parts_hold(kernel, words, j, position, parts, boundaries, part_words)
        if hold:
            checks -= 1
            if total < best:
                best, best_attribute, best_position = total, j, position
    candidates.top[0] = first
    if best <= cost:
        parts = divide(kernel, start, end, best_attribute, best_position, boundaries)
        parts_hold(kernel, words, best_attribute, best_position, parts, boundaries, part_words)
        return best_attribute, best_position, parts
    return -1, 0, 0


@compiled
def take_median(
    kernel: Kernel,
    start: int,
    end: int,
    words: NDArray[np.uint64],
    boundaries: NDArray[np.int64],
    part_words: NDArray[np.uint64],
) -> tuple[int, int, int]:
    """Divide the block evaluated last at the median of the widest attribute (in shares of its domain) whose parts are all
    feasible. Returns as :func:`take_steepest` does.
    """
    space = kernel.space
    widths = np.empty(len(space.kinds), np.float64)
    for j in range(len(widths)):
        widths[j] = kernel.context.lengths[j] / max(space.whole_lengths[j], 1e-300)
    marginals = kernel.sums.rows.copy()
    for _ in range(len(widths)):
        j = 0
        for other in range(1, len(widths)):
            if widths[other] > widths[j]:
                j = other
        widths[j] = -1.0
        found, position = median_position(kernel, words, j, marginals)
        if found:
            parts = divide(kernel, start, end, j, position, boundaries)
            hold, _ = parts_hold(kernel, words, j, position, parts, boundaries, part_words)
            if hold:
                return j, position, parts
    return -1, 0, 0


@compiled
def median_position(kernel: Kernel, words: NDArray[np.uint64], j: int, marginals: NDArray[np.int64]) -> tuple[bool, int]:
    """Where attribute j is cut: the boundary that divides the rows most evenly, a taxonomy's node, or the set's values taken in
    the order of their frequency up to half of the rows. False where it cannot be cut."""
    space = kernel.space
    lower, upper = code_range(space, words, j)
    if upper - lower < 2:
        return False, 0
    if space.kinds[j] == TAXONOMY:
        return True, lowest_cover(space, j, lower, upper)
    base = space.leaf_starts[j]
    total = np.int64(0)
    for code in range(lower, upper):
        total += marginals[base + code]
    if space.kinds[j] != ORDERED:
        return half_of_set(space, words, j, lower, upper, marginals, total)
    best, below = lower + 1, marginals[base + lower]
    before = below
    for boundary in range(lower + 2, upper):
        before += marginals[base + boundary - 1]
        if abs(2 * before - total) < abs(2 * below - total):
            best, below = boundary, before
    return True, best


@compiled
def half_of_set(
    space: SpaceArrays, words: NDArray[np.uint64], j: int, lower: int, upper: int, marginals: NDArray[np.int64], total: int
) -> tuple[bool, int]:
    """The most frequent values (or siblings) of a set that hold half of its rows, as a mask; all but one at the most."""
    parts = np.zeros(64, np.uint64)
    count = set_parts(space, words, j, lower, upper, parts)
    if count < 2:
        return False, 0
    weights = np.zeros(count, np.int64)
    for part in range(count):
        for code in range(lower, upper):
            if (parts[part] >> np.uint64(code)) & ONE != ZERO:
                weights[part] += marginals[space.leaf_starts[j] + code]
    chosen, rows = ZERO, np.int64(0)
    for _ in range(count - 1):
        pick = 0
        for part in range(1, count):
            if weights[part] > weights[pick]:
                pick = part
        chosen |= parts[pick]
        rows += weights[pick]
        weights[pick] = -1
        if 2 * rows >= total:
            break
    return True, np.int64(chosen)


@compiled
def cut(
    kernel: Kernel,
    by_cost: bool,
    most_cells: int,
    most_parts: int,
    place: NDArray[np.int64],
    ends: NDArray[np.int64],
    block_words: NDArray[np.uint64],
    pending_ends: NDArray[np.int64],
    pending_words: NDArray[np.uint64],
) -> float:
    """Go on cutting the pending blocks, all feasible, by steepest decrease (``by_cost``) or at medians, until none is left or
    blocks of ``most_cells`` cells together were looked at.

    ``place`` counts the pending blocks, the blocks that stay whole, and holds the cell where the next pending block starts.
    Writes the end of the slice and the words of each block that stays whole; returns what these cost together.
    """
    boundaries = np.empty(most_parts + 2, np.int64)
    part_words = np.empty((most_parts, len(kernel.space.empty_words)), np.uint64)
    pending, count, start = place
    total = 0.0
    while pending > 0 and most_cells > 0:
        pending -= 1
        end = pending_ends[pending]
        most_cells -= end - start
        words = pending_words[pending].copy()
        _, _, _, cost = evaluate_block(kernel, start, end, words, kernel.cells.cost_columns)
        if by_cost:
            j, _, parts = take_steepest(kernel, start, end, words, cost, boundaries, part_words)
        else:
            j, _, parts = take_median(kernel, start, end, words, boundaries, part_words)
        if j < 0:
            block_words[count] = words
            ends[count] = end
            count += 1
            total += cost
            start = end
            continue
        for part in range(parts - 1, -1, -1):
            if boundaries[part] < boundaries[part + 1]:
                pending_ends[pending] = boundaries[part + 1]
                pending_words[pending] = part_words[part]
                pending += 1
    place[0], place[1], place[2] = pending, count, start
    return total
