"""Who works how much in a round."""

from __future__ import annotations

import math
import os
import time
from concurrent import futures
from pathlib import Path
from typing import Any

import pytest

from gensearch_db.search import team as team_module
from gensearch_db.search import worker
from gensearch_db.search.building import Switches
from gensearch_db.search.team import LEAST_SHARE, STANDSTILL, STANDSTILL_ROUNDS, Team
from gensearch_db.search.worker import Worker
from tests.search.test_grids import problem_with


def team_that_stands_still() -> Team:
    """Its first proof was given up, and nobody finds anything in its rounds: none is made."""
    team = Team(problem_with(0, "discernibility"), Switches(), None, 1)
    team.prover.in_first_pass = False
    team.improvers[0].offer([team.whole], team.whole_cost, team.improvers[0].worker.kernel.order)
    return team


def share_of_prover(team: Team) -> float:
    return dict(team._tasks())[team.prover]


def exchanged(team: Team, rounds: int) -> list[float]:
    """The prover's share in each of so many rounds."""
    shares = []
    for _ in range(rounds):
        team.exchange(team.improver.cost, team.prover.lower_bound)
        shares.append(share_of_prover(team))
    return shares


def test_at_a_standstill_the_prover_and_the_second_improver_take_turns() -> None:
    team = team_that_stands_still()
    shares = exchanged(team, 4 * STANDSTILL_ROUNDS)
    turns = [shares[i : i + STANDSTILL_ROUNDS] for i in range(0, len(shares), STANDSTILL_ROUNDS)]
    doublings = round(math.log2(1 / LEAST_SHARE))
    for turn, settled in zip(turns, (LEAST_SHARE, 1.0, LEAST_SHARE, 1.0), strict=True):
        assert set(turn[doublings + 1 :]) == {settled}
    assert team.improvers[1] not in dict(team._tasks())
    exchanged(team, STANDSTILL_ROUNDS)
    assert team.improvers[1] in dict(team._tasks())


def test_the_prover_keeps_its_share_through_a_blurred_space() -> None:
    """Its bound moves at the end only."""
    team = team_that_stands_still()
    exchanged(team, 10)
    team.prover.in_blurred_space = True
    assert exchanged(team, STANDSTILL_ROUNDS)[-1] == 1.0
    team.prover.in_blurred_space = False
    assert exchanged(team, 3 * STANDSTILL_ROUNDS)[-1] == LEAST_SHARE


def test_a_better_release_ends_a_standstill_and_a_hardly_better_one_does_not() -> None:
    for gain, share in ((STANDSTILL / 2, 1.0), (2 * STANDSTILL, LEAST_SHARE)):
        team = team_that_stands_still()
        exchanged(team, STANDSTILL_ROUNDS + 10)
        team.improver.cost *= 1 - gain
        assert exchanged(team, 10)[-1] == share


def test_no_worker_is_at_work_after_an_interrupt_however_often_it_is_pressed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What they have found is read then."""
    team = Team(problem_with(0, "discernibility"), Switches(), None, 1)
    presses = iter([True, True, True])
    ended = []

    def long_step(effort: float) -> None:
        time.sleep(0.2)
        ended.append(effort)

    def pressed_while_waiting(running: Any, timeout: float | None = None) -> Any:
        if next(presses, False):
            raise KeyboardInterrupt
        return futures.wait(running, timeout)

    monkeypatch.setattr(team.prover, "step", long_step)
    monkeypatch.setattr(team_module, "wait", pressed_while_waiting)
    with pytest.raises(KeyboardInterrupt):
        team.round(1e6, lambda: None)
    assert len(ended) == 1
    assert next(presses, None) is None


def test_by_default_workers_share_half_of_what_a_container_may_take(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(worker, "MEMORY_LIMITS", (tmp_path / "none", limit))
    for text, megabytes in (("max\n", physical), (f"{800 * 2**20}\n", 800), (f"{2**63 - 4096}\n", physical)):
        limit.write_text(text)
        assert Worker(problem_with(0, "discernibility")).megabytes == megabytes // 8
