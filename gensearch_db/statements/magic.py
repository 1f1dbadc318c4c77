"""The notebook magics: ``%gensearch people.duckdb`` chooses a database, ``%%gensearch`` runs a cell and gives a DataFrame."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import duckdb
from IPython.core.magic import Magics, line_cell_magic, magics_class

from gensearch_db.errors import SpecificationError
from gensearch_db.statements.connection import Connection, connect

if TYPE_CHECKING:
    import pandas


@magics_class
class GensearchMagics(Magics):
    """``%gensearch`` and ``%%gensearch``. Without a database named before, a database in memory is used."""

    def __init__(self, shell: Any) -> None:
        super().__init__(shell)
        self.connection: Connection | None = None
        self.variables: dict[str, Any] = shell.user_ns

    @line_cell_magic
    def gensearch(self, line: str, cell: str | None = None) -> pandas.DataFrame | None:
        """Choose a database, or run a cell.

        ``%gensearch people.duckdb`` opens a file, ``%gensearch connection`` uses a connection of the notebook.
        ``%%gensearch`` runs the cell and gives its last statement's rows; ``%%gensearch name`` also keeps them as a variable.
        """
        words = line.split()
        if cell is None:
            self._choose(line.strip())
            return None
        if len(words) > 1 or (words and not words[0].isidentifier()):
            raise SpecificationError(f"'%%gensearch {line}': at most one name, a variable, goes after %%gensearch")
        if self.connection is None:
            self.connection = connect()
        # The frame of this call has the notebook's variables as its globals, so that FROM df finds them before ours.
        relation = eval("_gensearch_run()", self.variables, {"_gensearch_run": partial(self.connection.sql, cell)})
        frame = None if relation is None else relation.df()
        if words:
            self.variables[words[0]] = frame
        return frame

    def _choose(self, database: str) -> None:
        if not database:
            raise SpecificationError("'%gensearch' needs a DuckDB file or the name of a connection")
        named = self.variables.get(database)
        if isinstance(named, Connection):
            self.connection = named
        elif isinstance(named, duckdb.DuckDBPyConnection):
            self.connection = Connection(named)
        else:
            self.connection = connect(database.strip("'\""))
