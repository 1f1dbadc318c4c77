"""The clock of a search starts after compilation, and its progress is heard of."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gensearch_db import compilation
from gensearch_db.problem.problem import Strategy
from gensearch_db.search import warm_up
from gensearch_db.search.monitor import Monitor
from gensearch_db.search.result import Status, StoppingRule, never_stop
from gensearch_db.search.run import search
from gensearch_db.search.solver import advance
from gensearch_db.search.team import Team
from gensearch_db.search.worker import Worker
from tests.search.test_block_graph import hard_problem

PROGRAM = """
import sys, duckdb, gensearch_db
from numba.core.dispatcher import Dispatcher
from gensearch_db.search.warm_up import warm_up

def compiled():
    ours = {name: module for name, module in sys.modules.items() if name.startswith("gensearch_db.")}
    found = {(function.__module__, name): function for module in ours.values() for name, function in vars(module).items()
             if isinstance(function, Dispatcher)}
    return {(place, str(types)) for place, function in found.items() for types in function.signatures}

warm_up()
before = compiled()
with duckdb.connect() as connection:
    connection.execute("SET enable_progress_bar = false")  # it goes to standard output where a statement takes seconds
    connection.execute("CREATE TABLE people AS SELECT i AS age, i % 7 AS town, i % 3 AS ill FROM range(40) r(i)")
    for strategy in ("block_graph", "mondrian"):
        for limits in (["k_anonymity(3)"], ["k_anonymity(3)", "t_closeness(0.4, ill)"]):
            gensearch_db.anonymize(
                connection, "people", into="rel", replace=True, strategy=strategy, subject_to=limits, sensitive=["ill"],
                quasi_identifiers={"age": {"split": "every 5"}, "town": {}},
            )
print(len(before), *sorted({name for (_, name), _ in compiled() - before}))
"""

COMPILED_LATER: set[str] = set()
"""What an improver may come to only after a while, and takes a second: not compiled beforehand."""


def test_nothing_is_compiled_after_the_clock_has_started() -> None:
    """In a process of its own, where no other test has compiled anything; what earlier ones have kept is only loaded.

    Each clone of the project compiles everything once, in whichever test comes first: another time would take minutes.
    """
    ran = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    number, *later = ran.stdout.split()
    assert int(number) > 20
    assert set(later) <= COMPILED_LATER


def test_control_c_during_compilation_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rehearsal ends with the interrupt, the search does not begin, and the next one rehearses anew."""
    rounds = []

    def press(team: Team, effort: float, verdict_now: Callable[[], Status | None]) -> Status | None:
        rounds.append(effort)
        raise KeyboardInterrupt

    warm_up.warm_up.cache_clear()
    problem = hard_problem()
    with monkeypatch.context() as patch:
        patch.setattr(Team, "round", press)
        with pytest.raises(KeyboardInterrupt):
            search(problem, Strategy.BLOCK_GRAPH, StoppingRule())
    assert len(rounds) == 1
    assert search(problem, Strategy.BLOCK_GRAPH, StoppingRule()).status is Status.OPTIMAL


def test_compilation_takes_nothing_from_the_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Warming up takes an hour here, by a clock of ours; the search itself takes a second, and has a minute."""
    problem = hard_problem()
    hours = [0]
    clock = time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: clock() + 3600 * hours[0])
    monkeypatch.setattr(warm_up, "warm_up", lambda: hours.append(hours.pop() + 1))
    result = search(problem, Strategy.BLOCK_GRAPH, StoppingRule(seconds=60.0))
    assert (result.status, hours) == (Status.OPTIMAL, [1])
    assert result.history[-1].seconds < 60


def test_compilation_is_announced_once_where_nothing_is_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    problem = hard_problem()
    monkeypatch.setattr(compilation, "cache_folder", lambda: tmp_path)
    kept = tmp_path / compilation.module_digest(advance.__module__) / "solver.nbi"
    kept.parent.mkdir()
    kept.touch()
    for messages in ([], ["Compiling"]):
        compilation.announce.cache_clear()
        Worker(problem)
        Worker(problem)
        assert [message.split()[0] for message in caplog.messages] == messages
        kept.unlink(missing_ok=True)


def test_progress_is_heard_of_before_a_limit_ends_the_search() -> None:
    heard = []
    monitor = Monitor(StoppingRule(seconds=0.0), lambda moment, counters: bool(heard.append(moment)), dict)
    assert monitor.verdict(0) is Status.TIME_LIMIT
    assert len(heard) == 1
    assert Monitor(StoppingRule(), never_stop, dict).verdict(0) is None
