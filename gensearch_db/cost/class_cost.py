"""What the costs of a class column share: naming it, its histogram in each cell, its row in the kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gensearch_db.cost.cost import CompiledCost, Cost
from gensearch_db.domain.cells import BlockStatistics, Cells, Table
from gensearch_db.errors import SpecificationError, near_matches
from gensearch_db.problem.arguments import bind, written
from gensearch_db.problem.calls import Call


@dataclass(frozen=True)
class ClassCost(Cost):
    """A cost that reads the distribution of one class column. A missing class is a class of its own."""

    kind: ClassVar[int]
    """The kernel's number of its formula."""
    column: str

    @classmethod
    def from_call(cls, call: Call) -> Self:
        """Read ``name(column)``. Raises :class:`SpecificationError` where the column is missing or more is given."""
        arguments = bind(call, names=("column",), usage=f"{cls.name}(income)")
        column = arguments.name("column")
        if column is None:
            raise arguments.fail("the class column is missing")
        return cls(column)

    @property
    def class_columns(self) -> tuple[str, ...]:
        """The class column."""
        return (self.column,)

    def describe(self) -> str:
        """``name(column)``."""
        return f"{self.name}({written(self.column)})"

    def check(self, table: Table) -> None:
        """The class column's histograms must have been counted."""
        self.position(table)
        super().check(table)

    def position(self, table: Table) -> int:
        """The column's place in ``Cells.classes``. Raises :class:`SpecificationError` where it was not counted."""
        for position, name in enumerate(table.classes):
            if name.casefold() == self.column.casefold():
                return position
        known = near_matches(self.column, table.classes)
        raise SpecificationError(f"the class column '{self.column}' does not exist{known}")

    def own_spelling(self, table: Table) -> str:
        """The column's name in the table. Raises :class:`SpecificationError` where it was not counted."""
        return tuple(table.classes)[self.position(table)]

    def histogram(self, statistics: BlockStatistics, table: Table) -> tuple[int, ...]:
        """A block's rows by class value."""
        return statistics.classes[self.own_spelling(table)]

    def histograms_by_cell(self, cells: Cells, table: Table) -> NDArray[np.int64]:
        """Rows by cell and class value, shape (cell count, value count)."""
        distribution = cells.classes[self.position(table)]
        counts = np.zeros((cells.cell_count, len(distribution.domain.values)), dtype=np.int64)
        cell_of_entry = np.repeat(np.arange(cells.cell_count), np.diff(distribution.starts))
        np.add.at(counts, (cell_of_entry, distribution.codes), distribution.counts)
        return counts

    def compiled(self, table: Table) -> tuple[CompiledCost, ...] | None:
        """One summand that reads the histogram row of the class column."""
        return (CompiledCost(self.kind, column=len(table.sensitive) + self.position(table)),)
