"""From a problem to what a search needs: names resolved, values mapped to leaf codes, cells counted.

``prepare`` makes the only pass over the rows before a release is written. What it leaves in the database are temporary tables
with names of our own, dropped by :meth:`PreparedTable.close`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from gensearch_db.database.rendering import Sql
from gensearch_db.database.session import Session, TableName
from gensearch_db.database.source import Source
from gensearch_db.domain.attribute import Space
from gensearch_db.domain.cells import Cells, Table
from gensearch_db.problem.problem import Problem


@dataclass(frozen=True, eq=False)
class PreparedTable:
    """A source table made ready for a search, and for the release that follows it.

    ``source`` is what to read (``source.relation`` stands after FROM; ``source.columns``), ``target`` where the release goes.
    ``space``, ``cells`` and ``table`` are the search's view. In the order of the quasi-identifiers: ``quasi_identifiers``
    (columns in the source's spelling, with type), ``value_maps`` (temporary tables ``value``, ``code``) and ``leaf_tables``
    (temporary tables ``code INTEGER``, ``lower``, ``upper`` in the column's type, ``label VARCHAR``). ``cells_table`` is the
    temporary table ``cell BIGINT, code_0 … code_<d-1> INTEGER, row_count BIGINT``.

    ``row_cells`` is a relation to put after FROM: every source row once, all source columns, and its cell number as
    ``cell_column`` (BIGINT; NULL for a row that was not there when the cells were counted: the source has changed).
    """

    session: Session
    problem: Problem
    source: Source
    target: TableName
    space: Space
    cells: Cells
    table: Table
    quasi_identifiers: tuple[tuple[str, str], ...]
    value_maps: tuple[TableName, ...]
    leaf_tables: tuple[TableName, ...]
    cells_table: TableName
    row_cells: Sql
    cell_column: str
    temporary_tables: list[TableName] = field(default_factory=list)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Drop the temporary tables. May be called twice."""
        drop_tables(self.session, self.temporary_tables)


def drop_tables(session: Session, tables: list[TableName]) -> None:
    """Drop temporary tables and empty the list."""
    from gensearch_db.database.rendering import statement

    while tables:
        session.execute(statement("drop_temporary_table", table=tables.pop()))
