"""Classification metric (CM): each tuple outside its block's majority class pays 1 (Iyengar 2002; paper section 3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gensearch_db.cost.class_cost import ClassCost
from gensearch_db.cost.cost import Rows
from gensearch_db.domain.cells import BlockStatistics, Cells, Table
from gensearch_db.domain.region import Block

KIND = 2


@dataclass(frozen=True)
class Classification(ClassCost):
    """``classification(income)``: rows minus the rows of the most frequent class. A missing class is a class of its own."""

    name: ClassVar[str] = "classification"
    kind: ClassVar[int] = KIND
    integral: ClassVar[bool] = True
    """A number of rows."""
    monotone: ClassVar[bool] = True
    """The parts' majorities together are at least the whole's."""

    def of_block(self, statistics: BlockStatistics, block: Block, table: Table) -> float:
        """Rows outside the majority."""
        counts = self.histogram(statistics, table)
        return sum(counts) - max(counts)

    def suppression_charge(self, table: Table) -> float:
        """1: as much as a tuple outside the majority."""
        return 1.0

    def prices(self, cells: Cells, table: Table, smallest: Rows, values_labels: bool) -> NDArray[np.float64]:
        """The minority of each cell, by monotonicity."""
        counts = self.histograms_by_cell(cells, table)
        return np.asarray(counts.sum(axis=1) - counts.max(axis=1), dtype=np.float64)

    def label_prices(self, cells: Cells, table: Table, shares: Mapping[Any, Fraction]) -> NDArray[np.float64]:
        """Prices that know the largest ``shares`` of class values in any block: of m values one with at most 1 / m is never the
        only majority, so that a cell pays for all rows but those of its best other class."""
        counts = self.histograms_by_cell(cells, table)
        values = table.classes[self.own_spelling(table)].values
        occurring = counts.any(axis=0)
        limit = Fraction(1, max(1, int(occurring.sum())))
        possible = np.array([shares.get(value, 1) > limit for value in values], dtype=bool) & occurring
        if not possible.any():
            possible = occurring
        return np.asarray(counts.sum(axis=1) - counts[:, possible].max(axis=1), dtype=np.float64)


def kernel_cost(histogram: NDArray[np.int64]) -> float:
    """The cost as the kernel compiles it."""
    return float(histogram.sum() - histogram.max())
