"""The compiled formulas of all costs: one dispatcher that switches on each summand's kind.

Imports numba, so it is imported only by the search. Each cost's module holds its formula as a plain function in numba's part of
Python, compiled here; :func:`block_cost` only switches. Its numbers come from ``compiled()``. Whatever a formula needs of a
block stands in its :class:`BlockContext`; costs are float64, exact for integral costs below 2^53 (``Cost.check``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gensearch_db.compilation import compiled
from gensearch_db.cost import (
    average_class_size,
    class_entropy,
    classification,
    count_error,
    discernibility,
    discernibility_entropy,
    gcp,
    marginal_nonuniformity,
    ncp,
    non_uniform_entropy,
    v_optimal,
    volume,
)
from gensearch_db.cost.cost import CompiledCost
from gensearch_db.cost.count_error_kernel import count_error as _count_error

DISCERNIBILITY = discernibility.KIND
NCP = ncp.KIND
GCP = gcp.KIND
CLASSIFICATION = classification.KIND
CLASS_ENTROPY = class_entropy.KIND
UNIT_CELLS, REAL_VOLUME = volume.UNIT_CELLS_KIND, volume.REAL_KIND
NON_UNIFORM_ENTROPY = non_uniform_entropy.KIND
V_OPTIMAL = v_optimal.KIND
MARGINAL_NONUNIFORMITY = marginal_nonuniformity.KIND
AVERAGE_CLASS_SIZE = average_class_size.KIND
DISCERNIBILITY_ENTROPY = discernibility_entropy.KIND
COUNT_ERROR = count_error.KIND

REGION_KINDS = (DISCERNIBILITY, NCP, GCP, UNIT_CELLS, REAL_VOLUME, V_OPTIMAL, AVERAGE_CLASS_SIZE, DISCERNIBILITY_ENTROPY)
"""Kinds that read no histogram and no marginal: known of a block whose cells nobody looked at."""

_weighted_losses = compiled(gcp.kernel_cost)
_classification = compiled(classification.kernel_cost)
_class_entropy = compiled(class_entropy.kernel_cost)
_unit_cells = compiled(volume.kernel_unit_cells)
_real_volume = compiled(volume.kernel_real)
_non_uniform_entropy = compiled(non_uniform_entropy.kernel_cost)
_v_optimal = compiled(v_optimal.kernel_cost)
_marginal_nonuniformity = compiled(marginal_nonuniformity.kernel_cost)


class CostArrays(NamedTuple):
    """All summands of a cost: kind, weight, histogram row (-1: none) and ``parameters[starts[i]:starts[i + 1]]`` of each.

    ``suppression_price``: what a row of a suppressed block costs; 0: blocks are not suppressed.
    """

    kinds: NDArray[np.int64]
    weights: NDArray[np.float64]
    columns: NDArray[np.int64]
    starts: NDArray[np.int64]
    parameters: NDArray[np.float64]
    suppression_price: float = 0.0


class BlockContext(NamedTuple):
    """One block as costs see it; scratch arrays that the search fills before each call.

    Per attribute: ``lower``, ``upper`` (leaf codes of the published region; of a leaf set the smallest and the largest + 1),
    ``leaf_totals`` (leaf values the label stands for: those of the region, or with labels = values those that occur in the
    block), ``masks`` (the same values as bits where they need not lie side by side, else 0), ``edges`` (as ``leaf_totals``, but
    only leaves that occur in the table), ``lengths`` (own unit), ``losses`` (``Attribute.loss``), ``spans`` (the share of the
    domain between the smallest and the largest value, 0 for a single one: :mod:`gensearch_db.cost.gcp`), ``region_rows`` (rows
    of the whole table whose value lies in the region).
    ``histograms``: sensitive columns, then class columns, by value code. ``marginals[leaf_starts[j] + code]``: the block's
    rows by leaf value of attribute j, filled for lower[j] <= code < upper[j] only.
    """

    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    leaf_totals: NDArray[np.float64]
    masks: NDArray[np.uint64]
    edges: NDArray[np.float64]
    lengths: NDArray[np.float64]
    losses: NDArray[np.float64]
    spans: NDArray[np.float64]
    region_rows: NDArray[np.int64]
    histograms: NDArray[np.int64]
    leaf_starts: NDArray[np.int64]
    marginals: NDArray[np.int64]


def cost_arrays(summands: Sequence[CompiledCost], suppression_price: float = 0.0) -> CostArrays:
    """Pack the summands of a cost."""
    return CostArrays(
        np.array([summand.kind for summand in summands], dtype=np.int64),
        np.array([summand.weight for summand in summands], dtype=np.float64),
        np.array([summand.column for summand in summands], dtype=np.int64),
        np.cumsum([0, *(len(summand.parameters) for summand in summands)], dtype=np.int64),
        np.concatenate([np.zeros(0), *(np.asarray(summand.parameters, dtype=np.float64) for summand in summands)]),
        float(suppression_price),
    )


@compiled
def block_cost(costs: CostArrays, rows: int, size: int, square_sum: float, context: BlockContext) -> float:
    """The cost of a non-empty block: the weighted sum of its summands.

    ``rows`` counts rows, ``size`` the unit of protection, ``square_sum`` is the sum of squared row counts of its cells.
    """
    total = 0.0
    for i in range(len(costs.kinds)):
        numbers = costs.parameters[costs.starts[i] : costs.starts[i + 1]]
        total += costs.weights[i] * _summand(costs.kinds[i], costs.columns[i], numbers, rows, square_sum, context)
    return total


@compiled
def _summand(
    kind: int, column: int, numbers: NDArray[np.float64], rows: int, square_sum: float, context: BlockContext
) -> float:
    value = 0.0
    if kind == DISCERNIBILITY:
        value = float(rows) * float(rows)
    elif kind == NCP:
        value = _weighted_losses(rows, context.losses, numbers)
    elif kind == GCP:
        value = _weighted_losses(rows, context.spans, numbers)
    elif kind == CLASSIFICATION:
        value = _classification(context.histograms[column])
    elif kind == CLASS_ENTROPY:
        value = _class_entropy(context.histograms[column])
    elif kind == UNIT_CELLS:
        value = _unit_cells(rows, context.edges)
    elif kind == REAL_VOLUME:
        value = _real_volume(rows, context.lengths, numbers)
    elif kind == NON_UNIFORM_ENTROPY:
        value = _non_uniform_entropy(
            rows, context.region_rows, context.lower, context.upper, context.leaf_starts, context.marginals, numbers
        )
    elif kind == V_OPTIMAL:
        value = _v_optimal(rows, square_sum, context.edges)
    elif kind == MARGINAL_NONUNIFORMITY:
        value = _marginal_nonuniformity(
            rows, context.edges, context.lower, context.upper, context.leaf_starts, context.marginals
        )
    elif kind == AVERAGE_CLASS_SIZE:
        value = rows - 1.0
    elif kind == DISCERNIBILITY_ENTROPY:
        value = rows * math.log2(rows)
    elif kind == COUNT_ERROR:
        value = _count_error(
            rows,
            context.lower,
            context.upper,
            context.leaf_totals,
            context.masks,
            context.leaf_starts,
            context.marginals,
            context.histograms[column],
            numbers,
        )
    return value
