"""Error of count queries: how far the estimates that a release will give are from the truth, block by block (THEORY 4).

For each query of a workload and each block: |rows of the block that satisfy the query - rows * share of the block's region that
it covers|, summed. By the triangle inequality the sum over blocks bounds the error of the query's estimate on the release. NOT
monotone: a block that is even as a whole may have halves that are not.

Empty space around a block's rows can make the error smaller by chance, so a block is measured on the smallest region around its
rows, as it is published; only where minimum lengths forbid to shrink regions it is measured on its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gensearch_db.cost.cost import CompiledCost, Cost
from gensearch_db.domain.cells import BlockStatistics, Table
from gensearch_db.domain.coverage import AttributeCoverage, WorkloadCoverage
from gensearch_db.domain.region import Block, LeafSet, Region
from gensearch_db.problem.arguments import bind
from gensearch_db.problem.calls import Call
from gensearch_db.problem.workload import USAGE, WorkloadSource, workload_source

KIND = 12

LISTS, BOUNDS, BOUNDS_OF_VALUES = 0, 1, 2
"""How an attribute is published: as lists of values, or by the bounds of its region or of the values that occur in a block."""


@dataclass(frozen=True)
class CountError(Cost):
    """``count_error('queries.sql')``: the sum over queries of |true count - estimate|, in rows, block by block.

    ``error = relative`` divides each query's error by its true count (at least 1). The workload must have been laid over the
    table: ``Table.workloads`` and ``Cells.classes`` have an entry under :meth:`describe`.
    """

    name: ClassVar[str] = "count_error"
    needs_cells: ClassVar[bool] = True
    integral: ClassVar[bool] = False
    """Estimates are fractions."""
    monotone: ClassVar[bool] = False
    """Not: see the module's text."""
    source: WorkloadSource
    relative: bool = False

    @classmethod
    def from_call(cls, call: Call) -> Self:
        """``count_error('queries.sql', error = relative)``, or parameters of a workload to draw."""
        arguments = bind(call, numbers=("queries", "selectivity", "seed"), names=("file", "predicates", "error"), usage=USAGE)
        relative = arguments.choice("error", ("absolute", "relative"), "absolute") == "relative"
        return cls(workload_source(arguments), relative)

    @property
    def workloads(self) -> tuple[CountError, ...]:
        """Itself."""
        return (self,)

    def describe(self) -> str:
        """``count_error('queries.sql')``."""
        return f"{self.name}({self.source.describe()}{', error = relative' if self.relative else ''})"

    def coverage(self, table: Table) -> WorkloadCoverage:
        """What the queries cover of the table's leaf values."""
        return table.workloads[self.describe()]

    def of_block(self, statistics: BlockStatistics, block: Block, table: Table) -> float:
        """The weighted sum over queries of |rows that satisfy it - rows * share|."""
        coverage = self.coverage(table)
        truth = np.array(statistics.classes[self.describe()], dtype=np.float64)
        shares = coverage.shares(_shrunk(block, statistics, table, coverage))
        return float((coverage.weights * np.abs(truth - statistics.rows * shares)).sum())

    def suppression_charge(self, table: Table) -> float:
        """All weights together: a block of n rows errs by at most n in each query."""
        return float(self.coverage(table).weights.sum())

    def compiled(self, table: Table) -> tuple[CompiledCost, ...] | None:
        """The histogram row of true counts, and the coverage as one row of numbers (:func:`packed`)."""
        position = list(table.classes).index(self.describe())
        return (CompiledCost(KIND, column=len(table.sensitive) + position, parameters=packed(self.coverage(table))),)


def _shrunk(block: Block, statistics: BlockStatistics, table: Table, coverage: WorkloadCoverage) -> Block:
    """The smallest region around a block's rows, where no minimum length forbids it: what is published of the block."""
    attributes = table.space.attributes
    if statistics.marginals is None or any(attribute.minimum_length > 0 for attribute in attributes):
        return block
    regions: list[Region] = []
    for attribute, region, rows, covered in zip(attributes, block, statistics.marginals, coverage.attributes, strict=True):
        occurring = [code for code, count in enumerate(rows) if count]
        tight = attribute.tight(occurring)
        regions.append(tight if len(list(tight.codes())) < len(list(region.codes())) else region)
        if coverage.values_labels and covered is not None and covered.spans is not None and covered.missing in occurring[1:]:
            regions[-1] = LeafSet(sum(1 << code for code in (*range(occurring[0], occurring[-2] + 1), occurring[-1])))
    return tuple(regions)


def packed(coverage: WorkloadCoverage) -> NDArray[np.float64]:
    """The numbers that the compiled formula reads: the number of queries, their weights; then for each attribute the number of
    its queries (0: no condition), and if there are some: its leaves, its missing leaf (-1: none), how it is published
    (``LISTS``, ``BOUNDS`` or ``BOUNDS_OF_VALUES``), its queries, the sums before each leaf of measures and of covered measures
    (with bounds: of spans), and with bounds the other matrices of :class:`AttributeCoverage`, one after another."""
    parts: list[NDArray[np.float64]] = [np.array([coverage.query_count], np.float64), coverage.weights]
    for attribute in coverage.attributes:
        parts += [np.zeros(1)] if attribute is None else _packed_attribute(attribute, coverage.values_labels)
    return np.concatenate(parts)


def _packed_attribute(attribute: AttributeCoverage, values_labels: bool) -> list[NDArray[np.float64]]:
    published = LISTS if attribute.spans is None else BOUNDS_OF_VALUES if values_labels else BOUNDS
    missing = -1 if attribute.missing is None else attribute.missing
    head = np.array([len(attribute.queries), len(attribute.measures), missing, published], np.float64)
    measures = attribute.measures if attribute.spans is None else attribute.spans
    covered = attribute.covered if attribute.covered_spans is None else attribute.covered_spans
    parts = [head, attribute.queries.astype(np.float64), _before(measures[:, None]).ravel(), _before(covered).ravel()]
    if attribute.alone is not None and attribute.beside_missing is not None:
        matrices = (attribute.measures, attribute.covered, attribute.alone, attribute.beside_missing)
        parts += [np.ascontiguousarray(matrix).ravel() for matrix in matrices]
    return parts


def _before(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sums of the rows before each leaf, and of all."""
    return np.concatenate([np.zeros((1, rows.shape[1])), np.cumsum(rows, axis=0)])
