"""DataFrames and Arrow tables of the caller, where a statement of ours names them as a table.

DuckDB finds such names among the variables of its Python callers. Our statements run in a thread of their own, out of sight of
those, so what they read is registered under its name while they run.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

from gensearch_db.database.catalog import find_release
from gensearch_db.database.places import place
from gensearch_db.database.rendering import statement
from gensearch_db.database.session import Session
from gensearch_db.errors import GensearchError
from gensearch_db.problem.files import is_file
from gensearch_db.statements.syntax import Anonymize, ApplyRelease, Audit, ExplainAnonymize, OwnStatement, Profile
from gensearch_db.tokens import Kind, tokenize

LIBRARIES = ("pandas", "pyarrow", "polars", "duckdb", "_duckdb")
"""Whose objects DuckDB reads as tables."""


@contextmanager
def readable_frames(session: Session, own: OwnStatement) -> Iterator[None]:
    """Inside, the statement finds the caller's DataFrames, Arrow tables and relations as temporary views.

    A table or view of the same name comes first, as with DuckDB.
    """
    registered: list[str] = []
    try:
        for name, variable in _frames_named(session, own).items():
            registered.append(name)
            session.register(name, variable)
        yield
    finally:
        for name in registered:
            with suppress(GensearchError):  # a transaction that failed has taken its views along
                session.unregister(name)


def _frames_named(session: Session, own: OwnStatement) -> dict[str, Any]:
    tokens = [token for source in _sources(session, own) for token in tokenize(source)]
    names = {token.name for token in tokens if token.kind in (Kind.WORD, Kind.QUOTED)}
    found = {name: variable for name in sorted(names) if (variable := _variable(name)) is not None}
    if not found or not session.value(statement("statements/replacements")):
        return {}
    tables = {row[2].casefold() for row in session.rows(statement("names/relations"))}
    return {name: _readable_twice(variable) for name, variable in found.items() if name.casefold() not in tables}


def _sources(session: Session, own: OwnStatement) -> Iterator[str]:
    """The tables and queries that a statement reads, as written; for an audit also those that its release was made from."""
    if isinstance(own, ExplainAnonymize):
        yield from _sources(session, own.anonymize)
    elif isinstance(own, Anonymize):
        yield from _tables(own.fields["table"])
        for field in ("quasi_identifiers", "sensitive"):
            columns = own.fields.get(field) or {}
            for column in columns.values() if isinstance(columns, dict) else ():
                yield from _tables(column.taxonomy)
    elif isinstance(own, Profile | ApplyRelease):
        yield from _tables(own.table)
    elif isinstance(own, Audit):
        yield from _tables(own.against)
        for release in (own.release, own.together_with):
            if own.against is None and release is not None:
                yield from _tables(_recorded(session, release))


def _recorded(session: Session, release: str) -> str | None:
    """What the catalog says a release was made from."""
    entry = find_release(session, place(session, release))
    return None if entry is None else entry.problem.table


def _tables(source: str | None) -> Iterator[str]:
    if source is not None and not is_file(source):
        yield source


def _variable(name: str) -> Any:
    """What DuckDB would read under this name: the nearest caller's variable, locals before globals; None if there is none."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] != "gensearch_db":
            for variables in (frame.f_locals, frame.f_globals):
                if name in variables and type(variables[name]).__module__.partition(".")[0] in LIBRARIES:
                    return variables[name]
        frame = frame.f_back
    return None


def _readable_twice(variable: Any) -> Any:
    """Relations and streams as tables: an anonymization reads its source more than once."""
    for method in ("to_arrow_table", "read_all"):
        if hasattr(variable, method):
            return getattr(variable, method)()
    return variable
