"""The small-cell bound (THEORY 2.5): a cell that is too small to be a block needs a strictly larger box.

A block with another cell covers a second leaf value along some attribute. Whatever the block, it costs at least the cheapest
one-step extension of the cell.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from gensearch_db.cost.cost import Rows
from gensearch_db.domain.attribute import Attribute, OrderedAttribute
from gensearch_db.domain.cells import Cells
from gensearch_db.domain.region import Interval, LeafSet, Region

Measure = Callable[[Attribute, Region], float]
"""A measure of a region along one attribute that never shrinks when the region grows."""


def single_values(attribute: Attribute, measure: Measure) -> NDArray[np.float64]:
    """The measure of each leaf value alone."""
    return np.array([measure(attribute, attribute.tight([code])) for code in range(attribute.leaf_count)])


def smallest_extensions(attribute: Attribute, measure: Measure, values_labels: bool) -> NDArray[np.float64]:
    """Per leaf value the least measure of a region that holds it and another occurring value; infinite without another."""
    occurring = [code for code, leaf in enumerate(attribute.leaves) if leaf.occurs]
    by_value = values_labels and not (isinstance(attribute, OrderedAttribute) and not attribute.categorical)
    return np.array(
        [
            min(
                (
                    measure(attribute, LeafSet(1 << code | 1 << other) if by_value else attribute.tight([code, other]))
                    for other in _others(attribute, code, occurring, by_value)
                ),
                default=np.inf,
            )
            for code in range(attribute.leaf_count)
        ]
    )


def _others(attribute: Attribute, code: int, occurring: list[int], by_value: bool) -> list[int]:
    """Values one of which makes the smallest region together with ``code``: its neighbours, in a taxonomy too, where the nodes
    that hold a leaf lie inside one another and one of its neighbours is in the lowest that holds any other. All values where
    regions are sets: those have few."""
    below, above = bisect_left(occurring, code), bisect_right(occurring, code)
    if isinstance(attribute, OrderedAttribute) or (isinstance(attribute.root, Interval) and not by_value):
        return occurring[max(0, below - 1) : below] + occurring[above : above + 1]
    return occurring[:below] + occurring[above:]


def sum_prices(
    cells: Cells, attributes: tuple[Attribute, ...], measure: Measure, smallest: Rows, values_labels: bool
) -> NDArray[np.float64]:
    """Prices for a cost of rows times the sum of a measure over attributes: the cell's own, plus for small cells the least
    increase that an extension along one attribute brings."""
    own = np.zeros(cells.cell_count)
    increase = np.full(cells.cell_count, np.inf)
    for j, attribute in enumerate(attributes):
        codes = cells.codes[:, j]
        single = single_values(attribute, measure)
        own += single[codes]
        increase = np.minimum(increase, (smallest_extensions(attribute, measure, values_labels) - single)[codes])
    increase[(cells.counts >= smallest) | np.isinf(increase)] = 0.0
    return np.asarray(cells.counts * (own + increase), dtype=np.float64)


def product_prices(
    cells: Cells, attributes: tuple[Attribute, ...], measure: Measure, smallest: Rows, values_labels: bool
) -> NDArray[np.float64]:
    """The same for a product of a positive measure over attributes; no extension counts where a single value measures 0."""
    own = np.ones(cells.cell_count)
    factor = np.full(cells.cell_count, np.inf)
    for j, attribute in enumerate(attributes):
        codes = cells.codes[:, j]
        single = single_values(attribute, measure)
        own *= single[codes]
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where(single > 0, smallest_extensions(attribute, measure, values_labels) / single, 1.0)
        factor = np.minimum(factor, ratios[codes])
    factor[(cells.counts >= smallest) | np.isinf(factor)] = 1.0
    return np.asarray(cells.counts * own * factor, dtype=np.float64)


def edge_interval(region: Region) -> Interval:
    """The smallest interval of codes around a region."""
    codes = list(region.codes())
    return Interval(codes[0], codes[-1] + 1)
