"""Databases as callers name them: a file, an open connection, or a session."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from os import PathLike
from pathlib import Path

import duckdb

from gensearch_db.argument_kinds import shown
from gensearch_db.database.rendering import statement
from gensearch_db.database.session import Session, no_database, open_database
from gensearch_db.errors import GensearchError, Problems, SpecificationError, reason

Database = str | Path | duckdb.DuckDBPyConnection | Session
"""A DuckDB file, or an open connection to one."""


@contextmanager
def session_for(database: Database, *, read_only: bool = False, create: bool = False) -> Iterator[Session]:
    """A session on a file, opened for this and closed afterwards, or on a connection, which stays open.

    With ``create`` a file that does not exist yet is made, and removed again if an error leaves it empty; one about a missing
    table then says that the file is missing. Raises :class:`SpecificationError` where it does not exist otherwise.
    """
    if isinstance(database, Session):
        yield database
        return
    database = getattr(database, "engine", database)  # a connection of gensearch_db.connect stands for DuckDB's own
    if isinstance(database, duckdb.DuckDBPyConnection):
        with Session(database) as session:
            yield session
        return
    path = database_path(database)
    in_memory = str(path) == ":memory:"
    is_new = not in_memory and not path.exists()
    if is_new and not create:
        raise SpecificationError(f"database file '{path}' does not exist")
    if is_new and not path.absolute().parent.is_dir():
        raise SpecificationError(f"database file '{path}' cannot be made: the folder '{path.parent}' does not exist")
    with (
        open_database(path, read_only=read_only and not in_memory) as opened,
        made_in_vain(opened, path) if is_new else nullcontext(),
    ):
        if not in_memory and not opened.rows(statement("statements/publish_open_files")):
            raise SpecificationError(no_database(path))
        yield opened


def database_path(database: object) -> Path:
    """The path of a file. Raises :class:`SpecificationError` for what is none.

    DuckDB takes ``""`` for a database in memory, and what stands before a NUL for the path; it reads names as UTF-8 only.
    """
    given = os.fspath(database) if isinstance(database, PathLike) else database
    if not isinstance(given, str) or not given or "\0" in given:
        raise SpecificationError(f"a database is a path of a DuckDB file or an open connection, not {shown(database)}")
    path = Path(given)
    try:
        given.encode()
        path.exists()
    except UnicodeEncodeError as error:
        raise SpecificationError(f"'{given}' cannot be the path of a database: DuckDB opens names in UTF-8 only") from error
    except OSError as error:
        raise SpecificationError(f"'{given}' cannot be the path of a database: {reason(error)}") from error
    return path


@contextmanager
def made_in_vain(session: Session, path: Path) -> Iterator[None]:
    """Inside, an error that leaves a new file empty removes it; one about a missing table says that the file was missing.

    It is removed while it is still open and locked, unless another process made it first and has put something there.
    """
    try:
        yield
    except BaseException as error:
        if session.committed or not _removed_if_empty(session, path):
            raise
        if not (isinstance(error, GensearchError) and _MISSING_TABLE.search(str(error))):
            raise
        problems = Problems(type(error))
        problems.add(f"database file '{path}' does not exist: is its name misspelt? It would be a new one, without any table")
        problems.absorb(error)
        raise problems.together() from error


_MISSING_TABLE = re.compile(r"\btable\b.* does not exist", re.IGNORECASE)
"""In our words and in DuckDB's."""


def _removed_if_empty(session: Session, path: Path) -> bool:
    with suppress(GensearchError, OSError):
        for name, file in session.rows(statement("statements/publish_open_files")):  # a script may have detached it
            if os.path.samefile(file, path) and session.value(statement("session/objects"), {"database": name}) == 0:
                path.unlink()
                return True
    return False
