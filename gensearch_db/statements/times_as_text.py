"""Queries with dates, times and intervals in their results, run so that nothing of these is lost.

Python's ``timedelta`` has no months, its ``datetime`` no nanoseconds, and an infinite date comes out as 9999-12-31.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gensearch_db.database.rendering import statement
from gensearch_db.database.type_names import rewritten

if TYPE_CHECKING:
    import duckdb

_TIMES = ("DATE", "TIME", "INTERVAL")
"""How the names of all these types begin."""


def times_as_text(engine: duckdb.DuckDBPyConnection, query: duckdb.Statement) -> duckdb.DuckDBPyRelation | None:
    """The query's result with times as DuckDB prints them (``1 month 2 days``); it runs once its rows are fetched.

    None for what has no times, is no query, or cannot be read: that is for DuckDB to run as it stands.
    """
    import duckdb

    if query.type is not duckdb.StatementType.SELECT:
        return None
    try:
        relation = engine.sql(query)
    except duckdb.Error:
        return None
    kinds = [_as_text(str(kind)) for kind in relation.types] if relation is not None else []
    if not any(kinds):
        return None
    columns = statement("statements/times_as_text", columns=list(zip(relation.columns, kinds, strict=True)))
    return relation.project(str(columns))  # a subclass of str would be taken for the name of a column


def _as_text(type_: str) -> str | None:
    """The type with VARCHAR in place of times, at any depth; None where it has none."""
    result = rewritten(type_, lambda simple: "VARCHAR" if simple.startswith(_TIMES) else simple)
    return result if result != type_ else None
