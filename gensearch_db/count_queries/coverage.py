"""A workload laid over a prepared table: how much of each leaf value every query covers, how many rows of each cell satisfy it.

Only conjunctions of conditions on single quasi-identifiers have this form: a block's share of a query is then the product
over attributes of the shares of its regions (:mod:`gensearch_db.domain.coverage`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gensearch_db.count_queries.diagram import Branch, DiagramBuilder, Region
from gensearch_db.count_queries.drawing import draw_workload
from gensearch_db.count_queries.expressions import known, open_ends, position_of, upper_of
from gensearch_db.count_queries.formula import AllOf, Formula, Holds, Known, Test
from gensearch_db.count_queries.model import CountQuery
from gensearch_db.count_queries.release import Family, Kind, PublishedColumn, Release, family_of
from gensearch_db.count_queries.resolving import resolve
from gensearch_db.count_queries.segments import Segments
from gensearch_db.count_queries.shares import Shares
from gensearch_db.count_queries.true_counts import AttributeTruth, rows_satisfying, truth_of_values
from gensearch_db.count_queries.workload import Workload, read_workload
from gensearch_db.database.dictionary import QuasiIdentifierColumns, ReleaseDictionary
from gensearch_db.database.labels import PublishedAttribute, missing_code, published_region, publishes_bounds
from gensearch_db.database.prepared import drop_tables
from gensearch_db.database.region_tables import write_regions
from gensearch_db.database.release_plan import specification
from gensearch_db.database.rendering import Sql, statement
from gensearch_db.database.session import TableName
from gensearch_db.domain.coverage import AttributeCoverage, WorkloadCoverage
from gensearch_db.domain.workloads import with_workload
from gensearch_db.errors import DataError, QueryError, near_matches, sentence
from gensearch_db.problem.problem import Labels
from gensearch_db.problem.workload import DrawnWorkload, WorkloadSource
from gensearch_db.tokens import error_at

if TYPE_CHECKING:
    from gensearch_db.cost.count_error import CountError
    from gensearch_db.database.prepared import PreparedTable

QUERIES_AT_ONCE = 100
"""Conditions of one statement."""

Conditions = dict[int, list[tuple[int, Region]]]
"""By the number of a column: the queries with a condition on it, ascending, and what satisfies it."""


class PreparedRelease(Release):
    """A prepared table seen as a release whose columns are its leaf tables."""

    def find(self, name: str) -> PublishedColumn | str:
        """The quasi-identifier of this name (case does not matter), or the reason why no query can use it."""
        for column in self.columns:
            if column.name.casefold() == name.casefold():
                return column
        return f"column '{name}' is not a quasi-identifier{near_matches(name, [column.name for column in self.columns])}"


def named_workloads(costs: Sequence[CountError]) -> dict[WorkloadSource, Workload]:
    """The workloads that costs name and that can be read without the table. Raises what :func:`read_workload` raises."""
    return {cost.source: read_workload(cost.source.source) for cost in costs if not isinstance(cost.source, DrawnWorkload)}


def with_workloads(
    prepared: PreparedTable, costs: Sequence[CountError], named: dict[WorkloadSource, Workload]
) -> PreparedTable:
    """The table with the workload of each cost laid over it; ``named`` comes from :func:`named_workloads`.

    Each query must be one COUNT without GROUP BY whose condition is a conjunction of conditions on single
    quasi-identifiers; any other raises :class:`QueryError` with its place.
    """
    for cost in costs:
        source = cost.source
        release = _as_release(prepared)
        workload = draw_workload(prepared, release, source) if isinstance(source, DrawnWorkload) else named[source]
        try:
            prepared = _with_workload(prepared, release, cost, workload)
        except QueryError as error:
            raise QueryError(f"workload '{workload.name}': {error}") from error
    return prepared


def _with_workload(prepared: PreparedTable, release: Release, cost: CountError, workload: Workload) -> PreparedTable:
    from gensearch_db.database.block_statistics import add_histograms

    conditions = _conditions(release, workload)
    coverage = _coverage(prepared, release, conditions, len(workload.queries))
    truths = [
        _truth(prepared, place, release.columns[place], conditions.get(place, []), attribute)
        for place, attribute in enumerate(coverage.attributes)
    ]
    satisfied = rows_satisfying(prepared, truths, len(workload.queries))
    if cost.relative:
        totals = np.array([max(1, int(satisfied[query][1].sum())) for query in range(len(workload.queries))])
        coverage = replace(coverage, weights=1.0 / totals)
    cells, table = with_workload(prepared.cells, prepared.table, cost.describe(), coverage, satisfied)
    return add_histograms(replace(prepared, cells=cells, table=table), cost.describe())


def count_error(prepared: PreparedTable, workload: Workload) -> WorkloadCoverage:
    """The coverage of a workload over a prepared table. Raises as :func:`with_workloads`."""
    release = _as_release(prepared)
    return _coverage(prepared, release, _conditions(release, workload), len(workload.queries))


def _as_release(prepared: PreparedTable) -> Release:
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
    return PreparedRelease(prepared.session, prepared.target, dictionary, bounds)


def _conditions(release: Release, workload: Workload) -> Conditions:
    found: Conditions = {}
    for number, (query, resolved) in enumerate(zip(workload.queries, resolve(release, workload.queries), strict=True)):
        if query.groups or len(resolved.counts) != 1:
            message = "a search can minimise the error of single counts only: no GROUP BY, one COUNT"
            raise error_at(query.script, query.place.start, query.place.end, message)
        for column, region in _single_conditions(release, query, resolved.counts[0].formula).items():
            found.setdefault(column, []).append((number, region))
    return found


def _single_conditions(release: Release, query: CountQuery, formula: Formula) -> dict[int, Region]:
    """For each column with a condition, the class of values that satisfies it; where nothing can, none on the first column."""
    if formula is False:
        return {0: _no_values(release.columns[0])}
    parts = formula.parts if isinstance(formula, AllOf) else () if formula is True else (formula,)
    regions: dict[int, Region] = {}
    for part in parts:
        if not isinstance(part, Test):
            message = "a search can minimise the error of conjunctions only: AND of conditions on single columns"
            raise error_at(query.script, query.place.start, query.place.end, message)
        node = DiagramBuilder(part, release.columns, lambda *_: []).build()
        assert isinstance(node, Branch)
        satisfying = (region for region, rest in node.classes if rest is True)
        regions[part.column] = next(satisfying, None) or _no_values(release.columns[part.column])
    return regions


def _no_values(column: PublishedColumn) -> Region:
    """The class that holds no value of a column."""
    if column.kind is Kind.ORDERED:
        return Segments((), missing=False, reach=None)
    return Holds(Known(), value=False)


def _coverage(prepared: PreparedTable, release: Release, conditions: Conditions, queries: int) -> WorkloadCoverage:
    attributes = tuple(
        _attribute(prepared, place, column, conditions[place]) if place in conditions else None
        for place, column in enumerate(release.columns)
    )
    return WorkloadCoverage(attributes, np.ones(queries), values_labels=prepared.problem.labels is Labels.VALUES)


def _attribute(
    prepared: PreparedTable, place: int, column: PublishedColumn, conditions: Sequence[tuple[int, Region]]
) -> AttributeCoverage:
    def matrices(view: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The measure of each region and the share of it that satisfies each condition."""
        _, measures, shares = _view(prepared, place, column, [region for _, region in conditions], view)
        return measures, shares

    numbers = np.array([query for query, _ in conditions], dtype=np.int64)
    measures, shares = matrices("leaves")
    covered = shares * measures[:, None]
    missing = missing_code(prepared.space.attributes[place])
    if column.kind is not Kind.ORDERED:
        return AttributeCoverage(numbers, measures, covered, missing)
    spans, span_shares = matrices("spans")
    _, alone = matrices("alone")
    beside = matrices("beside")[1] if missing is not None else alone
    return AttributeCoverage(numbers, measures, covered, missing, spans, span_shares * spans[:, None], alone, beside)


def _truth(
    prepared: PreparedTable,
    place: int,
    column: PublishedColumn,
    conditions: Sequence[tuple[int, Region]],
    coverage: AttributeCoverage | None,
) -> AttributeTruth | None:
    """Which queries the values of an attribute satisfy; None where no query has a condition on it."""
    if coverage is None:
        return None
    if column.kind is not Kind.ORDERED:
        return AttributeTruth(coverage.queries, coverage.covered > 0)
    regions = [region for _, region in conditions]
    chunks = [regions[first : first + QUERIES_AT_ONCE] for first in range(0, len(regions), QUERIES_AT_ONCE)]
    codes: NDArray[np.int64] = np.zeros(0, np.int64)
    columns: list[NDArray[np.bool_]] = []
    for chunk in chunks:
        codes, _, shares = _view(prepared, place, column, chunk, "values")
        columns.append(shares > 0)
    return truth_of_values(coverage.queries, codes, np.concatenate(columns, axis=1), len(coverage.measures))


def _view(
    prepared: PreparedTable, place: int, column: PublishedColumn, regions: Sequence[Region], view: str
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Codes, measures and, by condition, covered shares of the ``leaves`` of an attribute, of ``spans`` from each leaf to the
    next, of leaves published ``alone`` or ``beside`` the missing value, or of all ``values``."""
    shares = Shares(column)
    names = [str(shares.share(region)) for region in regions]
    temporary: list[TableName] = []
    try:
        found = prepared.session.columns(_statement(prepared, place, column, shares, view, temporary))
    except DataError as error:
        raise QueryError(
            f"values of column '{column.name}' ({column.type}) cannot be measured, as the conditions on it ask:"
            f" {sentence(str(error))}"
            " Leave it out of the workload, or make a narrower number of it in a view"
        ) from error
    finally:
        drop_tables(prepared.session, temporary)
    table = np.column_stack([np.asarray(found[name], dtype=np.float64) for name in names])
    return np.asarray(found["code"], dtype=np.int64), np.asarray(found["measure"], dtype=np.float64), table


def _statement(
    prepared: PreparedTable, place: int, column: PublishedColumn, shares: Shares, view: str, temporary: list[TableName]
) -> Sql:
    family = family_of(column.type)
    measure = Sql("CAST(1 AS DOUBLE)")
    if column.kind is Kind.ORDERED:
        lone = 0 if family is Family.FLOAT else 1
        measure = Sql(
            f"CASE WHEN missing = 'only' THEN CAST({lone} AS DOUBLE) ELSE coalesce(CAST(last - first AS DOUBLE), 1) END"
        )
    lower, upper = Sql("lower"), Sql("upper")
    return statement(
        "workload/leaf_coverage",
        regions=_regions(prepared, place, view, temporary),
        grid=prepared.leaf_tables[place],
        kind=column.kind.value,
        measure=measure,
        shares=shares.expressions(),
        **open_ends(family),
        lower=position_of(family, lower),
        upper=upper_of(family, lower, upper),
        value=known(family, lower),
        spans=view == "spans",
    )


def _regions(prepared: PreparedTable, place: int, view: str, temporary: list[TableName]) -> Sql:
    """The regions of a view as a relation; what has to be made for it goes into ``temporary``."""
    leaves, missing = prepared.leaf_tables[place], missing_code(prepared.space.attributes[place])
    if view in ("alone", "beside"):
        temporary.append(prepared.session.temporary_table("lone_regions"))
        _write_lone_regions(prepared, place, temporary[-1], beside=view == "beside")
        return statement("workload/lone_regions", regions=temporary[-1])
    ends = ("value", "value") if view == "values" else ("lower", "upper")
    return statement(
        "workload/leaf_regions",
        leaves=prepared.value_maps[place] if view == "values" else leaves,
        lower=ends[0],
        upper=ends[1],
        missing=-1 if missing is None else missing,
    )


def _write_lone_regions(prepared: PreparedTable, place: int, table: TableName, *, beside: bool) -> None:
    """Make a table of what a release prints of each leaf on its own, or ``beside`` the missing value, by code."""
    attribute, (name, type_name) = prepared.space.attributes[place], prepared.quasi_identifiers[place]
    missing = missing_code(attribute)
    codes = [(code, missing) if beside and missing not in (None, code) else (code,) for code in range(attribute.leaf_count)]
    regions = tuple(published_region(attribute, each) for each in codes)
    zone = specification(prepared.problem, name).timezone
    published = PublishedAttribute(attribute, regions, ())
    write_regions(prepared.session, published, type_name, prepared.leaf_tables[place], table, zone)
