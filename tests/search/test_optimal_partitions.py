"""The block graph lists every optimal release once, as brute force does."""

from __future__ import annotations

import math
from itertools import count

import numpy as np
import pytest

from gensearch_db.problem.problem import Strategy
from gensearch_db.search import optimal_partitions
from gensearch_db.search.optimal_partitions import OptimalPartitions, StoppedError, TooManyError
from gensearch_db.search.result import Status, StoppingRule
from gensearch_db.search.run import search
from gensearch_db.search.worker import Worker
from tests.oracles.brute_force import optimum
from tests.search.test_block_graph import random_problem


@pytest.mark.parametrize("cost", ["discernibility", "ncp"])
@pytest.mark.parametrize("seed", range(30))
def test_lists_what_brute_force_lists(seed: int, cost: str) -> None:
    problem = random_problem(seed, cost)
    best, expected = optimum(problem)
    if math.isinf(best):
        pytest.skip("infeasible")
    worker = Worker(problem)
    found = OptimalPartitions(worker, 10_000).of((0, worker.cell_count, worker.root_words))
    groups = {frozenset(frozenset(np.frombuffer(cells, np.int64).tolist()) for cells, _ in grouping) for grouping in found}
    assert groups == set(expected)
    assert len(found) == len(expected)


def test_gives_up_beyond_the_number_asked_for() -> None:
    for seed in range(100):
        problem = random_problem(seed)
        best, expected = optimum(problem)
        if not math.isinf(best) and len(expected) > 1:
            break
    worker = Worker(problem)
    with pytest.raises(TooManyError):
        OptimalPartitions(worker, 1).of((0, worker.cell_count, worker.root_words))


def test_listing_heeds_the_caller_and_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """It took no notice of either, and a large problem has more optimal releases than anybody waits for."""
    monkeypatch.setattr(optimal_partitions, "SECONDS_BETWEEN_LOOKS", -1.0)
    problem, (best, expected) = next(
        (drawn, found) for seed in range(100) if len((found := optimum(drawn := random_problem(seed)))[1]) > 1
    )
    worker, asked = Worker(problem), count()
    with pytest.raises(StoppedError):
        OptimalPartitions(worker, 10_000, lambda: next(asked) < 3).of((0, worker.cell_count, worker.root_words))
    broken_off = search(
        problem,
        Strategy.BLOCK_GRAPH,
        StoppingRule(),
        progress=lambda moment, _: moment.cost <= moment.lower_bound,
        options={"all_optimal": True},
    )
    assert (broken_off.status, broken_off.cost, broken_off.optimal_count) == (Status.OPTIMAL, best, None)
    assert any("they were not counted" in note for note in broken_off.notes)
    assert search(problem, Strategy.BLOCK_GRAPH, StoppingRule(), options={"all_optimal": True}).optimal_count == len(expected)


@pytest.mark.parametrize("seed", range(20))
def test_both_searches_count_the_same(seed: int) -> None:
    problem = random_problem(seed)
    options = {"all_optimal": True}
    mine = search(problem, Strategy.BLOCK_GRAPH, StoppingRule(), options=options)
    other = search(problem, Strategy.ENUMERATION, StoppingRule(), options=options)
    assert mine.status is other.status
    assert mine.optimal_count == other.optimal_count
    if mine.optimal_count is not None:
        assert len(mine.alternatives) == min(100, mine.optimal_count)
