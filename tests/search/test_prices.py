"""What cells tell of their blocks, on thousands of random problems: no price is too high, and the optimum stays what it is."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import numpy as np
import pytest

from gensearch_db.cost.registry import cost_from_text
from gensearch_db.domain.region import Block
from gensearch_db.privacy.registry import constraint_from_text
from gensearch_db.problem.problem import Strategy
from gensearch_db.search.prices import cell_prices, least_rows, needed_rows
from gensearch_db.search.result import SearchProblem, Status, StoppingRule
from gensearch_db.search.run import search
from tests.oracles.box_dynamic_programming import box_optimum
from tests.oracles.brute_force import Judge, splits_of
from tests.oracles.problems import problem_of, random_rows, random_space

CONSTRAINTS = (
    "k_anonymity(3)",
    "distinct_l_diversity(2)",
    "entropy_l_diversity(1.5)",
    "recursive_l_diversity(2, 2)",
    "alpha_k_anonymity(0.5, 2)",
    "t_closeness(0.2, distance = ordered)",
    "t_closeness(0.15, distance = equal)",
    "epsilon_privacy(3, 4, 0)",
    "basic_beta_likeness(0.5)",
    "enhanced_beta_likeness(0.8)",
    "delta_disclosure(0.8)",
    "delta_disclosure(0.7, zeros = ignored)",
)
COSTS = ("discernibility", "ncp", "volume", "classification(s)", "ncp + 2 * classification(s)", "discernibility_entropy")


def random_problem(chance: random.Random, cost: str) -> SearchProblem:
    """A problem whose class column is the sensitive one, so that constraints limit the labels."""
    space = random_space(chance, most_cells=9)
    values = chance.choice([2, 2, 3])
    frequencies = [chance.choice([1, 1, 5]) for _ in range(values)]
    rows = [
        (codes, *chance.choices(range(values), frequencies), label, person)
        for codes, _, label, person in random_rows(chance, space, chance.randint(6, 30))
    ]
    chosen = chance.sample(CONSTRAINTS, chance.choice([1, 1, 2]))
    built = problem_of(
        space,
        rows,
        [constraint_from_text(text, ["s"]) for text in chosen],
        cost_from_text(cost),
        sensitive_values=values,
        persons=chance.random() < 0.15,
        values_labels=chance.random() < 0.2,
    )
    if built.table.persons:
        return built if "classification" not in cost else random_problem(chance, cost)
    statistics = replace(built.table.statistics, classes=built.table.statistics.sensitive)
    table = replace(built.table, classes=built.table.sensitive, statistics=statistics)
    return replace(built, cells=replace(built.cells, classes=built.cells.sensitive), table=table)


@pytest.mark.parametrize("cost", COSTS)
def test_no_price_is_too_high(cost: str) -> None:
    chance = random.Random(cost)
    compared = by_need = by_label = 0
    while compared < 600:
        problem = random_problem(chance, cost)
        optimum = box_optimum(problem)
        if math.isinf(optimum):
            continue
        compared += 1
        smallest = least_rows(problem)
        needed = needed_rows(problem, smallest)
        rows = problem.cells.counts
        prices = cell_prices(problem, needed, labels=True)
        if cost == "discernibility":
            prices = rows * np.maximum(rows, needed).astype(float)
        assert prices.sum() <= optimum + 1e-9, (problem.constraints, rows)
        plain = cell_prices(problem, np.full(len(rows), smallest), labels=False)
        by_label += bool(cell_prices(problem, np.full(len(rows), smallest), labels=True).sum() > plain.sum())
        by_need += bool((np.maximum(needed, rows) > np.maximum(smallest, rows)).any())
    assert by_need > 50
    assert by_label > 10 or "classification" not in cost


@pytest.mark.parametrize("cost", COSTS)
def test_no_feasible_block_has_fewer_rows_than_its_cells_need(cost: str) -> None:
    chance = random.Random(f"blocks {cost}")
    tight = 0
    for _ in range(60):
        problem = random_problem(chance, cost)
        smallest = least_rows(problem)
        needed = needed_rows(problem, smallest)
        judge = Judge(problem)
        for block in all_blocks(problem):
            cells, _, price = judge.of(block)
            if price is None or not cells:
                continue
            size = int(problem.cells.counts[sorted(cells)].sum())
            assert size >= max(smallest, *needed[sorted(cells)]), (problem.constraints, block)
            tight += size == max(needed[sorted(cells)])
    assert tight > 20


def all_blocks(problem: SearchProblem) -> set[Block]:
    """Every block that splits lead to."""
    found: set[Block] = set()
    waiting = [problem.space.root]
    while waiting:
        block = waiting.pop()
        if block in found:
            continue
        found.add(block)
        waiting.extend(child for children in splits_of(problem.space, block) for child in children)
    return found


@pytest.mark.parametrize("switches", [{}, {"needs": False}, {"labels": False}, {"needs": False, "labels": False}], ids=str)
@pytest.mark.parametrize("cost", COSTS)
def test_the_optimum_stays_what_it_is(cost: str, switches: dict[str, bool]) -> None:
    chance = random.Random(f"search {cost}")
    proven = 0
    for _ in range(40):
        problem = random_problem(chance, cost)
        optimum = box_optimum(problem)
        result = search(problem, Strategy.BLOCK_GRAPH, StoppingRule(), options=switches)
        if math.isinf(optimum):
            assert result.status is Status.INFEASIBLE
            continue
        assert result.status is Status.OPTIMAL
        assert math.isclose(result.cost, optimum, rel_tol=1e-9, abs_tol=1e-9), problem.constraints
        proven += 1
    assert proven > 15
