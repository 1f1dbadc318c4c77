"""Random workloads over a prepared table, for a search that shall serve queries of their kind.

Like those of ``generating.py``, but before there is a release: domains are the values that occur in the table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gensearch_db.count_queries.expressions import position_of, typed_literal, upper_of
from gensearch_db.count_queries.generating import Domain, queries_over
from gensearch_db.count_queries.reading import read_queries
from gensearch_db.count_queries.release import Kind, PublishedColumn, Release
from gensearch_db.count_queries.workload import Workload
from gensearch_db.database.rendering import Sql, qualified, statement
from gensearch_db.errors import SpecificationError
from gensearch_db.problem.workload import DrawnWorkload

if TYPE_CHECKING:
    from gensearch_db.database.prepared import PreparedTable


def draw_workload(prepared: PreparedTable, release: Release, source: DrawnWorkload) -> Workload:
    """The queries of a source. Raises :class:`SpecificationError` where they want more predicates than there are columns."""
    domains = [_domain(prepared, place, column) for place, column in enumerate(release.columns)]
    domains = [domain for domain in domains if domain.wide]
    if source.most_predicates > len(domains):
        raise SpecificationError(
            f"count_error({source.describe()}): a query can have 1 to {len(domains)} predicates on the quasi-identifiers"
        )
    sizes = range(source.least_predicates, source.most_predicates + 1)
    lines = queries_over(domains, source.queries, list(sizes), float(source.selectivity), source.seed, Sql('"t"'))
    return Workload("drawn", read_queries("\n".join(lines)))


def _domain(prepared: PreparedTable, place: int, column: PublishedColumn) -> Domain:
    if column.kind is Kind.ORDERED:
        value = Sql("value")
        ends = statement(
            "workload/interval_domain",
            blocks=qualified(prepared.value_maps[place]),
            lower=position_of(column.family, value),
            upper=upper_of(column.family, value, value),
        )
        first, last = prepared.session.row(ends)
        return Domain(column, first=first or 0, last=last or 0)
    leaves = prepared.space.attributes[place].leaves
    found = prepared.session.rows(statement("workload/leaf_values", leaves=prepared.leaf_tables[place]))
    return Domain(column, tuple(typed_literal(text, column.type) for code, text in found if leaves[code].occurs))
