"""The memory of the block graph: an open-addressing hash table from the words of a block to what is known of it.

Each entry holds the full key (two blocks with one hash never mix), a proven lower bound of the block's optimum, the cost of
the best partition of it known (infinite: none) and that partition's first step: a split (attribute and position) or
:data:`WHOLE`, the block itself. An entry is exact where both costs meet.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gensearch_db.compilation import compiled

TREE_EFFORT = 1 << 20
"""What the blocks of a tree that was told are taken to have cost, in blocks looked at: they are forgotten last."""
UNKNOWN, WHOLE = -2, -1
"""In place of a split's attribute: no partition known; publish the block as it is."""


FREE, FRESH = np.uint8(0), np.uint8(64)
"""Tags: of a free slot; the bit of an entry that a team mate has not been told of."""


class Memory(NamedTuple):
    """Parallel arrays; ``tag[i]`` is 0 where slot i is free, else a few bits of its key's hash, which spare most looks at the
    keys of others, and whether it is :data:`FRESH`; ``entries[0]``: how many are taken. ``effort`` is the number of
    blocks visited to learn an entry: cheap ones are forgotten first. ``rolled``: the epoch and level of the last rollout.
    """

    keys: NDArray[np.uint64]
    tag: NDArray[np.uint8]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    attribute: NDArray[np.int64]
    position: NDArray[np.int64]
    effort: NDArray[np.int32]
    rolled: NDArray[np.int64]
    entries: NDArray[np.int64]


def new_memory(slots: int, word_count: int) -> Memory:
    """An empty table of ``slots`` (a power of two)."""
    return Memory(
        keys=np.zeros((slots, word_count), np.uint64),
        tag=np.zeros(slots, np.uint8),
        lower=np.zeros(slots),
        upper=np.zeros(slots),
        attribute=np.zeros(slots, np.int64),
        position=np.zeros(slots, np.int64),
        effort=np.zeros(slots, np.int32),
        rolled=np.zeros(slots, np.int64),
        entries=np.zeros(1, np.int64),
    )


def bytes_per_slot(word_count: int) -> int:
    """The memory that one slot takes."""
    return 8 * word_count + 1 + 8 + 8 + 8 + 8 + 4 + 8


@compiled
def hash_of(words: NDArray[np.uint64]) -> int:
    """A 64-bit hash of a key."""
    value = np.uint64(0x9E3779B97F4A7C15)
    for w in range(len(words)):
        value ^= words[w]
        value *= np.uint64(0xFF51AFD7ED558CCD)
        value ^= value >> np.uint64(32)
    value *= np.uint64(0xC4CEB9FE1A85EC53)
    value ^= value >> np.uint64(29)
    return value


@compiled
def tag_of(value: int) -> int:
    """The tag of a fresh entry whose key has this hash."""
    return np.uint8(value >> np.uint64(58)) | np.uint8(192)


@compiled
def slot_of(memory: Memory, words: NDArray[np.uint64]) -> int:
    """The slot that holds this key, or else the free slot where it would go."""
    mask = np.uint64(len(memory.tag) - 1)
    value = hash_of(words)
    slot = np.int64(value & mask)
    tag = tag_of(value)
    while memory.tag[slot] != FREE:
        same = memory.tag[slot] | FRESH == tag
        for w in range(len(words) if same else 0):
            if memory.keys[slot, w] != words[w]:
                same = False
                break
        if same:
            return slot
        slot = (slot + 1) & np.int64(mask)
    return slot


@compiled
def remember(
    memory: Memory, words: NDArray[np.uint64], lower: float, upper: float, attribute: int, position: int, effort: int
) -> None:
    """Merge new knowledge about a block: the higher lower bound, the cheaper partition. The table must have room."""
    slot = slot_of(memory, words)
    if memory.tag[slot] == FREE:
        memory.tag[slot] = tag_of(hash_of(words))
        memory.entries[0] += 1
        memory.keys[slot] = words
        memory.lower[slot] = lower
        memory.upper[slot] = upper
        memory.attribute[slot] = attribute
        memory.position[slot] = position
        memory.effort[slot] = effort
        memory.rolled[slot] = 0
        return
    if lower > memory.lower[slot] or upper < memory.upper[slot]:
        memory.tag[slot] |= FRESH
    memory.lower[slot] = max(memory.lower[slot], lower)
    memory.effort[slot] = max(memory.effort[slot], effort)
    if upper < memory.upper[slot]:
        memory.upper[slot] = upper
        memory.attribute[slot] = attribute
        memory.position[slot] = position


class Tree(NamedTuple):
    """A partition tree as memory entries, one per block: words, attribute and position of its split, cost, rows."""

    words: NDArray[np.uint64]
    splits: NDArray[np.int64]
    costs: NDArray[np.float64]
    rows: NDArray[np.int64]


@compiled
def remember_tree(memory: Memory, words: NDArray[np.uint64], splits: NDArray[np.int64], costs: NDArray[np.float64]) -> None:
    """Remember every block of a tree. The table must have room."""
    for i in range(len(costs)):
        remember(memory, words[i], 0.0, costs[i], splits[i, 0], splits[i, 1], TREE_EFFORT)


class News(NamedTuple):
    """Entries of one memory that another is told of."""

    keys: NDArray[np.uint64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    attribute: NDArray[np.int64]
    position: NDArray[np.int64]
    effort: NDArray[np.int32]


def news(memory: Memory) -> News:
    """The fresh entries; they are fresh no longer."""
    slots = np.flatnonzero(memory.tag & FRESH)
    memory.tag[slots] &= ~FRESH
    return News(*(getattr(memory, name)[slots] for name in News._fields))


@compiled
def take_in_news(memory: Memory, told: News) -> None:
    """Remember what another memory tells, without telling it back. The table must have room."""
    for i in range(len(told.lower)):
        slot = slot_of(memory, told.keys[i])
        fresh = memory.tag[slot] & FRESH
        remember(memory, told.keys[i], told.lower[i], told.upper[i], told.attribute[i], told.position[i], told.effort[i])
        memory.tag[slot] = memory.tag[slot] & ~FRESH | fresh


@compiled
def copy_entries(source: Memory, target: Memory, least_effort: int) -> None:
    """Insert the entries that took at least ``least_effort`` blocks into another table."""
    for slot in range(len(source.tag)):
        if source.tag[slot] != FREE and source.effort[slot] >= least_effort:
            remember(
                target,
                source.keys[slot],
                source.lower[slot],
                source.upper[slot],
                source.attribute[slot],
                source.position[slot],
                source.effort[slot],
            )
            copied = slot_of(target, source.keys[slot])
            target.tag[copied] = source.tag[slot]
            target.rolled[copied] = source.rolled[slot]


def grown(memory: Memory, most_slots: int) -> tuple[Memory, int]:
    """A roomier table, or, at ``most_slots``, one that forgot the cheaper half of the entries; and how many it forgot."""
    slots = len(memory.tag)
    least_effort = 0
    if 2 * slots <= most_slots:
        slots *= 2
    else:
        efforts = memory.effort[memory.tag != FREE]
        least_effort = int(np.partition(efforts, len(efforts) // 2)[len(efforts) // 2]) + 1
    target = new_memory(slots, memory.keys.shape[1])
    copy_entries(memory, target, least_effort)
    return target, int(memory.entries[0] - target.entries[0])


@compiled
def known(memory: Memory, words: NDArray[np.uint64]) -> tuple[float, float]:
    """What the memory knows of a block: lower bound and best cost."""
    slot = slot_of(memory, words)
    if memory.tag[slot] != FREE:
        return memory.lower[slot], memory.upper[slot]
    return 0.0, np.inf
