"""Non-uniform entropy: the bits by which a label is less telling than the value (Gionis and Tassa 2009; THEORY 2.0).

A tuple with value v under the label g loses log2(F(g) / F(v)) along each attribute, where F counts the table's rows whose
value lies in the label: rare values that hide among frequent ones lose the most.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gensearch_db.cost.cost import PlainCost, Rows
from gensearch_db.cost.small_cells import sum_prices
from gensearch_db.domain.attribute import Attribute
from gensearch_db.domain.cells import BlockStatistics, Cells, Table
from gensearch_db.domain.region import Block, Region

KIND = 7


@dataclass(frozen=True)
class NonUniformEntropy(PlainCost):
    """``non_uniform_entropy``: the sum over tuples and attributes of log2(F(label) / F(value)), in bits."""

    name: ClassVar[str] = "non_uniform_entropy"
    kind: ClassVar[int] = KIND
    integral: ClassVar[bool] = False
    """Bits."""
    monotone: ClassVar[bool] = True
    """Labels only become rarer under splits."""
    needs_cells: ClassVar[bool] = True

    def of_block(self, statistics: BlockStatistics, block: Block, table: Table) -> float:
        """Sum over attributes of n log2 F(label) - sum over values of count log2 F(value)."""
        assert statistics.marginals is not None
        bits = 0.0
        for region, counts, frequencies in zip(block, statistics.marginals, _frequencies(table), strict=True):
            label = sum(frequencies[code] for code in region.codes())
            bits += statistics.rows * math.log2(label)
            bits -= math.fsum(count * math.log2(frequencies[code]) for code, count in enumerate(counts) if count)
        return max(0.0, bits)

    def suppression_charge(self, table: Table) -> float:
        """What the rarest values lose under the label of everything."""
        return sum(math.log2(sum(counts) / min(filter(None, counts))) for counts in _frequencies(table))

    def prices(self, cells: Cells, table: Table, smallest: Rows, values_labels: bool) -> NDArray[np.float64]:
        """0 for a cell of its own; small ones need an extension."""
        by_name = dict(zip((attribute.name for attribute in table.space.attributes), _frequencies(table), strict=True))

        def measure(attribute: Attribute, region: Region) -> float:
            """log2 of the rows under a label."""
            frequencies = by_name[attribute.name]
            return math.log2(max(1, sum(frequencies[code] for code in region.codes())))

        surplus = sum_prices(cells, table.space.attributes, measure, smallest, values_labels)
        return surplus - sum_prices(cells, table.space.attributes, measure, 0, values_labels)

    def parameters(self, table: Table) -> tuple[float, ...]:
        """log2 F of every leaf value, attributes one after another."""
        return tuple(math.log2(count) if count else 0.0 for counts in _frequencies(table) for count in counts)


def _frequencies(table: Table) -> tuple[tuple[int, ...], ...]:
    assert table.statistics.marginals is not None
    return table.statistics.marginals


def kernel_cost(
    rows: int,
    region_rows: NDArray[np.int64],
    lower: NDArray[np.int64],
    upper: NDArray[np.int64],
    leaf_starts: NDArray[np.int64],
    marginals: NDArray[np.int64],
    logs: NDArray[np.float64],
) -> float:
    """The cost as the kernel compiles it."""
    bits = 0.0
    for j in range(len(region_rows)):
        bits += rows * math.log2(region_rows[j])
        for leaf in range(leaf_starts[j] + lower[j], leaf_starts[j] + upper[j]):
            if marginals[leaf] > 0:
                bits -= marginals[leaf] * logs[leaf]
    return max(0.0, bits)
