"""Discernibility (DM): each tuple pays the size of its block. Paper section 3; THEORY 2.0 and 2.3."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gensearch_db.cost.bounds import least_squares
from gensearch_db.cost.cost import PlainCost, Rows
from gensearch_db.domain.cells import BlockStatistics, Cells, Table
from gensearch_db.domain.region import Block

KIND = 0


@dataclass(frozen=True)
class Discernibility(PlainCost):
    """``discernibility``: the sum of squared block sizes, in rows."""

    name: ClassVar[str] = "discernibility"
    kind: ClassVar[int] = KIND
    integral: ClassVar[bool] = True
    """Squares of row counts."""
    monotone: ClassVar[bool] = True
    """A sum of squares is at most the square of the sum."""

    def of_block(self, statistics: BlockStatistics, block: Block, table: Table) -> float:
        """Rows squared."""
        return statistics.rows * statistics.rows

    def suppression_charge(self, table: Table) -> float:
        """|T| for each suppressed tuple, as in the paper."""
        return table.statistics.rows

    def prices(self, cells: Cells, table: Table, smallest: Rows, values_labels: bool) -> NDArray[np.float64]:
        """The paper's MinCost: every tuple pays the least size of a block with its cell."""
        return np.asarray(cells.counts * np.maximum(cells.counts, smallest), dtype=np.float64)

    def lower_bound(self, sizes: Sequence[int], prices: float, smallest: int, groups: int) -> float:
        """Bounds A to E of THEORY 2.3."""
        needs = [max(size, smallest) for size in sizes]
        return max(prices, float(least_squares(sizes, needs, smallest, groups)))
