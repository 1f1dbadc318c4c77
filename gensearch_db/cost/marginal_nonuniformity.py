"""Marginal non-uniformity: how far a block's rows are from even along each attribute.

The sum over attributes and the values of the block's region of |frequency - size / values|, counting values that occur in the
table. One-dimensional count queries spread rows evenly over values; this is the error of doing so. NOT monotone: two
attributes that mirror each other are even along both, while each half is not.
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

KIND = 9


@dataclass(frozen=True)
class MarginalNonuniformity(PlainCost):
    """``marginal_nonuniformity``: the sum over attributes and values of |frequency - size / values|."""

    name: ClassVar[str] = "marginal_nonuniformity"
    kind: ClassVar[int] = KIND
    integral: ClassVar[bool] = False
    """Means are fractions."""
    monotone: ClassVar[bool] = False
    """Not: see the module's text."""
    needs_cells: ClassVar[bool] = True

    def of_block(self, statistics: BlockStatistics, block: Block, table: Table) -> float:
        """Sum over attributes and values of |frequency - n / values|."""
        assert statistics.marginals is not None
        total = 0.0
        for attribute, region, counts in zip(table.space.attributes, block, statistics.marginals, strict=True):
            even = statistics.rows / attribute.occurring(region)
            occurring = (code for code in region.codes() if attribute.leaves[code].occurs)
            total += math.fsum(abs(counts[code] - even) for code in occurring)
        return total

    def suppression_charge(self, table: Table) -> float:
        """2 for each attribute: along one attribute the distances of n rows add up to less than 2 n."""
        return 2.0 * len(table.space.attributes)


def kernel_cost(
    rows: int,
    edges: NDArray[np.float64],
    lower: NDArray[np.int64],
    upper: NDArray[np.int64],
    leaf_starts: NDArray[np.int64],
    marginals: NDArray[np.int64],
) -> float:
    """The cost as the kernel compiles it: values without rows are counted, not visited, as a set has gaps."""
    total = 0.0
    for j in range(len(edges)):
        even = rows / edges[j]
        present = 0
        for leaf in range(leaf_starts[j] + lower[j], leaf_starts[j] + upper[j]):
            if marginals[leaf] > 0:
                present += 1
                total += abs(marginals[leaf] - even)
        total += (edges[j] - present) * even
    return total
