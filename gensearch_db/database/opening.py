"""Databases as callers name them: a file, an open connection, or a session."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path

import duckdb

from gensearch_db.argument_kinds import shown
from gensearch_db.database.rendering import statement
from gensearch_db.database.session import Session, open_database
from gensearch_db.errors import GensearchError, SpecificationError

Database = str | Path | duckdb.DuckDBPyConnection | Session
"""A DuckDB file, or an open connection to one."""


@contextmanager
def session_for(database: Database, *, read_only: bool = False, create: bool = False) -> Iterator[Session]:
    """A session on a file, opened for this and closed afterwards, or on a connection, which stays open.

    With ``create`` a file that does not exist yet is made, and removed again if an error leaves it empty.
    Raises :class:`SpecificationError` where it does not exist otherwise.
    """
    if isinstance(database, Session):
        yield database
        return
    database = getattr(database, "engine", database)  # a connection of gensearch_db.connect stands for DuckDB's own
    if isinstance(database, duckdb.DuckDBPyConnection):
        with Session(database) as session:
            yield session
        return
    if not isinstance(database, str | PathLike):
        raise SpecificationError(f"a database is a path of a DuckDB file or an open connection, not {shown(database)}")
    in_memory = str(database) == ":memory:"
    path = Path(database)
    is_new = not in_memory and not path.exists()
    if is_new and not create:
        raise SpecificationError(f"database file '{path}' does not exist")
    if is_new and not path.absolute().parent.is_dir():
        raise SpecificationError(f"database file '{path}' cannot be made: the folder '{path.parent}' does not exist")
    with open_database(database, read_only=read_only and not in_memory) as opened:
        try:
            yield opened
        except BaseException:
            if is_new and not opened.committed:
                _remove_if_empty(opened, path)
            raise


def _remove_if_empty(session: Session, path: Path) -> None:
    """Remove a file while it is still open and locked, unless another process made it first and has put something there."""
    with suppress(GensearchError):
        if session.value(statement("session/objects")) == 0:
            path.unlink(missing_ok=True)
