"""Suppression by prices, a search of many searches: what ends one of them ends them all."""

from __future__ import annotations

import math
import random

import pytest

from gensearch_db.cost.registry import cost_from_text
from gensearch_db.domain.attribute import Space
from gensearch_db.privacy.registry import constraint_from_text
from gensearch_db.problem.problem import Strategy
from gensearch_db.search.result import Moment, SearchProblem, Status, StoppingRule
from gensearch_db.search.run import search
from tests.oracles.problems import ordered, problem_of, random_rows, unordered


def suppressing_problem(constraint: str) -> SearchProblem:
    """Most rows share one sensitive value; 60 of 300 may be suppressed."""
    chance = random.Random(3)
    space = Space((ordered("a", 9), ordered("b", 9), unordered("c", 4)))
    rows = [(codes, s if chance.random() < 0.5 else 0, c, who) for codes, s, c, who in random_rows(chance, space, 300)]
    return problem_of(space, rows, [constraint_from_text(constraint, ["s"])], cost_from_text("ncp"), suppression_limit=60)


@pytest.mark.parametrize("by_signal", [True, False])
@pytest.mark.parametrize(("constraint", "unsuppressed"), [("k_anonymity(6)", True), ("alpha_k_anonymity(0.62, 4)", False)])
def test_an_interrupt_ends_all_searches(constraint: str, unsuppressed: bool, by_signal: bool) -> None:
    """At each of the first looks, in the search without suppression as in those at prices; nothing is looked at after it."""
    problem = suppressing_problem(constraint)
    looks = 0

    def press(moment: Moment, counters: dict[str, int | float]) -> bool:
        nonlocal looks
        looks += 1
        if looks == last and by_signal:
            raise KeyboardInterrupt
        return looks == last

    optimum = search(problem, Strategy.BLOCK_GRAPH, StoppingRule()).cost
    found = []
    for last in range(1, 100):
        looks = 0
        result = search(problem, Strategy.BLOCK_GRAPH, StoppingRule(), progress=press)
        if looks < last:
            break  # it came to its end before
        assert looks == last
        if result.status is Status.OPTIMAL:
            assert result.cost == optimum  # proven in the round in which it was pressed
            continue
        assert result.status is Status.INTERRUPTED
        assert max([result.lower_bound, *(moment.lower_bound for moment in result.history)]) <= optimum
        assert (result.partition is None) == math.isinf(result.cost)
        found.append(result.partition is not None)
    assert found[0] == unsuppressed
    assert len(found) >= 2
