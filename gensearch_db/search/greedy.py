"""Compiled: the greedy baseline that always takes the split with the steepest decrease of cost, plain or randomised."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gensearch_db.compilation import compiled
from gensearch_db.search.block_kernel import evaluate_block
from gensearch_db.search.candidates import push_splits
from gensearch_db.search.solver import divide, gather_part
from gensearch_db.search.state import OWN_COSTS, Kernel


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
        _, _, feasible, cost = evaluate_block(kernel, start, end, part_words[part])
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
    noise: float,
    random: NDArray[np.uint64],
    boundaries: NDArray[np.int64],
    part_words: NDArray[np.uint64],
) -> tuple[int, int, int]:
    """Divide a feasible block by the split with the least cost of its parts (each worth multiplied by up to 1 + ``noise`` at
    random) among those with only feasible parts. Returns its attribute, position and number of parts; attribute -1 where no
    split lowers the cost. The sums of the block must stand in ``kernel.sums``.
    """
    candidates = kernel.candidates
    first = candidates.top[0]
    rows = np.int64(0)
    for i in range(start, end):
        rows += kernel.cells.rows[kernel.order[i]]
    candidates.worth[0] = OWN_COSTS
    push_splits(kernel, words, rows, np.inf)
    last = candidates.top[0]
    if noise > 0.0:
        for i in range(first, last):
            candidates.bound[i] *= 1.0 + noise * next_random(random)
    candidates.top[0] = first
    while first < last:
        pick = first
        for i in range(first + 1, last):
            if candidates.bound[i] < candidates.bound[pick]:
                pick = i
        j, position = np.int64(candidates.attribute[pick]), candidates.position[pick]
        last -= 1
        candidates.attribute[pick] = candidates.attribute[last]
        candidates.position[pick] = candidates.position[last]
        candidates.bound[pick] = candidates.bound[last]
        parts = divide(kernel, start, end, j, position, boundaries)
        hold, total = parts_hold(kernel, words, j, position, parts, boundaries, part_words)
        if hold and total <= cost:
            return j, position, parts
    return -1, 0, 0


@compiled
def steepest(
    kernel: Kernel,
    start: int,
    end: int,
    words: NDArray[np.uint64],
    noise: float,
    random: NDArray[np.uint64],
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
        _, _, _, cost = evaluate_block(kernel, position, to, here)
        j, _, parts = take_steepest(kernel, position, to, here, cost, noise, random, boundaries, part_words)
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
