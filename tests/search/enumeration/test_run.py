"""How a run is steered: options that go together, stopping rules, MAXSIZE, statistics, progress."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Sequence

import numpy as np
import pytest

from gensearch_db.cost.registry import cost_from_text
from gensearch_db.domain.boxes import CellIndex
from gensearch_db.domain.cells import BlockStatistics, Cells
from gensearch_db.domain.region import Block, Interval
from gensearch_db.domain.statistics import MemoryStatistics, whole_table
from gensearch_db.errors import SpecificationError
from gensearch_db.privacy.k_anonymity import KAnonymity
from gensearch_db.problem.problem import Strategy
from gensearch_db.search.enumeration import enumerate_search
from gensearch_db.search.enumeration.cell_statistics import CellStatistics
from gensearch_db.search.enumeration.judged_box import members
from gensearch_db.search.enumeration.options import EnumerationOptions
from gensearch_db.search.result import Moment, SearchProblem, Status, StoppingRule, never_stop
from gensearch_db.search.run import search
from tests.oracles.box_dynamic_programming import box_optimum
from tests.oracles.problems import problem_of, random_rows, space_of

PAPER: dict[str, str | int | bool] = {"bound": "paper", "complete": False}
"""The search as printed: slow enough to be stopped."""


def hard_problem(rows: int = 400, k: int = 5) -> SearchProblem:
    source = random.Random(1)
    space = space_of(4, 4, 2)
    return problem_of(space, random_rows(source, space, rows), [KAnonymity(k)], cost_from_text("discernibility"))


@pytest.fixture(scope="module")
def hard() -> SearchProblem:
    return hard_problem()


@pytest.fixture(scope="module")
def optimum(hard: SearchProblem) -> float:
    return box_optimum(hard)


@pytest.mark.parametrize(
    ("options", "factor", "message"),
    [
        ({"priority": "fast"}, 1.0, "option 'priority' must be one of lb, cost, lb/cost, not 'fast'"),
        ({"bound": 3}, 1.0, "option 'bound' must be one of paper, tight, exact, not 3"),
        ({"look_ahead": -1}, 1.0, "option 'look_ahead' must be a whole number of at least 0, not -1"),
        ({"max_size": True}, 1.0, "option 'max_size' must be a whole number of at least 2, not True"),
        ({"all_optimal": 1}, 1.0, "option 'all_optimal' must be true or false, not 1"),
        ({"maxsize": 100}, 1.0, "strategy 'enumeration' has no option 'maxsize'; did you mean 'max_size'"),
        ({"bound": "tight", "exact_below": 10}, 1.0, "'exact_below' goes with bound = exact only"),
        ({"probes": 3}, 1.0, "'probes' goes with 'max_size' only"),
        ({"list_at_most": 3}, 1.0, "'list_at_most' goes with all_optimal = true only"),
        ({"shuffle_seed": 3}, 1.0, "'shuffle_seed' goes with split_ids = shuffled only"),
        ({"all_optimal": True, "max_size": 10}, 1.0, "'all_optimal' goes with an unlimited queue only"),
        ({"all_optimal": True}, 1.1, "'all_optimal' goes with an exact search only"),
    ],
)
def test_what_does_not_go_together_is_refused(
    options: dict[str, str | int | bool], factor: float, message: str, hard: SearchProblem
) -> None:
    with pytest.raises(SpecificationError) as caught:
        enumerate_search(hard, StoppingRule(factor=factor), never_stop, options)
    assert message in str(caught.value)


def test_all_mistakes_are_reported_together() -> None:
    with pytest.raises(SpecificationError, match="3 problems") as caught:
        EnumerationOptions.from_mapping({"bound": "loose", "probes": 2, "turbo": True})
    assert all(word in str(caught.value) for word in ("loose", "probes", "turbo"))


def test_defaults_prove_the_optimum(hard: SearchProblem, optimum: float) -> None:
    result = enumerate_search(hard, StoppingRule(), never_stop, {})
    assert (result.status, result.cost, result.lower_bound) == (Status.OPTIMAL, optimum, optimum)
    assert (result.optimal_count, result.alternatives) == (None, ())


def test_reached_through_the_door_to_all_searches(hard: SearchProblem, optimum: float) -> None:
    assert search(hard, Strategy.ENUMERATION, StoppingRule()).cost == optimum


@pytest.mark.parametrize(
    ("stopping", "status"),
    [
        (StoppingRule(node_limit=300), Status.NODE_LIMIT),
        (StoppingRule(seconds=0.05), Status.TIME_LIMIT),
        (StoppingRule(memory_limit=1), Status.MEMORY_LIMIT),
    ],
)
def test_stopping_leaves_a_release_and_a_valid_bound(
    stopping: StoppingRule, status: Status, hard: SearchProblem, optimum: float
) -> None:
    result = enumerate_search(hard, stopping, never_stop, PAPER)
    assert result.status is status
    assert result.partition is not None
    assert 0 < result.lower_bound <= optimum <= result.cost
    assert result.history[-1].lower_bound == result.lower_bound


def test_a_node_limit_is_reproducible(hard: SearchProblem) -> None:
    runs = [enumerate_search(hard, StoppingRule(node_limit=500), never_stop, PAPER) for _ in range(2)]
    assert runs[0].counters == runs[1].counters
    assert runs[0].partition is not None
    assert runs[1].partition is not None
    assert runs[0].partition.blocks == runs[1].partition.blocks


def test_progress_sees_cost_bound_and_queue_and_may_stop(hard: SearchProblem, optimum: float) -> None:
    seen: list[tuple[Moment, dict[str, int | float]]] = []

    def stop_at_once(moment: Moment, counters: dict[str, int | float]) -> bool:
        seen.append((moment, counters))
        return True

    result = enumerate_search(hard, StoppingRule(), stop_at_once, PAPER)
    assert result.status is Status.INTERRUPTED
    moment, counters = seen[0]
    assert moment.lower_bound <= optimum <= moment.cost
    assert counters["queue_size"] > 0


def test_running_out_of_memory_is_a_status(hard: SearchProblem, optimum: float) -> None:
    class Exhausted(MemoryStatistics):
        batches = 0

        def of_blocks(self, blocks: Sequence[Block]) -> list[BlockStatistics]:
            self.batches += 1
            if self.batches > 12:
                raise MemoryError
            return super().of_blocks(blocks)

    source = Exhausted(hard.space, hard.cells)
    result = enumerate_search(hard, StoppingRule(), never_stop, {"bound": "tight"}, source)
    assert result.status is Status.MEMORY_LIMIT
    assert result.lower_bound <= optimum <= result.cost


@pytest.mark.parametrize("factor", [1.05, 1.5, 3.0])
@pytest.mark.parametrize("priority", ["lb", "cost", "lb/cost"])
def test_approximate_mode_keeps_its_promise(factor: float, priority: str, hard: SearchProblem, optimum: float) -> None:
    options = {"bound": "tight", "priority": priority}
    result = enumerate_search(hard, StoppingRule(factor=factor, seconds=20), never_stop, options)
    assert result.status in (Status.WITHIN_FACTOR, Status.OPTIMAL)
    assert result.cost <= factor * result.lower_bound
    assert result.lower_bound <= optimum <= result.cost


@pytest.mark.parametrize("max_size", [10, 100])
def test_max_size_probes_then_drops_and_says_so(max_size: int, hard: SearchProblem, optimum: float) -> None:
    options = {**PAPER, "max_size": max_size, "probes": 2}
    result = enumerate_search(hard, StoppingRule(node_limit=20_000), never_stop, options)
    most_children = 10 * 11
    assert result.counters["queue_peak"] <= max_size + most_children
    assert result.counters["probes"] > 0
    assert result.counters["entries_dropped"] > 0
    assert "optimality was forfeited" in result.notes[0]
    assert result.status is not Status.OPTIMAL
    assert result.lower_bound <= optimum <= result.cost


class CountingStatistics(MemoryStatistics):
    """Remembers every batch."""

    def __init__(self, problem: SearchProblem) -> None:
        super().__init__(problem.space, problem.cells)
        self.batches: list[list[Block]] = []

    def of_blocks(self, blocks: Sequence[Block]) -> list[BlockStatistics]:
        self.batches.append(list(blocks))
        return super().of_blocks(blocks)


@pytest.mark.parametrize("bound", ["paper", "tight", "exact"])
def test_each_block_is_asked_for_once_in_batches(bound: str) -> None:
    problem = hard_problem(rows=60)
    source = CountingStatistics(problem)
    result = enumerate_search(problem, StoppingRule(node_limit=2000), never_stop, {"bound": bound}, source)
    asked = [block for batch in source.batches for block in batch]
    assert result.counters["batches_asked"] == len(source.batches)
    assert result.counters["blocks_asked"] == len(asked)
    finest = problem.cells.cell_count if bound != "paper" else 0  # the cells themselves are priced first, in one batch
    assert len(asked) - len(set(asked)) <= finest
    assert len(source.batches) < len(asked) / 2


@pytest.mark.parametrize("seed", range(20))
def test_batched_statistics_equal_the_reference(seed: int) -> None:
    source = random.Random(seed)
    space = space_of(3, "((a,b),c)", 2)
    problem = problem_of(space, random_rows(source, space, 40), [KAnonymity(1)], cost_from_text("discernibility"))
    blocks: list[Block] = [space.root]
    for block in blocks[:200]:
        for position, attribute in enumerate(space.attributes):
            for parts in attribute.splits(block[position]):
                blocks.extend((*block[:position], part, *block[position + 1 :]) for part in parts)
    blocks = source.sample(sorted(set(blocks)), min(30, len(set(blocks))))
    fast, plain = CellStatistics(space, problem.cells), MemoryStatistics(space, problem.cells)
    assert fast.of_blocks(blocks) == plain.of_blocks(blocks)
    assert fast.with_marginals(blocks) == plain.with_marginals(blocks)
    assert fast.of_blocks([]) == []


def test_an_infeasible_problem_is_proven_so() -> None:
    problem = hard_problem(rows=10, k=11)
    result = enumerate_search(problem, StoppingRule(), never_stop, {})
    assert result.status is Status.INFEASIBLE
    assert (result.partition, result.cost, result.lower_bound) == (None, math.inf, math.inf)


def test_listing_stops_at_the_limit_but_counting_goes_on() -> None:
    space = space_of(3)
    problem = problem_of(space, [((x,), 0, 0, x) for x in range(4)], [KAnonymity(1)], cost_from_text("classification(c)"))
    listed = enumerate_search(problem, StoppingRule(), never_stop, {"all_optimal": True, "list_at_most": 3})
    assert listed.cost == 0
    assert listed.optimal_count == 8
    assert len(listed.alternatives) == 2


@pytest.mark.alone
def test_a_time_limit_ends_the_search_before_its_first_descent_is_over() -> None:
    """Of 30,000 cells each box has thousands of divisions: they were all made before the clock was read, for minutes."""
    source = np.random.default_rng(4)
    space = space_of(2_000, 2_000)
    codes = np.unique(source.integers(0, 2_001, (30_000, 2)), axis=0).astype(np.int32)
    cells = Cells(codes, np.ones(len(codes), np.int64))
    problem = SearchProblem(space, cells, whole_table(space, cells), (KAnonymity(300),), cost_from_text("ncp"))
    started = time.monotonic()
    result = enumerate_search(problem, StoppingRule(seconds=0.5), never_stop, {})
    assert result.status is Status.TIME_LIMIT
    assert time.monotonic() - started < 30
    assert result.partition is not None


@pytest.mark.parametrize("count", [1, 64, 1_999, 2_000, 5_000])
def test_members_of_sets_of_any_size(count: int) -> None:
    source = random.Random(count)
    wanted = sorted({source.randrange(count) for _ in range(count // 2)} | {0, count - 1})
    assert members(sum(1 << number for number in wanted)) == wanted
    codes = np.array([[source.randrange(3)] for _ in range(count)], np.int32)
    index = CellIndex(space_of(2), codes)
    for code in range(3):
        cells = index.in_region(0, Interval(code, code + 1))
        assert members(cells) == np.flatnonzero(codes[:, 0] == code).tolist()
