"""The domains of sensitive columns in an audit: their values in order, as the owner declared them.

Distances depend on them. They are read anew: from the source where it is at hand, else from the release; declared orders and
taxonomies from where the owner's problem says. Where a taxonomy is gone, what needs it cannot be recomputed, and the audit says
so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from gensearch_db.database.audit.subject import Source as AuditSource
from gensearch_db.database.rendering import Sql, qualified
from gensearch_db.database.session import Session, TableName
from gensearch_db.database.source import Column, Source
from gensearch_db.database.value_domains import ValueColumn, value_domain
from gensearch_db.domain.cells import ValueDomain
from gensearch_db.errors import DataError, GensearchError, Problems, SpecificationError
from gensearch_db.privacy.constraint import Constraint


@dataclass(frozen=True)
class Domains:
    """The domains that could be read, and for the others the reason."""

    known: Mapping[str, ValueDomain]
    unknown: Mapping[str, str]


def read_domains(
    session: Session,
    release: TableName,
    types: Mapping[str, str],
    source: AuditSource | None,
    constraints: Iterable[Constraint],
    declared: Sequence[ValueColumn],
    orders: Mapping[str, tuple[str, ...]],
    temporary_tables: list[TableName],
) -> Domains:
    """The domain of each column that some constraint cannot be measured without.

    ``orders`` are those of ENUM columns, which a release holds as text; they count where the source is not at hand.
    """
    known: dict[str, ValueDomain] = {}
    unknown: dict[str, str] = {}
    by_folded = {column.name.casefold(): column for column in declared}
    wanted = dict.fromkeys(c.column for c in constraints if c.column is not None and c.audit_measure(None) is None)
    for name in wanted:
        table = _table(qualified(release), types)
        column = by_folded.get(name.casefold(), ValueColumn(name))
        wanted_order = column.order
        if source is not None and name in source.types:
            table = _table(source.relation, source.types)
        elif name in orders and column.taxonomy is None and not isinstance(column.order, tuple):
            column = replace(column, order=orders[name])
        problems = Problems(DataError)
        try:
            mapped = value_domain(session, table, column, problems, temporary_tables)
            problems.raise_if_any()
        except (SpecificationError, DataError) as error:
            unknown[name] = _reason(error)
        else:
            known[name] = replace(mapped.domain, order_declared=bool(wanted_order))
    return Domains(known, unknown)


def _table(relation: Sql, types: Mapping[str, str]) -> Source:
    return Source("the table under audit", relation, tuple(Column(name, type_) for name, type_ in types.items()), 0)


def _reason(error: GensearchError) -> str:
    """Without values of the data, which only suppressed rows may have: a report may be shown to those who get the release."""
    why = "its declared order or taxonomy does not fit the rows as they are" if isinstance(error, DataError) else error
    return f"the values of its column are not known as they were declared ({why})"
