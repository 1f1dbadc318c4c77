"""Prices from the cheapest box around each cell: never above what a feasible block costs, and as high as boxes allow."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from gensearch_db.cost.registry import cost_from_text
from gensearch_db.privacy.k_anonymity import KAnonymity
from gensearch_db.problem.problem import Strategy
from gensearch_db.search import box_prices, prover
from gensearch_db.search.box_prices import BoxPrices
from gensearch_db.search.prices import cell_prices, least_rows, needed_rows
from gensearch_db.search.result import SearchProblem, Status, StoppingRule
from gensearch_db.search.run import search
from tests.oracles.box_dynamic_programming import box_optimum
from tests.oracles.brute_force import Judge
from tests.oracles.problems import problem_of, random_rows, space_of
from tests.search.test_prices import all_blocks, random_problem

COSTS = ("ncp", "gcp", "ncp + 2 * classification(s)", "ncp + 3 * gcp + discernibility")


def priced(problem: SearchProblem) -> np.ndarray:
    prices = BoxPrices(problem, needed_rows(problem, least_rows(problem)))
    assert prices.pays
    for _ in prices.run():
        pass
    return prices.prices


@pytest.mark.parametrize("most_looks", [200_000, 20], ids=["to the end", "given up early"])
@pytest.mark.parametrize("cost", COSTS)
def test_no_feasible_block_costs_less_than_its_prices(cost: str, most_looks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(box_prices, "MOST_LOOKS", most_looks)
    chance = random.Random(cost)
    higher = 0
    for _ in range(60):
        problem = random_problem(chance, cost)
        prices = priced(problem)
        judge = Judge(problem)
        for block in all_blocks(problem):
            cells, _, price = judge.of(block)
            if price is not None and cells:
                assert prices[sorted(cells)].sum() <= price + 1e-9, (problem.constraints, block)
        needed = needed_rows(problem, least_rows(problem))
        higher += prices.sum() > cell_prices(problem, needed, labels=True).sum() + 1e-9
    assert higher > 3


@pytest.mark.parametrize("cost", ["ncp", "gcp"])
def test_prices_are_those_of_the_cheapest_boxes_where_regions_are_intervals_and_nodes(cost: str) -> None:
    chance = random.Random(f"exact {cost}")
    for _ in range(40):
        space = space_of(*chance.choice([(3, "((a,b),(c,d))"), (4, 2, "2 leaves"), ("((a,b,c),(d,e))", "((a,b),c)"), (6, 3)]))
        problem = problem_of(
            space, random_rows(chance, space, 25), [KAnonymity(chance.choice([3, 5, 8]))], cost_from_text(cost)
        )
        judge = Judge(problem)
        rows = problem.cells.counts
        least = np.full(problem.cells.cell_count, np.inf)
        for block in all_blocks(problem):
            cells, size, price = judge.of(block)
            if price is not None and cells:
                members = sorted(cells)
                least[members] = np.minimum(least[members], price / size)
        # a block that is larger than its cells' tight box costs more, so tight boxes decide here as well
        assert np.allclose(priced(problem), rows * least, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("switches", [{}, {"cheapest_boxes": False}, {"needs": False}, {"prices": False}], ids=str)
@pytest.mark.parametrize("cost", COSTS)
def test_the_optimum_stays_what_it_is(cost: str, switches: dict[str, bool], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prover, "BEFORE_PRICES", 0)
    chance = random.Random(f"search {cost}")
    proven = 0
    for _ in range(25):
        problem = random_problem(chance, cost)
        optimum = box_optimum(problem)
        result = search(problem, Strategy.BLOCK_GRAPH, StoppingRule(), options=switches)
        if math.isinf(optimum):
            assert result.status is Status.INFEASIBLE
            continue
        assert result.status is Status.OPTIMAL
        assert math.isclose(result.cost, optimum, rel_tol=1e-9, abs_tol=1e-9), problem.constraints
        proven += 1
    assert proven > 8
