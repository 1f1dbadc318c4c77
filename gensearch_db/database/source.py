"""The source: a table, view, file or query, and its columns, resolved to names that mean exactly one thing."""

from __future__ import annotations

from dataclasses import dataclass

from gensearch_db.database.rendering import Sql


@dataclass(frozen=True)
class Column:
    """A column of the source: its name in the source's own spelling, and its type as DuckDB prints it."""

    name: str
    type: str


@dataclass(frozen=True)
class Source:
    """What to read. ``relation`` is safe to put after FROM; ``name`` is for messages; ``row_count`` as counted once."""

    name: str
    relation: Sql
    columns: tuple[Column, ...]
    row_count: int

    def column(self, name: str) -> Column:
        """The column that DuckDB would take for ``name`` (the same but for upper and lower case)."""
        for column in self.columns:
            if column.name.casefold() == name.casefold():
                return column
        raise KeyError(name)
