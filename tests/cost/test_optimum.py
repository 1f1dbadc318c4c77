"""The compiled search against dynamic programming over boxes, for every cost and every constraint.

The oracle evaluates costs and constraints by their exact Python definitions and prunes nothing, so that a wrong kernel formula,
a wrong bound or a wrong claim of monotonicity shows as a different optimum.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import ClassVar

import pytest

from gensearch_db.cost.registry import COSTS, cost_from_text
from gensearch_db.domain.cells import BlockStatistics, Table
from gensearch_db.domain.region import Block
from gensearch_db.errors import SpecificationError
from gensearch_db.privacy.constraint import CompiledConstraint, Constraint
from gensearch_db.privacy.k_anonymity import KAnonymity
from gensearch_db.privacy.minimum_length import with_minimum_lengths
from gensearch_db.privacy.registry import CONSTRAINTS, constraint_from_text
from gensearch_db.problem.problem import Strategy
from gensearch_db.search.result import SearchProblem, Status, StoppingRule
from gensearch_db.search.run import search
from tests.oracles.box_dynamic_programming import box_optimum
from tests.oracles.problems import problem_of, random_rows, random_space

COST_TEXTS = (
    "discernibility",
    "ncp",
    "gcp",
    "classification(c)",
    "class_entropy(c)",
    "volume",
    "volume(real)",
    "non_uniform_entropy",
    "v_optimal",
    "marginal_nonuniformity",
    "average_class_size",
    "discernibility_entropy",
    "count_error('queries.sql')",
    "0.05 * ncp + count_error(4)",
    "0.1 * discernibility + ncp + 0.5 * classification(c)",
)

CONSTRAINT_TEXTS = (
    "k_anonymity(3)",
    "distinct_l_diversity(2)",
    "entropy_l_diversity(1.5)",
    "recursive_l_diversity(2, 2)",
    "alpha_k_anonymity(0.6, 2)",
    "t_closeness(0.3, distance = ordered)",
    "t_closeness(0.25, distance = equal)",
    "epsilon_privacy(3, 4, 0)",
    "epsilon_privacy(4, 2, 1)",
    "basic_beta_likeness(0.7)",
    "enhanced_beta_likeness(0.8)",
    "delta_disclosure(1)",
    "delta_disclosure(0.7, zeros = ignored)",
)


def optimum_found(problem: SearchProblem) -> float:
    result = search(problem, Strategy.BLOCK_GRAPH, StoppingRule())
    assert result.status in (Status.OPTIMAL, Status.INFEASIBLE)
    return result.cost if result.status is Status.OPTIMAL else math.inf


def constraints_of(chance: random.Random) -> list[Constraint]:
    chosen = chance.sample(CONSTRAINT_TEXTS, chance.choice([1, 1, 2, 3]))
    return [constraint_from_text(text, ["s"]) for text in chosen]


def test_the_texts_cover_every_cost_and_constraint() -> None:
    assert {text.split("(")[0] for text in COST_TEXTS if "*" not in text} == set(COSTS)
    assert {text.split("(")[0] for text in CONSTRAINT_TEXTS} | {"minimum_length"} == set(CONSTRAINTS)


@pytest.mark.parametrize("text", COST_TEXTS)
def test_every_cost_with_any_constraints(text: str) -> None:
    chance = random.Random(text)
    feasible = 0
    for _ in range(40):
        space = random_space(chance)
        rows = random_rows(chance, space, chance.randint(4, 24))
        problem = problem_of(space, rows, constraints_of(chance), cost_from_text(text), values_labels=chance.random() < 0.3)
        expected = box_optimum(problem)
        assert optimum_found(problem) == pytest.approx(expected, rel=1e-9, abs=1e-9), (problem.constraints, space)
        feasible += math.isfinite(expected)
    assert feasible >= 15


@pytest.mark.parametrize("text", CONSTRAINT_TEXTS)
def test_every_constraint_with_three_costs(text: str) -> None:
    chance = random.Random(text)
    constraint = constraint_from_text(text, ["s"])
    more_than_one_block = 0
    for number in range(30):
        space = random_space(chance)
        rows = random_rows(chance, space, chance.randint(8, 30))
        cost = cost_from_text(("discernibility", "ncp", "classification(c)")[number % 3])
        problem = problem_of(space, rows, [constraint], cost)
        expected = box_optimum(problem)
        assert optimum_found(problem) == pytest.approx(expected, rel=1e-9, abs=1e-9), space
        whole = cost.of_block(problem.table.statistics, space.root, problem.table)
        more_than_one_block += math.isfinite(expected) and expected < whole - 1e-9
    assert more_than_one_block >= 3


def test_minimum_lengths_of_constraints() -> None:
    chance = random.Random(2)
    longer = 0
    for _ in range(40):
        space = random_space(chance)
        rows = random_rows(chance, space, chance.randint(4, 24))
        constraints = [constraint_from_text(f"minimum_length(q0, {chance.choice([1, 2, 3])})", []), *constraints_of(chance)]
        cost = cost_from_text("ncp")
        free = problem_of(space, rows, constraints[1:], cost)
        restricted = problem_of(with_minimum_lengths(space, constraints), rows, constraints, cost)
        assert constraints[0].compiled(restricted.table) is not None
        assert optimum_found(restricted) == pytest.approx(box_optimum(restricted), rel=1e-9, abs=1e-9), space
        longer += box_optimum(restricted) > box_optimum(free) + 1e-9
    assert longer >= 5


def test_persons_as_the_unit_of_protection() -> None:
    """Sizes count persons and distributions pairs; nothing but sizes and sets of values is pruned on."""
    chance = random.Random(4)
    feasible = differing = 0
    for _ in range(60):
        space = random_space(chance)
        rows = random_rows(chance, space, chance.randint(10, 24), people=chance.randint(3, 8))
        constraints = constraints_of(chance)
        cost = cost_from_text(chance.choice(["ncp", "discernibility", "classification(c)"]))
        problem = problem_of(space, rows, constraints, cost, persons=True)
        expected = box_optimum(problem)
        assert optimum_found(problem) == pytest.approx(expected, rel=1e-9, abs=1e-9), (constraints, space)
        feasible += math.isfinite(expected)
        differing += expected != box_optimum(problem_of(space, rows, constraints, cost))
    assert feasible >= 20
    assert differing >= 10


@pytest.mark.parametrize("strategy", [Strategy.BLOCK_GRAPH, Strategy.ENUMERATION])
def test_suppression_within_its_hard_limit(strategy: Strategy) -> None:
    chance = random.Random(8)
    feasible = helped = 0
    for _ in range(120):
        space = random_space(chance, most_cells=8)
        rows = random_rows(chance, space, chance.randint(4, 20))
        constraints, cost = constraints_of(chance), cost_from_text(chance.choice(COST_TEXTS))
        limit = chance.choice([1, 2, 4, 8])
        problem = problem_of(space, rows, constraints, cost, suppression_limit=limit)
        expected = box_optimum(problem)
        result = search(problem, strategy, StoppingRule())
        if math.isinf(expected):
            assert result.status is Status.INFEASIBLE
            continue
        feasible += 1
        assert result.status is Status.OPTIMAL
        assert result.cost == pytest.approx(expected, rel=1e-9, abs=1e-9), (constraints, cost, space)
        assert result.partition is not None
        suppressed = int(problem.cells.counts[result.partition.block_of_cell < 0].sum())
        assert suppressed <= limit
        helped += expected < box_optimum(problem_of(space, rows, constraints, cost)) - 1e-9
    assert feasible >= 80
    assert helped >= 20


@dataclass(frozen=True)
class OddSizes(KAnonymity):
    """A user's own constraint, not monotone: blocks of odd size."""

    name: ClassVar[str] = "odd_sizes"

    @property
    def monotone(self) -> bool:
        return False

    def holds(self, statistics: BlockStatistics, block: Block, table: Table) -> bool:
        return statistics.size % 2 == 1 and statistics.size >= self.k

    def compiled(self, table: Table) -> CompiledConstraint | None:
        return None


def test_a_users_own_constraint_is_searched_exactly_and_a_note_says_how() -> None:
    chance = random.Random(6)
    feasible = 0
    for _ in range(40):
        space = random_space(chance, most_cells=8)
        rows = random_rows(chance, space, chance.randint(4, 15))
        problem = problem_of(space, rows, [OddSizes(2)], cost_from_text("ncp"))
        expected = box_optimum(problem)
        result = search(problem, Strategy.BLOCK_GRAPH, StoppingRule())
        assert any("slower" in note for note in result.notes)
        assert result.cost == pytest.approx(expected)
        feasible += math.isfinite(expected)
        with pytest.raises(SpecificationError, match="judged in Python"):
            search(problem, Strategy.MONDRIAN, StoppingRule())
    assert feasible >= 20
