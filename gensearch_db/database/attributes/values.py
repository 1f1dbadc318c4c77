"""The distinct values of one quasi-identifier, in order: what leaf values are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gensearch_db.database.attributes.families import Family, key_sql, position_sql
from gensearch_db.database.rendering import Sql, statement
from gensearch_db.database.session import Session, TableName
from gensearch_db.database.source import Column, Source
from gensearch_db.problem.columns import QuasiIdentifier


@dataclass(frozen=True, eq=False)
class DistinctValues:
    """The values of a column, NULL and NaN left out, numbered (``ordinal``) in the column's own order.

    ``table`` is temporary: ``ordinal``, ``value`` (the key: bytes for text), ``row_count``. ``positions``: where each value
    stands on a line (numbers, exact; see ``families.position_sql``), empty for categories. ``texts``: each value as DuckDB
    prints it, only for categories. ``counts``: rows per value; ``missing_count``: rows with NULL or NaN.
    """

    column: Column
    family: Family
    specification: QuasiIdentifier
    table: TableName
    positions: Sequence[Any]
    texts: Sequence[str]
    counts: Sequence[int]
    missing_count: int

    @property
    def count(self) -> int:
        """The number of distinct values."""
        return len(self.counts)


def distinct_values(
    session: Session,
    source: Source,
    column: Column,
    family: Family,
    specification: QuasiIdentifier,
    temporary_tables: list[TableName],
) -> DistinctValues:
    """Group the column by value and number the values; the table is added to ``temporary_tables``."""
    table = session.temporary_table("values")
    temporary_tables.append(table)
    session.execute(
        statement(
            "attributes/values",
            table=table,
            relation=source.relation,
            key=key_sql(column.name, column.type),
            family=Sql(family.value),
        )
    )
    ordered = family.numeric or family.temporal
    shown = position_sql(Sql("value"), family) if ordered else statement("attributes/text", family=Sql(family.value))
    rows = session.rows(statement("attributes/read_values", table=table, shown=shown))
    missing = session.value(statement("attributes/missing_count", table=table))
    shown_values = [row[0] for row in rows]
    return DistinctValues(
        column,
        family,
        specification,
        table,
        shown_values if ordered else (),
        () if ordered else shown_values,
        [row[1] for row in rows],
        missing or 0,
    )
