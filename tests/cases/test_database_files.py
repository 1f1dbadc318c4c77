"""Cases I07, I11, X01: names of database files, read-only databases, files that another process holds."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest

import gensearch_db
from gensearch_db.database import opening
from gensearch_db.errors import LockError, ReadOnlyError, SpecificationError

from .entry_points import command
from .invariants import check_release

PEOPLE = "CREATE TABLE src(age INT, d VARCHAR); INSERT INTO src VALUES (30,'a'),(31,'b'),(32,'a'),(33,'b')"


def problem(table: str = "src", into: str = "rel") -> dict[str, Any]:
    return {
        "table": table,
        "into": into,
        "quasi_identifiers": {"age": {"split": "anywhere"}},
        "sensitive": ["d"],
        "subject_to": ["k_anonymity(2)"],
    }


@pytest.mark.parametrize("name", ["temp.db", "main.db", "my-data.v2.duckdb", "select.db", 'it\'s "quoted".db', "系统.db"])
@pytest.mark.parametrize("opened", [True, False])
def test_i07_the_file_may_have_any_name(tmp_path: Path, name: str, opened: bool) -> None:
    path = tmp_path / name
    with duckdb.connect(path) as connection:
        connection.execute(PEOPLE)
        if opened:
            gensearch_db.anonymize(connection, **problem())
    if not opened:
        gensearch_db.anonymize(path, **problem())
    with duckdb.connect(path) as connection:
        assert check_release(connection, problem()).sizes == [2, 2]
        assert gensearch_db.audit(connection, "rel").passed


@pytest.fixture
def read_only_source(tmp_path: Path) -> Path:
    path = tmp_path / "src.db"
    with duckdb.connect(path) as connection:
        connection.execute(PEOPLE.replace("src", "t"))
    return path


def test_i11_a_read_only_database_first_in_the_search_path(tmp_path: Path, read_only_source: Path) -> None:
    with duckdb.connect(tmp_path / "own.db") as connection:
        connection.execute(f"ATTACH '{read_only_source}' AS s (READ_ONLY)")
        connection.execute("SET search_path = 's,own'")
        path = connection.execute("SELECT current_setting('search_path')").fetchone()
        wanted = problem("s.main.t", "own.main.rel")
        gensearch_db.anonymize(connection, **wanted)
        assert connection.execute("SELECT count(*) FROM own.main.rel").fetchone() == (4,)
        assert connection.execute("SELECT count(*) FROM duckdb_tables() WHERE database_name = 's'").fetchone() == (1,)
        assert connection.execute("SELECT current_setting('search_path')").fetchone() == path


def test_i11_a_read_only_database_is_refused_before_any_work_but_can_be_audited(tmp_path: Path) -> None:
    path = tmp_path / "people.db"
    with duckdb.connect(path) as connection:
        connection.execute(PEOPLE)
        gensearch_db.anonymize(connection, **problem())
    before = path.read_bytes()
    with duckdb.connect(path, read_only=True) as connection:
        with pytest.raises(ReadOnlyError, match="read-only"):
            gensearch_db.anonymize(connection, **problem(into="rel2"))
        assert gensearch_db.audit(connection, "rel").passed
        assert gensearch_db.estimate(connection, "rel", "SELECT COUNT(*) FROM src WHERE age < 32").estimates[0].estimate == 2
    assert path.read_bytes() == before


HOLDER = """
import duckdb, sys
connection = duckdb.connect(sys.argv[1])
print("open", flush=True)
sys.stdin.read()
"""


@contextmanager
def held(path: Path) -> Iterator[int]:
    """Another process that has the file open for writing; gives its number."""
    process = subprocess.Popen([sys.executable, "-c", HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == b"open\n"
        yield process.pid
    finally:
        process.stdin.close()
        process.stdout.close()
        process.wait(timeout=30)


def test_x01_a_file_that_another_process_holds(tmp_path: Path) -> None:
    path = tmp_path / "x01.db"
    with duckdb.connect(path) as connection:
        connection.execute(PEOPLE)
    with held(path) as holder:
        for call in (
            lambda: gensearch_db.anonymize(path, **problem()),
            lambda: gensearch_db.audit(path, "rel"),
            lambda: gensearch_db.connect(path),
        ):
            with pytest.raises(LockError) as caught:
                call()
            message = str(caught.value)
            assert "x01.db" in message
            assert str(holder) in message
        for arguments in (
            ["anonymize", str(path), "--table", "src", "--into", "rel", "--quasi-identifier", "age", "--k", "2"],
            ["audit", str(path), "rel"],
        ):
            failure = command(arguments).failure
            assert failure is not None
            assert "LockError" in failure.classes
            assert "x01.db" in failure.message
    with duckdb.connect(path) as connection:
        assert connection.execute("SELECT list(table_name) FROM duckdb_tables()").fetchone() == (["src"],)


@pytest.mark.parametrize("at_work", [True, False])
def test_a_file_that_another_process_makes_at_the_same_moment_is_not_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_work: bool
) -> None:
    """2026-11-28: a run that found no file, and then another's, removed it when it failed: its lock, or its release."""
    path, source = tmp_path / "new.db", str(tmp_path / "people.parquet")
    duckdb.sql("SELECT 30 + i // 2 AS age, 'a' AS d FROM range(4) r(i)").write_parquet(source)
    open_database = opening.open_database
    with ExitStack() as others:

        def late(*arguments: Any, **named: Any) -> Any:
            with duckdb.connect(path) as connection:
                connection.execute(PEOPLE)
            if at_work:
                others.enter_context(held(path))
            return open_database(*arguments, **named)

        monkeypatch.setattr(opening, "open_database", late)
        with pytest.raises(LockError if at_work else SpecificationError):
            gensearch_db.anonymize(path, **{**problem(source), "sensitive": ["no such column"]})
    with duckdb.connect(path) as connection:
        assert connection.execute("SELECT count(*) FROM src").fetchone() == (4,)


def test_a_file_that_was_made_for_nothing_is_removed(tmp_path: Path) -> None:
    path, source = tmp_path / "new.db", str(tmp_path / "people.parquet")
    duckdb.sql("SELECT 30 + i // 2 AS age, 'a' AS d FROM range(4) r(i)").write_parquet(source)
    with pytest.raises(SpecificationError):
        gensearch_db.anonymize(path, **{**problem(source), "sensitive": ["no such column"]})
    assert [file.name for file in tmp_path.iterdir()] == ["people.parquet"]


def test_x01_the_same_process_with_another_configuration(tmp_path: Path) -> None:
    path = tmp_path / "x01.db"
    with duckdb.connect(path) as connection:
        connection.execute(PEOPLE)
    with duckdb.connect(path, read_only=True), pytest.raises(LockError, match=r"x01\.db"):
        gensearch_db.anonymize(path, **problem())
