"""Compiled: the greedy baseline that always takes the split with the steepest decrease of cost."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gensearch_db.compilation import compiled
from gensearch_db.search.block_kernel import evaluate_block
from gensearch_db.search.bounds import NEEDED_FOR_COST
from gensearch_db.search.candidates import pop_best, push_splits
from gensearch_db.search.solver import divide, gather_part
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
    for part in range(parts):
        start, end = boundaries[part], boundaries[part + 1]
        if start == end:
            continue
        gather_part(kernel, words, j, position, part, start, end, part_words[part])
        _, _, feasible, cost = evaluate_block(kernel, start, end, part_words[part], NEEDED_FOR_COST)
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
def steepest(
    kernel: Kernel,
    start: int,
    end: int,
    words: NDArray[np.uint64],
    most_parts: int,
    ends: NDArray[np.int64],
    block_words: NDArray[np.uint64],
    pending_ends: NDArray[np.int64],
    pending_words: NDArray[np.uint64],
) -> tuple[int, float]:
    """Cut the feasible block ``order[start:end]`` greedily. Writes the end of each block's slice and its words; returns the
    number of blocks and their cost together."""
    boundaries = np.empty(most_parts + 2, np.int64)
    part_words = np.empty((most_parts, len(words)), np.uint64)
    pending = 1
    pending_ends[0] = end
    pending_words[0] = words
    position = start
    count = 0
    total = 0.0
    while pending > 0:
        pending -= 1
        to = pending_ends[pending]
        here = pending_words[pending].copy()
        _, _, _, cost = evaluate_block(kernel, position, to, here, NEEDED_FOR_COST)
        j, _, parts = take_steepest(kernel, position, to, here, cost, boundaries, part_words)
        if j < 0:
            block_words[count] = here
            ends[count] = to
            count += 1
            total += cost
            position = to
            continue
        for part in range(parts - 1, -1, -1):
            if boundaries[part] < boundaries[part + 1]:
                pending_ends[pending] = boundaries[part + 1]
                pending_words[pending] = part_words[part]
                pending += 1
    return count, total
