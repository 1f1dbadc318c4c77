"""Compiled: the greedy baselines, which cut blocks by the steepest decrease of cost or at medians."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gensearch_db.compilation import compiled
from gensearch_db.search.arrays import ORDERED, TAXONOMY, SpaceArrays
from gensearch_db.search.block_kernel import count_rows, evaluate_block
from gensearch_db.search.candidates import push_splits
from gensearch_db.search.division import divide, gather_part
from gensearch_db.search.set_divisions import set_parts
from gensearch_db.search.sides import pop_best
from gensearch_db.search.state import OWN_COSTS, Kernel
from gensearch_db.search.words import ONE, ZERO, code_range, lowest_cover


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
def rank_splits(kernel: Kernel, start: int, end: int, words: NDArray[np.uint64]) -> None:
    """Put every split of a feasible block on the stack, ranked by what its parts cost as far as their regions and sizes tell.
    The sums of the block must stand in ``kernel.sums``."""
    candidates = kernel.candidates
    candidates.top[0] = 0
    candidates.worth[0] = OWN_COSTS
    push_splits(kernel, words, count_rows(kernel, start, end), np.inf)
    candidates.best[0] = np.inf


@compiled
def try_splits(
    kernel: Kernel,
    start: int,
    end: int,
    words: NDArray[np.uint64],
    allowed: NDArray[np.int64],
    checks: int,
    boundaries: NDArray[np.int64],
    part_words: NDArray[np.uint64],
) -> int:
    """Try splits off the stack, best ranked first, and keep the one with only feasible parts that cost least, until none is
    left, ``checks`` have only feasible parts or the ``allowed`` cells were read, which are used up. Returns the checks left.

    A block may have thousands of splits with parts that are not feasible, each of which takes as long as a look at the block.
    """
    candidates = kernel.candidates
    while candidates.top[0] > 0 and checks > 0 and allowed[0] > 0:
        allowed[0] -= end - start + candidates.top[0]
        j, position = pop_best(candidates, 0)
        parts = divide(kernel, start, end, j, position, boundaries)
        hold, total = parts_hold(kernel, words, j, position, parts, boundaries, part_words)
        if hold:
            checks -= 1
            if total < candidates.best[0]:
                candidates.best[0] = total
                candidates.best_split[0] = j
                candidates.best_split[1] = position
    return checks


@compiled
def take_best(
    kernel: Kernel,
    start: int,
    end: int,
    words: NDArray[np.uint64],
    cost: float,
    boundaries: NDArray[np.int64],
    part_words: NDArray[np.uint64],
) -> int:
    """Divide a block by the split that :func:`try_splits` kept. Returns its number of parts; 0 where none was kept, or where it
    would raise the cost."""
    candidates = kernel.candidates
    candidates.top[0] = 0
    if candidates.best[0] == np.inf or candidates.best[0] > cost:
        return 0
    j, position = candidates.best_split
    parts = divide(kernel, start, end, j, position, boundaries)
    parts_hold(kernel, words, j, position, parts, boundaries, part_words)
    return parts


@compiled
def take_median(
    kernel: Kernel,
    start: int,
    end: int,
    words: NDArray[np.uint64],
    boundaries: NDArray[np.int64],
    part_words: NDArray[np.uint64],
) -> int:
    """Divide the block evaluated last at the median of the widest attribute (in shares of its domain) whose parts are all
    feasible. Returns its number of parts; 0 where there is none.
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
                return parts
    return 0


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
    costs: NDArray[np.float64],
    ends: NDArray[np.int64],
    block_words: NDArray[np.uint64],
    pending_ends: NDArray[np.int64],
    pending_words: NDArray[np.uint64],
) -> None:
    """Go on cutting the pending blocks, all feasible, by steepest decrease (``by_cost``) or at medians, until none is left or
    ``most_cells`` cells were read.

    ``place`` counts the pending blocks, the blocks that stay whole, holds the cell where the next pending block starts, and how
    many splits of it are still to be found feasible (-1: it was not looked at yet; the splits left lie on the stack).
    ``costs``: of the blocks that stay whole together, of the next pending block. Writes the end of the slice and the words of
    each block that stays whole.
    """
    boundaries = np.empty(most_parts + 2, np.int64)
    part_words = np.empty((most_parts, len(kernel.space.empty_words)), np.uint64)
    pending, count, start, checks = place
    allowed = np.array([most_cells])
    while pending > 0 and allowed[0] > 0:
        end = pending_ends[pending - 1]
        words = pending_words[pending - 1].copy()
        if checks < 0:
            allowed[0] -= end - start
            costs[1] = evaluate_block(kernel, start, end, words, kernel.cells.cost_columns)[3]
            checks = kernel.guide.checks
            if by_cost:
                rank_splits(kernel, start, end, words)
        if by_cost:
            checks = try_splits(kernel, start, end, words, allowed, checks, boundaries, part_words)
            if checks > 0 and kernel.candidates.top[0] > 0:
                break
            parts = take_best(kernel, start, end, words, costs[1], boundaries, part_words)
        else:
            parts = take_median(kernel, start, end, words, boundaries, part_words)
        pending -= 1
        checks = -1
        if parts == 0:
            block_words[count] = words
            ends[count] = end
            count += 1
            costs[0] += costs[1]
            start = end
        for part in range(parts - 1, -1, -1):
            if boundaries[part] < boundaries[part + 1]:
                pending_ends[pending] = boundaries[part + 1]
                pending_words[pending] = part_words[part]
                pending += 1
    place[0], place[1], place[2], place[3] = pending, count, start, checks
