"""Compiled: rollouts (the pilot method), which find good partitions of a block fast.

A rollout of level 0 completes a block greedily: it takes the split whose parts promise the least. A rollout of level L tries
the most promising splits, completes each by rollouts of level L - 1, keeps the cheapest and goes on with its parts. Along a
grid, a few boundaries laid for the occasion, a large block tries every split of the grid, and its large parts do the same, so
that of all trees with such a top the best is found; small blocks are completed greedily.

Because costs add up, trying a split touches the rows of its block only, and what was found for a block is remembered for all
trees it occurs in.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gensearch_db.compilation import compiled
from gensearch_db.search.block_kernel import count_rows, evaluate_block
from gensearch_db.search.division import divide, gather_part
from gensearch_db.search.greedy import parts_hold
from gensearch_db.search.memory import FREE, UNKNOWN, WHOLE, remember, slot_of
from gensearch_db.search.set_divisions import tries_all_splits
from gensearch_db.search.sides import pop_best
from gensearch_db.search.solver import DONE, MEMORY_FULL, PAUSED, STACK_FULL, advance, may_give_up, must_pause, push_frame
from gensearch_db.search.state import UNLIMITED, Kernel
from gensearch_db.search.sweeps import push_sweeps

LEVELS = 8
"""More than any level: results of epoch e and level L are marked e * LEVELS + L + 1."""

AFTER_SUCCESS, AFTER_FAILURE = 1.02, 0.8
"""How the rows of blocks that are solved exactly change: about one in ten is given up in the end."""


@compiled
def must_halt(kernel: Kernel, most_splits: int) -> bool:
    """Whether to give control back: the agreed effort was made, or memory or stack want more room."""
    halted = kernel.guide.halted
    if must_pause(kernel.counters):
        halted[0] = PAUSED
    elif 2 * (kernel.memory.entries[0] + 2) > len(kernel.memory.tag):
        halted[0] = MEMORY_FULL
    elif kernel.candidates.top[0] + most_splits > len(kernel.candidates.bound):
        halted[0] = STACK_FULL
    return halted[0] != DONE


@compiled
def most_promising(
    kernel: Kernel, start: int, end: int, words: NDArray[np.uint64], first: int, most_parts: int
) -> tuple[int, int]:
    """The split on the stack from ``first`` on that promises the least; where ranks tell too little, by the true cost of its
    parts. Attribute -1 where none has only feasible parts."""
    guide, candidates = kernel.guide, kernel.candidates
    boundaries = np.empty(most_parts + 2, np.int64)
    part_words = np.empty((most_parts, len(words)), np.uint64)
    chosen, chosen_position, least = np.int64(-1), np.int64(0), np.inf
    checks = guide.checks
    while candidates.top[0] > first and checks > 0:
        if kernel.counters.last_effort[0] == 0:  # stopped: of a wide block all splits may take minutes
            guide.halted[0] = PAUSED
            return np.int64(-1), np.int64(0)
        j, position = pop_best(candidates, first)
        if guide.checks == 1 and guide.sizes_decide == 1:
            return j, position
        parts = divide(kernel, start, end, j, position, boundaries)
        hold, total = parts_hold(kernel, words, j, position, parts, boundaries, part_words)
        if hold:
            checks -= 1
            if total < least:
                chosen, chosen_position, least = j, position, total
    return chosen, chosen_position


@compiled
def is_small(kernel: Kernel, start: int, end: int, words: NDArray[np.uint64]) -> bool:
    """Whether a block is to be solved exactly: it has few enough rows, and every way to divide it can be tried."""
    most = kernel.guide.exact_rows[0]
    return end - start <= most and count_rows(kernel, start, end) <= most and tries_all_splits(kernel, words)


@compiled
def solve_small(kernel: Kernel, start: int, end: int, words: NDArray[np.uint64], most_splits: int, most_parts: int) -> bool:
    """Solve a block exactly, if that takes no more effort than it may; what is small adapts to how often it does. What was
    learnt of its parts is remembered in any case."""
    memory, guide, counters = kernel.memory, kernel.guide, kernel.counters
    slot = slot_of(memory, words)
    limit = memory.upper[slot] if memory.tag[slot] != FREE else np.inf
    top = kernel.candidates.top[0]
    counters.last_of_question[0] = counters.effort[0] + guide.exact_effort[0]
    push_frame(kernel, start, end, words, limit)
    code = advance(kernel, most_splits, most_parts)
    given_up = may_give_up(counters)
    counters.last_of_question[0] = UNLIMITED
    counters.depth[0] = -1
    kernel.candidates.top[0] = top
    if code == DONE:
        guide.exact_rows[0] *= AFTER_SUCCESS
    elif code == PAUSED and given_up:
        guide.exact_rows[0] *= AFTER_FAILURE
    else:
        guide.halted[0] = code
    return code == DONE


@compiled
def push_tries(kernel: Kernel, start: int, end: int, words: NDArray[np.uint64], rows: int, level: int) -> tuple[int, bool]:
    """Put the splits of the block evaluated last on the stack. Returns how many of them are to be completed, and whether the
    block is divided along the grid."""
    guide, candidates = kernel.guide, kernel.candidates
    first = candidates.top[0]
    if level > 0 and 0 < guide.grid_rows[0] < rows:
        push_sweeps(kernel, start, end, words, rows, True)
        if candidates.top[0] > first:
            return candidates.top[0] - first, True
    push_sweeps(kernel, start, end, words, rows, False)
    return guide.widths[level] if level > 0 and guide.grid_rows[0] == 0 else 0, False


@compiled
def needs_no_rollout(
    kernel: Kernel, start: int, end: int, words: NDArray[np.uint64], mark: int, most_splits: int, most_parts: int
) -> bool:
    """Whether the memory tells what a rollout would: it was rolled out with this mark, or is solved, now if it is small."""
    memory = kernel.memory
    slot = slot_of(memory, words)
    if memory.tag[slot] != FREE and (memory.rolled[slot] >= mark or memory.lower[slot] >= memory.upper[slot]):
        return True
    if must_halt(kernel, most_splits):
        return False
    return is_small(kernel, start, end, words) and solve_small(kernel, start, end, words, most_splits, most_parts)


@compiled
def rollout(
    kernel: Kernel, start: int, end: int, words: NDArray[np.uint64], level: int, most_splits: int, most_parts: int
) -> float:
    """Find and remember a partition of ``order[start:end]``; returns the cost of the best one known. Where it must halt, the
    guide says so and the number means nothing; called again, it soon gets to where it was.

    The recursion stays inside one function: numba cannot cache functions that call each other in a circle.
    """
    memory, guide, candidates = kernel.memory, kernel.guide, kernel.candidates
    mark = guide.epoch[0] * LEVELS + level + 1
    if needs_no_rollout(kernel, start, end, words, mark, most_splits, most_parts):
        return memory.upper[slot_of(memory, words)]
    if guide.halted[0] != DONE:
        return np.inf
    kernel.counters.visited[0] += 1
    visited = kernel.counters.visited[0]
    rows, _, feasible, cost = evaluate_block(kernel, start, end, words, kernel.cells.cost_columns)
    best, attribute, position = np.inf, np.int64(UNKNOWN), np.int64(0)
    if feasible:
        best, attribute = cost, np.int64(WHOLE)
    searching = feasible or kernel.monotone == 0
    first = candidates.top[0]
    tries, gridded = np.int64(0), False
    if searching:
        tries, gridded = push_tries(kernel, start, end, words, rows, level)
    if guide.grid_rows[0] > 0 and not gridded:
        level = 0
    boundaries = np.empty(most_parts + 2, np.int64)
    part_words = np.empty(len(words), np.uint64)
    while searching:
        limit = best
        below = level if gridded else level - 1
        if tries > 0 and candidates.top[0] > first:
            tries -= 1
            j, split = pop_best(candidates, first)
        else:
            searching = False
            below, limit = level, np.inf
            j, split = attribute, position
            if level == 0:
                j, split = most_promising(kernel, start, end, words, first, most_parts)
            if guide.halted[0] != DONE:
                candidates.top[0] = first
                return np.inf
            if j < 0:
                break
        parts = divide(kernel, start, end, j, split, boundaries)
        total = 0.0
        for part in range(parts):
            if boundaries[part] < boundaries[part + 1]:
                gather_part(kernel, words, j, split, part, boundaries[part], boundaries[part + 1], part_words)
                total += rollout(kernel, boundaries[part], boundaries[part + 1], part_words, below, most_splits, most_parts)
            if guide.halted[0] != DONE:
                candidates.top[0] = first
                if best < np.inf:
                    remember(memory, words, 0.0, best, attribute, position, 1)
                return np.inf
            if total >= limit:
                break
        if total < best:
            best, attribute, position = total, j, split
    candidates.top[0] = first
    remember(memory, words, 0.0, best, attribute, position, kernel.counters.visited[0] - visited + 1)
    slot = slot_of(memory, words)
    memory.rolled[slot] = mark
    return memory.upper[slot]
