"""The half of the search that finds ever better partitions: rollouts of growing effort, of the whole and of subtrees."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import count

import numpy as np
from numpy.typing import NDArray

from gensearch_db.search.arrays import ORDERED, TAXONOMY
from gensearch_db.search.coarse_spaces import BOXES_PER_GROUP, CoarseSpaces, can_solve
from gensearch_db.search.extraction import subtrees
from gensearch_db.search.grids import Grids
from gensearch_db.search.result import Partition
from gensearch_db.search.state import UNLIMITED
from gensearch_db.search.worker import Slice, Worker

Stage = tuple[int, tuple[int, ...]]
"""Level and widths of a rollout of the whole."""

FEW_GROUPS, MANY_CELLS = 64, 50_000
FIRST_STAGES: tuple[Stage, ...] = ((0, (1,)), (1, (1, 3)), (1, (1, 10)))
FIRST_STAGES_OF_FEW: tuple[Stage, ...] = ((0, (1,)), (2, (1, 4, 8)), (2, (1, 8, 8)), (2, (1, 4, 8)), (0, (1,)))
PLAINEST_STAGE: tuple[Stage, ...] = ((0, (1,)),)
"""The first rollouts of the whole; where at most ``FEW_GROUPS`` least groups fit, a deep one is affordable at once; from
``MANY_CELLS`` on, none but the plainest is ever affordable, and subtrees have their turn."""

Pilot = tuple[float, int, tuple[int, ...]]

PILOTS: tuple[Pilot, ...] = (
    (6, 2, (1, 8, 8)),
    (16, 2, (1, 8, 8)),
    (40, 2, (1, 8, 8)),
    (math.inf, 1, (1, 40)),
    (12, 2, (1, 20, 20)),
    (40, 2, (1, 20, 20)),
    (math.inf, 1, (1, 20)),
)
"""Rolled out again and again after that: subtrees of the best tree of at most so many least groups; level and widths."""

FIRST_STAGES_WITHOUT_SETS: tuple[Stage, ...] = ((0, (1,)), (1, (1, 10)))
PILOTS_WITHOUT_SETS: tuple[Pilot, ...] = ((math.inf, 1, (1, 30)), (math.inf, 1, (1, 200)))
"""The same where no attribute is a set: small blocks are soon solved exactly there, and it matters how the top of the tree is
cut. Few groups, or few splits, leave time to try every split of the whole; else the top is searched along grids."""

FEW_SPLITS = 40
"""Of the whole: boundaries of ordered attributes and taxonomy nodes."""

FIRST_GRID, FURTHER_GRIDS = 8, 4
"""The first grid is one of the whole, the others of subtrees. Blocks of more than this part of the rows obey it."""
FEWEST_GROUPS = 30
"""Of the subtrees that are searched along a grid."""
FIRST_GRID_SHARE, GRID_SHARE, SUBTREE_SHARE_ALONG_GRIDS = 1000, 300, 50
"""What a grid, and then each subtree, may take: so many times the effort of a small block."""
GRIDS_PER_CYCLE = 8

FIRST_BOXES = 8_000_000
"""Of the first coarse space, which takes a fraction of a second."""
FEWEST_GROUPS_OF_SPACES, FAMILIAR = 40, 20.0
"""Of the subtrees that are searched in coarse spaces; how much more a boundary of the best tree is worth there than another."""
TURNS_OF_WHOLE, TURNS_PER_CYCLE = 4, 32
"""Every so many turns the whole is searched, and small subtrees are solved exactly."""

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

MOST_DEEPER, DEEPER_WIDTH = 4, 8
"""Each cycle through the pilots adds a level of this width, up to so many: in small spaces wide rollouts soon find nothing."""


ROLL_EFFORT = 10_000
"""What it takes to begin a rollout or a subtree at all, in values of cells read: small problems would never see a round end."""


class Improver:
    """Finds partitions, as number ``index`` of a team of ``members``: they draw other orders, every second one starts
    with the last stage, and they share the subtrees out; between rounds each tells the other its tree (:meth:`tell`)."""

    def __init__(self, worker: Worker, index: int = 0, members: int = 1) -> None:
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
        self._has_sets = bool((worker.kernel.space.kinds > TAXONOMY).any()) or worker.cell_count >= MANY_CELLS
        self._groups = worker.problem.cells.row_count // worker.kernel.bounds.minimum_rows
        many = self._groups > FEW_GROUPS and self._splits_of_whole() > FEW_SPLITS
        self._along_grids = worker.switches.grids and not self._has_sets and many
        self._in_coarse_spaces = self._along_grids and worker.switches.coarse_spaces and can_solve(worker)
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
        """Go on until ``allowance`` effort was made in all, or until stopped."""
        self.allowance = allowance
        next(self._work, None)

    def offer(self, slices: list[Slice], cost: float, order: NDArray[np.int64]) -> None:
        """Take a partition found elsewhere, as slices of ``order``. The worker's own order may be in use and stays."""
        if cost < self.cost:
            self.cost = cost
            self.best = (order.copy(), slices)

    def tell(self, other: Improver) -> None:
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

    def _improve(self) -> Iterator[None]:
        stages = self._first_stages()
        for level, widths in reversed(stages) if self.index % 2 else stages:
            yield from self._roll(self.whole, level, widths)
        if self._in_coarse_spaces:
            yield from self._improve_in_coarse_spaces()
        else:
            yield from self._improve_along_grids() if self._along_grids else self._improve_by_pilots()

    def _improve_by_pilots(self) -> Iterator[None]:
        """Roll out subtrees of the best tree again and again, deeper and deeper."""
        yield from self._solve_subtrees(SUBTREE_SHARE)
        for cycle in count():
            deeper = min(cycle, MOST_DEEPER)
            for size, level, widths in PILOTS if self._has_sets else PILOTS_WITHOUT_SETS:
                if self.finished:
                    return
                yield from self._roll_subtrees(size, level + deeper, widths + (DEEPER_WIDTH,) * deeper)
                yield from self._solve_subtrees(SUBTREE_SHARE)
                self._allow_more_exact_effort()

    def _improve_along_grids(self) -> Iterator[None]:
        """Search the top of the whole along a grid, then again and again that of a subtree of the best tree."""
        grids = Grids(self.worker, self.index)
        grids.lay_first(self.whole, FIRST_GRID)
        yield from self._roll_along_grid(grids, self.whole, FIRST_GRID_SHARE)
        for grid in count(1):
            if self.finished:
                return
            part = self._draw_part(grids, FEWEST_GROUPS)
            grids.lay_around(part, FURTHER_GRIDS)
            yield from self._roll_along_grid(grids, part, GRID_SHARE)
            if grid % GRIDS_PER_CYCLE == 0:
                self._allow_more_exact_effort()

    def _improve_in_coarse_spaces(self) -> Iterator[None]:
        """Solve coarse spaces of the whole and of subtrees, again and again, and now and then small subtrees."""
        grids, spaces = Grids(self.worker, self.index), CoarseSpaces(self.worker, self.index)
        for boxes in (FIRST_BOXES, spaces.most_boxes):
            yield from self._solve_in(spaces, self.whole, boxes, 1.0)
        for turn in count(1):
            if self.finished:
                return
            part = self.whole if turn % TURNS_OF_WHOLE == 0 else self._draw_part(grids, FEWEST_GROUPS_OF_SPACES)
            boxes = min(spaces.most_boxes, BOXES_PER_GROUP * self._groups_of(part))
            yield from self._solve_in(spaces, part, boxes, FAMILIAR)
            if turn % TURNS_PER_CYCLE == 0:
                yield from self._solve_subtrees(SUBTREE_SHARE_ALONG_GRIDS)
                self._allow_more_exact_effort()

    def _groups_of(self, part: Slice) -> int:
        """How many least groups fit into a part."""
        kernel = self.worker.kernel
        return int(kernel.cells.rows[kernel.order[part[0] : part[1]]].sum()) // kernel.bounds.minimum_rows

    def _solve_in(self, spaces: CoarseSpaces, part: Slice, most_boxes: int, familiar: float) -> Iterator[None]:
        """Solve a coarse space of a part."""
        worker = self.worker
        for _ in spaces.solve(part, most_boxes, familiar):
            if worker.effort >= self.allowance or worker.stopped:
                order = worker.kernel.order.copy()
                yield
                worker.kernel.order[:] = order
                worker.kernel.counters.last_effort[0] = self.allowance
        self._collect()

    def _draw_part(self, grids: Grids, fewest: int) -> Slice:
        """A subtree of the best tree, or the whole; of several sizes, from ``fewest`` least groups on."""
        parts = self.subtrees(grids.groups(fewest, self._groups) * self.worker.kernel.bounds.minimum_rows)
        return grids.choose(parts) if parts else self.whole

    def _roll_along_grid(self, grids: Grids, part: Slice, share: int) -> Iterator[None]:
        """Roll out a part along the grid that is laid, within its share of effort, then solve subtrees exactly."""
        worker = self.worker
        last = worker.effort + share * int(worker.kernel.guide.exact_effort[0])
        yield from self._roll(part, 1, (1,), last)
        grids.lift()
        self._collect()
        yield from self._solve_subtrees(SUBTREE_SHARE_ALONG_GRIDS)

    def _allow_more_exact_effort(self) -> None:
        effort = self.worker.kernel.guide.exact_effort
        effort[0] = min(MOST_EXACT_EFFORT, EXACT_GROWTH * int(effort[0]))

    def _splits_of_whole(self) -> int:
        space = self.worker.kernel.space
        boundaries = np.diff(space.leaf_starts)[space.kinds == ORDERED] - 1
        return int(boundaries.sum()) + int((space.kinds == TAXONOMY).sum())

    def _first_stages(self) -> tuple[Stage, ...]:
        if self.worker.cell_count >= MANY_CELLS or self._along_grids:
            return PLAINEST_STAGE
        if not self._has_sets:
            return FIRST_STAGES_WITHOUT_SETS
        return FIRST_STAGES_OF_FEW if self._groups <= FEW_GROUPS else FIRST_STAGES

    def _roll_subtrees(self, size: float, level: int, widths: tuple[int, ...]) -> Iterator[None]:
        """Roll out the subtrees of the best tree with at most ``size`` least groups each, once more."""
        if self.finished:
            return
        if math.isinf(size):
            if self.worker.cell_count >= MANY_CELLS:
                return
            yield from self._roll(self.whole, level, widths)
            return
        for part in self.subtrees(int(size * self.worker.kernel.bounds.minimum_rows)):
            yield from self._roll(part, level, widths)
        self._collect()

    def _roll(self, part: Slice, level: int, widths: tuple[int, ...], last: int = UNLIMITED) -> Iterator[None]:
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
            self._collect()
            self.worker.kernel.order[:] = order
            yield
        if part is self.whole:
            self._collect()

    def _solve_subtrees(self, share: int) -> Iterator[None]:
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
                self._collect()
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

    def _collect(self) -> None:
        """Keep the best partition that the memory knows now, parts that became cheaper included."""
        self.worker.refresh(self.whole)
        known = self.worker.known(self.whole[2])[1]
        if known < self._collected:  # and not below the cost: by rounding, what the memory adds up may stay below it for ever
            self._collected = known
            slices = self.worker.slices(*self.whole)
            self.offer(slices, self.worker.cost_of(slices), self.worker.kernel.order)
