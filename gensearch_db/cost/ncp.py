"""Normalized certainty penalty (NCP): a tuple pays the share of each attribute's domain that its label covers (THEORY 2.0)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gensearch_db.cost.cost import CompiledCost, Cost, Rows
from gensearch_db.cost.small_cells import sum_prices
from gensearch_db.domain.cells import BlockStatistics, Cells, Table
from gensearch_db.domain.region import Block
from gensearch_db.errors import SpecificationError
from gensearch_db.problem.calls import Call

KIND = 1


@dataclass(frozen=True)
class NormalizedCertaintyPenalty(Cost):
    """``ncp``: rows times the weighted sum over attributes of length / length of the domain (0 for a single value)."""

    name: ClassVar[str] = "ncp"

    @classmethod
    def from_call(cls, call: Call) -> Self:
        """``ncp`` takes no arguments; attributes carry their weights."""
        if call.arguments or call.keywords:
            raise SpecificationError(f"'{call.text}': ncp takes no arguments; give a quasi-identifier a weight instead")
        return cls()

    @property
    def integral(self) -> bool:
        """Shares of lengths."""
        return False

    @property
    def monotone(self) -> bool:
        """Lengths only shrink under splits."""
        return True

    def of_block(self, statistics: BlockStatistics, block: Block, table: Table) -> float:
        """Rows times the block's weighted loss."""
        loss = 0.0
        for attribute, region in zip(table.space.attributes, block, strict=True):
            loss += attribute.weight * attribute.loss(region)
        return statistics.rows * loss

    def suppression_charge(self, table: Table) -> float:
        """The loss of a tuple in the undivided space: all weights together."""
        return float(sum(attribute.weight for attribute in table.space.attributes))

    def describe(self) -> str:
        """``ncp``."""
        return self.name

    def prices(self, cells: Cells, table: Table, smallest: Rows, values_labels: bool) -> NDArray[np.float64]:
        """The loss of the cell; a small one needs an extension along some attribute."""
        return sum_prices(cells, table.space.attributes, lambda a, region: a.weight * a.loss(region), smallest, values_labels)

    def compiled(self, table: Table) -> tuple[CompiledCost, ...] | None:
        """The attributes' weights; losses come with the block."""
        return (CompiledCost(KIND, parameters=tuple(attribute.weight for attribute in table.space.attributes)),)
