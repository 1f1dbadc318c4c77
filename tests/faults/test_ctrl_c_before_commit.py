"""Ctrl-C at lines of the package that the main thread runs from the request to the commit: it is never forgotten.

What is loaded or compiled on the first search is gone through anew each time.
"""

from __future__ import annotations

import os
import random
import signal
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import duckdb
import pytest

import gensearch_db
from gensearch_db.cli.main import INTERRUPTED, main
from gensearch_db.errors import SearchInterruptedError
from gensearch_db.search.warm_up import warm_up
from tests.cases.naming import toml

from .between_steps import Line, Run, Steps, at_the_commit
from .house import House, problem
from .outcomes import record

EVERY = 1 if os.environ.get("GENSEARCH_KILL_EVERY") == "1" else 240
"""The signal is raised at one of so many lines, drawn by lot."""

STRATEGIES: dict[str, dict[str, Any]] = {
    "enumeration": {"strategy": "enumeration"},
    "block graph": {"strategy": "block_graph"},
    "block graph, all optimal": {"strategy": "block_graph", "options": {"all_optimal": True}},
    "prices of suppression": {"strategy": "block_graph", "suppress_at_most": 5},
    "Mondrian": {"strategy": "mondrian"},
}


def by_python(path: Path, fields: dict[str, Any]) -> None:
    with duckdb.connect(path) as connection:
        gensearch_db.anonymize(connection, replace=True, **fields)


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
        file.unlink()


def attempt(run: Run, path: Path, fields: dict[str, Any], at: Line | None) -> tuple[Steps, bool]:
    """Run once, the signal when this line is run first; what ran up to the commit, and whether the caller was told of it."""
    warm_up.cache_clear()
    steps = Steps(lambda lines: lines[-1] == at)
    with at_the_commit(steps.end):
        steps.begin()
        try:
            run(path, fields)
        except (KeyboardInterrupt, SearchInterruptedError):
            return steps, True
        finally:
            steps.end()
    return steps, False


@pytest.mark.slow
@pytest.mark.usefixtures("default_handler")
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("run", [by_python, by_command])
def test_an_interrupt_is_never_forgotten(house: House, run: Run, strategy: str) -> None:
    fields = problem() | STRATEGIES[strategy]
    steps, told = attempt(run, house.path, fields, None)
    assert not told
    house.restore()
    lines = list(dict.fromkeys(steps.lines))
    seen: Counter[str] = Counter()
    for line in random.Random(f"{run.__name__} {strategy}").sample(lines, len(lines) // EVERY):
        steps, told = attempt(run, house.path, fields, line)
        if not steps.struck:  # one run comes to it, another does not
            house.restore()
            continue
        assert told, f"{line}: the interrupt was forgotten"
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler, f"{line}: the handler stayed away"
        with duckdb.connect(house.path) as connection:
            house.check_as_before(connection)
        seen["interrupted, old release whole"] += 1
    assert seen
    record(f"Ctrl-C between two steps, {run.__name__.replace('_', ' ')}, {strategy}", "from the request to the commit", seen)
