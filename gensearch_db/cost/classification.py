"""Classification metric (CM): each tuple outside its block's majority class pays 1 (Iyengar 2002; paper section 3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gensearch_db.cost.class_histograms import class_position, histograms_by_cell
from gensearch_db.cost.cost import CompiledCost, Cost, Rows
from gensearch_db.domain.cells import BlockStatistics, Cells, Table
from gensearch_db.domain.region import Block
from gensearch_db.problem.arguments import bind, written
from gensearch_db.problem.calls import Call

KIND = 2


@dataclass(frozen=True)
class Classification(Cost):
    """``classification(income)``: rows minus the rows of the most frequent class. A missing class is a class of its own."""

    name: ClassVar[str] = "classification"
    column: str

    @classmethod
    def from_call(cls, call: Call) -> Self:
        """``classification(income)``: the class column."""
        arguments = bind(call, names=("column",), usage="classification(income)")
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
        """A number of rows."""
        return True

    @property
    def monotone(self) -> bool:
        """The parts' majorities together are at least the whole's."""
        return True

    def of_block(self, statistics: BlockStatistics, block: Block, table: Table) -> float:
        """Rows outside the majority."""
        counts = statistics.classes[class_position(self.column, table)[0]]
        return sum(counts) - max(counts)

    def suppression_charge(self, table: Table) -> float:
        """1: as much as a tuple outside the majority."""
        return 1.0

    def describe(self) -> str:
        """``classification(income)``."""
        return f"{self.name}({written(self.column)})"

    def prices(self, cells: Cells, table: Table, smallest: Rows, values_labels: bool) -> NDArray[np.float64]:
        """The minority of each cell, by monotonicity."""
        counts = histograms_by_cell(cells, class_position(self.column, table)[1])
        return np.asarray(counts.sum(axis=1) - counts.max(axis=1), dtype=np.float64)

    def label_prices(self, cells: Cells, table: Table, shares: Mapping[Any, Fraction]) -> NDArray[np.float64]:
        """Prices that know the largest ``shares`` of class values in any block: of m values one with at most 1 / m is never the
        only majority, so that a cell pays for all rows but those of its best other class."""
        name, position = class_position(self.column, table)
        counts = histograms_by_cell(cells, position)
        occurring = counts.any(axis=0)
        limit = Fraction(1, max(1, int(occurring.sum())))
        possible = np.array([shares.get(value, 1) > limit for value in table.classes[name].values], dtype=bool) & occurring
        if not possible.any():
            possible = occurring
        return np.asarray(counts.sum(axis=1) - counts[:, possible].max(axis=1), dtype=np.float64)

    def check(self, table: Table) -> None:
        """The class column's histograms must have been counted."""
        class_position(self.column, table)
        super().check(table)

    def compiled(self, table: Table) -> tuple[CompiledCost, ...] | None:
        """The histogram row of the class column."""
        return (CompiledCost(KIND, column=len(table.sensitive) + class_position(self.column, table)[1]),)


def kernel_cost(histogram: NDArray[np.int64]) -> float:
    """The cost as the kernel compiles it."""
    return float(histogram.sum() - histogram.max())
