"""A statement of a run interrupted or failing for want of memory, or the process killed at it; and of a publication."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import duckdb
import pytest

import gensearch_db
from gensearch_db.errors import GensearchError, ResourceError
from tests.cases.invariants import fingerprint

from .house import NEW, House
from .outcomes import record
from .statements import statement_count, struck

FEWEST_STATEMENTS = 20
"""A run sends more than this; fewer would mean that the faults miss it."""

LAST = 30
"""So many statements before the last one the signals begin, some of them before the commit."""

KILL_EVERY = int(os.environ.get("GENSEARCH_KILL_EVERY", "16"))
"""A process is killed at every so-many-th statement; 1 takes some minutes."""


def interrupt() -> None:
    raise KeyboardInterrupt


_heard = threading.Event()


def _hear(number: int, frame: FrameType | None) -> None:
    _heard.set()
    signal.default_int_handler(number, frame)


def press_ctrl_c() -> None:
    _heard.clear()
    os.kill(os.getpid(), signal.SIGINT)
    assert _heard.wait(30)  # the main thread has it before this statement ends, however busy the machine


def run_out_of_memory() -> None:
    raise duckdb.OutOfMemoryException("Out of Memory Error: failed to allocate data of size 1.0 GiB (200 MiB/200 MiB used)")


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def anonymize(path: Path) -> None:
    with duckdb.connect(path) as connection:
        gensearch_db.anonymize(connection, replace=True, **NEW)


def publish(path: Path) -> None:
    with gensearch_db.connect(str(path)) as connection:
        connection.execute(f"PUBLISH rel TO '{path.parent / 'out' / '*.parquet'}' REPLACE")
        connection.execute(f"PUBLISH rel TO '{path.parent / 'out.duckdb'}' REPLACE")


def statements_of(action: Callable[[Path], None], house: House) -> int:
    count = statement_count(lambda: action(house.path))
    house.restore()
    return count


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "raised", "every"), [(interrupt, KeyboardInterrupt, 1), (run_out_of_memory, ResourceError, 3)]
)
def test_a_statement_that_fails_leaves_the_old_release(
    house: House, fault: Callable[[], None], raised: type[BaseException], every: int
) -> None:
    """After an error the connection holds the old release; what strikes after the commit is none: the new one is there."""
    seen: Counter[str] = Counter()
    count = statements_of(anonymize, house)
    assert count > FEWEST_STATEMENTS
    numbers = list(range(1, count + 1, every))
    while numbers:
        with duckdb.connect(house.path) as connection:
            outcome = "old"
            while numbers and outcome == "old":
                number = numbers.pop(0)
                outcome, failed = _struck_once(house, connection, number, fault, raised)
                assert failed == (outcome == "old"), f"statement {number}: {failed=}, {outcome} release"
                seen[f"{'error' if failed else 'no error'}, {outcome} release whole"] += 1
        house.restore()
    with duckdb.connect(house.path) as connection:
        house.check_next_run_works(connection)
    assert seen["error, old release whole"] > FEWEST_STATEMENTS
    assert seen["no error, new release whole"], "no fault struck after the commit"
    record(f"{fault.__name__.replace('_', ' ')}", f"before every {every}. statement of {count}", seen)


def _struck_once(
    house: House,
    connection: duckdb.DuckDBPyConnection,
    number: int,
    fault: Callable[[], None],
    raised: type[BaseException],
    *,
    after: bool = False,
) -> tuple[str, bool]:
    failed = False
    try:
        with struck(number, fault, after=after):
            gensearch_db.anonymize(connection, replace=True, **NEW)
    except raised:
        failed = True
    return house.check_old_or_new(connection), failed


@pytest.fixture
def heard_signals() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, _hear)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.slow
@pytest.mark.usefixtures("heard_signals")
def test_ctrl_c_while_a_statement_runs_is_an_error_until_the_commit(house: House) -> None:
    """A signal during one of the last statements, the commit among them: an error exactly where nothing is written."""
    seen: Counter[str] = Counter()
    count = statements_of(anonymize, house)
    for number in range(count - LAST, count + 1):
        with duckdb.connect(house.path) as connection:
            outcome, failed = _struck_once(house, connection, number, press_ctrl_c, KeyboardInterrupt, after=True)
            assert failed == (outcome == "old"), f"statement {number}: {failed=}, {outcome} release"
            seen[f"{'error' if failed else 'no error'}, {outcome} release whole"] += 1
        house.restore()
    assert len(seen) == 2, "all signals came on one side of the commit"
    record("Ctrl-C (the signal)", f"during each of the last {LAST + 1} statements of {count}", seen)


def test_a_new_file_stays_once_its_release_is_committed(house: House, tmp_path: Path) -> None:
    """Where tidying up fails twice, the error says that the release is committed, and the file that was made for it stays."""
    people = tmp_path / "people.parquet"
    with duckdb.connect(house.path) as connection:
        connection.execute(f"COPY people TO '{people}'")

    def run(name: str) -> Path:
        gensearch_db.anonymize(tmp_path / name, **{**NEW, "table": str(people)})
        return tmp_path / name

    number = statement_count(lambda: run("undisturbed.duckdb")) - 3
    with struck(number, interrupt):
        once = run("once.duckdb")
    with struck(number, interrupt), struck(number, interrupt), pytest.raises(GensearchError, match="committed"):
        run("twice.duckdb")
    with struck(3, interrupt), pytest.raises(KeyboardInterrupt):
        run("early.duckdb")
    assert not (tmp_path / "early.duckdb").exists()
    for path in (once, tmp_path / "twice.duckdb"):
        assert gensearch_db.audit(path, "rel").passed


def _killed_at(action: Callable[[Path], None], path: str, number: int, after: bool) -> None:
    with struck(number, kill, after=after):
        action(Path(path))


def kill_at(action: Callable[[Path], None], house: House, number: int, after: bool) -> None:
    """Run ``action`` in a process of its own that is killed at this statement."""
    processes: Any = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(["gensearch_db.anonymization", "gensearch_db.search.run", "tests.faults.house"])
    process = processes.Process(target=_killed_at, args=(action, str(house.path), number, after))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL, f"statement {number}: exit code {process.exitcode}"


@pytest.mark.slow
@pytest.mark.parametrize("after", [False, True])
def test_a_process_killed_at_a_statement_leaves_the_old_release(house: House, after: bool) -> None:
    """The file opens, holds the old or the new release whole, and the next run works."""
    seen: Counter[str] = Counter()
    count = statements_of(anonymize, house)
    # The last third of a run holds the transaction, where most can go wrong. Before a statement is after another one, mostly.
    numbers = sorted(
        {*range(1, count + 1, KILL_EVERY), *range(2 * count // 3, count + 1, max(1, KILL_EVERY // 2)), count}
        if after
        else range(1, count + 1, 2 * KILL_EVERY)
    )
    for number in numbers:
        kill_at(anonymize, house, number, after)
        with duckdb.connect(house.path) as connection:
            seen[f"{house.check_old_or_new(connection)} release whole"] += 1
            house.check_next_run_works(connection)
        house.restore()
    assert seen["old release whole"] >= min(len(numbers), 3)
    if after:
        assert seen["new release whole"], "no kill struck after the commit"
    record("SIGKILL of a run", f"{'after' if after else 'before'} {len(numbers)} of {count} statements", seen)


@pytest.mark.slow
def test_a_process_killed_while_it_publishes_leaves_no_half_a_file(house: House) -> None:
    """A target is there whole or not at all; the database is as it was; the next publication leaves nothing else behind.

    What happens while files are moved is in ``test_handing_over``.
    """
    seen: Counter[str] = Counter()
    publish(house.path)
    whole = handed_out(house.path.parent)
    clear(house.path.parent)
    count = statement_count(lambda: publish(house.path))
    clear(house.path.parent)
    for number in range(1, count + 1, 3):
        kill_at(publish, house, number, after=True)
        present = handed_out(house.path.parent)
        assert all(present[name] == whole[name] for name in present), f"statement {number}: half a publication"
        folder, file = (sum(place in name for name in present) for place in ("out/", "out.duckdb"))
        assert folder in (0, 3), f"statement {number}: only {present} was written"
        seen[f"{'whole' if folder else 'no'} Parquet, {'whole' if file else 'no'} database"] += 1
        with duckdb.connect(house.path) as connection:
            tables = connection.execute("SELECT list(table_name ORDER BY table_name) FROM duckdb_tables()").fetchone()
            assert tables == (["people", "rel", "rel_blocks", "releases"],)
            assert fingerprint(connection, "rel") == house.old
        house.restore()
        publish(house.path)
        assert handed_out(house.path.parent) == whole
        assert not list(house.path.parent.glob(".*")), "something was left behind"
        clear(house.path.parent)
    record("SIGKILL of a publication", f"after every third of {count} statements", seen)


def handed_out(folder: Path) -> dict[str, Any]:
    """What each published file says, a database by the rows of its tables; hidden files are none of a reader's business."""
    found: dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_dir() or name.startswith(("people.duckdb", ".out")):
            continue
        if path.suffix == ".duckdb":
            with duckdb.connect(path, read_only=True) as connection:
                found[name] = fingerprint(connection, "rel")
        else:
            found[name] = path.read_bytes()
    return found


def clear(folder: Path) -> None:
    """Remove what a publication, finished or killed, has written beside the database."""
    import shutil

    for path in folder.iterdir():
        if path.name.startswith("people.duckdb"):
            continue
        shutil.rmtree(path) if path.is_dir() else path.unlink()
