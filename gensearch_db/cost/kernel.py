"""The compiled formulas of all costs: one dispatcher that switches on each summand's kind.

Imports numba, so it is imported only by the search. A cost adds its kind here, as one small compiled function and one line in
:func:`block_cost`, and gives its numbers through ``compiled()``. Whatever a formula needs of a block stands in its
:class:`BlockContext`; costs are float64, exact for integral costs below 2^53 (guarded before the search).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from gensearch_db.cost import discernibility, ncp
from gensearch_db.cost.cost import CompiledCost

DISCERNIBILITY = discernibility.KIND
NCP = ncp.KIND


class CostArrays(NamedTuple):
    """All summands of a cost: kind, weight, histogram row (-1: none) and ``parameters[starts[i]:starts[i + 1]]`` of each."""

    kinds: NDArray[np.int64]
    weights: NDArray[np.float64]
    columns: NDArray[np.int64]
    starts: NDArray[np.int64]
    parameters: NDArray[np.float64]


class BlockContext(NamedTuple):
    """One block as costs see it; scratch arrays that the search fills before each call.

    Per attribute: ``lower``, ``upper`` (leaf codes of the published region; of a leaf set the smallest and the largest + 1),
    ``leaf_totals`` (leaf values the label stands for: those of the region, or with labels = values those that occur in the
    block), ``edges`` (as ``leaf_totals``, but only leaves that occur in the table), ``lengths`` (own unit), ``losses``
    (``Attribute.loss``), ``spans`` (the share of the domain between the smallest and the largest value, 0 for a single one:
    :mod:`gensearch_db.cost.gcp`), ``region_rows`` (rows of the whole table whose value lies in the region).
    ``histograms``: sensitive columns, then class columns, by value code. ``marginals[leaf_starts[j] + code]``: the block's
    rows by leaf value of attribute j, filled for lower[j] <= code < upper[j] only.
    """

    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    leaf_totals: NDArray[np.float64]
    edges: NDArray[np.float64]
    lengths: NDArray[np.float64]
    losses: NDArray[np.float64]
    spans: NDArray[np.float64]
    region_rows: NDArray[np.int64]
    histograms: NDArray[np.int64]
    leaf_starts: NDArray[np.int64]
    marginals: NDArray[np.int64]


def cost_arrays(summands: Sequence[CompiledCost]) -> CostArrays:
    """Pack the summands of a cost."""
    return CostArrays(
        np.array([summand.kind for summand in summands], dtype=np.int64),
        np.array([summand.weight for summand in summands], dtype=np.float64),
        np.array([summand.column for summand in summands], dtype=np.int64),
        np.cumsum([0, *(len(summand.parameters) for summand in summands)], dtype=np.int64),
        np.array([number for summand in summands for number in summand.parameters], dtype=np.float64),
    )


@njit(cache=True, nogil=True)
def block_cost(costs: CostArrays, rows: int, size: int, square_sum: float, context: BlockContext) -> float:  # pragma: no cover
    """The cost of a non-empty block: the weighted sum of its summands.

    ``rows`` counts rows, ``size`` the unit of protection, ``square_sum`` is the sum of squared row counts of its cells.
    """
    total = 0.0
    for i in range(len(costs.kinds)):
        kind = costs.kinds[i]
        start = costs.starts[i]
        value = 0.0
        if kind == DISCERNIBILITY:
            value = float(rows) * float(rows)
        elif kind == NCP:
            for j in range(len(context.losses)):
                value += costs.parameters[start + j] * context.losses[j]
            value *= rows
        total += costs.weights[i] * value
    return total
