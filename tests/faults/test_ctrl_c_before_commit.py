"""Ctrl-C at every line of the package that the main thread runs from the request to the commit: it is never forgotten.

The signal is raised by a trace function, so it comes between two steps of Python and not while a statement runs. What is
compiled or loaded on the first search is gone through anew each time.
"""

from __future__ import annotations

import os
import random
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import duckdb
import pytest

import gensearch_db
from gensearch_db.cli.main import INTERRUPTED, main
from gensearch_db.database import session
from gensearch_db.errors import SearchInterruptedError
from gensearch_db.search.warm_up import warm_up
from tests.cases.naming import toml

from .house import House, problem
from .outcomes import record

EVERY = 1 if os.environ.get("GENSEARCH_KILL_EVERY") == "1" else 60
"""The signal is raised at one of so many lines."""

PACKAGE = str(Path(gensearch_db.__file__).parent)

STRATEGIES: dict[str, dict[str, Any]] = {
    "enumeration": {"strategy": "enumeration"},
    "block graph": {"strategy": "block_graph"},
    "block graph, all optimal": {"strategy": "block_graph", "options": {"all_optimal": True}},
    "prices of suppression": {"strategy": "block_graph", "suppress_at_most": 5},
    "Mondrian": {"strategy": "mondrian"},
}


class UpToTheCommit:
    """Lines of the package that run before COMMIT is near; when the one ``at`` is run first, the signal is raised."""

    def __init__(self, patch: pytest.MonkeyPatch, at: tuple[CodeType, int] | None) -> None:
        self.at = at
        self.lines: dict[tuple[CodeType, int], None] = {}
        self.struck = False
        self.begins = session.commit_begins
        patch.setattr(session, "commit_begins", self.end)
        sys.settrace(self.trace)

    def end(self) -> None:
        sys.settrace(None)
        self.begins()

    def trace(self, frame: FrameType, event: str, argument: Any) -> Any:
        if not frame.f_code.co_filename.startswith(PACKAGE):
            return None
        if event == "line":
            here = (frame.f_code, frame.f_lineno)
            self.lines[here] = None
            if here == self.at:
                sys.settrace(None)
                self.struck = True
                signal.raise_signal(signal.SIGINT)
        return self.trace


def by_python(path: Path, fields: dict[str, Any]) -> None:
    with duckdb.connect(path) as connection:
        try:
            gensearch_db.anonymize(connection, replace=True, **fields)
        finally:
            sys.settrace(None)


def by_command(path: Path, fields: dict[str, Any]) -> None:
    file = path.with_suffix(".toml")
    file.write_text(toml(fields), encoding="utf-8")
    complaint = StringIO()
    try:
        with redirect_stdout(StringIO()), redirect_stderr(complaint):
            main(["anonymize", str(path), "--problem", str(file), "--replace"])
    except SystemExit as end:
        if end.code == INTERRUPTED and "interrupted" in complaint.getvalue():
            raise KeyboardInterrupt from end
        raise RuntimeError(complaint.getvalue()) from end
    finally:
        sys.settrace(None)
        file.unlink()


def attempt(run: Any, path: Path, fields: dict[str, Any], at: tuple[CodeType, int] | None) -> tuple[UpToTheCommit, bool]:
    """Run once, the signal at this line; what was watched, and whether the caller was told that it was interrupted."""
    warm_up.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        watched = UpToTheCommit(patch, at)
        try:
            run(path, fields)
        except (KeyboardInterrupt, SearchInterruptedError):
            return watched, True
        finally:
            sys.settrace(None)
    return watched, False


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> House:
    return House.build(tmp_path_factory.mktemp("built") / "people.duckdb")


@pytest.fixture
def house(built: House, tmp_path: Path) -> House:
    return built.copied_to(tmp_path / "people.duckdb")


@pytest.fixture
def default_handler() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.slow
@pytest.mark.usefixtures("default_handler")
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("run", [by_python, by_command])
def test_an_interrupt_is_never_forgotten(house: House, run: Any, strategy: str) -> None:
    fields = problem() | STRATEGIES[strategy]
    watched, told = attempt(run, house.path, fields, None)
    assert not told
    house.restore()
    lines = list(watched.lines)
    seen: Counter[str] = Counter()
    for line in random.Random(str((run.__name__, strategy))).sample(lines, len(lines) // EVERY):
        watched, told = attempt(run, house.path, fields, line)
        if not watched.struck:  # a line that one run comes to and another does not
            house.restore()
            continue
        assert told, f"{line}: the interrupt was forgotten"
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler, f"{line}: the handler stayed away"
        with duckdb.connect(house.path) as connection:
            house.check_as_before(connection)
        seen["interrupted, old release whole"] += 1
    assert seen
    record(f"Ctrl-C between two steps, {run.__name__.replace('_', ' ')}, {strategy}", "from the request to the commit", seen)
