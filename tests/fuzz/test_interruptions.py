"""Runs that are broken off at random moments, or run out of memory: the release is whole, or nothing has changed."""

from __future__ import annotations

import gc
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

import gensearch_db
from gensearch_db.errors import GensearchError, SearchInterruptedError
from tests.cases.invariants import Surroundings

from .checks import check, check_content, some
from .problems import Case, cases, large_cases


@contextmanager
def ctrl_c_after(seconds: float) -> Iterator[None]:
    """Inside, one Ctrl-C comes when the time is up. Hypothesis times the collection of garbage, where it would be lost."""

    def press(number: int, frame: Any) -> None:
        signal.raise_signal(signal.SIGINT)

    callbacks, gc.callbacks[:] = gc.callbacks[:], []
    before = signal.signal(signal.SIGALRM, press)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        gc.callbacks[:] = callbacks


@pytest.mark.slow
@some(4)
@given(st.one_of(cases(), cases(), large_cases()), st.floats(0.001, 0.4))
def test_ctrl_c_at_any_moment(case: Case, seconds: float) -> None:
    with duckdb.connect() as connection, tempfile.TemporaryDirectory() as folder:
        case.create(connection)
        before = Surroundings.of(connection, Path(folder))
        error: BaseException | None = None
        answered = False
        try:
            with ctrl_c_after(seconds):
                gensearch_db.anonymize(connection, **case.problem)
                answered = True
        except (GensearchError, KeyboardInterrupt) as ended:
            error = ended
        event(type(error).__name__)
        _whole_or_unchanged(connection, case, before, Path(folder), None if answered else error)


@pytest.mark.slow
@some(4)
@given(large_cases().filter(lambda case: case.rows <= 3_000), st.integers(0, 5), st.booleans())
def test_a_search_that_is_stopped(case: Case, moments: int, release: bool) -> None:
    """By the progress callback; the best partition so far is released only on request."""
    asked = 0

    def stop(moment: Any, counters: Any) -> bool:
        nonlocal asked
        asked += 1
        return asked > moments

    with duckdb.connect() as connection, tempfile.TemporaryDirectory() as folder:
        case = case.with_problem(node_limit=None, stop_after=1)
        case.create(connection)
        before = Surroundings.of(connection, Path(folder))
        error: GensearchError | None = None
        try:
            made = gensearch_db.anonymize(connection, **case.problem, progress=stop, release_on_interrupt=release)
            assert release or made.status.value != "INTERRUPTED"
        except GensearchError as ended:
            error = ended
        event(type(error).__name__)
        assert not (release and isinstance(error, SearchInterruptedError)) or "before any release was found" in str(error)
        _whole_or_unchanged(connection, case, before, Path(folder), error)


@pytest.mark.slow
@some(4)
@given(large_cases(), st.sampled_from([5, 10, 15, 20, 30, 50, 80]))
def test_little_memory(case: Case, megabytes: int) -> None:
    """DuckDB's own limit, with no room on the disk: the release, or one error of ours."""
    with duckdb.connect(config={"temp_directory": ""}) as connection, tempfile.TemporaryDirectory() as folder:
        case.create(connection)
        before = Surroundings.of(connection, Path(folder))
        with suppress(duckdb.OutOfMemoryException):  # the table itself does not fit
            connection.execute(f"SET memory_limit = '{megabytes}MB'")
        error: GensearchError | None = None
        try:
            gensearch_db.anonymize(connection, **case.problem)
        except GensearchError as ended:
            error = ended
        event(type(error).__name__)
        connection.execute("SET memory_limit = '2GB'")
        _whole_or_unchanged(connection, case, before, Path(folder), error)


def _whole_or_unchanged(
    connection: duckdb.DuckDBPyConnection, case: Case, before: Surroundings, folder: Path, error: BaseException | None
) -> None:
    """After a run that was struck: what a run always leaves, or nothing; and the next run works as if nothing had been."""
    if error is None:
        check(connection, case, before, folder, None)
        return
    Surroundings.of(connection, folder).check(before, release=None)
    if isinstance(error, KeyboardInterrupt):
        try:
            gensearch_db.anonymize(connection, **case.problem)
        except GensearchError:
            return
        check_content(connection, case)
