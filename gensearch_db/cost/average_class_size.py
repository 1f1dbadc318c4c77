"""Average class size (C_AVG) as an additive cost: rows minus blocks (LeFevre et al. 2006; THEORY 2.0, 2.6).

C_AVG = (rows / blocks) / k does not add up over blocks, but is smallest where the number of blocks is largest. A block of n
rows therefore costs n - 1: the sum is rows - blocks, and :func:`average_class_size` gives C_AVG from it. A factor or gap
between cost and bound speaks of rows - blocks, not of C_AVG.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gensearch_db.cost.cost import PlainCost, Rows
from gensearch_db.domain.cells import BlockStatistics, Cells, Table
from gensearch_db.domain.region import Block

KIND = 10


@dataclass(frozen=True)
class AverageClassSize(PlainCost):
    """``average_class_size``: n - 1 for a block of n rows; the best release has the most blocks."""

    name: ClassVar[str] = "average_class_size"
    kind: ClassVar[int] = KIND
    integral: ClassVar[bool] = True
    """Rows and blocks are counted."""
    monotone: ClassVar[bool] = True
    """A split makes more blocks."""

    def of_block(self, statistics: BlockStatistics, block: Block, table: Table) -> float:
        """n - 1."""
        return statistics.rows - 1

    def suppression_charge(self, table: Table) -> float:
        """1: a suppressed tuple makes no block, and the total stays rows - blocks."""
        return 1.0

    def prices(self, cells: Cells, table: Table, smallest: Rows, values_labels: bool) -> NDArray[np.float64]:
        """1 - 1 / n for each tuple of a block of n, and n is at least the cell's and the smallest block's size."""
        least = np.maximum(cells.counts, np.maximum(1, smallest))
        return np.asarray(cells.counts * (1.0 - 1.0 / least), dtype=np.float64)

    def lower_bound(self, sizes: Sequence[int], prices: float, smallest: int, groups: int) -> float:
        """Rows minus the most blocks there can be."""
        return max(prices, float(sum(sizes) - max(1, groups)))


def average_class_size(rows: int, blocks: int, k: int) -> float:
    """C_AVG of a release of ``rows`` in ``blocks``."""
    return rows / blocks / k
