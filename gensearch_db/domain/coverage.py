"""A workload of count queries over the leaf values of a space: what share of a block each query covers (THEORY 4).

Every query is a conjunction of conditions on single attributes, so that the share of a block is the product of the shares of
its regions. Times the block's rows it is the estimate that the release will give.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gensearch_db.domain.region import Block, Region


@dataclass(frozen=True, eq=False)
class AttributeCoverage:
    """One attribute: how much there is to cover in its leaf values, and how much of it the queries cover.

    ``queries``: the numbers of the queries with a condition on the attribute, ascending. ``measures``, shape (leaves,): the
    number of values of a leaf, or its length where the column is floating-point; 1 for a category. ``covered``, shape
    (leaves, queries): how much of that satisfies each condition.

    Regions of an ordered column are published by bounds, hence hold what lies between their leaves too: ``spans`` and
    ``covered_spans`` (same shapes) reach from each leaf to the next one. A region of one leaf may be published more narrowly,
    as a single value, so its shares stand in ``alone``, shape (leaves, queries), and in ``beside_missing`` where it holds the
    missing value as well. These four are None where regions are published as lists of values.
    """

    queries: NDArray[np.int64]
    measures: NDArray[np.float64]
    covered: NDArray[np.float64]
    missing: int | None = None
    spans: NDArray[np.float64] | None = None
    covered_spans: NDArray[np.float64] | None = None
    alone: NDArray[np.float64] | None = None
    beside_missing: NDArray[np.float64] | None = None

    def shares(self, region: Region) -> NDArray[np.float64]:
        """The share of a region that satisfies each condition, in the order of ``queries``."""
        codes = list(region.codes())
        if self.spans is None or self.covered_spans is None or self.alone is None or self.beside_missing is None:
            return np.asarray(self.covered[codes].sum(axis=0) / self.measures[codes].sum())
        with_missing = len(codes) > 1 and codes[-1] == self.missing
        if with_missing:
            codes.pop()
        if len(codes) == 1:
            return np.asarray((self.beside_missing if with_missing else self.alone)[codes[0]])
        inner, last = codes[:-1], [codes[-1]]
        if with_missing and self.missing is not None:
            last.append(self.missing)
        covered = self.covered_spans[inner].sum(axis=0) + self.covered[last].sum(axis=0)
        return np.asarray(covered / (self.spans[inner].sum() + self.measures[last].sum()))


@dataclass(frozen=True, eq=False)
class WorkloadCoverage:
    """The queries of a workload over a space. ``attributes``: in the space's order, None where no query has a condition.

    ``weights``, shape (queries,): what an error of one row counts. ``values_labels``: labels stand for the values that occur in
    a block, so that an interval beside the missing value ends with the last value that has rows.
    """

    attributes: tuple[AttributeCoverage | None, ...]
    weights: NDArray[np.float64]
    values_labels: bool = False

    @property
    def query_count(self) -> int:
        """The number of queries."""
        return len(self.weights)

    def shares(self, block: Block) -> NDArray[np.float64]:
        """The share of a block that each query covers, shape (queries,)."""
        product = np.ones(self.query_count)
        for attribute, region in zip(self.attributes, block, strict=True):
            if attribute is not None:
                product[attribute.queries] *= attribute.shares(region)
        return product
