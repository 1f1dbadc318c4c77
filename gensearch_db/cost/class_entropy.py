"""Class entropy: rows times the entropy of the class in their block, in bits (LeFevre et al. 2008, InfoGain Mondrian)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gensearch_db.cost.class_histograms import class_position, histograms_by_cell
from gensearch_db.cost.cost import CompiledCost, Cost, Rows
from gensearch_db.domain.cells import BlockStatistics, Cells, Table
from gensearch_db.domain.region import Block
from gensearch_db.problem.arguments import bind, written
from gensearch_db.problem.calls import Call

KIND = 3


@dataclass(frozen=True)
class ClassEntropy(Cost):
    """``class_entropy(income)``: n H(class | block) = n log2 n - sum c log2 c."""

    name: ClassVar[str] = "class_entropy"
    column: str

    @classmethod
    def from_call(cls, call: Call) -> Self:
        """``class_entropy(income)``: the class column."""
        arguments = bind(call, names=("column",), usage="class_entropy(income)")
        column = arguments.name("column")
        if column is None:
            raise arguments.fail("the class column is missing")
        return cls(column)

    @property
    def class_columns(self) -> tuple[str, ...]:
        """The class column."""
        return (self.column,)

    @property
    def integral(self) -> bool:
        """Bits."""
        return False

    @property
    def monotone(self) -> bool:
        """n times entropy is concave and homogeneous, hence superadditive."""
        return True

    def of_block(self, statistics: BlockStatistics, block: Block, table: Table) -> float:
        """n log2 n - sum c log2 c."""
        counts = [count for count in statistics.classes[class_position(self.column, table)[0]] if count]
        n = sum(counts)
        return n * math.log2(n) - math.fsum(count * math.log2(count) for count in counts)

    def suppression_charge(self, table: Table) -> float:
        """log2 of the number of classes, the largest entropy."""
        return math.log2(len(table.classes[class_position(self.column, table)[0]].values))

    def describe(self) -> str:
        """``class_entropy(income)``."""
        return f"{self.name}({written(self.column)})"

    def prices(self, cells: Cells, table: Table, smallest: Rows, values_labels: bool) -> NDArray[np.float64]:
        """The entropy of each cell, by monotonicity."""
        counts = histograms_by_cell(cells, class_position(self.column, table)[1]).astype(np.float64)
        totals = counts.sum(axis=1)
        terms = (counts * np.log2(np.maximum(counts, 1.0))).sum(axis=1)
        return np.asarray(totals * np.log2(totals) - terms, dtype=np.float64)

    def check(self, table: Table) -> None:
        """The class column's histograms must have been counted."""
        class_position(self.column, table)
        super().check(table)

    def compiled(self, table: Table) -> tuple[CompiledCost, ...] | None:
        """The histogram row of the class column."""
        return (CompiledCost(KIND, column=len(table.sensitive) + class_position(self.column, table)[1]),)


def kernel_cost(histogram: NDArray[np.int64]) -> float:
    """The cost as the kernel compiles it."""
    n = 0
    terms = 0.0
    for count in histogram:
        if count > 0:
            n += count
            terms += count * math.log2(count)
    return n * math.log2(n) - terms
