"""Queries with intervals in their results, run so that nothing of these is lost: Python's ``timedelta`` has no months."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gensearch_db.database.rendering import statement
from gensearch_db.statements.reader import written_name

if TYPE_CHECKING:
    import duckdb


def intervals_as_text(engine: duckdb.DuckDBPyConnection, query: duckdb.Statement) -> duckdb.DuckDBPyRelation | None:
    """The query's result with intervals as DuckDB prints them (``1 month 2 days``); it runs once its rows are fetched.

    None for what has no intervals, is no query, or cannot be read: that is for DuckDB to run as it stands.
    """
    import duckdb

    if query.type is not duckdb.StatementType.SELECT:
        return None
    try:
        relation = engine.sql(query)
    except duckdb.Error:
        return None
    if relation is None or not any("INTERVAL" in str(kind) for kind in relation.types):
        return None
    names = relation.columns
    kinds = [_as_text(kind) if "INTERVAL" in str(kind) else None for kind in relation.types]
    columns = statement("statements/intervals_as_text", columns=list(zip(names, kinds, strict=True)))
    return relation.project(str(columns))  # a subclass of str would be taken for the name of a column


def _as_text(kind: Any) -> str:
    """A type with VARCHAR in place of INTERVAL, at any depth."""
    if kind.id == "interval":
        return "VARCHAR"
    if kind.id == "list":
        return f"{_as_text(dict(kind.children)['child'])}[]"
    if kind.id == "array":
        parts = dict(kind.children)
        return f"{_as_text(parts['child'])}[{parts['size']}]"
    if kind.id == "map":
        return f"MAP({', '.join(_as_text(part) for _, part in kind.children)})"
    if kind.id == "struct":
        return f"STRUCT({', '.join(f'{written_name(name)} {_as_text(part)}' for name, part in kind.children)})"
    return str(kind)
