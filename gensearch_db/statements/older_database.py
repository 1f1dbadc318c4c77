"""What PUBLISH … REPLACE may overwrite where the target is a database: an older publication, never the owner's own data."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gensearch_db.database.rendering import statement
from gensearch_db.database.session import Session
from gensearch_db.errors import SpecificationError


@contextmanager
def guarded(session: Session, path: Path) -> Iterator[None]:
    """Inside, a file may take the place of what is there: nothing, an empty file, or an older publication.

    No other process can open that one for writing meanwhile. Raises :class:`SpecificationError` where it is open here, cannot
    be read as a database, or holds anything but releases and their blocks, and :class:`~gensearch_db.errors.LockError` where
    another process has it.
    """
    if not path.exists() or path.stat().st_size == 0:
        yield
        return
    for name, file in session.rows(statement("statements/publish_open_files")):
        if os.path.exists(file) and os.path.samefile(file, path):
            raise SpecificationError(f"'{path}' is the database '{name}', which is open here: choose another target")
    alias = session.temporary_name("older")
    try:
        session.execute(statement("statements/publish_attach", path=str(path), alias=alias, read_only=True))
    except SpecificationError as error:
        raise SpecificationError(
            f"'{path}' cannot be read as a database, so nobody knows what would be lost: remove it, or choose another target"
        ) from error
    try:
        strangers = [name for (name,) in session.rows(statement("statements/publish_strangers"), {"database": alias})]
        if strangers:
            raise SpecificationError(
                f"'{path}' holds what is no part of a publication ({', '.join(strangers[:3])}): choose another target"
            )
        yield
    finally:
        session.execute(statement("statements/publish_detach", alias=alias))
