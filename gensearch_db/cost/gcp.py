"""Global certainty penalty (GCP): the mean penalty over all tuples and attributes, between 0 and 1 (Ghinita et al. 2007).

The share of an attribute's domain is measured between values, as most tools report it: (largest - smallest) / (largest -
smallest of the table) for numbers, (values - 1) / (values of the table - 1) for categories, counting those that occur. A
single value loses nothing. ``ncp`` measures lengths of published intervals instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gensearch_db.cost.cost import PlainCost, Rows
from gensearch_db.cost.small_cells import Measure, edge_interval, sum_prices
from gensearch_db.domain.attribute import Attribute, OrderedAttribute
from gensearch_db.domain.cells import BlockStatistics, Cells, Table
from gensearch_db.domain.region import Block, Region

KIND = 6


@dataclass(frozen=True)
class GlobalCertaintyPenalty(PlainCost):
    """``gcp``: the weighted mean over attributes of the span of a tuple's label, divided by the number of rows."""

    name: ClassVar[str] = "gcp"
    kind: ClassVar[int] = KIND
    instead: ClassVar[str] = "; give a quasi-identifier a weight instead"
    integral: ClassVar[bool] = False
    """A mean."""
    monotone: ClassVar[bool] = True
    """Spans only shrink under splits."""

    def of_block(self, statistics: BlockStatistics, block: Block, table: Table) -> float:
        """Rows times the block's mean span, over all rows."""
        spans = zip(self._shares(table), table.space.attributes, block, strict=True)
        return statistics.rows * sum(share * span(attribute, region) for share, attribute, region in spans)

    def _shares(self, table: Table) -> tuple[float, ...]:
        weights = [attribute.weight for attribute in table.space.attributes]
        return tuple(weight / sum(weights) / table.statistics.rows for weight in weights)

    def suppression_charge(self, table: Table) -> float:
        """1 / rows: a tuple of which nothing is known."""
        return 1.0 / table.statistics.rows

    def prices(self, cells: Cells, table: Table, smallest: Rows, values_labels: bool) -> NDArray[np.float64]:
        """0 for a cell of its own; small ones need an extension."""
        return sum_prices(cells, table.space.attributes, self.region_measure(table), smallest, values_labels)

    def region_measure(self, table: Table) -> Measure:
        """The span, by the attribute's share of the mean."""
        shares = dict(zip((attribute.name for attribute in table.space.attributes), self._shares(table), strict=True))

        def measure(attribute: Attribute, region: Region) -> float:
            """What one attribute adds per tuple."""
            return shares[attribute.name] * span(attribute, region)

        return measure

    def parameters(self, table: Table) -> tuple[float, ...]:
        """Each attribute's share of the mean; spans come with the block."""
        return self._shares(table)


def span(attribute: Attribute, region: Region) -> float:
    """The share of the domain between the region's smallest and largest value, in [0, 1]; for categories, of the values."""
    occurring = attribute.occurring_leaves
    if isinstance(attribute, OrderedAttribute) and not attribute.categorical:
        whole = occurring[-1].start - occurring[0].start
        codes = edge_interval(region)
        return (attribute.leaves[codes.upper - 1].start - attribute.leaves[codes.lower].start) / whole if whole > 0 else 0.0
    return (attribute.occurring(region) - 1) / (len(occurring) - 1) if len(occurring) > 1 else 0.0


def kernel_cost(rows: int, spans: NDArray[np.float64], shares: NDArray[np.float64]) -> float:
    """The cost as the kernel compiles it."""
    value = 0.0
    for j in range(len(spans)):
        value += shares[j] * spans[j]
    return rows * value
