"""What PUBLISH … REPLACE may overwrite where the target is a database: an older publication, never the owner's own data."""

from __future__ import annotations

import os
from pathlib import Path

from gensearch_db.database.rendering import statement
from gensearch_db.database.session import Session
from gensearch_db.errors import SpecificationError


def refuse_own_database(session: Session, path: Path) -> None:
    """Refuse a target that is open here as a database, or that is a database with anything but releases and their blocks.

    A file that is no database is overwritten: REPLACE was said. Raises :class:`SpecificationError`, and
    :class:`~gensearch_db.errors.LockError` where another process has the file.
    """
    if not path.exists():
        return
    for name, file in session.rows(statement("statements/publish_open_files")):
        if os.path.exists(file) and os.path.samefile(file, path):
            raise SpecificationError(f"'{path}' is the database '{name}', which is open here: choose another target")
    strangers = _strangers(session, path)
    if strangers:
        raise SpecificationError(
            f"'{path}' holds what is no part of a publication ({', '.join(strangers[:3])}): choose another target"
        )


def _strangers(session: Session, path: Path) -> list[str]:
    """The tables and views of a database file that are no part of a publication; none where it is no database."""
    alias = session.temporary_name("older")
    try:
        session.execute(statement("statements/publish_attach", path=str(path), alias=alias, read_only=True))
    except SpecificationError:
        return []
    try:
        return [name for (name,) in session.rows(statement("statements/publish_strangers"), {"database": alias})]
    finally:
        session.execute(statement("statements/publish_detach", alias=alias))
