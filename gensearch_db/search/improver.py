"""The half of the search that finds ever better partitions: rollouts of growing effort, then proofs of growing subtrees."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from gensearch_db.search.extraction import subtrees
from gensearch_db.search.result import Partition
from gensearch_db.search.worker import Slice, Worker

STAGES: tuple[tuple[int, tuple[int, int, int], float], ...] = (
    (0, (1, 1, 1), math.inf),
    (1, (1, 3, 1), math.inf),
    (1, (1, 10, 1), math.inf),
    (1, (1, 40, 1), math.inf),
    (2, (1, 10, 8), 6.0),
    (2, (1, 20, 20), 24.0),
    (2, (1, 20, 20), math.inf),
)
"""Level, widths and, in multiples of the least group, the largest block that is rolled out at level 2."""

FIRST_STAGE_WITH_PROOFS = 3
"""Up to here rollouts alone gain more in the same time."""

SUBTREE_SIZES = (3, 4, 6, 9, 13, 20)
"""Subtrees of up to so many least groups are solved exactly, in this order."""

FIRST_EFFORT = 200
"""Blocks that may be visited to prove one subtree, at first; doubled from stage to stage."""

NOISE = 0.03
"""How far ranks are varied once all stages are through."""


class Improver:
    """Finds partitions. ``allowance`` is the number of blocks it may visit in all; :meth:`step` goes on up to there."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.whole: Slice = (0, worker.cell_count, worker.root_words)
        self.allowance = 0
        self.cost = math.inf
        self.best: tuple[NDArray[np.int64], list[Slice]] | None = None
        self._work = self._improve()

    @property
    def lower_bound(self) -> float:
        """What the improver itself has proven of the whole."""
        return self.worker.known(self.whole[2])[0]

    @property
    def finished(self) -> bool:
        """Whether the improver happens to have solved the whole."""
        lower, upper = self.worker.known(self.whole[2])
        return lower >= upper

    def step(self, allowance: int) -> None:
        """Visit blocks until ``allowance`` were visited in all, or until stopped."""
        self.allowance = allowance
        next(self._work, None)

    def offer(self, slices: list[Slice], cost: float) -> None:
        """Take a partition found elsewhere, as slices of this worker's order as it stands."""
        if cost < self.cost:
            self.cost = cost
            self.best = (self.worker.kernel.order.copy(), slices)

    def partition(self) -> Partition | None:
        """The best partition so far."""
        if self.best is None:
            return None
        self.worker.kernel.order[:] = self.best[0]
        return self.worker.partition(self.best[1])

    def _improve(self) -> Iterator[None]:
        effort = 1
        for stage, (level, widths, most) in enumerate(STAGES):
            if self.finished:
                return
            yield from self._roll(level, widths, most, 0.0)
            if stage >= FIRST_STAGE_WITH_PROOFS:
                yield from self._solve_subtrees(FIRST_EFFORT * effort)
                effort *= 2
        while not self.finished:
            yield from self._roll(1, (1, 20, 1), math.inf, NOISE)
            yield from self._solve_subtrees(FIRST_EFFORT * effort)
            effort *= 2

    def _roll(self, level: int, widths: tuple[int, int, int], most: float, noise: float) -> Iterator[None]:
        guide = self.worker.kernel.guide
        guide.epoch[0] += 1
        guide.widths[:] = widths
        guide.noise[0] = noise
        guide.most_rows[2] = int(min(2**62, most * self.worker.kernel.bounds.minimum_rows))
        while not self.worker.roll(self.whole, level, self.allowance):
            self._collect()
            yield
        self._collect()

    def _solve_subtrees(self, most_blocks: int) -> Iterator[None]:
        """Prove the subtrees of the best tree, small ones first, each with at most ``most_blocks`` blocks of effort; larger
        ones only while at least half of the smaller ones were solved."""
        worker = self.worker
        for size in SUBTREE_SIZES:
            parts = self._subtrees(int(size * worker.kernel.bounds.minimum_rows))
            abandoned = 0
            for part in parts:
                worker.ask(*part, worker.known(part[2])[1])
                last = worker.visited + most_blocks
                while not worker.work(min(last, self.allowance)):
                    if worker.visited >= last:
                        worker.abandon()
                        abandoned += 1
                        break
                    yield
            worker.refresh(self.whole)
            self._collect()
            if 2 * abandoned > len(parts):
                return

    def _subtrees(self, most_rows: int) -> list[Slice]:
        worker = self.worker
        start, end, words = self.whole
        starts, ends = np.zeros(worker.cell_count, np.int64), np.zeros(worker.cell_count, np.int64)
        part_words = np.zeros((worker.cell_count, len(words)), np.uint64)
        count = subtrees(worker.compiled, start, end, words, most_rows, 0, starts, ends, part_words, worker.most_parts)
        return [(int(starts[i]), int(ends[i]), part_words[i].copy()) for i in range(count)]

    def _collect(self) -> None:
        """Keep the best partition that the memory knows now."""
        if self.worker.known(self.whole[2])[1] < self.cost:
            slices = self.worker.slices(*self.whole)
            self.offer(slices, self.worker.cost_of(slices))
