"""Every other statement struck at each statement that it sends: all that it changes is changed, or nothing; nothing is left."""

from __future__ import annotations

import multiprocessing
import os
import random
import resource
import shutil
import signal
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import duckdb
import pytest

import gensearch_db
from gensearch_db.errors import GensearchError, ResourceError
from tests.cases.invariants import Surroundings, fingerprint

from .between_steps import Line, Steps
from .house import NEW, House
from .outcomes import record
from .statements import statement_count, struck
from .test_every_statement import handed_out, interrupt, run_out_of_memory

CHANGING = {
    "USING RELEASE": "ANONYMIZE TABLE people INTO again REPLACE USING RELEASE rel",
    "DROP RELEASE": "DROP RELEASE rel",
}
READING = {
    "AUDIT": "AUDIT rel WITH other",
    "ESTIMATE": "ESTIMATE SELECT COUNT(*) FROM people WHERE age < 40 AND illness = 'd1' USING rel",
    "PROFILE": "PROFILE people",
    "EXPLAIN": "EXPLAIN ANONYMIZE TABLE people INTO r QUASI IDENTIFIERS (age SPLIT EVERY 10) SUBJECT TO k_anonymity(5)",
    "SHOW RELEASES": "SHOW RELEASES",
}
FAULTS = [(interrupt, KeyboardInterrupt), (run_out_of_memory, ResourceError)]
EVERY = 1 if os.environ.get("GENSEARCH_KILL_EVERY") == "1" else 120
"""Between steps the signal is raised at one of so many lines."""
MOST_STRIKES = 8
"""So many of a long statement's own statements are struck, evenly spread, the last one among them."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> House:
    house = House.build(tmp_path_factory.mktemp("built") / "people.duckdb")
    with duckdb.connect(house.path) as connection:
        gensearch_db.anonymize(connection, **{**NEW, "into": "other"})
        connection.execute("CHECKPOINT")
    return house


@dataclass(frozen=True)
class Seen:
    """The rows of every release there is, and everything else by name."""

    releases: dict[str, Any]
    surroundings: Surroundings

    @classmethod
    def of(cls, path: Path) -> Seen:
        """Look into the file."""
        with duckdb.connect(path, read_only=True) as connection:
            named = connection.execute("SELECT release FROM gensearch.releases ORDER BY release").fetchall()
            releases = {name: fingerprint(connection, name) for (name,) in named}
            return cls(releases, Surroundings.of(connection, path.parent))


def numbers(count: int) -> list[int]:
    """Which statements are struck."""
    step = max(1, -(-count // MOST_STRIKES))
    return sorted({*range(1, count + 1, step), count})


def run(path: Path, sql: str) -> None:
    with gensearch_db.connect(str(path)) as connection:
        connection.execute(sql).fetchall()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "fault", "raised"),
    [*((name, *fault) for name in CHANGING for fault in FAULTS), *((name, *FAULTS[0]) for name in READING)],
)
def test_a_statement_is_carried_out_whole_or_not_at_all(
    house: House, name: str, fault: Callable[[], None], raised: type[BaseException]
) -> None:
    sql = {**CHANGING, **READING}[name]
    before = Seen.of(house.path)
    count = statement_count(lambda: run(house.path, sql))
    done = Seen.of(house.path)
    house.restore()
    seen: Counter[str] = Counter()
    for number in numbers(count):
        failed = False
        try:
            with struck(number, fault):
                run(house.path, sql)
        except raised:
            failed = True
        found = Seen.of(house.path)
        assert found in (before, done), f"statement {number}: neither as before nor done"
        assert failed or found == done, f"statement {number}: no error, and nothing done"
        changed = "nothing to change" if before == done else "done whole" if found == done else "as before"
        seen[f"{'error' if failed else 'no error'}, {changed}"] += 1
        if found == before:
            run(house.path, sql)
            assert Seen.of(house.path) == done, f"statement {number}: the next run does not work"
        house.restore()
    assert any(outcome.startswith("error") for outcome in seen)
    record(f"{fault.__name__.replace('_', ' ')}: {name}", f"before {sum(seen.values())} of {count} statements", seen)


@pytest.mark.slow
@pytest.mark.usefixtures("default_handler")
@pytest.mark.parametrize("name", [*CHANGING, *READING])
def test_ctrl_c_is_told_exactly_where_nothing_was_done(house: House, name: str) -> None:
    """Between two steps of Python, at lines drawn by lot."""
    sql = {**CHANGING, **READING}[name]
    before = Seen.of(house.path)
    whole, told = interrupted_at(None, house.path, sql)
    assert not told
    done = Seen.of(house.path)
    house.restore()
    lines = list(dict.fromkeys(whole.lines))
    seen: Counter[str] = Counter()
    for line in random.Random(name).sample(lines, max(8, len(lines) // EVERY)):
        steps, told = interrupted_at(line, house.path, sql)
        if steps.struck:
            found = Seen.of(house.path)
            assert found == (before if told else done), f"{line}: {told=}"
            assert signal.getsignal(signal.SIGINT) is signal.default_int_handler, f"{line}: the handler stayed away"
            seen["interrupted, as before" if told else "no error, done whole"] += 1
        house.restore()
    assert seen["interrupted, as before"]
    record(f"Ctrl-C between two steps, {name}", "from the request to the answer", seen)


def interrupted_at(line: Line | None, path: Path, sql: str) -> tuple[Steps, bool]:
    """Run a statement, the signal when this line is run first; what ran, and whether the caller was told of it."""
    steps = Steps(lambda lines: lines[-1] == line)
    with gensearch_db.connect(str(path)) as connection:
        steps.begin()
        try:
            connection.execute(sql)
        except KeyboardInterrupt:
            return steps, True
        finally:
            steps.end()
    return steps, False


def published(path: Path) -> None:
    with gensearch_db.connect(str(path)) as connection:
        connection.execute(f"PUBLISH rel TO '{path.parent / 'out' / '*.csv'}' REPLACE").fetchall()
        connection.execute(f"PUBLISH rel TO '{path.parent / 'out.duckdb'}' REPLACE").fetchall()


def two_publications(house: House) -> tuple[dict[str, Any], dict[str, Any]]:
    """The old and the new one of both kinds; afterwards the old one is in place, and the new release to publish."""
    published(house.path)
    old = handed_out(house.path.parent)
    for name in ("out", "out.duckdb", "out.duckdb.dictionary.json"):
        (house.path.parent / name).rename(house.path.parent / f".old {name}")
    with duckdb.connect(house.path) as connection:
        house.check_next_run_works(connection)
    published(house.path)
    return old, handed_out(house.path.parent)


def put_back(folder: Path) -> None:
    """The old publication in its place again."""
    for name in ("out", "out.duckdb", "out.duckdb.dictionary.json"):
        target, source = folder / name, folder / f".old {name}"
        shutil.rmtree(target) if target.is_dir() else target.unlink(missing_ok=True)
        shutil.copytree(source, target) if source.is_dir() else shutil.copyfile(source, target)


def of_kind(files: dict[str, Any], kind: str) -> dict[str, Any]:
    return {name: content for name, content in files.items() if name.startswith(kind)}


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "raised"), FAULTS)
def test_a_publication_is_old_or_new(house: House, fault: Callable[[], None], raised: type[BaseException]) -> None:
    old, new = two_publications(house)
    folder = house.path.parent
    put_back(folder)
    count = statement_count(lambda: published(house.path))
    seen: Counter[str] = Counter()
    for number in numbers(count):
        put_back(folder)
        failed = False
        try:
            with struck(number, fault):
                published(house.path)
        except raised:
            failed = True
        found = handed_out(folder)
        states = []
        for kind in ("out/", "out.duckdb"):
            mine = of_kind(found, kind)
            assert mine in (of_kind(old, kind), of_kind(new, kind)), f"statement {number}: {kind} is torn: {sorted(mine)}"
            states.append("new" if mine == of_kind(new, kind) else "old")
        assert failed or states == ["new", "new"], f"statement {number}: no error, and not all published"
        assert not list(folder.glob(".out*gensearch*")), f"statement {number}: something was left behind"
        seen[f"{'error' if failed else 'no error'}, {states[0]} folder, {states[1]} file"] += 1
    put_back(folder)
    published(house.path)
    assert handed_out(folder) == new
    record(f"{fault.__name__.replace('_', ' ')}: PUBLISH", f"before {sum(seen.values())} of {count} statements", seen)


def publishes_on_a_full_disk(path: str, most: int, said: Connection) -> None:
    """In a process of its own: no byte can be written beyond this place of any file."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    try:
        published(Path(path))
    except GensearchError as error:
        said.send((type(error).__name__, str(error)))
    else:
        said.send(None)
    os._exit(0)


@pytest.mark.slow
@pytest.mark.parametrize("most", [1, 500, 20_000])
def test_a_full_disk_while_publishing(house: House, most: int) -> None:
    """The error speaks of the disk or the file; each target is the old publication whole, or the new one."""
    old, new = two_publications(house)
    put_back(house.path.parent)
    processes = multiprocessing.get_context("forkserver")
    here, there = processes.Pipe()
    process = processes.Process(target=publishes_on_a_full_disk, args=(str(house.path), most, there))
    process.start()
    assert here.poll(60), "the process said nothing"
    told = here.recv()
    process.join()
    assert told is not None, "nothing filled the disk"
    found = handed_out(house.path.parent)
    for kind in ("out/", "out.duckdb"):
        assert of_kind(found, kind) in (of_kind(old, kind), of_kind(new, kind)), f"{kind} is torn"
    assert of_kind(found, "out.duckdb") == of_kind(old, "out.duckdb")
    assert not list(house.path.parent.glob(".out*gensearch*"))
    published(house.path)
    assert handed_out(house.path.parent) == new
    record("full disk: PUBLISH", f"no file can be written beyond byte {most:,}", f"{told[0]}; old or new publication whole")
