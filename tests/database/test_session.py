"""Sessions: DuckDB's errors in our words, transactions, interrupts, spilling."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import duckdb
import pytest

import gensearch_db
from gensearch_db.database.prepared import drop_tables
from gensearch_db.database.rendering import Sql
from gensearch_db.database.session import Session, open_database
from gensearch_db.database.settings import with_threads
from gensearch_db.errors import DataError, GensearchError, LockError, ReadOnlyError, ResourceError, SpecificationError

HOLDER = """
import duckdb, sys
duckdb.connect(sys.argv[1]).execute("CREATE TABLE IF NOT EXISTS held (a INT)")
held = duckdb.connect(sys.argv[1])
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def session() -> Iterator[Session]:
    with open_database(":memory:") as opened:
        yield opened


@pytest.mark.parametrize("read_only", [False, True])
def test_a_database_locked_by_another_process_is_named_with_its_holder(tmp_path: Path, read_only: bool) -> None:
    path = tmp_path / "x01.db"
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(LockError, match=rf"x01\.db' is locked by another process \(PID {holder.pid}\)"):
            open_database(path, read_only=read_only)
        holder.communicate()


def test_another_configuration_in_this_process_is_a_lock(tmp_path: Path) -> None:
    with open_database(tmp_path / "a.db"), pytest.raises(LockError, match="another configuration"):
        open_database(tmp_path / "a.db", read_only=True)


def test_a_read_only_database_refuses_to_be_written(tmp_path: Path) -> None:
    open_database(tmp_path / "a.db").close()
    with open_database(tmp_path / "a.db", read_only=True) as session:
        with pytest.raises(ReadOnlyError, match="read-only"):
            session.execute(Sql("CREATE TABLE t (a INT)"))
        session.execute(Sql("CREATE TEMP TABLE t (a INT)"))


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_text("not a database, but long enough to be looked at " * 100)
    with pytest.raises(SpecificationError, match="not a valid DuckDB database file"):
        open_database(tmp_path / "a.db")
    with pytest.raises(SpecificationError, match="does not exist"):
        open_database(tmp_path / "none.db", read_only=True)


def test_an_unknown_table_comes_with_duckdbs_own_near_matches(session: Session) -> None:
    session.connection.execute("CREATE TABLE people (a INT)")
    with pytest.raises(SpecificationError, match=r'Table with name peple does not exist! Did you mean "people"\?'):
        session.rows(Sql("SELECT * FROM peple"))


def test_a_conversion_is_a_data_error(session: Session) -> None:
    with pytest.raises(DataError, match="Could not convert"):
        session.rows(Sql("SELECT 'x'::INTEGER"))


def test_memory_that_runs_out_names_the_limit(session: Session) -> None:
    session.connection.execute("SET memory_limit = '30MB'; SET max_temp_directory_size = '1MB'; SET threads = 1")
    with pytest.raises(ResourceError, match=r"(?s)(memory|disk).*limit"):
        session.rows(Sql("SELECT count(*) FROM (SELECT hash(i) AS h, list(i) FROM range(3000000) r(i) GROUP BY h)"))
    assert session.value(Sql("SELECT 1")) == 1


def test_threads_are_limited_and_put_back(session: Session) -> None:
    session.connection.execute("SET threads = 3")
    seen = []
    for most in (1, 8, None):
        with with_threads(session, most):
            seen.append(session.value(Sql("SELECT current_setting('threads')")))
    with pytest.raises(ZeroDivisionError), with_threads(session, 2):
        raise ZeroDivisionError
    assert (seen, session.value(Sql("SELECT current_setting('threads')"))) == ([1, 3, 3], 3)


def test_a_locked_configuration_keeps_its_threads(session: Session) -> None:
    session.connection.execute("SET threads = 3; SET lock_configuration = true")
    with with_threads(session, 1):
        assert session.value(Sql("SELECT current_setting('threads')")) == 3


def test_a_transaction_keeps_all_or_nothing(session: Session) -> None:
    with session.transaction():
        session.execute(Sql("CREATE TABLE kept (a INT)"))

    def fail(statement: str) -> None:
        with session.transaction():
            session.execute(Sql("CREATE TABLE lost (a INT)"))
            session.execute(Sql(statement))
            raise ZeroDivisionError

    with pytest.raises(SpecificationError):
        fail("SELECT * FROM nowhere")
    with pytest.raises(ZeroDivisionError):
        fail("SELECT 1")
    assert session.rows(Sql("SELECT table_name FROM duckdb_tables()")) == [("kept",)]
    with session.transaction():
        pass


def test_a_users_open_transaction_is_left_alone(session: Session) -> None:
    session.connection.execute("BEGIN; CREATE TABLE theirs (a INT)")
    with pytest.raises(SpecificationError, match="a transaction is open on this connection"), session.transaction():
        raise AssertionError("never reached")
    session.connection.execute("COMMIT")
    assert session.rows(Sql("SELECT table_name FROM duckdb_tables()")) == [("theirs",)]


@pytest.mark.alone
def test_an_interrupt_stops_the_statement_and_leaves_the_connection_usable(session: Session) -> None:
    def interrupt() -> None:
        time.sleep(0.3)
        session.interrupt()

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        session.rows(Sql("SELECT sum(a.range * b.range) FROM range(3000000) a, range(3000000) b"))
    assert session.value(Sql("SELECT 1")) == 1


INTERRUPTED = """
import os, signal, sys, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from gensearch_db.database.rendering import Sql
from gensearch_db.database.session import open_database
session = open_database(":memory:")
threading.Thread(target=lambda: (time.sleep(0.3), os.kill(os.getpid(), signal.SIGINT)), daemon=True).start()
try:
    session.rows(Sql("SELECT sum(a.range * b.range) FROM range(3000000) a, range(3000000) b"))
except KeyboardInterrupt:
    print("interrupted", session.value(Sql("SELECT 1")))
"""


@pytest.mark.alone
def test_control_c_stops_the_statement() -> None:
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=20, check=False)
    assert (done.stdout, done.stderr) == ("interrupted 1\n", "")


def test_a_database_without_a_spill_directory_gets_one_for_the_session() -> None:
    connection = duckdb.connect(":memory:")
    connection.execute("SET temp_directory = ''")
    setting = Sql("SELECT current_setting('temp_directory')")
    with Session(connection) as session:
        directory = session.value(setting)
        assert directory
    assert not Path(directory).exists()
    assert connection.execute(setting).fetchone() == ("",)
    connection.close()


def test_a_spill_directory_that_was_used_stays_as_long_as_the_database() -> None:
    """Found by fuzzing, 2026-11-28: it was removed with the user's own tables in it; later statements failed."""
    with duckdb.connect(config={"temp_directory": "", "threads": 1}) as connection:
        connection.execute("SET memory_limit = '25MB'")
        with Session(connection) as session:
            session.execute(Sql("CREATE TABLE mine AS SELECT hash(i) AS h FROM range(5000000) r(i)"))
        (directory,) = connection.execute("SELECT current_setting('temp_directory')").fetchone() or ("",)
        assert any("storage" in path.name for path in Path(directory).iterdir())
        assert connection.execute("SELECT count(DISTINCT h % 1000) FROM mine").fetchone() == (1000,)
        connection.execute("DROP TABLE mine")
        with Session(connection) as session:
            assert session.value(Sql("SELECT current_setting('temp_directory')")) == directory
    shutil.rmtree(directory)


def test_arrow_tables_are_read_under_a_name_of_ours(session: Session) -> None:
    import pyarrow

    with session.registered(pyarrow.table({"a": [1, 2]})) as name:
        assert session.arrow(Sql(f"SELECT sum(a) AS s FROM {name}")).to_pydict() == {"s": [3]}
    assert session.rows(Sql("SELECT view_name FROM duckdb_views() WHERE NOT internal")) == []


def test_a_transaction_that_was_aborted_inside_is_not_said_to_be_committed(session: Session) -> None:
    """DuckDB's COMMIT of an aborted transaction rolls back and says nothing."""
    with pytest.raises(GensearchError, match="abort"), session.transaction():  # noqa: PT012
        session.execute(Sql("CREATE TABLE made (i INTEGER)"))
        with suppress(GensearchError):
            session.execute(Sql("SELECT * FROM nowhere"))
    assert not session.committed
    assert session.rows(Sql("SELECT table_name FROM duckdb_tables() WHERE table_name = 'made'")) == []


def aborting(stem: str) -> Callable[..., Any]:
    """An ``insist`` during whose first statement about a table of that name Ctrl-C aborts the transaction."""
    struck: list[bool] = []
    insist = Session.insist

    def insist_struck(own: Session, sql: Sql, parameters: Any = None) -> Any:
        if stem not in str(sql) or struck:
            return insist(own, sql, parameters)
        struck.append(True)
        with suppress(GensearchError):
            own.execute(Sql("SELECT * FROM nowhere"))
        raise KeyboardInterrupt

    return insist_struck


def test_ctrl_c_while_an_audit_tidies_up_leaves_no_half_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE people AS SELECT (i % 7)::INTEGER AS age FROM range(40) r(i)")
        fields: dict[str, Any] = {
            "table": "people",
            "into": "safe",
            "quasi_identifiers": ["age"],
            "subject_to": ["k_anonymity(5)"],
        }
        with monkeypatch.context() as patch:
            patch.setattr(Session, "insist", aborting("audit_"))
            with pytest.raises(KeyboardInterrupt):
                gensearch_db.anonymize(connection, **fields)
        assert connection.execute("SELECT count(*) FROM duckdb_tables()").fetchone() == (1,)
        gensearch_db.anonymize(connection, **fields)
        assert connection.execute("SELECT count(*) FROM safe").fetchone() == (40,)


def test_ctrl_c_is_what_a_tidying_up_tells_whatever_fails_after_it(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = [session.temporary_table(stem) for stem in ("first", "second", "third")]
    tried: list[str] = []

    def fail(own: Session, sql: Sql, parameters: Any = None) -> Any:
        tried.append(str(sql))
        raise KeyboardInterrupt if len(tried) == 1 else GensearchError("the transaction is aborted")

    monkeypatch.setattr(Session, "rows", fail)
    with pytest.raises(KeyboardInterrupt):
        drop_tables(session, tables)
    assert tables == []
    assert [stem for sql in tried[::2] for stem in ("first", "second", "third") if stem in sql] == ["third", "second", "first"]


def test_ctrl_c_after_begin_leaves_no_transaction_open(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    execute = Session.execute

    def interrupted(self: Session, sql: Any, parameters: Any = None) -> Any:
        execute(self, sql, parameters)
        raise KeyboardInterrupt

    monkeypatch.setattr(Session, "in_transaction", False)
    monkeypatch.setattr(Session, "execute", interrupted)
    with pytest.raises(KeyboardInterrupt):
        session.in_one_state(lambda: None)
    monkeypatch.undo()
    assert not session.in_transaction
