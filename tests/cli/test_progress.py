"""What a person at a terminal sees while a command takes its time, that it is gone when the result is printed, and Ctrl-C."""

from __future__ import annotations

import io
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar

import duckdb
import pytest
import typer

import gensearch_db
import gensearch_db.anonymization
from gensearch_db.cli import progress
from gensearch_db.cli.main import main
from gensearch_db.errors import SearchInterruptedError
from gensearch_db.search.result import Moment
from gensearch_db.statements.shell import Shell


def test_a_line_tells_cost_bound_and_gap() -> None:
    line = progress.progress_line(Moment(seconds=3.2, cost=200.0, lower_bound=150.0))
    assert line == "searching for 3 s: cost 200, at least 150, gap 25.00% (Ctrl-C ends the search)"


def test_without_a_release_there_is_no_gap() -> None:
    line = progress.progress_line(Moment(seconds=3.2, cost=float("inf"), lower_bound=150.0))
    assert line == "searching for 3 s: no release found yet (Ctrl-C ends the search)"


class FakeStatus:
    """What stands for rich's display: it notes what happens to it."""

    events: ClassVar[list[str]] = []
    shown = threading.Event()

    def __init__(self, line: str, **_: Any) -> None:
        self.events.append(line)

    def start(self) -> None:
        self.events.append("started")
        self.shown.set()

    def update(self, line: str) -> None:
        assert "printed" not in self.events
        self.events.append(line)

    def stop(self) -> None:
        self.events.append("stopped")


@pytest.fixture
def events(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a display notes at a terminal that has no patience."""
    FakeStatus.events.clear()
    FakeStatus.shown.clear()
    monkeypatch.setattr("rich.status.Status", FakeStatus)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    return FakeStatus.events


def test_the_display_goes_before_the_result_is_printed(
    database: Path, monkeypatch: pytest.MonkeyPatch, events: list[str]
) -> None:
    """It erases the lines above the cursor when it goes: those were the last lines of the audit."""
    with duckdb.connect(str(database)) as connection:
        connection.execute("CREATE TABLE t AS SELECT i % 50 AS age, i % 3 AS s FROM range(200) r(i)")
    monkeypatch.setattr(typer, "echo", lambda text: events.append("printed"))
    made = gensearch_db.anonymization._search

    def slow_enough(*arguments: Any) -> Any:
        assert FakeStatus.shown.wait(60)
        return made(*arguments)

    monkeypatch.setattr(gensearch_db.anonymization, "_search", slow_enough)
    main(["anonymize", str(database), "--table", "t", "--into", "r", "--quasi-identifier", "age: anywhere", "--k", "5"])
    assert events[1] == "started"
    assert events.index("writing the release and auditing it (Ctrl-C undoes it)") < events.index("stopped")
    assert events.index("stopped") < events.index("printed")


def test_what_ends_soon_or_at_no_terminal_shows_nothing(events: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 3600.0)
    with progress.waited("auditing"):
        pass
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False)
    with progress.waited("auditing"):
        assert not FakeStatus.shown.wait(0.2)
    assert events == []


def test_what_takes_its_time_is_told_until_it_ends(events: list[str]) -> None:
    def fail() -> None:
        with progress.waited("auditing"):
            assert FakeStatus.shown.wait(60)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert events == ["auditing", "started", "stopped"]


def test_commands_that_read_large_tables_are_waited_for(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with duckdb.connect(str(database)) as connection:
        connection.execute("CREATE TABLE t AS SELECT i % 50 AS age, i % 3 AS s FROM range(200) r(i)")
        gensearch_db.anonymize(connection, "t", into="r", quasi_identifiers=["age: every 10"], k=5)
    lines: list[str] = []

    @contextmanager
    def noted(line: str) -> Iterator[None]:
        yield
        lines.append(line)

    monkeypatch.setattr(progress, "waited", noted)
    (tmp_path / "w.sql").write_text("SELECT COUNT(*) FROM t WHERE age < 20;")
    main(["audit", str(database), "r"])
    main(["publish", str(database), "r", "--to", str(tmp_path / "out.duckdb")])
    main(["estimate", str(database), "r", "SELECT COUNT(*) FROM t WHERE age < 20"])
    main(["queries", "run", str(database), "r", "--workload", str(tmp_path / "w.sql"), "--source", "t"])
    main(["estimate", str(database), "r", "SELECT COUNT(*) FROM t WHERE age < 20", "--show-sql"])
    main(["queries", "generate", str(database), "r"])
    assert lines == ["auditing", "publishing", "estimating", "estimating", "reading the release", "drawing queries"]


def test_what_a_statement_of_the_shell_does_is_told_while_it_runs(database: Path, tmp_path: Path) -> None:
    """Found 2026-11-29: only ANONYMIZE was."""
    events: list[str] = []

    @contextmanager
    def noted(line: str) -> Iterator[None]:
        events.append(line)
        yield
        events.append("gone")

    class Printed(io.StringIO):
        """Notes that something is printed."""

        def write(self, text: str) -> int:
            if events[-1] != "printed":
                events.append("printed")
            return len(text)

    statements = {
        "CREATE TABLE t AS SELECT i % 50 AS age, i % 3 AS s FROM range(200) r(i)": "running the statement",
        "ANONYMIZE TABLE t INTO r QUASI IDENTIFIERS (age SPLIT EVERY 10) SUBJECT TO k_anonymity(5)": None,
        "EXPLAIN ANONYMIZE TABLE t INTO q QUASI IDENTIFIERS (age SPLIT EVERY 10)": "reading the table",
        "ANONYMIZE TABLE t INTO again USING RELEASE r": "writing the release and auditing it (Ctrl-C undoes it)",
        "AUDIT r": "auditing",
        "ESTIMATE SELECT COUNT(*) FROM t WHERE age < 20 USING r": "estimating",
        "PROFILE t": "reading the table",
        f"PUBLISH r TO '{tmp_path}/out/*.csv'": "publishing",
        "SELECT count(*) FROM t": "running the statement",
        "SHOW RELEASES": "running the statement",
    }
    with gensearch_db.connect(database) as connection:
        shell = Shell(connection, stream=Printed(), wait=noted)
        for statement, line in statements.items():
            events[:] = ["typed"]
            shell.run(statement)
            shown = [] if line is None else [line, "gone"]
            assert events == ["typed", *shown, *([] if statement.startswith("CREATE") else ["printed"])]


def test_ctrl_c_ends_the_search_and_outside_it_the_program() -> None:
    """Found 2026-11-28: the first Ctrl-C while a release was written and audited did nothing at all."""
    before = signal.getsignal(signal.SIGINT)
    moment = Moment(seconds=1.0, cost=200.0, lower_bound=150.0)
    with progress.watched(release_on_interrupt=True) as watcher:
        with pytest.raises(KeyboardInterrupt):
            watcher.interrupt(signal.SIGINT, None)
        with watcher:
            assert watcher(moment, {}) is False
            watcher.interrupt(signal.SIGINT, None)
            assert watcher(moment, {}) is True
    with progress.watched() as watcher:
        with watcher:
            watcher(moment, {})
        with pytest.raises(KeyboardInterrupt):
            watcher.interrupt(signal.SIGINT, None)
    assert signal.getsignal(signal.SIGINT) is before


def test_ctrl_c_just_before_a_search_ends_counts() -> None:
    """Found 2026-11-29: pressed after the last look of the search, it did nothing; the release was written."""

    def pressed_after_the_last_look(watcher: progress.Watcher) -> None:
        with watcher:
            watcher(Moment(seconds=1.0, cost=200.0, lower_bound=150.0), {})
            watcher.interrupt(signal.SIGINT, None)

    with progress.watched(release_on_interrupt=True) as watcher:
        pressed_after_the_last_look(watcher)
    with (
        progress.watched() as watcher,
        pytest.raises(SearchInterruptedError, match="costs 200, at least 150 is needed"),
    ):
        pressed_after_the_last_look(watcher)


def test_ctrl_c_pressed_again_ends_the_program() -> None:
    """Though the search takes it for a wish to stop, too: the best so far is not released then."""

    def pressed_twice(watcher: progress.Watcher) -> None:
        with watcher:
            watcher(Moment(seconds=1.0, cost=200.0, lower_bound=150.0), {})
            watcher.interrupt(signal.SIGINT, None)
            with suppress(KeyboardInterrupt):
                watcher.interrupt(signal.SIGINT, None)

    with progress.watched(release_on_interrupt=True) as watcher, pytest.raises(KeyboardInterrupt):
        pressed_twice(watcher)


def test_a_progress_that_can_be_entered_is_entered_for_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[str] = []

    class Noting:
        def __enter__(self) -> None:
            events.append("begins")

        def __exit__(self, *_: object) -> None:
            events.append("ends")

        def __call__(self, moment: Moment, counters: dict[str, int | float]) -> bool:
            events.append("called")
            return False

    written = gensearch_db.anonymization.write_release

    def noted(*arguments: Any, **options: Any) -> Any:
        events.append("written")
        return written(*arguments, **options)

    monkeypatch.setattr(gensearch_db.anonymization, "write_release", noted)
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t AS SELECT i % 50 AS age, i % 3 AS s FROM range(200) r(i)")
        gensearch_db.anonymize(connection, "t", into="r", quasi_identifiers=["age"], k=7, progress=Noting())
    assert [event for event in events if event != "called"] == ["begins", "ends", "written"]
