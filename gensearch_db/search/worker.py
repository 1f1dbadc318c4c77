"""One worker of the compiled search: holds its arrays, lends them room, turns its answers into partitions."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gensearch_db.compilation import announce
from gensearch_db.domain.region import Block
from gensearch_db.search.arrays import TAXONOMY
from gensearch_db.search.block_kernel import evaluate_block, gather
from gensearch_db.search.building import Switches, build_kernel, most_splits
from gensearch_db.search.extraction import extract, list_tree, refresh
from gensearch_db.search.memory import News, Tree, bytes_per_slot, grown, known, remember_tree, take_in_news
from gensearch_db.search.partitions import partition_of_words, words_of_regions
from gensearch_db.search.result import Partition, SearchProblem
from gensearch_db.search.rollout import AFTER_FAILURE, rollout
from gensearch_db.search.set_divisions import MOST_EXACT_PARTS, tries_all_splits
from gensearch_db.search.solver import DONE, MEMORY_FULL, PAUSED, advance, drop_answered, push_frame, share_done
from gensearch_db.search.state import UNLIMITED, Children, Frames, Kernel, twin
from gensearch_db.search.structures import structure

MEMORY_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
"""Where Linux tells the limit of a container, in bytes."""

Slice = tuple[int, int, NDArray[np.uint64]]
"""Cells ``order[start:end]`` and the words of the block they make."""


class Worker:
    """Arrays, memory and stack for one problem."""

    def __init__(
        self,
        problem: SearchProblem,
        switches: Switches | None = None,
        memory_limit: int | None = None,
        kernel: Kernel | None = None,
    ) -> None:
        """``kernel``: that of another worker on the same problem, whose unchanging arrays are shared."""
        announce(advance.__module__)
        self.problem = problem
        self.switches = switches or Switches()
        self.kernel = build_kernel(problem, self.switches) if kernel is None else twin(kernel)
        self.compiled = structure(self.kernel)
        self.most_splits = most_splits(problem)
        self.most_parts = int(max([2, *self.kernel.space.node_child_count]))
        self.megabytes = memory_limit if memory_limit is not None else _default_megabytes()
        self._slot_bytes = bytes_per_slot(len(self.kernel.space.empty_words))
        most_slots = max(1, self.megabytes * 2**20 / self._slot_bytes / 1.5)
        self.most_slots = max(len(self.kernel.memory.tag), 1 << int(np.log2(most_slots)))
        self.forgotten = 0
        self.root_words = self.words_of(0, self.cell_count)
        if not self.kernel.space.tightening:
            self.root_words = words_of_regions(self.kernel.space, problem.space.root)

    @property
    def cell_count(self) -> int:
        """The number of cells of the problem."""
        return self.problem.cells.cell_count

    def tries_all_splits_of(self, part: Slice) -> bool:
        """Whether no set of a block has so many parts that only some of its divisions are tried."""
        return bool(tries_all_splits(self.compiled, part[2]))

    @property
    def tries_all_splits(self) -> bool:
        """Whether no set has so many parts that only some of its divisions are tried."""
        attributes = zip(self.problem.space.attributes, self.kernel.space.kinds, strict=True)
        return all(kind <= TAXONOMY or attribute.leaf_count <= MOST_EXACT_PARTS for attribute, kind in attributes)

    @property
    def only_squares(self) -> bool:
        """Whether squared sizes are all of the cost."""
        guide = self.kernel.guide
        return self.kernel.bounds.squares_weight > 0.0 and guide.checks == 1 and not guide.costs.kinds.size

    @property
    def visited(self) -> int:
        """Blocks looked at so far."""
        return int(self.kernel.counters.visited[0])

    @property
    def effort(self) -> int:
        """What the blocks looked at took so far, in values of cells read."""
        return int(self.kernel.counters.effort[0])

    def words_of(self, start: int, end: int) -> NDArray[np.uint64]:
        """The words of the cells ``order[start:end]`` together."""
        words = np.zeros_like(self.kernel.space.empty_words)
        gather(self.compiled, start, end, words)
        return words

    def words_of_block(self, block: Block, start: int, end: int) -> NDArray[np.uint64]:
        """The words of a given block that holds the cells ``order[start:end]``: those of its regions where regions stay
        untightened."""
        if self.kernel.space.tightening:
            return self.words_of(start, end)
        return words_of_regions(self.kernel.space, block)

    def cost_of(self, slices: list[Slice]) -> float:
        """The cost of a partition, summed over its blocks in order."""
        return math.fsum(self.evaluate(*part)[3] for part in slices)

    def ask(self, start: int, end: int, words: NDArray[np.uint64], limit: float) -> None:
        """Begin to solve the block ``order[start:end]`` against a limit. Nothing else may be in progress."""
        self.kernel.candidates.top[0] = 0
        push_frame(self.compiled, start, end, words, limit)

    def work(self, last_effort: int) -> bool:
        """Go on until the question is answered (True) or ``last_effort`` was made in all, or until stopped."""
        self.kernel.counters.last_effort[0] = last_effort
        while True:
            code = advance(self.compiled, self.most_splits, self.most_parts)
            if code in (DONE, PAUSED):
                return bool(code == DONE)
            if code == MEMORY_FULL:
                self.more_memory()
            else:
                self._enlarge_stack()

    @property
    def spare_bytes(self) -> int:
        """What the memory does not take, at the time, of what it may."""
        return self.megabytes * 2**20 - len(self.kernel.memory.tag) * self._slot_bytes

    def stop(self) -> None:
        """Make the search pause at its next block; may be called from another thread."""
        self.kernel.counters.last_effort[0] = 0

    def visit_at_most(self, blocks: int) -> None:
        """Pause once so many more blocks were visited, whatever effort is allowed."""
        self.kernel.counters.last_block[0] = self.visited + blocks

    @property
    def stopped(self) -> bool:
        """Whether :meth:`stop` was called since the last question."""
        return bool(self.kernel.counters.last_effort[0] == 0)

    @property
    def is_asked(self) -> bool:
        """Whether a question is in progress."""
        return bool(self.kernel.counters.depth[0] >= 0)

    def share_done(self) -> float:
        """What share of the question in progress is answered, as far as the splits tried tell."""
        return float(share_done(self.compiled))

    def abandon(self) -> None:
        """Drop the question in progress; what was learnt stays in memory."""
        self.kernel.counters.depth[0] = -1

    def refresh(self, whole: Slice) -> float:
        """Carry cheaper partitions of parts up to the best known partition of a block; its cost."""
        return float(refresh(self.compiled, *whole, self.most_parts))

    def _replace(self, **groups: Any) -> None:
        self.kernel = self.kernel._replace(**groups)
        self.compiled = structure(self.kernel)

    def _enlarge_stack(self) -> None:
        kernel = self.kernel
        self._replace(
            frames=Frames(*(_doubled(array) for array in kernel.frames)),
            children=Children(*(_doubled(array) for array in kernel.children)),
            candidates=kernel.candidates._replace(
                attribute=_doubled(kernel.candidates.attribute),
                position=_doubled(kernel.candidates.position),
                bound=_doubled(kernel.candidates.bound),
            ),
        )

    def roll(self, whole: Slice, level: int, last_effort: int) -> bool:
        """Find a good partition of a block by rollouts and remember it. False: halted at ``last_effort`` in all; go on by
        calling again."""
        guide, counters = self.kernel.guide, self.kernel.counters
        counters.last_effort[0] = last_effort
        start, end, words = whole
        while True:
            guide.halted[0] = DONE
            self.kernel.candidates.top[0] = 0
            rollout(self.compiled, start, end, words, level, self.most_splits, self.most_parts)
            if guide.halted[0] == DONE:
                return True
            if guide.halted[0] == PAUSED:
                return False
            if guide.halted[0] == MEMORY_FULL:
                before = self.forgotten
                self.more_memory()
                guide.exact_rows[0] *= 1.0 if self.forgotten == before else AFTER_FAILURE
            else:
                self._enlarge_stack()

    def more_memory(self) -> None:
        """Make room in the memory: a larger table, or, at the limit, one that forgets the entries cheapest to learn."""
        memory, forgotten = grown(self.kernel.memory, self.most_slots)
        self._replace(memory=memory)
        self.forgotten += forgotten

    def notes(self) -> tuple[str, ...]:
        """What the user must know about how the space was searched."""
        if not self.kernel.counters.restricted[0]:
            return ()
        return (
            f"Sets of more than {MOST_EXACT_PARTS} values were divided along candidate orders only: "
            "cost and bound are those of this restricted split set.",
        )

    @property
    def answer(self) -> tuple[float, float]:
        """Lower bound and best known cost of the block that was solved last."""
        return float(self.kernel.counters.answer[0]), float(self.kernel.counters.answer[1])

    def known(self, words: NDArray[np.uint64]) -> tuple[float, float]:
        """What the memory knows of a block: lower bound, best cost."""
        lower, upper = known(self.kernel.memory, words)
        return float(lower), float(upper)

    def slices(self, start: int, end: int, words: NDArray[np.uint64]) -> list[Slice]:
        """The best partition known of a block, as slices of ``order`` with their words. Parts whose partition was forgotten are
        completed greedily, so their cost (:meth:`cost_of`) may be above the one remembered."""
        found, forgotten = self.pieces(start, end, words)
        for part in forgotten:
            self.kernel.counters.last_block[0] = UNLIMITED
            self.roll(part, 0, UNLIMITED)
            found.extend(self.slices(*part))
        return sorted(found, key=lambda part: part[0])

    def pieces(self, start: int, end: int, words: NDArray[np.uint64]) -> tuple[list[Slice], list[Slice]]:
        """Cut a block along the best partition known: its blocks, and the parts whose partition was forgotten."""
        size, word_count = end - start, len(words)
        ends, block_words = np.zeros(size, np.int64), np.zeros((size, word_count), np.uint64)
        pending_ends, pending_words = np.zeros(size + 1, np.int64), np.zeros((size + 1, word_count), np.uint64)
        count, _ = extract(self.compiled, start, end, words, ends, block_words, pending_ends, pending_words, self.most_parts)
        found: list[Slice] = []
        forgotten: list[Slice] = []
        for i in range(count):
            to = abs(int(ends[i]))
            (forgotten if ends[i] < 0 else found).append((start, to, block_words[i].copy()))
            start = to
        return found, forgotten

    def tree(self, whole: Slice) -> Tree:
        """The best partition tree known of a block, for another worker to take in."""
        room = 2 * (whole[1] - whole[0])
        words = np.zeros((room, len(whole[2])), np.uint64)
        numbers, costs, rows = np.zeros((room, 2), np.int64), np.zeros(room), np.zeros(room, np.int64)
        count = list_tree(self.compiled, *whole, 0, words, numbers, costs, rows, self.most_parts)
        return Tree(words[:count].copy(), numbers[:count].copy(), costs[:count].copy(), rows[:count].copy())

    def take_in(self, tree: Tree) -> None:
        """Remember another worker's tree where it is cheaper than what is known."""
        while 2 * (self.kernel.memory.entries[0] + len(tree.costs) + 2) > len(self.kernel.memory.tag):
            self.more_memory()
        remember_tree(self.kernel.memory, tree.words, tree.splits, tree.costs)

    def tell(self, told: News) -> None:
        """Take in what another worker's memory tells, as far as there is room, and drop the questions it answers."""
        room = 2 * (self.kernel.memory.entries[0] + len(told.lower) + 2)
        while room > len(self.kernel.memory.tag) and 2 * len(self.kernel.memory.tag) <= self.most_slots:
            self.more_memory()
        if room <= len(self.kernel.memory.tag):
            take_in_news(self.kernel.memory, told)
            drop_answered(self.compiled)

    def partition(self, slices: list[Slice]) -> Partition:
        """The partition that slices of ``order`` make."""
        members = [self.kernel.order[start:end] for start, end, _ in slices]
        return partition_of_words(self.problem, self.kernel.space, np.array([words for _, _, words in slices]), members)

    def partition_of(self, groups: Iterable[tuple[bytes, bytes]]) -> Partition:
        """The partition that groups of cells make, each given by its cell numbers and its words as bytes."""
        members, words = zip(*groups, strict=True)
        table = np.array([np.frombuffer(each, np.uint64) for each in words])
        return partition_of_words(self.problem, self.kernel.space, table, [np.frombuffer(each, np.int64) for each in members])

    def evaluate(self, start: int, end: int, words: NDArray[np.uint64]) -> tuple[int, int, bool, float]:
        """Rows, size, feasibility and cost of the block ``order[start:end]``."""
        rows, size, feasible, cost = evaluate_block(self.compiled, start, end, words, self.kernel.cells.features.shape[1])
        return int(rows), int(size), bool(feasible), float(cost)


def _doubled(array: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate([array, np.zeros_like(array)])


def _default_megabytes() -> int:
    """An eighth of the memory that this process may take, 512 MB where that is unknown: four workers share half of it."""
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return 512
    for limit in MEMORY_LIMITS:
        with suppress(OSError, ValueError):  # no such file, or it says "max"
            memory = min(memory, int(limit.read_text(encoding="ascii")))
    return memory // 2**23
