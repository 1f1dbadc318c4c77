"""Each statement of a run interrupted, failing for want of memory, or the process killed at it."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

import gensearch_db
from gensearch_db.errors import ResourceError

from .house import NEW, House
from .statements import statement_count, struck

FEWEST_STATEMENTS = 20
"""A run sends more than this; fewer would mean that the faults miss it."""


def interrupt() -> None:
    raise KeyboardInterrupt


def run_out_of_memory() -> None:
    raise duckdb.OutOfMemoryException("Out of Memory Error: failed to allocate data of size 1.0 GiB (200 MiB/200 MiB used)")


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> House:
    return House.build(tmp_path_factory.mktemp("built") / "people.duckdb")


@pytest.fixture
def house(built: House, tmp_path: Path) -> House:
    return built.copied_to(tmp_path / "people.duckdb")


def anonymize(path: Path) -> None:
    with duckdb.connect(path) as connection:
        gensearch_db.anonymize(connection, replace=True, **NEW)


def statements_of_a_run(house: House) -> int:
    count = statement_count(lambda: anonymize(house.path))
    house.restore()
    assert count > FEWEST_STATEMENTS
    return count


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "raised"), [(interrupt, KeyboardInterrupt), (run_out_of_memory, ResourceError)])
def test_a_statement_that_fails_leaves_the_old_release(
    house: House, fault: Callable[[], None], raised: type[BaseException]
) -> None:
    seen: Counter[str] = Counter()
    for number in range(1, statements_of_a_run(house) + 1):
        with duckdb.connect(house.path) as connection:
            failed = False
            try:
                with struck(number, fault):
                    gensearch_db.anonymize(connection, replace=True, **NEW)
            except raised:
                failed = True
            outcome = house.check_old_or_new(connection)
            seen[f"{'failed' if failed else 'went on'}, {outcome}"] += 1
            assert failed or outcome == "new", f"statement {number}: no error, and no release"
        house.restore()
    assert seen["failed, old"] > FEWEST_STATEMENTS


def killed_at(path: str, number: int, after: bool) -> None:
    with struck(number, kill, after=after):
        anonymize(Path(path))


@pytest.mark.slow
@pytest.mark.parametrize("after", [False, True])
def test_a_process_killed_at_a_statement_leaves_the_old_release(house: House, after: bool) -> None:
    """After every statement in ``after``, else before every third: the file opens, holds the old or the new release whole."""
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(["gensearch_db.anonymization", "gensearch_db.search.run", "tests.faults.house"])
    seen: Counter[str] = Counter()
    for number in range(1, statements_of_a_run(house) + 1, 1 if after else 3):
        process = processes.Process(target=killed_at, args=(str(house.path), number, after))
        process.start()
        process.join()
        assert process.exitcode == -signal.SIGKILL, f"statement {number}: exit code {process.exitcode}"
        with duckdb.connect(house.path) as connection:
            seen[house.check_old_or_new(connection)] += 1
            house.check_next_run_works(connection)
        house.restore()
    assert seen["old"] > FEWEST_STATEMENTS // 3
