"""Compiled: from what the memory knows to slices: follow the first steps of the best partitions known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gensearch_db.compilation import compiled
from gensearch_db.search.block_kernel import count_rows, evaluate_block, sum_features
from gensearch_db.search.division import divide, gather_part
from gensearch_db.search.memory import FREE, UNKNOWN, WHOLE, slot_of
from gensearch_db.search.sides import is_single_group
from gensearch_db.search.state import Kernel


@compiled
def extract(
    kernel: Kernel,
    start: int,
    end: int,
    words: NDArray[np.uint64],
    ends: NDArray[np.int64],
    block_words: NDArray[np.uint64],
    pending_ends: NDArray[np.int64],
    pending_words: NDArray[np.uint64],
    most_parts: int,
) -> tuple[int, int]:
    """Cut the block ``start:end`` as the memory says. Writes the end of each block's slice and its words, in the order of the
    slices. Returns the number of blocks, and how many blocks stand for a part that the memory does not know (listed with a
    negative end): those are to be solved again.
    """
    pending = 1
    pending_ends[0] = end
    pending_words[0] = words
    position = start
    count = 0
    unknown = 0
    boundaries = np.empty(most_parts + 2, np.int64)
    while pending > 0:
        pending -= 1
        to = pending_ends[pending]
        slot = slot_of(kernel.memory, pending_words[pending])
        known = kernel.memory.tag[slot] != FREE and kernel.memory.attribute[slot] != UNKNOWN
        single = not known and is_single_slice(kernel, position, to)
        known = known or single
        if not known or single or kernel.memory.attribute[slot] == WHOLE:
            block_words[count] = pending_words[pending]
            ends[count] = to if known else -to
            unknown += 0 if known else 1
            count += 1
            position = to
            continue
        j, split = kernel.memory.attribute[slot], kernel.memory.position[slot]
        parent = pending_words[pending].copy()
        parts = divide(kernel, position, to, j, split, boundaries)
        for part in range(parts - 1, -1, -1):
            if boundaries[part] == boundaries[part + 1]:
                continue
            pending_ends[pending] = boundaries[part + 1]
            gather_part(kernel, parent, j, split, part, boundaries[part], boundaries[part + 1], pending_words[pending])
            pending += 1
    return count, unknown


@compiled
def is_single_slice(kernel: Kernel, start: int, end: int) -> bool:
    """Whether a block is its own only partition; such blocks are not remembered."""
    rows = sum_features(kernel, start, end, kernel.sums.right_features)
    return is_single_group(kernel, rows, kernel.sums.right_features)


@compiled
def refresh(kernel: Kernel, start: int, end: int, words: NDArray[np.uint64], most_parts: int) -> float:
    """The cost of the best partition known of a block, with what was learnt about its parts since it was found."""
    memory = kernel.memory
    slot = slot_of(memory, words)
    if memory.tag[slot] == FREE:
        if is_single_slice(kernel, start, end):
            return evaluate_block(kernel, start, end, words, kernel.cells.cost_columns)[3]
        return np.inf
    j, split = memory.attribute[slot], memory.position[slot]
    if j < 0 or memory.lower[slot] >= memory.upper[slot]:
        return memory.upper[slot]
    boundaries = np.empty(most_parts + 2, np.int64)
    part_words = np.empty(len(words), np.uint64)
    parts = divide(kernel, start, end, j, split, boundaries)
    total = 0.0
    for part in range(parts):
        if boundaries[part] < boundaries[part + 1]:
            gather_part(kernel, words, j, split, part, boundaries[part], boundaries[part + 1], part_words)
            total += refresh(kernel, boundaries[part], boundaries[part + 1], part_words, most_parts)
    memory.upper[slot] = min(memory.upper[slot], total)
    return memory.upper[slot]


@compiled
def subtrees(
    kernel: Kernel,
    start: int,
    end: int,
    words: NDArray[np.uint64],
    most_rows: int,
    count: int,
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    part_words: NDArray[np.uint64],
    most_parts: int,
) -> int:
    """List the largest blocks of the best known tree that hold at most ``most_rows`` rows, not proven yet.
    Returns how many are listed after the first ``count``."""
    memory = kernel.memory
    slot = slot_of(memory, words)
    if memory.tag[slot] == FREE or memory.lower[slot] >= memory.upper[slot]:
        return count
    if count_rows(kernel, start, end) <= most_rows:
        starts[count], ends[count] = start, end
        part_words[count] = words
        return count + 1
    j, split = memory.attribute[slot], memory.position[slot]
    if j < 0:
        return count
    boundaries = np.empty(most_parts + 2, np.int64)
    below = np.empty(len(words), np.uint64)
    parts = divide(kernel, start, end, j, split, boundaries)
    for part in range(parts):
        if boundaries[part] < boundaries[part + 1]:
            gather_part(kernel, words, j, split, part, boundaries[part], boundaries[part + 1], below)
            count = subtrees(
                kernel, boundaries[part], boundaries[part + 1], below, most_rows, count, starts, ends, part_words, most_parts
            )
    return count


@compiled
def list_tree(
    kernel: Kernel,
    start: int,
    end: int,
    words: NDArray[np.uint64],
    count: int,
    node_words: NDArray[np.uint64],
    splits: NDArray[np.int64],
    costs: NDArray[np.float64],
    rows: NDArray[np.int64],
    most_parts: int,
) -> int:
    """List the blocks of the best known tree, each after the one it is a part of, with their splits, costs and rows.
    Returns how many are listed after the first ``count``."""
    memory = kernel.memory
    slot = slot_of(memory, words)
    if memory.tag[slot] == FREE or memory.attribute[slot] == UNKNOWN:
        return count
    j, split = memory.attribute[slot], memory.position[slot]
    node_words[count] = words
    splits[count, 0], splits[count, 1] = j, split
    costs[count] = memory.upper[slot]
    rows[count] = count_rows(kernel, start, end)
    count += 1
    if j < 0:
        return count
    boundaries = np.empty(most_parts + 2, np.int64)
    below = np.empty(len(words), np.uint64)
    parts = divide(kernel, start, end, j, split, boundaries)
    for part in range(parts):
        if boundaries[part] < boundaries[part + 1]:
            gather_part(kernel, words, j, split, part, boundaries[part], boundaries[part + 1], below)
            count = list_tree(
                kernel, boundaries[part], boundaries[part + 1], below, count, node_words, splits, costs, rows, most_parts
            )
    return count
