"""What a person at a terminal sees while a search runs, and that it is gone when the result is printed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest
import typer

from gensearch_db.cli import progress
from gensearch_db.cli.main import main
from gensearch_db.search.result import Moment


def test_a_line_tells_cost_bound_and_gap() -> None:
    line = progress.progress_line(Moment(seconds=3.2, cost=200.0, lower_bound=150.0))
    assert line == "searching for 3 s: cost 200, at least 150, gap 25.00% (Ctrl-C ends the search)"


def test_without_a_release_there_is_no_gap() -> None:
    line = progress.progress_line(Moment(seconds=3.2, cost=float("inf"), lower_bound=150.0))
    assert line == "searching for 3 s: no release found yet (Ctrl-C ends the search)"


def test_the_display_goes_before_the_result_is_printed(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It erases the lines above the cursor when it goes: those were the last lines of the audit."""
    with duckdb.connect(str(database)) as connection:
        connection.execute("CREATE TABLE t AS SELECT i % 50 AS age, i % 3 AS s FROM range(200) r(i)")
    events: list[str] = []

    class Display:
        def __init__(self, line: str, **_: Any) -> None:
            events.append("created")

        def start(self) -> None:
            events.append("started")

        def update(self, line: str) -> None:
            assert "printed" not in events

        def stop(self) -> None:
            events.append("stopped")

    monkeypatch.setattr("rich.status.Status", Display)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(typer, "echo", lambda text: events.append("printed"))
    main(["anonymize", str(database), "--table", "t", "--into", "r", "--quasi-identifier", "age: anywhere", "--k", "5"])
    assert events[:2] == ["created", "started"]
    assert events.index("stopped") < events.index("printed")
