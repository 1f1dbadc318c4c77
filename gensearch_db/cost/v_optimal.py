"""V-optimal histogram cost: what the assumption that a block is uniform loses (Jagadish et al. 1998).

The sum over a block's finest cells, empty ones included, of (frequency - mean)^2 = sum f^2 - n^2 / cells. Count queries spread
a block's rows evenly over its cells; this is the squared error of doing so. Cells are counted as in ``volume``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gensearch_db.cost.cost import PlainCost
from gensearch_db.domain.cells import BlockStatistics, Table
from gensearch_db.domain.region import Block

KIND = 8


@dataclass(frozen=True)
class VOptimal(PlainCost):
    """``v_optimal``: the sum over blocks of sum f^2 - n^2 / cells."""

    name: ClassVar[str] = "v_optimal"
    kind: ClassVar[int] = KIND
    integral: ClassVar[bool] = False
    """Means are fractions."""
    monotone: ClassVar[bool] = True
    """Each part has a mean of its own, which fits it at least as well."""
    needs_cells: ClassVar[bool] = True

    def of_block(self, statistics: BlockStatistics, block: Block, table: Table) -> float:
        """sum f^2 - n^2 / cells."""
        assert statistics.cell_squares is not None
        regions = zip(table.space.attributes, block, strict=True)
        cells = math.prod(attribute.occurring(region) for attribute, region in regions)
        return statistics.cell_squares - statistics.rows**2 / cells

    def suppression_charge(self, table: Table) -> float:
        """sqrt(sum f^2): no tuple shares its cell with more, and a block never costs more than f per tuple."""
        assert table.statistics.cell_squares is not None
        return math.sqrt(table.statistics.cell_squares)


def kernel_cost(rows: int, square_sum: float, edges: NDArray[np.float64]) -> float:
    """The cost as the kernel compiles it."""
    return float(square_sum - float(rows) * float(rows) / np.prod(edges))
