"""A DuckDB connection that also understands ANONYMIZE and its companions, and passes all else through untouched."""

from __future__ import annotations

from functools import wraps
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from gensearch_db.database.engine_errors import translated
from gensearch_db.database.rendering import statement
from gensearch_db.errors import QueryError
from gensearch_db.search.result import Progress, never_stop
from gensearch_db.statements.engine_call import call_engine
from gensearch_db.statements.script import parse_script
from gensearch_db.statements.syntax import EngineStatement, OwnStatement, Statement

if TYPE_CHECKING:
    import duckdb

RESULT_ATTRIBUTES = frozenset(
    "abort arrow complete description df fetch_arrow_table fetch_df fetch_df_chunk fetch_record_batch fetchall fetchdf fetchmany "
    "fetchnumpy fetchone pl rowcount tf to_arrow_reader to_arrow_table torch".split()
)
"""What belongs to the result of the last ``execute`` rather than to the connection."""


def connect(database: str | Path = ":memory:", read_only: bool = False, config: dict[str, Any] | None = None) -> Connection:
    """Open a DuckDB database as a :class:`Connection`. Arguments are those of ``duckdb.connect``.

    Raises :class:`LockError` where another process holds the file, :class:`SpecificationError` for other reasons.
    """
    import duckdb

    with translated():
        return Connection(duckdb.connect(str(database), read_only=read_only, config=config or {}))


class Connection:
    """A DuckDB connection (``engine``) whose ``sql`` and ``execute`` also carry out our statements.

    Everything else a DuckDB connection can do is delegated to it. A script is read as a whole before any of it runs.
    ``progress`` is called by searches a few times a second (see :data:`~gensearch_db.search.result.Progress`).
    """

    def __init__(self, engine: duckdb.DuckDBPyConnection, progress: Progress = never_stop) -> None:
        self.engine = engine
        self.progress = progress
        self._answer: duckdb.DuckDBPyConnection | None = None
        engine.execute(statement("statements/scan_all_frames")).fetchall()

    def sql(self, query: Any, *arguments: Any, **options: Any) -> duckdb.DuckDBPyRelation | None:
        """Run a script and give its last statement's rows as a relation (None where DuckDB gives none).

        Raises :class:`QueryError` for what cannot be read, before anything ran; DuckDB's own errors pass through.
        """
        statements = self._parse(query, arguments, options)
        if statements is None:
            return call_engine(self.engine.sql, query, *arguments, **options)  # type: ignore[no-any-return]
        self._run_all(statements[:-1])
        last = statements[-1]
        if isinstance(last, EngineStatement):
            return call_engine(self.engine.sql, last.text)  # type: ignore[no-any-return]
        return self.engine.from_arrow(self._carry_out(last))

    def query(self, query: Any, *arguments: Any, **options: Any) -> duckdb.DuckDBPyRelation | None:
        """The same as :meth:`sql`, as on DuckDB's connection."""
        return self.sql(query, *arguments, **options)

    def execute(self, query: Any, *arguments: Any, **options: Any) -> Self:
        """Run a script; ``fetchall()``, ``df()`` and their like then give its last statement's rows.

        Raises as :meth:`sql` does.
        """
        statements = self._parse(query, arguments, options)
        self._forget_answer()
        if statements is None:
            call_engine(self.engine.execute, query, *arguments, **options)
            return self
        self._run_all(statements[:-1])
        last = statements[-1]
        if isinstance(last, EngineStatement):
            call_engine(self.engine.execute, last.text)
        else:
            table = self._carry_out(last)
            # An answer streams like any result; on a cursor of its own it leaves the connection free.
            self._answer = self.engine.cursor()
            self._answer.register("answer", table)
            self._answer.execute(statement("statements/answer"))
        return self

    def executemany(self, query: Any, *arguments: Any, **options: Any) -> Self:
        """DuckDB's ``executemany``. Raises :class:`QueryError` for our statements, which take no parameters."""
        if self._parse(query, arguments or (None,), options) is not None:
            raise QueryError("executemany runs DuckDB's statements only")
        self._forget_answer()
        call_engine(self.engine.executemany, query, *arguments, **options)
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
        if not callable(found):
            return found

        @wraps(found)
        def method(*arguments: Any, **options: Any) -> Any:
            result = call_engine(found, *arguments, **options)
            return self if result is self.engine else result

        return method

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self.engine)})

    def _parse(self, query: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> list[Statement] | None:
        """The statements of a script that holds any of ours; None for what DuckDB is to run as it stands."""
        if not isinstance(query, str):
            return None
        statements = parse_script(query)
        if all(isinstance(statement, EngineStatement) for statement in statements):
            return None
        if arguments or options:
            raise QueryError("a script with statements of gensearch-db takes no parameters: write the values into it")
        return statements

    def _run_all(self, statements: list[Statement]) -> None:
        for each in statements:
            if isinstance(each, EngineStatement):
                call_engine(self.engine.execute, each.text).fetchall()
            else:
                self._carry_out(each)

    def _carry_out(self, own: OwnStatement) -> Any:
        from gensearch_db.database.session import Session
        from gensearch_db.statements.execution import carry_out

        with Session(self.engine) as session:
            return carry_out(session, own, self.progress)

    def _forget_answer(self) -> None:
        if self._answer is not None:
            self._answer.close()
            self._answer = None
