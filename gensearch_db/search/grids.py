"""Grids: few boundaries of ordered attributes, at which large blocks are divided in every way (see ``rollout.py``)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gensearch_db.search.arrays import ORDERED
from gensearch_db.search.worker import Slice, Worker

LEAST_GROUPS = 12
"""Blocks of fewer least groups are not divided along a grid: they can be solved exactly."""


class Grids:
    """Lays grids for one worker. ``number``: which one of its team it is, so that each draws others."""

    def __init__(self, worker: Worker, number: int) -> None:
        self.worker = worker
        self._number = number
        self._random = np.random.default_rng(number)

    def choose(self, parts: list[Slice]) -> Slice:
        """One of some parts, at random."""
        return parts[self._random.integers(len(parts))]

    def groups(self, fewest: int, most: int) -> int:
        """A number of groups between two, small ones as likely as ten times as large ones."""
        return round(fewest * (most / fewest) ** self._random.random()) if most > fewest else most

    def lay_first(self, part: Slice, divisor: int) -> None:
        """A grid of one boundary of every ordered attribute: the median for the first of the team, a drawn one for others."""
        self._begin(part, divisor)
        for j in self._ordered():
            self._add(part, j, 0.5 if self._number == 0 else self._random.random())

    def lay_around(self, part: Slice, divisor: int) -> None:
        """A grid of the boundaries at which the best tree known divides large blocks, and one of each ordered attribute,
        drawn from those of the part's rows."""
        least = self._begin(part, divisor)
        guide, space = self.worker.kernel.guide, self.worker.kernel.space
        tree = self.worker.tree(part)
        for (j, position), rows in zip(tree.splits, tree.rows, strict=True):
            if rows > least and j >= 0 and space.kinds[j] == ORDERED:
                guide.grid[space.leaf_starts[j] + position] = True
        for j in self._ordered():
            self._add(part, j, self._random.random())

    def lift(self) -> None:
        """No grid any longer."""
        self.worker.kernel.guide.grid_rows[0] = 0

    def _begin(self, part: Slice, divisor: int) -> int:
        kernel = self.worker.kernel
        rows = int(kernel.cells.rows[kernel.order[part[0] : part[1]]].sum())
        kernel.guide.grid[:] = False
        kernel.guide.grid_rows[0] = max(LEAST_GROUPS * kernel.bounds.minimum_rows, rows // divisor)
        return int(kernel.guide.grid_rows[0])

    def _ordered(self) -> NDArray[np.int64]:
        return np.flatnonzero(self.worker.kernel.space.kinds == ORDERED)

    def _add(self, part: Slice, j: int, share: float) -> None:
        """The boundary of attribute j that comes closest to leaving a share of the part's rows before it."""
        kernel = self.worker.kernel
        cells = kernel.order[part[0] : part[1]]
        before = np.cumsum(np.bincount(kernel.cells.codes[cells, j], kernel.cells.rows[cells]))
        if len(before) > 1:
            nearest = int(np.argmin(np.abs(before[:-1] / before[-1] - share)))
            kernel.guide.grid[kernel.space.leaf_starts[j] + nearest + 1] = True
