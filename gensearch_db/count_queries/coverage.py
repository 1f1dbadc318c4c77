"""A workload in the form a search can use: how much of each leaf value every query covers.

Only conjunctions of conditions on single quasi-identifiers have this form: a block's share of a query is then the product
over attributes of (covered measure of the region) / (measure of the region), both sums over the region's leaves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gensearch_db.count_queries.diagram import Branch, DiagramBuilder, Region
from gensearch_db.count_queries.expressions import known, position_of, upper_of
from gensearch_db.count_queries.formula import AllOf, Formula, Test
from gensearch_db.count_queries.model import CountQuery
from gensearch_db.count_queries.release import Family, Kind, PublishedColumn, Release, family_of
from gensearch_db.count_queries.resolving import resolve
from gensearch_db.count_queries.shares import Shares
from gensearch_db.count_queries.workload import Workload
from gensearch_db.database.dictionary import QuasiIdentifierColumns, ReleaseDictionary
from gensearch_db.database.labels import missing_code, publishes_bounds
from gensearch_db.database.rendering import Sql, qualified, statement
from gensearch_db.domain.attribute import Attribute
from gensearch_db.tokens import error_at

if TYPE_CHECKING:
    from gensearch_db.database.prepared import PreparedTable


@dataclass(frozen=True, eq=False)
class WorkloadCoverage:
    """What the queries of a workload cover of the leaf values of each attribute, in the space's order.

    ``weights[j]``: float64, shape (queries, leaves of attribute j): the share of the leaf that satisfies the query's condition
    on the attribute, 1 where it has none. ``measures[j]``: float64, shape (leaves,): the number of values of a leaf, or its
    length where the column is floating-point; 1 for a category. With region R the block's share of query q is the product over
    j of sum(weights[j][q, R] * measures[j][R]) / sum(measures[j][R]); times the block's rows it is the estimate (THEORY 4).
    """

    weights: tuple[NDArray[np.float64], ...]
    measures: tuple[NDArray[np.float64], ...]

    def share(self, query: int, codes: tuple[tuple[int, ...], ...]) -> float:
        """The share of a block that a query covers; ``codes`` are the leaf codes of its region in each attribute."""
        product = 1.0
        for weights, measures, region in zip(self.weights, self.measures, codes, strict=True):
            leaves = list(region)
            whole = measures[leaves].sum()
            covered = (weights[query, leaves] * measures[leaves]).sum()
            product *= covered / whole if whole > 0 else weights[query, leaves].mean()
        return float(product)


def count_error(prepared: PreparedTable, workload: Workload) -> WorkloadCoverage:
    """The coverage of a workload over a prepared table, for a search that minimises the error of its counts.

    Each query must be one COUNT without GROUP BY whose condition is a conjunction of conditions on single
    quasi-identifiers; any other raises :class:`QueryError` with its place.
    """
    release = _as_release(prepared)
    conditions = [_single_conditions(release, query, entry) for query, entry in _formulas(release, workload)]
    weights: list[NDArray[np.float64]] = []
    measures: list[NDArray[np.float64]] = []
    for place, column in enumerate(release.columns):
        shares = Shares(column)
        names = [str(shares.share(one[column.number])) if column.number in one else None for one in conditions]
        found = prepared.session.columns(_statement(prepared, place, column, shares))
        measure = np.asarray(found["measure"], dtype=np.float64)
        table = np.ones((len(names), len(measure)))
        for row, name in enumerate(names):
            if name is not None:
                table[row] = np.asarray(found[name], dtype=np.float64)
        weights.append(table)
        measures.append(measure)
    return WorkloadCoverage(tuple(weights), tuple(measures))


def _as_release(prepared: PreparedTable) -> Release:
    """The table seen as a release whose columns are its leaf tables."""
    entries: list[QuasiIdentifierColumns] = []
    bounds: dict[str, int] = {}
    for attribute, (name, type_name) in zip(prepared.space.attributes, prepared.quasi_identifiers, strict=True):
        ordered = publishes_bounds(attribute)
        kind: Any = "ordered" if ordered else "categorical"
        missing = "missing" if ordered and missing_code(attribute) is not None else None
        entries.append(QuasiIdentifierColumns(name=name, kind=kind, type=type_name, label=name, missing=missing))
        if ordered:
            places = {end for leaf in attribute.leaves for end in (leaf.lower, leaf.upper) if end is not None}
            bounds[name] = len(places)
    dictionary = ReleaseDictionary(
        release=prepared.target[-1], rows=prepared.cells.row_count, count="count", quasi_identifiers=tuple(entries)
    )
    return Release(prepared.session, prepared.target, dictionary, bounds)


def _formulas(release: Release, workload: Workload) -> list[tuple[CountQuery, Formula]]:
    found: list[tuple[CountQuery, Formula]] = []
    for query, resolved in zip(workload.queries, resolve(release, workload.queries), strict=True):
        if query.groups or len(resolved.counts) != 1:
            message = "a search can minimise the error of single counts only: no GROUP BY, one COUNT"
            raise error_at(query.script, query.place.start, query.place.end, message)
        found.append((query, resolved.counts[0].formula))
    return found


def _single_conditions(release: Release, query: CountQuery, formula: Formula) -> dict[int, Region]:
    """For each column with a condition, the class of values that satisfies it."""
    parts = formula.parts if isinstance(formula, AllOf) else () if formula is True else (formula,)
    regions: dict[int, Region] = {}
    for part in parts:
        if not isinstance(part, Test):
            message = "a search can minimise the error of conjunctions only: AND of conditions on single columns"
            raise error_at(query.script, query.place.start, query.place.end, message)
        node = DiagramBuilder(part, release.columns, lambda *_: []).build()
        assert isinstance(node, Branch)
        regions[part.column] = next(region for region, rest in node.classes if rest is True)
    return regions


def _statement(prepared: PreparedTable, place: int, column: PublishedColumn, shares: Shares) -> Sql:
    attribute: Attribute = prepared.space.attributes[place]
    family = family_of(column.type)
    missing = missing_code(attribute)
    measure = Sql("CAST(1 AS DOUBLE)")
    if column.kind is Kind.ORDERED:
        lone = 0 if family is Family.FLOAT else 1
        measure = Sql(
            f"CASE WHEN missing = 'only' THEN CAST({lone} AS DOUBLE) ELSE coalesce(CAST(last - first AS DOUBLE), 1) END"
        )
    return statement(
        "workload/leaf_coverage",
        leaves=qualified(prepared.leaf_tables[place]),
        kind=column.kind.value,
        missing=-1 if missing is None else missing,
        measure=measure,
        shares=shares.expressions(),
        lower=position_of(family, Sql("lower")),
        upper=upper_of(family, Sql("lower"), Sql("upper")),
        value=known(family, Sql("lower")),
    )
