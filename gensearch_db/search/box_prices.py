"""Prices from the cheapest box around each cell, for costs that are rows times a sum of measures of regions (NCP, GCP)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gensearch_db.cost.cost import Cost
from gensearch_db.cost.small_cells import Measure
from gensearch_db.cost.weighted_sum import WeightedSum
from gensearch_db.domain.attribute import Attribute, OrderedAttribute, RelaxedTaxonomyAttribute, TaxonomyAttribute
from gensearch_db.domain.region import LeafSet
from gensearch_db.search.cheapest_boxes import cheapest_boxes
from gensearch_db.search.nearest_rows import ABOVE, BELOW, SIZE, UP, Measures, new_near
from gensearch_db.search.prices import cell_prices, terms_of
from gensearch_db.search.result import SearchProblem

MOST_CELLS = 40_000
"""Every cell is compared with every other; beyond this number that takes too long."""
MOST_LOOKS = 200_000
"""Looks at other cells that the cheapest box around one cell may take."""
COMPARISONS = 3
"""Times that a cell is compared with every other."""
ROUNDING = 1e-12
"""Prices are lowered by this share of them, so that rounding never makes one too high."""


class BoxPrices:
    """The prices of one problem's cells. ``needed``: the least rows of a feasible block that holds each cell."""

    def __init__(self, problem: SearchProblem, needed: NDArray[np.int64]) -> None:
        self.problem = problem
        self.needed = needed
        self._terms, others = _terms(problem)
        self.prices = cell_prices(replace(problem, cost=WeightedSum(others)), needed, labels=True)

    @property
    def pays(self) -> bool:
        """Whether some summand has a measure of regions, and there are not too many cells."""
        return bool(self._terms) and not self.problem.suppression_price and self.problem.cells.cell_count <= MOST_CELLS

    def run(self) -> Iterator[int]:
        """Price the cells, one at each step, once for each summand. Yields the effort that a cell takes, in values of cells
        read: it is compared with all others a few times, and others are looked at again while its box grows."""
        cells, attributes = self.problem.cells, self.problem.space.attributes
        codes = cells.codes.astype(np.int64)
        least = np.zeros(cells.cell_count)
        effort = COMPARISONS * cells.cell_count * len(attributes) + MOST_LOOKS
        for weight, measure in self._terms:
            measures = _measures(attributes, measure, self.problem.values_labels)
            near = new_near(len(measures.steps), cells.cell_count)
            for cell in range(cells.cell_count):
                cheapest_boxes(measures, near, codes, cells.counts, self.needed, cell, cell + 1, MOST_LOOKS, least)
                self.prices[cell] += float(weight) * cells.counts[cell] * least[cell] * (1 - ROUNDING)
                yield effort


def _terms(problem: SearchProblem) -> tuple[list[tuple[Fraction, Measure]], tuple[tuple[Fraction, Cost], ...]]:
    """The summands with a measure of regions, and the others."""
    measured, others = [], []
    for weight, term in terms_of(problem.cost):
        measure = term.region_measure(problem.table)
        if measure is None:
            others.append((weight, term))
        else:
            measured.append((weight, measure))
    return measured, tuple(others)


def _measures(attributes: tuple[Attribute, ...], measure: Measure, values_labels: bool) -> Measures:
    """Lay the measures of all regions that matter out flat."""
    steps: list[int] = []
    owners: list[int] = []
    pairs, ranks, sets = [], [], []
    for j, attribute in enumerate(attributes):
        kinds = _steps(attribute, values_labels)
        steps += kinds
        owners += [j] * len(kinds)
        table = _pairs(attribute, measure, kinds == [SIZE])
        pairs.append(table.ravel())
        ranks.append(_ranks(table).ravel())
        sets.append(_sets(attribute, measure))
    widths = np.array([attribute.leaf_count for attribute in attributes], np.int64)
    return Measures(
        np.array(steps, np.int64),
        np.array(owners, np.int64),
        np.cumsum([0, *widths**2])[:-1].astype(np.int64),
        widths,
        np.concatenate(pairs),
        np.concatenate(ranks),
        np.cumsum([0, *(len(each) for each in sets)])[:-1].astype(np.int64),
        np.concatenate(sets),
    )


def _steps(attribute: Attribute, values_labels: bool) -> list[int]:
    by_value = values_labels and not (isinstance(attribute, OrderedAttribute) and not attribute.categorical)
    if by_value or not isinstance(attribute, OrderedAttribute | TaxonomyAttribute):
        return [SIZE]
    if isinstance(attribute, RelaxedTaxonomyAttribute):
        return [SIZE]
    return [BELOW, ABOVE] if isinstance(attribute, OrderedAttribute) else [UP]


def _pairs(attribute: Attribute, measure: Measure, as_set: bool) -> NDArray[np.float64]:
    """The measure of the smallest region around any two leaf values; of sets, the least of any two occurring values."""
    leaves = attribute.leaf_count
    table = np.zeros((leaves, leaves))
    two = _sets(attribute, measure)[2] if as_set and leaves > 1 else 0.0
    for code in range(leaves):
        for other in range(code, leaves):
            if as_set:
                value = measure(attribute, LeafSet(1 << code)) if code == other else two
            else:
                value = measure(attribute, attribute.tight([code, other]))
            table[code, other] = value
    if not as_set and isinstance(attribute, OrderedAttribute):  # no wider interval may measure less, whatever the measure
        for code in range(leaves):
            for other in range(leaves - 1, code - 1, -1):
                if code > 0:
                    table[code, other] = min(table[code, other], table[code - 1, other])
                if other + 1 < leaves:
                    table[code, other] = min(table[code, other], table[code, other + 1])
    return np.triu(table) + np.triu(table, 1).T


def _ranks(pairs: NDArray[np.float64]) -> NDArray[np.int64]:
    """The rank of each entry among the different ones of its row, the diagonal first."""
    ranks = np.zeros(pairs.shape, np.int64)
    for row in range(len(pairs)):
        ranks[row] = np.unique(pairs[row], return_inverse=True)[1]
    return ranks


def _sets(attribute: Attribute, measure: Measure) -> NDArray[np.float64]:
    """The least measure of a set of each size of occurring values, absent ones left out."""
    occurring = [code for code, leaf in enumerate(attribute.leaves) if leaf.occurs]
    sizes = np.zeros(attribute.leaf_count + 2)
    for size in range(1, len(occurring) + 1):
        sizes[size] = measure(attribute, LeafSet(sum(1 << code for code in occurring[:size])))
    sizes[len(occurring) + 1 :] = sizes[len(occurring)]
    return sizes
