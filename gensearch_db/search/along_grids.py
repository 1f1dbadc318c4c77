"""How improvers search where no attribute is a set and many least groups fit in: the top of the tree along grids.

The first grid is one of the whole; then one subtree of the best tree after another is searched along a grid around its
boundaries. One member of the team goes on with the best tree known. The other begins again and again, along another grid and
with an empty memory: where a tree begins matters more than further effort does.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING

from gensearch_db.search.grids import Grids
from gensearch_db.search.worker import Slice

if TYPE_CHECKING:
    from gensearch_db.search.improver import Improver

FIRST_DIVISOR, FURTHER_DIVISOR = 8, 4
"""The first grid is one of the whole, the others of subtrees. Blocks of more than this part of the rows obey it."""
FEWEST_GROUPS = 30
"""Of the subtrees that are searched along a grid."""
FIRST_SHARE, FURTHER_SHARE, SUBTREE_SHARE = 1000, 300, 50
"""What the first grid, further ones, and then each subtree may take: so many times the effort of a small block."""
GRIDS_PER_CYCLE = 8

START_SHARE = 2000
"""What may be done for a tree before another one is begun, in efforts of a small block."""
HOPE = 1.015
"""A tree that costs more than so many times the best one left, after its first grid, is left at once."""


class GridSearch:
    """Searches along grids for one improver."""

    def __init__(self, improver: Improver) -> None:
        self._improver = improver
        self._worker = improver.worker
        self._grids = Grids(improver.worker, improver.index)
        self._least_rows = int(improver.worker.kernel.bounds.minimum_rows)
        self._groups = improver.worker.problem.cells.row_count // self._least_rows

    def improve(self) -> Iterator[None]:
        """Improve one tree until the whole happens to be solved; pauses when the improver's allowed effort was made."""
        yield from self._roll_along_first_grid()
        yield from self._roll_along_further_grids(math.inf)

    def begin_again_and_again(self) -> Iterator[None]:
        """Improve one tree after another for a while, each with a memory of its own; those that begin far from the best one
        are left at once."""
        improver = self._improver
        while not improver.finished:
            last = self._worker.effort + START_SHARE * improver.first_effort
            yield from self._roll_along_first_grid()
            if improver.known_cost < HOPE * improver.best_left:
                yield from self._roll_along_further_grids(last)
            improver.begin_anew()
            yield from improver.roll(improver.whole, 0, (1,))

    def _roll_along_first_grid(self) -> Iterator[None]:
        """Search the top of the whole along a grid."""
        self._grids.lay_first(self._improver.whole, FIRST_DIVISOR)
        yield from self._roll(self._improver.whole, FIRST_SHARE)

    def _roll_along_further_grids(self, last: float) -> Iterator[None]:
        """Search the top of one subtree of the best tree after another, until about ``last`` effort was made in all."""
        for grid in count(1):
            if self._improver.finished or self._worker.effort >= last:
                return
            parts = self._improver.subtrees(self._grids.groups(FEWEST_GROUPS, self._groups) * self._least_rows)
            part = self._grids.choose(parts) if parts else self._improver.whole
            self._grids.lay_around(part, FURTHER_DIVISOR)
            yield from self._roll(part, FURTHER_SHARE)
            if grid % GRIDS_PER_CYCLE == 0:
                self._improver.allow_more_exact_effort()

    def _roll(self, part: Slice, share: int) -> Iterator[None]:
        """Roll out a part along the grid that is laid, within its share of effort, then solve subtrees exactly."""
        worker = self._worker
        last = worker.effort + share * int(worker.kernel.guide.exact_effort[0])
        yield from self._improver.roll(part, 1, (1,), last)
        self._grids.lift()
        self._improver.collect()
        yield from self._improver.solve_subtrees(SUBTREE_SHARE)
