"""Two searches over the same space, each a check of the other: enumeration and the block graph; and Mondrian as a seed.

Without suppression; with it, enumeration is held to brute force in ``test_search.py``.
"""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest

from gensearch_db.problem.problem import Strategy
from gensearch_db.search.enumeration import enumerate_search
from gensearch_db.search.result import Status, StoppingRule, never_stop
from gensearch_db.search.run import search
from tests.search.enumeration.test_run import hard_problem
from tests.search.enumeration.test_search import random_problem


@pytest.mark.parametrize("seed", range(150))
def test_same_optimum_as_the_block_graph(seed: int) -> None:
    problem = replace(random_problem(random.Random(10_000 + seed)), suppression_limit=0)
    mine = search(problem, Strategy.ENUMERATION, StoppingRule())
    other = search(problem, Strategy.BLOCK_GRAPH, StoppingRule())
    assert mine.status in (Status.OPTIMAL, Status.INFEASIBLE)
    assert mine.status is other.status
    assert mine.cost == other.cost or math.isclose(mine.cost, other.cost, rel_tol=1e-9, abs_tol=1e-9)


@pytest.mark.parametrize("strategy", [Strategy.MONDRIAN, Strategy.MONDRIAN_STEEPEST])
def test_mondrian_may_seed(strategy: Strategy) -> None:
    problem = hard_problem()
    greedy = search(problem, strategy, StoppingRule())
    assert greedy.partition is not None
    seeded = enumerate_search(problem, StoppingRule(node_limit=1), never_stop, {"complete": False}, seed=greedy.partition)
    assert not seeded.notes
    assert seeded.cost == greedy.cost
