"""Class entropy: rows times the entropy of the class in their block, in bits (LeFevre et al. 2008, InfoGain Mondrian)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gensearch_db.cost.class_cost import ClassCost
from gensearch_db.cost.cost import Rows
from gensearch_db.domain.cells import BlockStatistics, Cells, Table
from gensearch_db.domain.region import Block

KIND = 3


@dataclass(frozen=True)
class ClassEntropy(ClassCost):
    """``class_entropy(income)``: n H(class | block) = n log2 n - sum c log2 c."""

    name: ClassVar[str] = "class_entropy"
    kind: ClassVar[int] = KIND
    integral: ClassVar[bool] = False
    """Bits."""
    monotone: ClassVar[bool] = True
    """n times entropy is concave and homogeneous, hence superadditive."""

    def of_block(self, statistics: BlockStatistics, block: Block, table: Table) -> float:
        """n log2 n - sum c log2 c."""
        counts = [count for count in self.histogram(statistics, table) if count]
        n = sum(counts)
        return n * math.log2(n) - math.fsum(count * math.log2(count) for count in counts)

    def suppression_charge(self, table: Table) -> float:
        """log2 of the number of classes, the largest entropy."""
        return math.log2(len(table.classes[self.own_spelling(table)].values))

    def prices(self, cells: Cells, table: Table, smallest: Rows, values_labels: bool) -> NDArray[np.float64]:
        """The entropy of each cell, by monotonicity."""
        counts = self.histograms_by_cell(cells, table).astype(np.float64)
        totals = counts.sum(axis=1)
        terms = (counts * np.log2(np.maximum(counts, 1.0))).sum(axis=1)
        return np.asarray(totals * np.log2(totals) - terms, dtype=np.float64)


def kernel_cost(histogram: NDArray[np.int64]) -> float:
    """The cost as the kernel compiles it."""
    n = 0
    terms = 0.0
    for count in histogram:
        if count > 0:
            n += count
            terms += count * math.log2(count)
    return n * math.log2(n) - terms
