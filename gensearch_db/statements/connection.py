"""A DuckDB connection that also understands ANONYMIZE and its companions, and passes all else through untouched."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from gensearch_db.argument_kinds import PROGRESS, TRUTH, Kind, refuse_other_kinds
from gensearch_db.database.engine_errors import translated
from gensearch_db.database.rendering import statement
from gensearch_db.database.reported import reported
from gensearch_db.errors import QueryError, SpecificationError
from gensearch_db.search.result import Progress, never_stop
from gensearch_db.statements.engine_calls import EngineCalls
from gensearch_db.statements.placing import placed
from gensearch_db.statements.script import holds_own_statement, parse_script
from gensearch_db.statements.syntax import EngineStatement, OwnStatement

if TYPE_CHECKING:
    import duckdb
    import pyarrow

RESULT_ATTRIBUTES = frozenset(
    {
        "abort",
        "arrow",
        "complete",
        "description",
        "df",
        "fetch_arrow_table",
        "fetch_df",
        "fetch_df_chunk",
        "fetch_record_batch",
        "fetchall",
        "fetchdf",
        "fetchmany",
        "fetchnumpy",
        "fetchone",
        "pl",
        "rowcount",
        "tf",
        "to_arrow_reader",
        "to_arrow_table",
        "torch",
    }
)
"""What belongs to the result of the last ``execute`` rather than to the connection."""


def connect(database: str | Path = ":memory:", read_only: bool = False, config: dict[str, Any] | None = None) -> Connection:
    """Open a DuckDB database as a :class:`Connection`. Arguments are those of ``duckdb.connect``.

    Raises :class:`LockError` where another process holds the file, :class:`SpecificationError` for other reasons.
    """
    import duckdb

    from gensearch_db.database.opening import database_path

    path = os.fspath(database) if isinstance(database, PathLike) else database
    if not isinstance(path, str):
        raise SpecificationError(
            f"connect opens a file by its path, not a {type(database).__name__}; gensearch_db.Connection(connection) makes a"
            " connection of DuckDB's understand our statements"
        )
    if path:  # none: in memory, as with DuckDB
        database_path(path)
    settings = Kind("a group of named values", lambda given: given is None or isinstance(given, dict))
    refuse_other_kinds(read_only=(read_only, TRUTH), config=(config, settings))
    with translated(opening=path):
        return Connection(duckdb.connect(path, read_only=read_only, config=config or {}))


@dataclass(frozen=True)
class _Step:
    """One statement of a mixed script: one of ours, or DuckDB's text."""

    own: OwnStatement | None
    text: str


class Connection(EngineCalls):
    """A DuckDB connection (``engine``) whose ``sql`` and ``execute`` also carry out our statements.

    Everything else a DuckDB connection can do is delegated to it. A script is read as a whole before any of it runs.
    ``progress`` is called by searches a few times a second (see :data:`~gensearch_db.search.result.Progress`).
    """

    def __init__(self, engine: duckdb.DuckDBPyConnection, progress: Progress = never_stop) -> None:
        import duckdb

        engine = getattr(engine, "engine", engine)
        connection = Kind("a connection of DuckDB's", lambda given: isinstance(given, duckdb.DuckDBPyConnection))
        refuse_other_kinds(engine=(engine, connection), progress=(progress, PROGRESS))
        self.engine = engine
        self.progress = progress
        self._answer: duckdb.DuckDBPyConnection | None = None
        engine.execute(statement("statements/scan_all_frames")).fetchall()

    def carry_out(self, own: OwnStatement) -> Self:
        """Carry out one statement of ours that was read before; its rows are then fetched as after ``execute``."""
        self._forget_answer()
        with reported():
            table = self._answer_to(own)
            # An answer streams like any result; on a cursor of its own it leaves the connection free.
            with translated():
                self._answer = self.engine.cursor()
                self._answer.register("answer", table)
                self._answer.execute(statement("statements/answer"))
            return self

    def executemany(self, query: Any, *arguments: Any, **options: Any) -> Self:
        """DuckDB's ``executemany``. Raises :class:`QueryError` for our statements, which take no parameters."""
        if isinstance(query, str) and holds_own_statement(query):
            raise QueryError("executemany runs DuckDB's statements only")
        self._forget_answer()
        self.engine.executemany(query, *arguments, **options)
        return self

    def cursor(self) -> Connection:
        """Another connection to the same database, with the same statements."""
        return Connection(self.engine.cursor(), self.progress)

    duplicate = cursor

    def close(self) -> None:
        """Close the connection."""
        self._forget_answer()
        self.engine.close()

    def __enter__(self) -> Self:
        self.engine.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._forget_answer()
        self.engine.__exit__(kind, error, trace)

    def __getattr__(self, name: str) -> Any:
        if name in ("engine", "_answer"):
            raise AttributeError(name)
        owner = self._answer if self._answer is not None and name in RESULT_ATTRIBUTES else self.engine
        found = getattr(owner, name)
        return self._delegate(found) if callable(found) else found

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self.engine)})

    def _steps(self, arguments: tuple[Any, ...], options: Mapping[str, Any]) -> list[_Step] | None:
        """The statements of a script that holds any of ours; None for what DuckDB is to run as it stands."""
        query = arguments[0] if arguments else options.get("query")
        if not isinstance(query, str):
            return None
        statements = parse_script(query)
        if all(isinstance(each, EngineStatement) for each in statements):
            return None
        if len(arguments) + len(options) > 1:
            raise QueryError("a script with statements of gensearch-db takes no parameters: write the values into it")
        return [_Step(None, each.text) if isinstance(each, EngineStatement) else _Step(each, "") for each in statements]

    def _answer_to(self, own: OwnStatement) -> pyarrow.Table:
        from gensearch_db.statements.execution import answer_to

        with placed(own.place):
            return answer_to(self.engine, own, self.progress)

    def _forget_answer(self) -> None:
        if self._answer is not None:
            self._answer.close()
            self._answer = None
