"""Discernibility entropy: each tuple pays log2 of the size of its block, the bits that tell it from the others (THEORY 2.0)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gensearch_db.cost.cost import PlainCost, Rows
from gensearch_db.domain.cells import BlockStatistics, Cells, Table
from gensearch_db.domain.region import Block

KIND = 11


@dataclass(frozen=True)
class DiscernibilityEntropy(PlainCost):
    """``discernibility_entropy``: the sum over blocks of n log2 n."""

    name: ClassVar[str] = "discernibility_entropy"
    kind: ClassVar[int] = KIND
    integral: ClassVar[bool] = False
    """Bits."""
    monotone: ClassVar[bool] = True
    """n log2 n is convex and 0 at 0."""

    def of_block(self, statistics: BlockStatistics, block: Block, table: Table) -> float:
        """n log2 n."""
        return statistics.rows * math.log2(statistics.rows)

    def suppression_charge(self, table: Table) -> float:
        """log2 |T|: as if it were lost among all."""
        return math.log2(table.statistics.rows)

    def prices(self, cells: Cells, table: Table, smallest: Rows, values_labels: bool) -> NDArray[np.float64]:
        """log2 of the least size of a block with the cell."""
        return np.asarray(cells.counts * np.log2(np.maximum(cells.counts, np.maximum(1, smallest))), dtype=np.float64)

    def lower_bound(self, sizes: Sequence[int], prices: float, smallest: int, groups: int) -> float:
        """By convexity n log2(n / groups) for equal blocks."""
        n = sum(sizes)
        return max(prices, n * math.log2(n / max(1, groups)))
