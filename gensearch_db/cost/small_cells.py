"""The small-cell bound (THEORY 2.5): a cell that is too small to be a block needs a strictly larger box.

A block with another cell covers a second leaf value along some attribute. Whatever the block, it costs at least the cheapest
one-step extension of the cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

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
    return np.array(
        [
            min(
                (measure(attribute, region) for region in _extensions(attribute, code, occurring, values_labels)),
                default=np.inf,
            )
            for code in range(attribute.leaf_count)
        ]
    )


def _extensions(attribute: Attribute, code: int, occurring: list[int], values_labels: bool) -> Iterator[Region]:
    if isinstance(attribute, OrderedAttribute):
        below = [other for other in occurring if other < code][-1:]
        above = [other for other in occurring if other > code][:1]
        others = below + above
    else:
        others = [other for other in occurring if other != code]
    by_value = values_labels and not (isinstance(attribute, OrderedAttribute) and not attribute.categorical)
    for other in others:
        if by_value:
            yield LeafSet(1 << code | 1 << other)
        else:
            yield attribute.tight([code, other])


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
