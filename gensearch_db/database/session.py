"""A session: one DuckDB connection, its errors in our words, its transactions, and tidy temporary tables.

Results stream in DuckDB: a pending result holds its connection. Every helper here therefore fetches to the end.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import duckdb

from gensearch_db.database.engine_errors import translated
from gensearch_db.database.interruptible import InterruptibleRunner, Result
from gensearch_db.database.rendering import Sql, qualified, statement
from gensearch_db.database.reported import commit_begins, commit_failed
from gensearch_db.database.spilling import SpillDirectory
from gensearch_db.errors import GensearchError, ReadOnlyError, SpecificationError

if TYPE_CHECKING:
    import pyarrow

Parameters = Mapping[str, Any] | Sequence[Any] | None
"""Bound values: by name (``$name``) or by position (``?``)."""

TableName = tuple[str, str, str]
"""Database, schema and table, unquoted: templates print it with the ``qualified`` filter."""


class Session:
    """One DuckDB connection as this package uses it.

    Statements raise :mod:`gensearch_db.errors` only (and ``KeyboardInterrupt``: Ctrl-C stops the running statement and leaves
    the connection usable). ``owns_connection`` closes the connection with the session. A database without a directory to
    spill to gets a private one (``spilling.py``).

    ``committed``: whether the last :meth:`transaction` went through. What strikes afterwards, while temporary tables are
    dropped and settings (``settings.py``) put back, no longer makes the request a failure.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, *, owns_connection: bool = False) -> None:
        self.connection = connection
        self._owns_connection = owns_connection
        self._prefix = f"gensearch_{secrets.token_hex(6)}"
        self._runner = InterruptibleRunner(connection.interrupt)
        self.committed = False
        self._spill = SpillDirectory()
        try:
            self._spill.give(self)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Drop what the session left, restore the connection's settings, and close it if it is the session's own."""
        with ExitStack() as steps:  # all are taken, whatever befalls one of them; the last comes first
            if self._owns_connection:
                steps.callback(self.connection.close)
            steps.callback(self._spill.take, self)
            steps.callback(self._drop_leftovers)

    def execute(self, sql: Sql, parameters: Parameters = None) -> None:
        """Run a statement for its effect, to the end."""
        self.rows(sql, parameters)

    def insist(self, sql: Sql, parameters: Parameters = None) -> list[tuple[Any, ...]]:
        """The rows of a statement that tidies up. What strikes it once (Ctrl-C, want of memory) is raised after a second try.

        After a commit a second try that succeeds is enough; where it fails, the error says that the work itself is committed.
        """
        return self._insisted(lambda: self.rows(sql, parameters))

    def _insisted(self, work: Callable[[], Result]) -> Result:
        try:
            return work()
        except (GensearchError, KeyboardInterrupt) as struck:
            found = self._second_try(work, struck)
            if self.committed:
                return found
            raise

    def _second_try(self, work: Callable[[], Result], struck: GensearchError | KeyboardInterrupt) -> Result:
        try:
            return work()
        except (GensearchError, KeyboardInterrupt) as error:
            if not self.committed and isinstance(struck, KeyboardInterrupt):
                raise struck from None  # a transaction that it aborted fails in another way the second time
            if not self.committed:
                raise
            reason = str(error) or "interrupted"
            raise GensearchError(f"everything is written and committed, but tidying up afterwards failed: {reason}") from error

    def rows(self, sql: Sql, parameters: Parameters = None) -> list[tuple[Any, ...]]:
        """All rows of the result, as Python values."""
        return self._run(lambda: self.connection.execute(sql, parameters).fetchall())

    def row(self, sql: Sql, parameters: Parameters = None) -> tuple[Any, ...]:
        """The only row of the result."""
        (row,) = self.rows(sql, parameters)
        return row

    def value(self, sql: Sql, parameters: Parameters = None) -> Any:
        """The only value of the result."""
        (value,) = self.row(sql, parameters)
        return value

    def is_readable(self, query: Sql) -> bool:
        """Whether everything that a query names is there. It does not run, and a no leaves the user's transaction usable.

        A statement that fails to find a name would abort that transaction; a relation that is only bound does not.
        """
        try:
            self._run(lambda: self.connection.sql(query))
        except SpecificationError:
            return False
        return True

    def columns(self, sql: Sql, parameters: Parameters = None) -> dict[str, Any]:
        """The result as one numpy array per column (masked where it holds NULL)."""
        return self._run(lambda: dict(self.connection.execute(sql, parameters).fetchnumpy()))

    def arrow(self, sql: Sql, parameters: Parameters = None) -> pyarrow.Table:
        """The result as an Arrow table."""
        table: pyarrow.Table = self._run(lambda: self.connection.sql(sql, params=parameters).to_arrow_table())
        return table

    @contextmanager
    def registered(self, table: pyarrow.Table) -> Iterator[Sql]:
        """Make an Arrow table readable to statements inside the ``with`` block, under the name it yields."""
        name = self.temporary_name("arrow")
        try:
            self.register(name, table)
            yield qualified([name])
        except BaseException:
            with suppress(GensearchError):  # a transaction that was aborted: its end drops the name
                self.unregister(name)
            raise
        self.unregister(name)

    def register(self, name: str, table: Any) -> None:
        """Make an Arrow table, a DataFrame or a relation readable under a name."""
        self._run(lambda: self.connection.register(name, table))

    def unregister(self, name: str) -> None:
        """Take a registered name back, with a second try as in :meth:`insist`."""
        self._insisted(lambda: self._run(lambda: self.connection.unregister(name)))

    def temporary_name(self, stem: str) -> str:
        """A table name that is unique to this call and cannot clash with a user's: ``gensearch_<random>_<stem>``."""
        return f"{self._prefix}_{secrets.token_hex(3)}_{stem}"

    def temporary_table(self, stem: str) -> TableName:
        """The full name of a temporary table yet to be created; ``temp.main`` is DuckDB's own schema for them."""
        return ("temp", "main", self.temporary_name(stem))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Everything inside happens, or nothing.

        Raises :class:`SpecificationError` if the connection is inside a transaction already: DuckDB has no savepoints, so
        nothing could be undone without undoing the user's own work.
        """
        self.refuse_open_transaction()
        self.committed = False
        try:
            with self._undone_on_failure(commit_begins):
                yield
            self.committed = True
        except BaseException:
            commit_failed()
            raise

    @contextmanager
    def _undone_on_failure(self, before_commit: Callable[[], None]) -> Iterator[None]:
        """A transaction around what happens inside. ``before_commit``: called where all went through, just before COMMIT."""
        try:
            self.execute(statement("session/begin"))
            yield
            self.execute(statement("session/transaction_id"))  # fails in an aborted one, whose COMMIT would not: it rolls back
            before_commit()
            self.execute(statement("session/commit"))
        except BaseException:
            with suppress(duckdb.Error):  # a failed BEGIN or COMMIT leaves none
                self.connection.execute(statement("session/rollback"))
            raise

    def in_one_state(self, read: Callable[[], Result]) -> Result:
        """What ``read`` gives where all its statements see one state of the database, whoever changes it meanwhile.

        What it makes must be temporary: it is undone. A statement that fails ends the state with its transaction; ``read`` is
        then called once more without one, where it may go on after a failure, or say more of the reason.
        """
        if self.in_transaction:
            return read()
        try:
            self.execute(statement("session/begin"))
            return read()
        except GensearchError:
            pass
        finally:
            with suppress(duckdb.Error):
                self.connection.execute(statement("session/rollback"))
        return read()

    def one_state(self) -> AbstractContextManager[None]:
        """Inside, all statements see one state of the database, whoever changes it meanwhile; temporary tables made there stay.

        For reading, where no transaction is open: nothing else may be written, as Ctrl-C may still end the request.
        """
        return self._undone_on_failure(lambda: None)

    @property
    def in_transaction(self) -> bool:
        """Whether the user's transaction is open; it stays as it is (a BEGIN would abort it)."""
        number = statement("session/transaction_id")
        return bool(self.value(number) == self.value(number))

    def refuse_open_transaction(self) -> None:
        """Raise :class:`SpecificationError` if the user's transaction is open."""
        if self.in_transaction:
            raise SpecificationError(
                "a transaction is open on this connection: COMMIT or ROLLBACK it first (a release is a transaction of its own)"
            )

    def _run(self, work: Callable[[], Result]) -> Result:
        with translated():
            return self._runner.run(work)

    def interrupt(self) -> None:
        """Stop the running statement, from another thread."""
        self.connection.interrupt()

    def _drop_leftovers(self) -> None:
        """Tables whose own clean-up failed. In a transaction that was aborted nothing can be done: its end drops them."""
        with suppress(GensearchError):
            for (name,) in self.insist(statement("session/own_tables"), {"prefix": self._prefix}):
                self.insist(statement("drop_temporary_table", table=("temp", "main", name)))


def no_database(path: str | Path) -> str:
    """The message about a data file in a database's place. DuckDB opens one as a database in memory, with views of it."""
    return f"'{path}' is no DuckDB database: a data file is named as the table, and the database is where the release goes"


def open_database(path: str | Path, read_only: bool = False) -> Session:
    """Open a DuckDB file (``":memory:"`` for a database in memory) as a session that owns its connection.

    Raises :class:`LockError` if another process holds the file (with its PID) or this process has it open with another
    configuration, :class:`SpecificationError` if it is no DuckDB database or does not exist.
    """
    try:
        with translated(opening=str(path)):
            connection = duckdb.connect(str(path), read_only=read_only)
    except ReadOnlyError as error:
        if "in-memory" not in str(error):
            raise
        raise SpecificationError(no_database(path)) from error
    return Session(connection, owns_connection=True)
