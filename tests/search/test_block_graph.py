"""The block graph: proven optima against independent oracles, with every switch on and off; anytime behaviour and statuses."""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import replace

import numpy as np
import pytest

from gensearch_db.cost.registry import cost_from_text
from gensearch_db.errors import InfeasibleError
from gensearch_db.privacy.k_anonymity import KAnonymity
from gensearch_db.problem.problem import Strategy
from gensearch_db.search.result import Moment, Partition, SearchProblem, SearchResult, Status, StoppingRule
from gensearch_db.search.run import search
from tests.oracles.box_dynamic_programming import box_optimum
from tests.oracles.brute_force import Judge, optimum
from tests.oracles.problems import ordered, problem_of, random_rows, random_space, space_of, unordered
from tests.search.adult import SOURCE, adult_problem

GRID = [
    dict(zip(("balanced", "water_fill", "prices", "single_groups"), values, strict=True))
    for values in itertools.product([True, False], repeat=4)
]
"""The others depend on distributions: tests/search/test_prices.py."""
COSTS = ("discernibility", "ncp", "gcp", "discernibility + 3 * ncp", "volume")


def block_graph(problem: SearchProblem, **stopping: float) -> SearchResult:
    return search(problem, Strategy.BLOCK_GRAPH, StoppingRule(**stopping))  # type: ignore[arg-type]


def random_problem(seed: int, cost: str = "discernibility", *, most_cells: int = 12, lengths: bool = False) -> SearchProblem:
    chance = random.Random(seed)
    space = random_space(chance, most_cells=most_cells, lengths=lengths)
    rows = random_rows(chance, space, chance.randint(4, 40))
    return problem_of(space, rows, [KAnonymity(chance.choice([1, 2, 3, 5]))], cost_from_text(cost))


def hard_problem(k: int = 5, rows: int = 600) -> SearchProblem:
    """Takes thousands of blocks to prove."""
    chance = random.Random(7)
    from gensearch_db.domain.attribute import Space

    space = Space((ordered("a", 9), ordered("b", 9), ordered("c", 5), unordered("d", 5)))
    return problem_of(space, random_rows(chance, space, rows), [KAnonymity(k)], cost_from_text("discernibility"))


def check_partition(problem: SearchProblem, result: SearchResult) -> None:
    """The partition is what it claims to be: it covers each cell once, is feasible, and costs what the result says."""
    assert result.partition is not None
    judge = Judge(problem)
    covered: list[int] = []
    total = 0.0
    for number, block in enumerate(result.partition.blocks):
        cells, _, cost = judge.of(block)
        assert cost is not None
        members = np.flatnonzero(result.partition.block_of_cell == number)
        assert cells == set(members.tolist())
        covered.extend(cells)
        total += cost
    assert sorted(covered) == list(range(problem.cells.cell_count))
    assert math.isclose(total, result.cost, rel_tol=1e-9, abs_tol=1e-9)
    assert result.lower_bound <= result.cost * (1 + 1e-9)


@pytest.mark.parametrize("switches", GRID, ids=lambda s: "".join("+" if on else "-" for on in s.values()))
@pytest.mark.parametrize("cost", COSTS)
def test_every_switch_leaves_the_optimum_as_it_is(cost: str, switches: dict[str, bool]) -> None:
    for seed in range(12):
        problem = random_problem(seed, cost)
        result = search(problem, Strategy.BLOCK_GRAPH, StoppingRule(), options=switches)
        best, _ = optimum(problem)
        if math.isinf(best):
            assert result.status is Status.INFEASIBLE
            continue
        assert result.status is Status.OPTIMAL
        assert math.isclose(result.cost, best, rel_tol=1e-9, abs_tol=1e-9)
        check_partition(problem, result)


@pytest.mark.parametrize("cost", ["discernibility", "gcp", "discernibility + 3 * ncp"])
def test_who_works_leaves_the_optimum_as_it_is(cost: str) -> None:
    chance = random.Random(11)
    space = space_of(6, "((a,b),(c,d))", 4)
    problem = problem_of(space, random_rows(chance, space, 150), [KAnonymity(4)], cost_from_text(cost))
    best = box_optimum(problem)
    for small_blocks, assistant in itertools.product([True, False], repeat=2):
        options = {"small_blocks": small_blocks, "assistant": assistant, "all_boxes": False}
        result = search(problem, Strategy.BLOCK_GRAPH, StoppingRule(seconds=60), options=options)
        assert result.status is Status.OPTIMAL
        assert math.isclose(result.cost, best, rel_tol=1e-9)
        check_partition(problem, result)


@pytest.mark.parametrize("seed", range(40))
def test_minimum_lengths_forbid_tightening(seed: int) -> None:
    problem = random_problem(seed, "ncp", lengths=True)
    result = block_graph(problem)
    best = box_optimum(problem)
    assert result.cost == best or math.isclose(result.cost, best, rel_tol=1e-9, abs_tol=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_mid_size_optimum_is_confirmed_by_dynamic_programming(seed: int) -> None:
    chance = random.Random(seed)
    space = space_of(*chance.choice([(5, 4, 3), (6, "((a,b),(c,d))", 3), (4, "root4", 2)]))
    rows = random_rows(chance, space, 150)
    problem = problem_of(space, rows, [KAnonymity(4)], cost_from_text(chance.choice(COSTS)))
    result = block_graph(problem)
    assert result.status is Status.OPTIMAL
    assert math.isclose(result.cost, box_optimum(problem), rel_tol=1e-9)
    check_partition(problem, result)


def test_node_limit_gives_a_valid_release_and_bound_and_the_same_ones_each_time() -> None:
    problem = hard_problem()
    results = [search(problem, Strategy.BLOCK_GRAPH, StoppingRule(node_limit=700), threads=threads) for threads in (1, 2, 1)]
    for result in results:
        assert result.status is Status.NODE_LIMIT
        check_partition(problem, result)
        assert result.counters["blocks_visited"] <= 700 + 2
    first = results[0]
    for other in results[1:]:
        assert (other.cost, other.lower_bound) == (first.cost, first.lower_bound)
        assert other.partition is not None
        assert first.partition is not None
        assert other.partition.blocks == first.partition.blocks


def test_cost_falls_and_bound_rises_until_they_meet() -> None:
    result = block_graph(hard_problem())
    assert result.status is Status.OPTIMAL
    costs = [moment.cost for moment in result.history]
    bounds = [moment.lower_bound for moment in result.history]
    assert costs == sorted(costs, reverse=True)
    assert bounds == sorted(bounds)
    assert costs[-1] == bounds[-1] == result.cost == result.lower_bound
    assert len(result.history) > 1


def test_an_accepted_factor_ends_the_search() -> None:
    problem = hard_problem()
    result = block_graph(problem, factor=1.5)
    exact = block_graph(problem)
    assert result.status in (Status.WITHIN_FACTOR, Status.OPTIMAL)
    assert exact.cost <= result.cost <= 1.5 * result.lower_bound
    assert result.lower_bound <= exact.cost


def test_progress_may_interrupt() -> None:
    seen: list[Moment] = []

    def stop(moment: Moment, counters: dict[str, int | float]) -> bool:
        seen.append(moment)
        assert counters["blocks_visited"] >= 0
        return True

    problem = hard_problem()
    result = search(problem, Strategy.BLOCK_GRAPH, StoppingRule(), progress=stop)
    assert result.status is Status.INTERRUPTED
    assert len(seen) == 1
    check_partition(problem, result)


def test_control_c_keeps_the_best_release() -> None:
    def press(moment: Moment, counters: dict[str, int | float]) -> bool:
        raise KeyboardInterrupt

    problem = hard_problem()
    result = search(problem, Strategy.BLOCK_GRAPH, StoppingRule(), progress=press)
    assert result.status is Status.INTERRUPTED
    check_partition(problem, result)


def test_little_memory_gives_the_same_optimum(monkeypatch: pytest.MonkeyPatch) -> None:
    from gensearch_db.search import building

    problem = hard_problem()
    roomy = block_graph(problem)
    monkeypatch.setattr(building, "FIRST_SLOTS", 1 << 10)
    tight = block_graph(problem, memory_limit=0)
    assert tight.counters["blocks_forgotten"] > 0
    assert tight.counters["blocks_remembered"] < roomy.counters["blocks_remembered"]
    assert tight.status is Status.OPTIMAL
    assert tight.cost == roomy.cost
    check_partition(problem, tight)


def test_a_search_that_ends_short_of_memory_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from gensearch_db.search import building, worker

    monkeypatch.setattr(building, "FIRST_SLOTS", 1 << 8)
    monkeypatch.setattr(worker, "bytes_per_slot", lambda words: 2**14)
    problem = hard_problem()
    result = search(problem, Strategy.BLOCK_GRAPH, StoppingRule(node_limit=2500, memory_limit=0))
    assert result.counters["blocks_forgotten"] > 0
    assert result.status is Status.MEMORY_LIMIT
    assert any("memory limit" in note and "NODE_LIMIT" in note for note in result.notes)
    check_partition(problem, result)
    monkeypatch.undo()
    roomy = search(problem, Strategy.BLOCK_GRAPH, StoppingRule(node_limit=2500))
    assert roomy.counters["blocks_forgotten"] == 0
    assert roomy.status is not Status.MEMORY_LIMIT


def test_k_above_the_rows_is_infeasible() -> None:
    problem = random_problem(3)
    problem = SearchProblem(problem.space, problem.cells, problem.table, (KAnonymity(1000),), problem.cost)
    result = block_graph(problem)
    assert result.status is Status.INFEASIBLE
    assert result.partition is None
    assert result.lower_bound == math.inf


def test_seed_partition_is_where_the_search_starts() -> None:
    problem = hard_problem()
    best = block_graph(problem)
    seeded = search(problem, Strategy.BLOCK_GRAPH, StoppingRule(node_limit=1), seed_partition=best.partition)
    assert seeded.cost == best.cost
    check_partition(problem, seeded)


def test_infeasible_seed_is_refused_with_a_note() -> None:
    problem = hard_problem()
    identity = SearchProblem(problem.space, problem.cells, problem.table, (KAnonymity(1),), problem.cost)
    finest = block_graph(identity).partition
    assert isinstance(finest, Partition)
    result = search(problem, Strategy.BLOCK_GRAPH, StoppingRule(node_limit=50), seed_partition=finest)
    assert any("violates" in note for note in result.notes)
    check_partition(problem, result)


def test_large_sets_are_divided_along_orders_and_the_result_says_so() -> None:
    from gensearch_db.domain.attribute import Space

    space = Space((unordered("u", 14), ordered("a", 3)))
    problem = problem_of(space, random_rows(random.Random(1), space, 200), [KAnonymity(9)], cost_from_text("gcp"))
    result = block_graph(problem)
    assert result.status is Status.OPTIMAL
    assert any("candidate orders" in note for note in result.notes)
    check_partition(problem, result)


@pytest.mark.parametrize("strategy", [Strategy.MONDRIAN, Strategy.MONDRIAN_STEEPEST])
@pytest.mark.parametrize("seed", range(25))
def test_mondrian_is_feasible_and_never_below_the_optimum(strategy: Strategy, seed: int) -> None:
    problem = random_problem(seed)
    result = search(problem, strategy, StoppingRule())
    best, _ = optimum(problem)
    if math.isinf(best):
        assert result.status is Status.INFEASIBLE
        return
    assert result.status is Status.HEURISTIC
    check_partition(problem, result)
    assert result.lower_bound <= best <= result.cost


@pytest.mark.parametrize("strategy", [Strategy.MONDRIAN, Strategy.MONDRIAN_STEEPEST])
@pytest.mark.parametrize("seed", range(10))
def test_mondrian_says_that_it_never_suppresses(strategy: Strategy, seed: int) -> None:
    """Its bound holds for the releases that suppress, too; no "infeasible" where only suppression would help."""
    kept = random_problem(seed)
    problem = replace(kept, suppression_limit=int(kept.cells.row_count))
    if math.isinf(optimum(kept)[0]):
        with pytest.raises(InfeasibleError, match="never suppresses"):
            search(problem, strategy, StoppingRule())
        return
    result = search(problem, strategy, StoppingRule())
    assert any("never suppresses" in note for note in result.notes)
    assert (result.partition.block_of_cell >= 0).all()
    assert result.lower_bound <= optimum(problem)[0]


@pytest.mark.needs_data
@pytest.mark.skipif(not SOURCE.exists(), reason="../shared/data is not beside this checkout")
@pytest.mark.parametrize(
    ("kind", "k", "optimal_cost"),
    [("taxonomy", 1000, 36_803_236), ("taxonomy", 100, 3_750_584), ("ordered", 1000, 31_377_348)],
)
def test_adult_with_the_papers_100_splits(kind: str, k: int, optimal_cost: int) -> None:
    """The cost of the ordered one was proven by another program before this one was written."""
    result = block_graph(adult_problem(k, kind=kind))
    assert (result.status, result.cost) == (Status.OPTIMAL, optimal_cost)
