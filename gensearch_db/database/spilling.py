"""A directory of our own for DuckDB to spill to, where the user has set none."""

from __future__ import annotations

import atexit
import tempfile
from shutil import rmtree
from typing import TYPE_CHECKING

from gensearch_db.database.rendering import statement
from gensearch_db.errors import GensearchError

if TYPE_CHECKING:
    from gensearch_db.database.session import Session


class SpillDirectory:
    """A private directory that a database spills to from :meth:`give` to :meth:`take`; nothing where the user set one.

    DuckDB lets nobody change a directory once it has spilled. It has then moved there whatever it could spare, tables in
    memory and other connections' results included, so that the directory must stay as long as the database is open. When
    that ends cannot be told (connections share a database); so it stays until Python ends, and later sessions find it set.
    """

    def __init__(self) -> None:
        self._path: str | None = None

    def give(self, session: Session) -> None:
        """Make the directory and set it. A locked configuration refuses: statements then fail clearly where memory ends."""
        if session.value(statement("session/spill_directory")):
            return
        self._path = tempfile.mkdtemp(prefix="gensearch_")
        try:
            session.execute(statement("session/set_spill_directory"), {"directory": self._path})
        except GensearchError:
            rmtree(self._path, ignore_errors=True)
            self._path = None

    def take(self, session: Session) -> None:
        """Forget the directory and remove it, unless DuckDB uses it."""
        if self._path is None:
            return
        path, self._path = self._path, None
        try:
            session.insist(statement("session/reset_spill_directory"))
        except BaseException as error:
            atexit.register(rmtree, path, ignore_errors=True)
            if not isinstance(error, GensearchError):
                raise
        else:
            rmtree(path, ignore_errors=True)
