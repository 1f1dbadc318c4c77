"""Names of tables as users write them: ``t``, ``schema.t``, ``"odd name".t``, quoted as in SQL."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from gensearch_db.database.rendering import statement
from gensearch_db.database.session import Session
from gensearch_db.errors import ReadOnlyError, SpecificationError, near_matches

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PART = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([^\s".;,()\']+))\s*(\.|$)')


def parse_table_name(text: str) -> tuple[str, ...]:
    """The one to three unquoted parts of a table name.

    >>> parse_table_name('hr."my table"')
    ('hr', 'my table')

    Raises :class:`SpecificationError` for anything else.
    """
    parts: list[str] = []
    position = 0
    while True:
        match = _PART.match(text, position)
        if match is None:
            raise SpecificationError(
                f'{text!r} is not a table name; put names with special characters in double quotes: "my table"'
            )
        quoted, bare, end = match.groups()
        part = quoted.replace('""', '"') if quoted is not None else bare
        if not part or "\0" in part:
            raise SpecificationError(f"{text!r} is not a table name: a part of it is empty")
        parts.append(part)
        position = match.end()
        if not end:
            break
    if len(parts) > 3:
        raise SpecificationError(f"{text!r} has {len(parts)} parts; a table name has at most three: database.schema.table")
    return tuple(parts)


def written_table(parts: Iterable[str]) -> str:
    """The parts of a table's name as SQL and :func:`parse_table_name` read them, quoted only where needed.

    >>> written_table(("memory", "main", "my table"))
    'memory.main."my table"'
    """
    return ".".join(written_name(part) for part in parts)


def written_name(name: str) -> str:
    """A name as SQL reads it: bare where that is unambiguous, else in double quotes."""
    if _PLAIN.fullmatch(name) and name.lower() not in _reserved_words():
        return name
    return '"' + name.replace('"', '""') + '"'


@cache
def _reserved_words() -> frozenset[str]:
    import duckdb

    with duckdb.connect() as connection:
        return frozenset(word for (word,) in connection.execute(statement("names/reserved_words")).fetchall())


def existing_table(session: Session, text: str) -> tuple[str, ...]:
    """The parts of the name of an existing table or view, with database and schema wherever ``text`` names a schema.

    ``main.t`` alone would mean a temporary table ``t`` where there is one; the name that includes the database is safe. Raises
    :class:`SpecificationError` with near matches.
    """
    parts = parse_table_name(text)
    known = session.rows(statement("names/relations"))
    if len(parts) == 2:
        database = session.value(statement("names/current_database"))
        for full in ((database, *parts), (parts[0], "main", parts[1])):
            if any(_same(full, (row[0], row[1], row[2])) for row in known):
                parts = full
                break
    if len(parts) != 1 and not any(_same(parts[-3:], (row[0], row[1], row[2])[-len(parts) :]) for row in known):
        raise SpecificationError(f"table {text} does not exist{_near_tables(parts[-1], known)}")
    if len(parts) == 1 and not any(_same(parts, (row[2],)) for row in known):
        raise SpecificationError(f"table {text} does not exist{_near_tables(parts[0], known)}")
    return parts


def _same(left: tuple[str, ...], right: tuple[str, ...]) -> bool:
    return [part.lower() for part in left] == [part.lower() for part in right]


def _near_tables(name: str, known: list[tuple[str, ...]]) -> str:
    by_name = {row[2]: row for row in known}
    return near_matches(name, by_name)


def target_table(session: Session, text: str) -> tuple[str, str, str]:
    """Database, schema and name of a table to be written; it need not exist yet.

    A name without a database goes to the current one or, where that is read-only, to the first database that can be written.
    Raises :class:`ReadOnlyError` where nothing can be written, :class:`SpecificationError` for an unknown schema.
    """
    parts = parse_table_name(text)
    databases = {row[0].lower(): (row[0], bool(row[1])) for row in session.rows(statement("names/databases"))}
    schemas = {(row[0].lower(), row[1].lower()): (row[0], row[1]) for row in session.rows(statement("names/schemas"))}
    current, current_schema = session.row(statement("names/current"))
    if len(parts) == 3 or (
        len(parts) == 2 and (current.lower(), parts[0].lower()) not in schemas and parts[0].lower() in databases
    ):
        database, schema = (parts[0], parts[1]) if len(parts) == 3 else (parts[0], "main")
        if database.lower() not in databases:
            raise SpecificationError(
                f"release {text}: database '{database}' is not attached{near_matches(database, databases)}"
            )
    else:
        database = _writable(current, databases)
        default = current_schema if database.lower() == current.lower() else "main"
        schema = parts[0] if len(parts) == 2 else default
    if databases[database.lower()][1]:
        raise ReadOnlyError(f"database '{database}' is read-only, the release {text} cannot be written")
    if (database.lower(), schema.lower()) not in schemas:
        known = [name for _, name in schemas.values()]
        raise SpecificationError(
            f"release {text}: schema '{schema}' does not exist in '{database}'{near_matches(schema, known)}"
        )
    return (*schemas[database.lower(), schema.lower()], parts[-1])


def _writable(current: str, databases: dict[str, tuple[str, bool]]) -> str:
    for name in (current.lower(), *databases):
        if name in databases and not databases[name][1]:
            return databases[name][0]
    raise ReadOnlyError("the database is read-only, the release cannot be written: open it for writing, or attach one that is")
