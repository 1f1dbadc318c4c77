"""Mondrian broken off by the clock: what was cut so far, and the rest as it is, are a release."""

from __future__ import annotations

import time
from itertools import count

import numpy as np
import pytest

from gensearch_db.cost.discernibility import Discernibility
from gensearch_db.cost.ncp import NormalizedCertaintyPenalty
from gensearch_db.domain.attribute import Space
from gensearch_db.domain.cells import Cells, Distribution, ValueDomain
from gensearch_db.domain.statistics import whole_table
from gensearch_db.privacy.distinct_l_diversity import DistinctLDiversity
from gensearch_db.privacy.k_anonymity import KAnonymity
from gensearch_db.problem.problem import Strategy
from gensearch_db.search import mondrian
from gensearch_db.search.result import SearchProblem, Status, StoppingRule
from gensearch_db.search.run import search
from gensearch_db.search.worker import Worker
from tests.oracles.problems import ordered


@pytest.fixture
def problem() -> SearchProblem:
    space = Space(tuple(ordered(f"q{position}", 12) for position in range(3)))
    codes = np.unique(np.random.default_rng(3).integers(0, 13, (400, 3)), axis=0).astype(np.int32)
    cells = Cells(codes, np.ones(len(codes), np.int64))
    return SearchProblem(space, cells, whole_table(space, cells), (KAnonymity(5),), Discernibility())


@pytest.mark.parametrize("by_cost", [False, True])
@pytest.mark.parametrize("looks", [0, 1, 4, 40, 1000, 10**9])
def test_what_is_not_cut_in_time_stays_as_it_is(
    problem: SearchProblem, by_cost: bool, looks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker, asked = Worker(problem), count()
    whole = (0, worker.cell_count, worker.root_words)
    unhurried = mondrian.greedy_slices(worker, whole, by_cost)
    worker = Worker(problem)
    monkeypatch.setattr(mondrian, "CELLS_BETWEEN_LOOKS", 1)
    slices, cost = mondrian.greedy_slices(worker, whole, by_cost, lambda: next(asked) < looks)
    assert [start for start, _, _ in slices] == [0, *(end for _, end, _ in slices[:-1])]
    assert slices[-1][1] == worker.cell_count
    assert len(slices) == 1 if looks == 0 else len(slices) > 1 or by_cost
    rows = [int(problem.cells.counts[worker.kernel.order[start:end]].sum()) for start, end, _ in slices]
    assert min(rows) >= 5
    assert cost == sum(size**2 for size in rows)
    if looks == 10**9:
        assert (cost, len(slices)) == (unhurried[1], len(unhurried[0]))


@pytest.mark.alone
def test_splits_with_parts_that_are_not_feasible_are_tried_within_the_time_limit() -> None:
    """Every split of these 60,000 cells has a part with one sensitive value only. Tried in one go they took half a minute."""
    numbers, ones = np.arange(60_001), np.ones(60_000, np.int64)
    illness = ValueDomain("illness", ("flu", "gout"))
    sensitive = Distribution(illness, numbers, (numbers[:-1] == 30_000).astype(np.int32), ones)
    space = Space((ordered("q", 59_999),))
    cells = Cells(numbers[:-1, None].astype(np.int32), ones, (sensitive,))
    table = whole_table(space, cells)
    problem = SearchProblem(space, cells, table, (DistinctLDiversity(2, "illness"),), NormalizedCertaintyPenalty())
    search(problem, Strategy.MONDRIAN_STEEPEST, StoppingRule(seconds=0.0))
    started = time.monotonic()
    result = search(problem, Strategy.MONDRIAN_STEEPEST, StoppingRule(seconds=0.5))
    assert result.status is Status.TIME_LIMIT
    assert time.monotonic() - started < 5


@pytest.mark.alone
def test_a_time_limit_ends_mondrian(problem: SearchProblem) -> None:
    search(problem, Strategy.MONDRIAN, StoppingRule())
    started = time.monotonic()
    result = search(problem, Strategy.MONDRIAN, StoppingRule(seconds=0.0))
    assert result.status is Status.TIME_LIMIT
    assert time.monotonic() - started < 5
    assert result.partition is not None
    assert np.unique(result.partition.block_of_cell).tolist() == [0]
