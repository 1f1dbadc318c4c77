"""Domains of sensitive and class columns: their values in order, numbered for the distributions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gensearch_db.database.attributes.categories import report_missing_entries
from gensearch_db.database.attributes.families import Family, family_of, has_order_of_meaning
from gensearch_db.database.attributes.resolve import enum_levels, read_tree
from gensearch_db.database.attributes.values import DistinctValues, distinct_values
from gensearch_db.database.rendering import Sql, statement
from gensearch_db.database.session import Session, TableName
from gensearch_db.database.source import Column, Source
from gensearch_db.domain.cells import ValueDomain
from gensearch_db.domain.taxonomy import Taxonomy
from gensearch_db.errors import Problems
from gensearch_db.problem.columns import QuasiIdentifier
from gensearch_db.problem.problem import Problem


@dataclass(frozen=True)
class ValueColumn:
    """A sensitive or class column that a constraint or cost needs.

    ``order``: the declared values in order (those that do not occur count too), or True for the column's own.
    ``taxonomy``: its leaves are then the values.
    """

    name: str
    order: tuple[str, ...] | bool | None = None
    taxonomy: str | None = None


def declared_columns(problem: Problem) -> list[ValueColumn]:
    """The sensitive columns of a problem, with what it declares of their values."""
    return [ValueColumn(name, declared.order, declared.taxonomy) for name, declared in problem.sensitive.items()]


@dataclass(frozen=True)
class MappedDomain:
    """A column's domain, and the temporary table that maps its values to codes."""

    column: Column
    domain: ValueDomain
    value_map: TableName


def value_domain(
    session: Session, source: Source, wanted: ValueColumn, problems: Problems, temporary_tables: list[TableName]
) -> MappedDomain:
    """Number the values of a column: in its own order (numbers by value, ENUM by position, text by bytes), or as declared.

    NULL, where it occurs, has the last code. Values that a declared order or taxonomy lacks are added to ``problems``.
    """
    column = source.column(wanted.name)
    family = family_of(column.type)
    values = distinct_values(session, source, column, family, QuasiIdentifier(), temporary_tables)
    taxonomy: Taxonomy | None = None
    declared: Sequence[str] | None = wanted.order if isinstance(wanted.order, tuple) else None
    if wanted.taxonomy is not None or declared is not None:
        values = _with_texts(session, values)
    if wanted.taxonomy is not None:
        tree = read_tree(session, wanted.taxonomy, values)
        taxonomy = Taxonomy.from_nested(tree.label, tree.children)
        declared = tree.leaves
        report_missing_entries(values, set(declared), f"taxonomy '{wanted.taxonomy}'", problems)
    elif declared is not None:
        report_missing_entries(values, set(declared), "the order", problems)
    elif family is Family.ENUM:
        declared = [level for level in enum_levels(session, column.type) if level in set(values.texts)]
    ordered, codes = _numbered(values, declared)
    missing = len(ordered) if values.missing_count else None
    known = (*ordered, None) if values.missing_count else ordered
    nominal = not has_order_of_meaning(column.type)
    domain = ValueDomain(column.name, known, missing, taxonomy, order_declared=bool(wanted.order), nominal=nominal)
    return MappedDomain(column, domain, _value_map(session, values, codes, missing, temporary_tables))


def _with_texts(session: Session, values: DistinctValues) -> DistinctValues:
    """The same values with their texts, as declared orders and taxonomies name them; numbers and dates have none yet."""
    if not (values.family.numeric or values.family.temporal):
        return values
    shown = statement("attributes/text", family=Sql(values.family.value))
    rows = session.rows(statement("attributes/read_values", table=values.table, shown=shown))
    return replace(values, texts=[row[0] for row in rows])


def _numbered(values: DistinctValues, declared: Sequence[str] | None) -> tuple[tuple[str | int, ...], list[int]]:
    """The values in order, and the code of each ordinal. Texts stand for themselves, other values for their ordinals: Python
    holds neither all of them (years after 9999, intervals of many) nor all of them as keys (lists)."""
    if declared is None:
        own = values.texts if values.family in (Family.TEXT, Family.ENUM, Family.BOOLEAN) else range(values.count)
        return tuple(own), list(range(values.count))
    code_of = {value: code for code, value in enumerate(declared)}
    return tuple(declared), [code_of.get(text, 0) for text in values.texts]


def _value_map(
    session: Session, values: DistinctValues, codes: Sequence[int], missing: int | None, temporary_tables: list[TableName]
) -> TableName:
    import pyarrow

    from gensearch_db.database.attributes.leaves import sql_integer

    table = session.temporary_table("value_map")
    temporary_tables.append(table)
    rows = pyarrow.table(
        {
            "ordinal": pyarrow.array(np.arange(values.count, dtype=np.int32)),
            "code": pyarrow.array(np.asarray(codes, np.int32)),
        }
    )
    with session.registered(rows) as registered:
        session.execute(
            statement(
                "attributes/value_map", value_map=table, values=values.table, codes=registered, missing=sql_integer(missing)
            )
        )
    return table
