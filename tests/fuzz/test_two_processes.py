"""Several processes on one database file: each does its work, or says which other has the file; all is whole after them."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import tempfile
import time
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

import gensearch_db
from gensearch_db.errors import GensearchError, LockError
from tests.cases.invariants import Surroundings, fingerprint
from tests.faults.house import House, problem

from .checks import some

Step = tuple[str, int]
"""What is done, and the k of a release."""

PATIENCE = 300
"""Seconds that a process waits for the file: whoever has it may be starved by other work on the machine (66 were seen)."""

KS = (10, 20)
steps: st.SearchStrategy[Step] = st.tuples(
    st.sampled_from(["anonymize", "anonymize other", "audit", "estimate", "publish folder", "publish file", "read"]),
    st.sampled_from(KS),
)


def carried_out(path: Path, step: Step) -> None:
    """One step; every process opens the file anew, as a command does."""
    what, k = step
    if what.startswith("anonymize"):
        gensearch_db.anonymize(path, **problem("rel" if what == "anonymize" else "other", k), replace=True)
    elif what == "audit":
        report = gensearch_db.audit(path, "rel")
        assert report.passed, report.to_text()
    elif what == "estimate":
        (answer,) = gensearch_db.estimate(path, "rel", "SELECT COUNT(*) FROM people").estimates
        assert answer.estimate == 400
    elif what == "read":
        try:
            with duckdb.connect(path, read_only=True) as connection:
                assert connection.execute("SELECT count(*) FROM rel").fetchone() == (400,)
        except duckdb.IOException as error:
            raise LockError(str(error)) from error
    else:
        target = path.parent / ("out/*.parquet" if what == "publish folder" else "out.duckdb")
        with gensearch_db.connect(path) as connection:
            connection.execute(f"PUBLISH rel TO '{target}' REPLACE").fetchall()


def process_of(path: Path, own: list[Step], pause: float, said: Connection) -> None:
    """Carry out steps, each again until nobody else has the file; say how often it was refused, with each message."""
    refused: list[str] = []
    try:
        time.sleep(pause)
        for step in own:
            end = time.monotonic() + PATIENCE
            while True:
                try:
                    carried_out(path, step)
                    break
                except LockError as error:
                    if time.monotonic() > end:
                        raise TimeoutError(f"{step} never had the file: {error}") from error
                    refused.append(str(error))
                    time.sleep(0.01)
    except (GensearchError, AssertionError, duckdb.Error, OSError) as error:
        said.send(f"{type(error).__name__}: {error}")
    else:
        said.send(refused)
    os._exit(0)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> House:
    return House.build(tmp_path_factory.mktemp("built") / "people.duckdb")


@dataclass(frozen=True)
class Releases:
    """What the release of each name may look like: hypothesis prints arguments, and does not take such long ones."""

    may_be: dict[str, list[Any]] = field(repr=False)


@pytest.fixture(scope="module")
def releases(built: House) -> Releases:
    """The old one, and one of each k that nobody disturbed."""
    made = [built.old]
    with tempfile.TemporaryDirectory() as folder:
        house = built.copied_to(Path(folder) / "people.duckdb")
        for k in KS:
            gensearch_db.anonymize(house.path, **problem("rel", k), replace=True)
            with duckdb.connect(house.path) as connection:
                made.append(fingerprint(connection, "rel"))
    return Releases({"rel": made, "other": made[1:]})


@pytest.mark.slow
@some(8)
@given(work=st.lists(st.tuples(st.lists(steps, min_size=1, max_size=3), st.floats(0, 0.2)), min_size=2, max_size=3))
def test_processes_on_one_file(built: House, releases: Releases, work: list[tuple[list[Step], float]]) -> None:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    with tempfile.TemporaryDirectory() as folder:
        house = built.copied_to(Path(folder) / "people.duckdb")
        pipes = [context.Pipe() for _ in work]
        processes = [
            context.Process(target=process_of, args=(house.path, own, pause, there))
            for (own, pause), (_, there) in zip(work, pipes, strict=True)
        ]
        for process, (_, there) in zip(processes, pipes, strict=True):
            process.start()
            there.close()
        numbers = {str(process.pid) for process in processes}
        for (here, _), process in zip(pipes, processes, strict=True):
            assert here.poll(2 * PATIENCE), "a process waits for ever"
            refused = here.recv()
            process.join()
            assert isinstance(refused, list), refused
            event(f"refused {min(len(refused), 3)} times or more")
            for message in refused:
                named = re.search(r"PID (\d+)", message)
                assert named is not None, message
                assert named[1] in numbers, message
        _check_whole(house, releases, {what for own, _ in work for what, _ in own})


def _check_whole(house: House, releases: Releases, done: set[str]) -> None:
    """Each release is one that somebody made, each publication is of one release, and nothing else is there."""
    folder = house.path.parent
    with duckdb.connect(house.path) as connection:
        made = {"rel"} | ({"other"} if "anonymize other" in done else set())
        for name in made:
            assert fingerprint(connection, name) in releases.may_be[name]
            assert gensearch_db.audit(connection, name).passed
        objects = {entry[3] for entry in Surroundings.of(connection, folder).objects if entry[0] == "table"}
        assert objects == {"people", "releases"} | {name + ending for name in made for ending in ("", "_blocks")}
    published = {"publish folder": {"out"}, "publish file": {"out.duckdb", "out.duckdb.dictionary.json"}}
    assert {path.name for path in folder.iterdir()} == {"people.duckdb"}.union(*(published.get(what, ()) for what in done))
    if "publish file" in done:
        with duckdb.connect(folder / "out.duckdb", read_only=True) as connection:
            assert fingerprint(connection, "rel") in releases.may_be["rel"]
        assert json.loads((folder / "out.duckdb.dictionary.json").read_text())["releases"]
    if "publish folder" in done:
        with duckdb.connect() as connection:
            for name in ("rel", "rel_blocks"):
                connection.execute(f"CREATE TABLE {name} AS FROM '{folder}/out/{name}.parquet'")
            assert fingerprint(connection, "rel") in releases.may_be["rel"]
