"""Ctrl-C at every line of the package that runs from the commit to the answer: the caller is told what there is."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections import Counter
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import duckdb
import pytest

import gensearch_db
from gensearch_db.cli.main import INTERRUPTED, main
from tests.cases.naming import toml
from tests.cases.statement_text import statement

from .between_steps import Run, Steps, at_the_commit
from .house import House, problem
from .outcomes import record

EVERY = 1 if os.environ.get("GENSEARCH_KILL_EVERY") == "1" else 8
"""The signal is raised at every so-many-th line."""

SIZES = (10, 20)
"""The least block sizes of the release that is there and the one that is to replace it, by turns."""


def by_python(path: Path, fields: dict[str, Any]) -> None:
    with duckdb.connect(path) as connection:
        gensearch_db.anonymize(connection, replace=True, **fields)


def by_statement(path: Path, fields: dict[str, Any]) -> None:
    with gensearch_db.connect(path) as connection:
        connection.execute(statement(fields).replace("INTO rel", "INTO rel REPLACE"))
        sys.settrace(None)  # what follows is no longer the request


def by_command(path: Path, fields: dict[str, Any]) -> None:
    file = path.with_suffix(".toml")
    file.write_text(toml(fields), encoding="utf-8")
    printed = StringIO()
    try:
        with redirect_stdout(printed):
            main(["anonymize", str(path), "--problem", str(file), "--replace", "--json"])
    except SystemExit as end:
        if end.code != INTERRUPTED:
            raise
        if not printed.getvalue():  # the last steps of the program come after the report
            raise KeyboardInterrupt from end
    finally:
        file.unlink()
    assert json.loads(printed.getvalue())["audit"]["passed"]


def attempt(run: Run, path: Path, fields: dict[str, Any], at: int | None) -> tuple[Steps, bool]:
    """Run once, the signal at this line from the commit on; what ran, and whether the caller was told."""
    steps = Steps(lambda lines: len(lines) == at)
    with at_the_commit(steps.begin):
        try:
            run(path, fields)
        except KeyboardInterrupt:
            return steps, True
        finally:
            steps.end()
    return steps, False


@pytest.mark.slow
@pytest.mark.usefixtures("default_handler")
@pytest.mark.parametrize("run", [by_python, by_statement, by_command])
def test_an_interrupt_is_told_exactly_where_nothing_was_written(tmp_path: Path, run: Run) -> None:
    house = House.build(tmp_path / "people.duckdb")
    steps, told = attempt(run, house.path, problem(k=SIZES[0]), None)
    assert not told
    lines = steps.lines
    there = SIZES[0]
    seen: Counter[str] = Counter()
    first_times = sorted({line: place for place, line in reversed(list(enumerate(lines, start=1)))}.values())
    for number in {*first_times[:3], *first_times[3::EVERY], first_times[-1]}:
        wanted = sum(SIZES) - there
        _, told = attempt(run, house.path, problem(k=wanted), number)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler, f"{lines[number - 1]}: the handler stayed away"
        with duckdb.connect(house.path) as connection:
            found = connection.execute("SELECT problem->>'$.subject_to[0]' FROM gensearch.releases").fetchall()
            assert gensearch_db.audit(connection, "rel").passed
        there = there if told else wanted
        assert found == [(f"k_anonymity({there})",)], f"{lines[number - 1]}: {found} is there, {told=}"
        seen["interrupted, old release whole" if told else "no error, new release whole"] += 1
    assert len(seen) == 2, "all signals came on one side of the commit"
    record(f"Ctrl-C between two steps, {run.__name__.replace('_', ' ')}", "on the way from the commit to the answer", seen)
