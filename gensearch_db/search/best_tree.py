"""The best tree that an improver knows, and the work that makes it better: rollouts, and exact solutions of its subtrees."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from gensearch_db.search.extraction import subtrees
from gensearch_db.search.result import Partition
from gensearch_db.search.state import UNLIMITED
from gensearch_db.search.worker import Slice, Worker

EXACT_GROUPS = 3
"""Rollouts begin with blocks of up to so many least groups as small ones, to be solved exactly."""

EXACT_EFFORT, EXACT_EFFORT_OF_SQUARES, EXACT_GROWTH, MOST_EXACT_EFFORT = 20_000, 1_000_000, 2, 1 << 40
"""Effort (values of cells read) that one such block may take at first, in general and where squared sizes are all of the cost,
because their bounds are close; how it grows from pilot to pilot, and where it ends."""

SUBTREE_SIZES = (6, 8, 10, 13, 16, 20, 25, 32, 40, 50, 63, 80, 100, 125, 160, 200, 250, 320, 400)
"""Subtrees of up to so many least groups are solved exactly, in this order, with ``SUBTREE_SHARE`` times the effort."""

SUBTREE_SHARE = 200

MOST_ABANDONED = 10
"""Subtrees of a size that may be given up before those left, if most are, and larger ones are left alone for now."""

ROLL_EFFORT = 10_000
"""What it takes to begin a rollout or a subtree at all, in values of cells read: small problems would never see a round end."""


class BestTree:
    """The best tree that one member knows, number ``index`` of a team of ``members``: they draw other orders and share the
    subtrees out; between rounds each tells the other its tree (:meth:`tell`).

    What makes it better is an iterator that yields wherever ``allowance``, in effort of all its work, is used up.
    """

    def __init__(self, worker: Worker, index: int, members: int) -> None:
        self.worker = worker
        self.index = index
        self.members = members
        self._told = self._collected = math.inf
        guide = worker.kernel.guide
        guide.epoch[0] = index
        guide.exact_effort[0] = EXACT_EFFORT_OF_SQUARES if worker.only_squares else EXACT_EFFORT
        self.whole: Slice = (0, worker.cell_count, worker.root_words)
        self.allowance = 0
        self.cost = math.inf
        self.best: tuple[NDArray[np.int64], list[Slice]] | None = None

    @property
    def lower_bound(self) -> float:
        """What the improver itself has proven of the whole."""
        return self.worker.known(self.whole[2])[0]

    @property
    def finished(self) -> bool:
        """Whether the improver happens to have solved the whole."""
        lower, upper = self.worker.known(self.whole[2])
        return lower >= upper

    def offer(self, slices: list[Slice], cost: float, order: NDArray[np.int64]) -> None:
        """Take a partition found elsewhere, as slices of ``order``. The worker's own order may be in use and stays."""
        if cost < self.cost:
            self.cost = cost
            self.best = (order.copy(), slices)

    def tell(self, other: BestTree) -> None:
        """Let another member of the team know the best tree found here, if it is news. Not while either is at work."""
        cost = self.worker.known(self.whole[2])[1]
        if cost < self._told:
            self._told = cost
            order = self.worker.kernel.order.copy()
            other.worker.take_in(self.worker.tree(self.whole))
            self.worker.kernel.order[:] = order

    def partition(self) -> Partition | None:
        """The best partition so far."""
        if self.best is None:
            return None
        self.worker.kernel.order[:] = self.best[0]
        return self.worker.partition(self.best[1])

    def groups_of(self, part: Slice) -> int:
        """How many least groups fit into a part."""
        kernel = self.worker.kernel
        return int(kernel.cells.rows[kernel.order[part[0] : part[1]]].sum()) // kernel.bounds.minimum_rows

    def roll(self, part: Slice, level: int, widths: tuple[int, ...], last: int = UNLIMITED) -> Iterator[None]:
        """Roll a part out, until ``last`` effort was made in all: what was found until then is remembered."""
        guide = self.worker.kernel.guide
        least = float(EXACT_GROUPS * self.worker.kernel.bounds.minimum_rows) if self.worker.switches.small_blocks else 0.0
        guide.exact_rows[0] = min(max(guide.exact_rows[0], least), self.worker.problem.cells.row_count)
        guide.epoch[0] += self.members
        self.worker.kernel.counters.effort[0] += ROLL_EFFORT
        guide.widths[: len(widths)] = widths
        while not self.worker.roll(part, level, min(last, self.allowance)):
            if self.worker.effort >= last:
                return
            order = self.worker.kernel.order.copy()
            self.collect()
            self.worker.kernel.order[:] = order
            yield
        if part is self.whole:
            self.collect()

    def solve_subtrees(self, share: int) -> Iterator[None]:
        """Solve the subtrees of the best tree exactly, small ones first, as far as each takes no more than its share: so many
        times the effort of a small block. The whole is left to the prover."""
        worker = self.worker
        if not worker.switches.small_blocks:
            return
        allowed = min(MOST_EXACT_EFFORT, share * int(worker.kernel.guide.exact_effort[0]))
        given_up: set[bytes] = {self.whole[2].tobytes()}
        for size in SUBTREE_SIZES:
            tried = abandoned = 0
            for part in self.subtrees(size * worker.kernel.bounds.minimum_rows):
                if abandoned >= MOST_ABANDONED and 2 * abandoned > tried:
                    break
                if part[2].tobytes() in given_up or not worker.tries_all_splits_of(part):
                    continue
                tried += 1
                worker.ask(*part, worker.known(part[2])[1])
                worker.kernel.counters.effort[0] += ROLL_EFFORT
                last = worker.effort + allowed
                while not worker.work(min(last, self.allowance)):
                    if worker.effort >= last:
                        worker.abandon()
                        given_up.add(part[2].tobytes())
                        abandoned += 1
                        break
                    yield
            if tried:
                self.collect()
            if 2 * abandoned > tried:
                break

    def subtrees(self, most_rows: int) -> list[Slice]:
        """This member's share of the largest subtrees of the best tree that hold at most ``most_rows`` rows each."""
        worker = self.worker
        start, end, words = self.whole
        starts, ends = np.zeros(worker.cell_count, np.int64), np.zeros(worker.cell_count, np.int64)
        part_words = np.zeros((worker.cell_count, len(words)), np.uint64)
        listed = subtrees(worker.compiled, start, end, words, most_rows, 0, starts, ends, part_words, worker.most_parts)
        return [(int(starts[i]), int(ends[i]), part_words[i].copy()) for i in range(self.index, listed, self.members)]

    def collect(self) -> None:
        """Keep the best partition that the memory knows now, parts that became cheaper included."""
        self.worker.refresh(self.whole)
        known = self.worker.known(self.whole[2])[1]
        if known < self._collected:  # and not below the cost: by rounding, what the memory adds up may stay below it for ever
            self._collected = known
            slices = self.worker.slices(*self.whole)
            self.offer(slices, self.worker.cost_of(slices), self.worker.kernel.order)

    def allow_more_exact_effort(self) -> None:
        """Let blocks and subtrees take more effort to be solved exactly from now on."""
        effort = self.worker.kernel.guide.exact_effort
        effort[0] = min(MOST_EXACT_EFFORT, EXACT_GROWTH * int(effort[0]))
