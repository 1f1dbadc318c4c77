"""The half of the search that finds ever better partitions: what it does to the best tree, how large, in what order."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import count

import numpy as np

from gensearch_db.search.arrays import ORDERED, TAXONOMY
from gensearch_db.search.best_tree import SUBTREE_SHARE, BestTree
from gensearch_db.search.coarse_spaces import BOXES_PER_GROUP, CoarseSpaces, can_solve
from gensearch_db.search.grids import Grids
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

FIRST_BOXES = (8_000_000, 100_000_000)
"""Of the first coarse spaces, which take a fraction of a second and a second; then come the largest that there is room for."""
FEWEST_GROUPS_OF_SPACES, FAMILIAR = 40, 20.0
"""Of the subtrees that are searched in coarse spaces; how much more a boundary of the best tree is worth there than another."""
TURNS_OF_WHOLE, TURNS_PER_CYCLE = 4, 32
"""Every so many turns the whole is searched, and small subtrees are solved exactly."""

MOST_DEEPER, DEEPER_WIDTH = 4, 8
"""Each cycle through the pilots adds a level of this width, up to so many: in small spaces wide rollouts soon find nothing."""


class Improver(BestTree):
    """Makes the best tree better for as long as it is let: every second member of a team starts with the last stage."""

    def __init__(self, worker: Worker, index: int = 0, members: int = 1) -> None:
        super().__init__(worker, index, members)
        self._has_sets = bool((worker.kernel.space.kinds > TAXONOMY).any()) or worker.cell_count >= MANY_CELLS
        self._groups = self.groups_of(self.whole)
        many = self._groups > FEW_GROUPS and self._splits_of_whole() > FEW_SPLITS
        self._along_grids = worker.switches.grids and not self._has_sets and many
        self._in_coarse_spaces = self._along_grids and worker.switches.coarse_spaces and can_solve(worker)
        self._work = self._improve()

    def step(self, allowance: int) -> None:
        """Go on until ``allowance`` effort was made in all, or until stopped."""
        self.allowance = allowance
        next(self._work, None)

    def _improve(self) -> Iterator[None]:
        stages = self._first_stages()
        for level, widths in reversed(stages) if self.index % 2 else stages:
            yield from self.roll(self.whole, level, widths)
        if self._in_coarse_spaces:
            yield from self._improve_in_coarse_spaces()
        else:
            yield from self._improve_along_grids() if self._along_grids else self._improve_by_pilots()

    def _improve_by_pilots(self) -> Iterator[None]:
        """Roll out subtrees of the best tree again and again, deeper and deeper."""
        yield from self.solve_subtrees(SUBTREE_SHARE)
        for cycle in count():
            deeper = min(cycle, MOST_DEEPER)
            for size, level, widths in PILOTS if self._has_sets else PILOTS_WITHOUT_SETS:
                if self.finished:
                    return
                yield from self._roll_subtrees(size, level + deeper, widths + (DEEPER_WIDTH,) * deeper)
                yield from self.solve_subtrees(SUBTREE_SHARE)
                self.allow_more_exact_effort()

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
                self.allow_more_exact_effort()

    def _improve_in_coarse_spaces(self) -> Iterator[None]:
        """Solve coarse spaces of the whole and of subtrees, again and again, and now and then small subtrees."""
        grids, spaces = Grids(self.worker, self.index), CoarseSpaces(self.worker, self.index)
        for boxes in (*FIRST_BOXES, spaces.most_boxes):
            yield from self._solve_in(spaces, self.whole, boxes, 1.0)
        for turn in count(1):
            if self.finished:
                return
            part = self.whole if turn % TURNS_OF_WHOLE == 0 else self._draw_part(grids, FEWEST_GROUPS_OF_SPACES)
            boxes = min(spaces.most_boxes, BOXES_PER_GROUP * self.groups_of(part))
            yield from self._solve_in(spaces, part, boxes, FAMILIAR)
            if turn % TURNS_PER_CYCLE == 0:
                yield from self.solve_subtrees(SUBTREE_SHARE_ALONG_GRIDS)
                self.allow_more_exact_effort()

    def _solve_in(self, spaces: CoarseSpaces, part: Slice, most_boxes: int, familiar: float) -> Iterator[None]:
        """Solve a coarse space of a part."""
        worker = self.worker
        for _ in spaces.solve(part, most_boxes, familiar):
            if worker.effort >= self.allowance or worker.stopped:
                order = worker.kernel.order.copy()
                yield
                worker.kernel.order[:] = order
                worker.kernel.counters.last_effort[0] = self.allowance
        self.collect()

    def _draw_part(self, grids: Grids, fewest: int) -> Slice:
        """A subtree of the best tree, or the whole; of several sizes, from ``fewest`` least groups on."""
        parts = self.subtrees(grids.groups(fewest, self._groups) * self.worker.kernel.bounds.minimum_rows)
        return grids.choose(parts) if parts else self.whole

    def _roll_along_grid(self, grids: Grids, part: Slice, share: int) -> Iterator[None]:
        """Roll out a part along the grid that is laid, within its share of effort, then solve subtrees exactly."""
        worker = self.worker
        last = worker.effort + share * int(worker.kernel.guide.exact_effort[0])
        yield from self.roll(part, 1, (1,), last)
        grids.lift()
        self.collect()
        yield from self.solve_subtrees(SUBTREE_SHARE_ALONG_GRIDS)

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
            yield from self.roll(self.whole, level, widths)
            return
        for part in self.subtrees(int(size * self.worker.kernel.bounds.minimum_rows)):
            yield from self.roll(part, level, widths)
        self.collect()
