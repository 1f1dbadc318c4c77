"""Normalized certainty penalty (NCP): a tuple pays the share of each attribute's domain that its label covers (THEORY 2.0)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gensearch_db.cost.cost import PlainCost, Rows
from gensearch_db.cost.small_cells import Measure, sum_prices
from gensearch_db.domain.cells import BlockStatistics, Cells, Table
from gensearch_db.domain.region import Block

KIND = 1


@dataclass(frozen=True)
class NormalizedCertaintyPenalty(PlainCost):
    """``ncp``: rows times the weighted sum over attributes of length / length of the domain (0 for a single value)."""

    name: ClassVar[str] = "ncp"
    kind: ClassVar[int] = KIND
    instead: ClassVar[str] = "; give a quasi-identifier a weight instead"
    integral: ClassVar[bool] = False
    """Shares of lengths."""
    monotone: ClassVar[bool] = True
    """Lengths only shrink under splits."""

    def of_block(self, statistics: BlockStatistics, block: Block, table: Table) -> float:
        """Rows times the block's weighted loss."""
        loss = 0.0
        for attribute, region in zip(table.space.attributes, block, strict=True):
            loss += attribute.weight * attribute.loss(region)
        return statistics.rows * loss

    def suppression_charge(self, table: Table) -> float:
        """The loss of a tuple in the undivided space: all weights together."""
        return float(sum(attribute.weight for attribute in table.space.attributes))

    def prices(self, cells: Cells, table: Table, smallest: Rows, values_labels: bool) -> NDArray[np.float64]:
        """The loss of the cell; a small one needs an extension along some attribute."""
        return sum_prices(cells, table.space.attributes, self.region_measure(table), smallest, values_labels)

    def region_measure(self, table: Table) -> Measure:
        """The weighted loss."""
        return lambda attribute, region: attribute.weight * attribute.loss(region)

    def parameters(self, table: Table) -> tuple[float, ...]:
        """The attributes' weights; losses come with the block."""
        return tuple(attribute.weight for attribute in table.space.attributes)
