"""The source: a table, view, file or query, and its columns, resolved to names that mean exactly one thing."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlglot.errors import TokenError

from gensearch_db.database.names import existing_table, parse_table_name
from gensearch_db.database.rendering import Sql, literal, qualified, statement
from gensearch_db.database.repeated_names import Repeated, repeated_in_file, repeated_in_query
from gensearch_db.database.session import Session, TableName
from gensearch_db.database.settings import unoptimized_plans
from gensearch_db.errors import DataError, GensearchError, SourceChangedError, SpecificationError
from gensearch_db.problem.files import is_file


@dataclass(frozen=True)
class Column:
    """A column of the source: its name in the source's own spelling, and its type as DuckDB prints it."""

    name: str
    type: str


@dataclass(frozen=True)
class Source:
    """What to read. ``relation`` is safe to put after FROM; ``name`` is for messages; ``row_count`` as counted once.

    ``repeated``: the names that several columns of a query or file have.
    """

    name: str
    relation: Sql
    columns: tuple[Column, ...]
    row_count: int
    repeated: Repeated = field(default_factory=dict)

    def find(self, name: str) -> Column | None:
        """The column that DuckDB would take for ``name`` (the same but for upper and lower case), or None."""
        return next((column for column in self.columns if column.name.lower() == name.lower()), None)

    def column(self, name: str) -> Column:
        """Like :meth:`find`, for names that were checked. Raises ``KeyError``."""
        found = self.find(name)
        if found is None:
            raise KeyError(name)
        return found


def open_source(session: Session, text: str, temporary_tables: list[TableName]) -> Source:
    """Resolve a table, view, file or query in parentheses, and count its rows.

    CSV files and queries are read once, into a temporary table, so that every later look sees the same rows. Raises
    :class:`SpecificationError` where there is no such source.
    """
    relation = source_relation(session, text)
    named = relation
    if _read_once(text):
        table = session.temporary_table("source")
        temporary_tables.append(table)
        session.execute(statement("source/snapshot", table=table, relation=relation))
        relation = qualified(table)
    columns = columns_of(session, relation)
    rows = session.value(statement("source/row_count", relation=relation))
    return Source(text, relation, columns, rows, _repeated(session, text, named, columns))


@contextmanager
def watched(session: Session, source: Source) -> Iterator[None]:
    """Raise :class:`SourceChangedError` in place of an error inside that came of a source without its columns, or of none."""
    try:
        yield
    except Exception as error:
        # Values of another type go wrong anywhere (a TypeError); other errors of ours have causes of their own.
        own = isinstance(error, GensearchError) and not isinstance(error, SpecificationError | DataError)
        if own or _has_its_columns(session, source):
            raise
        raise _other_columns(source) from error


def refuse_other_columns(session: Session, source: Source) -> None:
    """Raise :class:`SourceChangedError` where columns are gone or of another type, also of one that holds the same values."""
    if not _has_its_columns(session, source):
        raise _other_columns(source)


def _other_columns(source: Source) -> SourceChangedError:
    return SourceChangedError(
        f"'{source.name}' changed while it was read: it is gone, or lacks columns that it had, or they are of another type;"
        " nothing was written, run it again"
    )


def _has_its_columns(session: Session, source: Source) -> bool:
    try:
        now = columns_of(session, source.relation)
    except SpecificationError:
        return False
    except GensearchError:  # the user's transaction was aborted: nothing can be read
        return True
    return set(source.columns) <= set(now)


def columns_of(session: Session, relation: Sql) -> tuple[Column, ...]:
    """The columns of what stands after FROM."""
    return tuple(Column(name, kind) for name, kind, *_ in session.rows(statement("source/columns", relation=relation)))


def _repeated(session: Session, text: str, relation: Sql, columns: Sequence[Column]) -> Repeated:
    """The repeated names of a query or file. In tables and views the second one has its number since they were made."""
    if text.lstrip().startswith("("):
        return repeated_in_query(session, relation)
    if is_file(text):
        path = literal(_literal_path(text))
        return repeated_in_file(session, path, [column.name for column in columns], parquet=_is_parquet(text))
    return {}


def source_relation(session: Session, text: str) -> Sql:
    """What to put after FROM in order to read the source. Raises :class:`SpecificationError`."""
    if text.lstrip().startswith("("):
        return _query(session, text.strip())
    if is_file(text):
        return _file(text)
    return qualified(existing_table(session, text))


def tables_read(session: Session, text: str) -> set[tuple[str, ...]]:
    """The tables behind a source, by database, schema and name in lower case; those of views and queries included.

    They are those of the plan before the optimizer, which leaves out tables that add nothing (``WHERE false``). Empty where
    the source cannot be read. Raises :class:`SpecificationError` where it cannot be named.
    """
    relation = source_relation(session, text)
    if not session.is_readable(statement("source/row_count", relation=relation)):
        return set()
    with unoptimized_plans(session):
        plans = session.rows(statement("source/plan", relation=relation))
    names = {name for _, plan in plans for name in _scanned(json.loads(plan))}
    return {tuple(part.lower() for part in parse_table_name(name)) for name in names}


def _scanned(steps: list[dict[str, Any]]) -> Iterator[str]:
    """The tables that the steps of a plan scan."""
    for step in steps:
        if "Table" in step["extra_info"]:
            yield step["extra_info"]["Table"]
        yield from _scanned(step["children"])


def _read_once(text: str) -> bool:
    return text.lstrip().startswith("(") or (is_file(text) and not _is_parquet(text))


def _is_parquet(path: str) -> bool:
    return ".parquet" in Path(path).name.lower()


def _file(path: str) -> Sql:
    if not os.path.isfile(path):  # a name that is too long is none either
        raise SpecificationError(f"file '{path}' does not exist")
    return statement("source/parquet" if _is_parquet(path) else "source/csv", path=literal(_literal_path(path)))


def _literal_path(path: str) -> str:
    """The path as DuckDB must be told it: it takes ``a[1].csv`` for a pattern that the neighbouring file ``a1.csv`` fits."""
    return re.sub(r"([*?\[])", r"[\1]", path)


def _query(session: Session, text: str) -> Sql:
    """A query in parentheses, held to be exactly that: one statement, and nothing after its closing parenthesis."""
    from sqlglot.dialects.duckdb import DuckDB
    from sqlglot.tokenizer_core import TokenType

    try:
        tokens = DuckDB().tokenize(text)
    except TokenError as error:
        raise SpecificationError(f"the source query cannot be read: {error}") from error
    depth = 0
    for position, token in enumerate(tokens):
        depth += (token.token_type == TokenType.L_PAREN) - (token.token_type == TokenType.R_PAREN)
        if token.token_type == TokenType.SEMICOLON or (depth == 0 and position < len(tokens) - 1):
            raise SpecificationError("the source must be one query in parentheses: (SELECT …), with nothing after it")
    if depth != 0:
        raise SpecificationError("the source query's parentheses do not match")
    # The line break keeps a comment at the query's end from swallowing what follows.
    return Sql(f"{text}\n")
