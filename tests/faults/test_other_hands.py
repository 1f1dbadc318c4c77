"""Faults that come from outside a run: the source dropped or changed under it, disk and memory that end, two runs at once."""

from __future__ import annotations

import multiprocessing
import os
import resource
import shutil
import signal
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import duckdb
import pytest

import gensearch_db
from gensearch_db.errors import GensearchError, LockError, ResourceError, SourceChangedError
from tests.cases.test_database_files import held

from .house import NEW, House
from .outcomes import record

CHANGES = {
    "a row more": "INSERT INTO people VALUES (1000, 33, 'a', 'd1')",
    "a row less": "DELETE FROM people WHERE id = 0",
    "a value that was not there": "UPDATE people SET town = 'e' WHERE id = 0",
    "one value for another": "UPDATE people SET age = 20 + (age + 17) % 60 WHERE id = 0",
}


def during_the_search(monkeypatch: pytest.MonkeyPatch, act: Callable[[], Any]) -> None:
    """Let ``act`` happen once, when the cells are counted and the search has its answer."""
    from gensearch_db import anonymization

    search = anonymization.search

    def disturbed(*arguments: Any, **named: Any) -> Any:
        result = search(*arguments, **named)
        act()
        return result

    monkeypatch.setattr(anonymization, "search", disturbed)


@pytest.mark.parametrize("change", CHANGES)
def test_a_source_that_changes_after_its_cells_were_counted(house: House, monkeypatch: pytest.MonkeyPatch, change: str) -> None:
    with duckdb.connect(house.path) as connection:
        other = connection.cursor()
        during_the_search(monkeypatch, lambda: other.execute(CHANGES[change]).fetchall())
        with pytest.raises(SourceChangedError, match="people"):
            gensearch_db.anonymize(connection, replace=True, **NEW)
        house.check_as_before(connection)
        monkeypatch.undo()
        house.check_next_run_works(connection)
    record(f"source changed: {change}", "between counting the cells and writing the release", "refused; old release whole")


def test_a_source_dropped_before_the_release_is_written(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    with duckdb.connect(house.path) as connection:
        other = connection.cursor()
        during_the_search(monkeypatch, lambda: other.execute("ALTER TABLE people RENAME TO people_away").fetchall())
        with pytest.raises(GensearchError, match="people"):
            gensearch_db.anonymize(connection, replace=True, **NEW)
        monkeypatch.undo()
        connection.execute("ALTER TABLE people_away RENAME TO people")
        house.check_as_before(connection)
        house.check_next_run_works(connection)
    record("source dropped", "between counting the cells and writing the release", "refused; old release whole")


def test_the_name_is_taken_while_the_search_runs(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    with duckdb.connect(house.path) as connection:
        other = connection.cursor()
        during_the_search(monkeypatch, lambda: other.execute("CREATE TABLE rel2 AS SELECT 42 AS mine").fetchall())
        with pytest.raises(GensearchError, match="rel2"):
            gensearch_db.anonymize(connection, replace=True, **{**NEW, "into": "rel2"})
        assert connection.execute("FROM rel2").fetchall() == [(42,)]
        connection.execute("DROP TABLE rel2")
        house.check_as_before(connection)
    record("target name taken by another table", "during the search", "refused; the other's table untouched")


def test_readers_see_the_old_release_until_the_new_one_is_there(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    with duckdb.connect(house.path) as connection:
        reader = connection.cursor()
        before = reader.execute("SELECT count(*) FROM rel_blocks").fetchall()
        seen: list[Any] = []
        during_the_search(monkeypatch, lambda: seen.extend(reader.execute("SELECT count(*) FROM rel_blocks").fetchall()))
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM rel_blocks").fetchall() == before
        gensearch_db.anonymize(connection, replace=True, **NEW)
        assert seen == before
        assert reader.execute("SELECT count(*) FROM rel_blocks").fetchall() == before
        reader.execute("COMMIT")
        assert reader.execute("SELECT count(*) FROM rel_blocks").fetchall() != before
    record(
        "readers in the same process",
        "before, during and after the commit",
        "the old release whole until their transaction ends",
    )


def fills_the_disk(path: str, most: int, said: Connection) -> None:
    """In a process of its own: no byte can be written beyond this place of any file, as on a disk that is full.

    Tells the class, the exit code and the message of the error.
    """
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with duckdb.connect(path) as connection:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        try:
            gensearch_db.anonymize(connection, replace=True, **NEW)
        except GensearchError as error:
            said.send((type(error).__name__, error.exit_code, str(error)))
        else:
            said.send(None)
    os._exit(0)


@pytest.mark.slow
@pytest.mark.parametrize("most", [1, 1000, 8000])
def test_a_full_disk(house: House, most: int) -> None:
    """The log of a commit cannot be written: an error that names the disk, and the old release."""
    processes = multiprocessing.get_context("forkserver")
    here, there = processes.Pipe()
    process = processes.Process(target=fills_the_disk, args=(str(house.path), most, there))
    process.start()
    assert here.poll(60), "the process said nothing"
    kind, exit_code, message = here.recv()
    process.join()
    assert (kind, exit_code) == ("ResourceError", 7)
    assert "disk is full" in message
    with duckdb.connect(house.path) as connection:
        house.check_as_before(connection)
        house.check_next_run_works(connection)
    record("full disk", f"no file can be written beyond byte {most:,}", "ResourceError (exit code 7); old release whole")


@pytest.mark.slow
def test_memory_that_does_not_suffice(tmp_path: Path) -> None:
    with duckdb.connect(config={"memory_limit": "60MB", "threads": 1, "max_temp_directory_size": "1MB"}) as connection:
        connection.execute(
            "CREATE TABLE people AS SELECT i AS id, i AS age, 'town ' || i % 50000 AS town FROM range(300000) r(i)"
        )
        with pytest.raises(ResourceError, match=r"(?i)memory"):
            gensearch_db.anonymize(
                connection,
                table="people",
                into="rel",
                quasi_identifiers={"age": {"split": "anywhere"}, "town": {"order": True}},
                subject_to=["k_anonymity(10)"],
                strategy="mondrian",
            )
        assert connection.execute("SELECT count(*) FROM people").fetchone() == (300000,)
        assert connection.execute("SELECT list(table_name) FROM duckdb_tables()").fetchone() == (["people"],)
    record("out of memory", "while the cells are counted", "error that names the limit; nothing written")


def test_a_second_run_that_commits_first_wins_and_the_other_says_so(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    with duckdb.connect(house.path) as connection:
        other = connection.cursor()

        def second() -> None:
            monkeypatch.undo()
            gensearch_db.anonymize(other, replace=True, **NEW)

        during_the_search(monkeypatch, second)
        gensearch_db.anonymize(connection, replace=True, **{**NEW, "subject_to": ["k_anonymity(20)"]})
        report = gensearch_db.audit(connection, "rel")
        assert report.passed
        assert report.check("k_anonymity").reached >= 20
    record("two runs in one process for one name", "the second ends first", "the later commit wins, whole and audited")


def test_the_file_alone_is_enough(house: House, tmp_path: Path) -> None:
    """A copy of the file after a run opens elsewhere and holds the release: nothing was left in another place."""
    with duckdb.connect(house.path) as connection:
        house.check_next_run_works(connection)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shutil.copyfile(house.path, elsewhere / "people.duckdb")
    with duckdb.connect(elsewhere / "people.duckdb") as connection:
        assert gensearch_db.audit(connection, "rel").passed
    record("the file copied after a run", "–", "opens elsewhere, the audit passes")


def test_a_file_held_by_another_process_names_the_holder(house: House) -> None:
    with held(house.path) as holder, pytest.raises(LockError, match=rf"people\.duckdb.*{holder}"):
        gensearch_db.anonymize(house.path, replace=True, **NEW)
    with duckdb.connect(house.path) as connection:
        house.check_as_before(connection)
        house.check_next_run_works(connection)
    record("file locked by another process", "at the start", "refused with the holder's number; old release whole")
