"""Dynamic programming over all boxes of a small space: against the plain one, for every constraint, cost and geometry."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest

from gensearch_db.cost.registry import cost_from_text
from gensearch_db.privacy.k_anonymity import KAnonymity
from gensearch_db.problem.problem import Strategy
from gensearch_db.search import block_graph
from gensearch_db.search.box_program import BoxProgram, is_small
from gensearch_db.search.result import SearchProblem, Status, StoppingRule
from gensearch_db.search.run import search
from gensearch_db.search.worker import Worker
from tests.oracles.box_dynamic_programming import box_optimum
from tests.oracles.problems import ordered, problem_of, random_rows, random_space, taxonomy, unordered
from tests.search.test_block_graph import check_partition, hard_problem
from tests.search.test_prices import random_problem

COSTS = (
    "discernibility",
    "ncp",
    "gcp",
    "volume",
    "classification(s)",
    "class_entropy(s)",
    "non_uniform_entropy",
    "marginal_nonuniformity",
    "v_optimal",
    "ncp + 2 * classification(s)",
)


def solved(problem: SearchProblem) -> BoxProgram:
    program = BoxProgram(Worker(problem))
    for _ in program.run():
        pass
    assert program.solved == program.boxes
    return program


@pytest.mark.parametrize("cost", COSTS)
def test_optimum_and_partition_are_those_of_the_plain_program(cost: str) -> None:
    chance = random.Random(f"boxes {cost}")
    feasible = 0
    for _ in range(40):
        problem = random_problem(chance, cost)
        if problem.table.persons:
            assert not is_small(problem, 1000)
            continue
        optimum = box_optimum(problem)
        program = solved(problem)
        if math.isinf(optimum):
            assert math.isinf(program.cost)
            continue
        feasible += 1
        assert math.isclose(program.cost, optimum, rel_tol=1e-9, abs_tol=1e-9), problem.constraints
        slices = program.slices()
        assert math.isclose(program.worker.cost_of(slices), optimum, rel_tol=1e-9, abs_tol=1e-9)
        blocks = program.worker.partition(slices)
        assert (blocks.block_of_cell >= 0).all()
        assert len(blocks.blocks) == len(slices)
    assert feasible > 10


@pytest.mark.parametrize("cost", ["count_error('queries.sql')", "ncp + 0.5 * count_error(4)"])
def test_costs_that_read_a_workload(cost: str) -> None:
    chance = random.Random(cost)
    for _ in range(30):
        space = random_space(chance)
        rows = random_rows(chance, space, chance.randint(4, 24))
        problem = problem_of(space, rows, [KAnonymity(2)], cost_from_text(cost), values_labels=chance.random() < 0.3)
        assert math.isclose(solved(problem).cost, box_optimum(problem), rel_tol=1e-9, abs_tol=1e-9), space


@pytest.mark.parametrize("seed", range(40))
def test_minimum_lengths_keep_regions_as_wide_as_they_are(seed: int) -> None:
    chance = random.Random(seed)
    space = random_space(chance, lengths=True)
    rows = random_rows(chance, space, chance.randint(4, 40))
    problem = problem_of(space, rows, [KAnonymity(chance.choice([1, 2, 3]))], cost_from_text("ncp"))
    optimum = box_optimum(problem)
    assert solved(problem).cost == optimum or math.isclose(solved(problem).cost, optimum, rel_tol=1e-9, abs_tol=1e-9)


def test_attributes_of_more_than_64_values_and_labels_of_values() -> None:
    from gensearch_db.domain.attribute import Space

    chance = random.Random(2)
    wide = ordered("a", 69)
    categories = taxonomy("t", [(str(value), []) for value in range(70)])
    for labels, attributes in ((False, (wide, unordered("u", 3))), (True, (categories, ordered("b", 2)))):
        space = Space(attributes)
        for cost in ("discernibility", "ncp", "marginal_nonuniformity"):
            rows = random_rows(chance, space, 60)
            problem = problem_of(space, rows, [KAnonymity(6)], cost_from_text(cost), values_labels=labels)
            without = search(problem, Strategy.BLOCK_GRAPH, StoppingRule(), options={"all_boxes": False})
            assert without.status is Status.OPTIMAL
            assert math.isclose(solved(problem).cost, without.cost, rel_tol=1e-9)


@pytest.mark.parametrize("cost", ["discernibility", "ncp", "marginal_nonuniformity"])
def test_the_search_turns_to_all_boxes_where_it_takes_long(cost: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(block_graph, "PATIENCE", 0.0)
    for seed in range(8):
        problem = random_problem(random.Random(seed), cost)
        results = [
            search(problem, Strategy.BLOCK_GRAPH, StoppingRule(), options={"all_boxes": switch}) for switch in (True, False)
        ]
        assert [result.status for result in results] == [results[0].status] * 2
        assert math.isclose(results[0].cost, results[1].cost, rel_tol=1e-9, abs_tol=1e-9) or math.isinf(results[0].cost)
        if results[0].partition is not None:
            check_partition(problem, results[0])


def test_a_node_limit_below_the_number_of_boxes_forbids_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(block_graph, "PATIENCE", 0.0)
    result = search(hard_problem(), Strategy.BLOCK_GRAPH, StoppingRule(node_limit=700))
    assert result.status is Status.NODE_LIMIT
    assert result.counters["blocks_visited"] <= 702


def test_a_stop_between_batches_keeps_the_best_release(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(block_graph, "PATIENCE", 0.0)
    looks: list[int] = []
    problem = hard_problem()

    def stop(moment: object, counters: object) -> bool:
        looks.append(1)
        return len(looks) == 3

    result = search(problem, Strategy.BLOCK_GRAPH, StoppingRule(), progress=stop)
    assert result.status is Status.INTERRUPTED
    check_partition(problem, result)


def test_what_is_too_large_is_left_to_the_block_graph() -> None:
    problem = hard_problem()
    assert is_small(problem, 1000)
    assert not is_small(problem, 1)
    from gensearch_db.domain.attribute import Space

    for attributes in ((unordered("u", 14),), (ordered("a", 2000),), tuple(ordered(f"a{i}", 9) for i in range(4))):
        assert not is_small(replace(problem, space=Space(attributes)), 10_000)
