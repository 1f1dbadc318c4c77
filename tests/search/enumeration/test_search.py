"""Prioritized enumeration finds what brute force finds: every geometry, constraint, cost and combination of options."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from gensearch_db.cost.registry import cost_from_text
from gensearch_db.domain.region import Block, Interval
from gensearch_db.privacy.registry import constraint_from_text
from gensearch_db.search.enumeration import enumerate_search
from gensearch_db.search.enumeration.bounds import BoundRule
from gensearch_db.search.enumeration.cell_statistics import statistics_in_memory
from gensearch_db.search.enumeration.judged_box import Judge
from gensearch_db.search.enumeration.options import EnumerationOptions
from gensearch_db.search.result import Partition, SearchProblem, SearchResult, Status, StoppingRule, never_stop
from tests.oracles.box_dynamic_programming import box_optimum
from tests.oracles.brute_force import Grouping, all_partitions, optimum
from tests.oracles.brute_force import Judge as PlainJudge
from tests.oracles.plain_statistics import cells_in
from tests.oracles.problems import problem_of, random_rows, random_space, space_of

COSTS = [
    "discernibility",
    "ncp",
    "gcp",
    "classification(c)",
    "class_entropy(c)",
    "volume",
    "non_uniform_entropy",
    "v_optimal",
    "marginal_nonuniformity",
    "average_class_size",
    "discernibility_entropy",
    "ncp + 0.5 * discernibility",
]
CONSTRAINTS = [
    "k_anonymity(2)",
    "k_anonymity(3)",
    "distinct_l_diversity(2)",
    "entropy_l_diversity(1.7)",
    "recursive_l_diversity(2, 2)",
    "alpha_k_anonymity(0.6, 2)",
    "t_closeness(0.3)",
    "t_closeness(0.3, s, distance = equal)",
    "basic_beta_likeness(0.8)",
    "enhanced_beta_likeness(1)",
    "delta_disclosure(1.5)",
    "epsilon_privacy(3, 2)",
]
CHOICES: dict[str, list[str | int | bool]] = {
    "priority": ["lb", "cost", "lb/cost"],
    "bound": ["paper", "tight", "exact"],
    "look_ahead": [0, 1, 2],
    "complete": [True, False],
    "split_ids": ["ascending", "descending", "shuffled"],
}


def random_problem(source: random.Random) -> SearchProblem:
    space = random_space(source, lengths=source.random() < 0.2)
    persons = source.random() < 0.2
    people = 6 if persons and source.random() < 0.5 else 10**9
    return problem_of(
        space,
        random_rows(source, space, source.randint(1, 16), people=people),
        [constraint_from_text(text, ["s"]) for text in source.sample(CONSTRAINTS, source.choice([1, 1, 2]))],
        cost_from_text(source.choice(COSTS)),
        suppression_limit=source.choice([0, 0, 0, 2, 4]),
        persons=persons,
        values_labels=source.random() < 0.2,
    )


def run(problem: SearchProblem, stopping: StoppingRule | None = None, **options: str | int | bool) -> SearchResult:
    return enumerate_search(problem, stopping or StoppingRule(), never_stop, options)


def grouping(partition: Partition) -> Grouping:
    return frozenset(
        frozenset(np.flatnonzero(partition.block_of_cell == number).tolist()) for number in range(len(partition.blocks))
    )


def same(cost: float, expected: float) -> bool:
    return cost == expected or math.isclose(cost, expected, rel_tol=1e-9, abs_tol=1e-12)


def check_partition(problem: SearchProblem, result: SearchResult) -> None:
    """The released blocks hold the cells they claim to, and their plain cost is the result's."""
    partition = result.partition
    assert partition is not None
    plain = PlainJudge(problem)
    rows = problem.cells.counts
    total = float(rows[partition.block_of_cell < 0].sum()) * problem.cost.suppression_charge(problem.table)
    for number, block in enumerate(partition.blocks):
        assert cells_in(problem, block) == np.flatnonzero(partition.block_of_cell == number).tolist()
        cost = plain.of(block)[2]
        assert cost is not None
        total += cost
    assert same(total, result.cost)
    assert rows[partition.block_of_cell < 0].sum() <= problem.suppression_limit
    assert list(partition.blocks) == sorted(partition.blocks, key=lambda block: tuple(r.sort_key() for r in block))


@settings(max_examples=1000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 2**32), st.fixed_dictionaries({name: st.sampled_from(values) for name, values in CHOICES.items()}))
@example(217271650, {"bound": "paper", "look_ahead": 0, "complete": False})  # two releases of cost 0, one but for rounding
def test_same_optimum_and_same_optimal_releases_as_brute_force(seed: int, options: dict[str, str | int | bool]) -> None:
    problem = random_problem(random.Random(seed))
    expected, releases = optimum(problem)
    assert same(box_optimum(problem), expected)
    result = run(problem, all_optimal=True, list_at_most=100_000, **options)
    if math.isinf(expected):
        assert (result.status, result.partition, result.lower_bound) == (Status.INFEASIBLE, None, math.inf)
        return
    assert result.status is Status.OPTIMAL
    assert same(result.cost, expected)
    assert result.lower_bound == result.cost
    assert result.partition is not None
    found = [grouping(partition) for partition in (result.partition, *result.alternatives)]
    assert len(found) == len(set(found)) == result.optimal_count
    assert set(found) == set(releases)
    check_partition(problem, result)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 2**32), st.sampled_from([1.0, 1.1, 1.5, 3.0]), st.integers(2, 12), st.sampled_from(CHOICES["priority"]))
def test_bounds_stay_valid_whatever_is_dropped_or_cut_off(seed: int, factor: float, max_size: int, priority: str) -> None:
    problem = random_problem(random.Random(seed))
    expected = box_optimum(problem)
    for node_limit in (None, 5, 40):
        stopping = StoppingRule(factor=factor, node_limit=node_limit)
        result = run(problem, stopping, priority=priority, bound="paper", complete=False, max_size=max_size, probes=1)
        assert result.lower_bound <= expected * (1 + 1e-9) or math.isinf(expected)
        assert result.cost >= expected * (1 - 1e-9)
        if result.status is Status.OPTIMAL:
            assert same(result.cost, expected)
        if result.status is Status.WITHIN_FACTOR:
            assert result.cost <= factor * expected * (1 + 1e-9)
        if result.status is Status.INFEASIBLE:
            assert math.isinf(expected)
        if result.partition is not None:
            check_partition(problem, result)
        assert not (result.counters["entries_dropped"] and result.status is not Status.OPTIMAL) or any(
            "optimality was forfeited" in note for note in result.notes
        )


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 2**32), st.sampled_from(["paper", "tight"]), st.integers(0, 3))
def test_every_bound_is_a_bound_of_the_root_and_exact_is_exact(seed: int, bound: str, look_ahead: int) -> None:
    problem = random_problem(random.Random(seed))
    expected = box_optimum(problem)
    found = {}
    for kind, options in (("asked", {"bound": bound, "look_ahead": look_ahead}), ("exact", {"bound": "exact"})):
        chosen = EnumerationOptions.from_mapping(options)
        judge = Judge(problem, chosen.split_set(problem.space), statistics_in_memory(problem.space, problem.cells))
        judge.judge([judge.boxes.root])
        found[kind] = BoundRule(judge, chosen).of(judge.boxes.root)
    assert found["asked"] <= expected * (1 + 1e-9)
    if problem.suppression_limit == 0:
        assert same(found["exact"], expected)
    else:
        assert found["exact"] <= expected * (1 + 1e-9)


def seed_of(problem: SearchProblem, blocks: frozenset[Block]) -> Partition:
    """The partition of these blocks; those without cells or that may not be published are left out."""
    plain = PlainJudge(problem)
    published = sorted((b for b in blocks if plain.of(b)[0] and plain.of(b)[2] is not None), key=lambda b: [*map(tuple, b)])
    block_of_cell = np.full(problem.cells.cell_count, -1, dtype=np.int64)
    for number, block in enumerate(published):
        block_of_cell[list(plain.of(block)[0])] = number
    return Partition(tuple(published), block_of_cell)


@pytest.mark.parametrize("seed", range(60))
def test_any_feasible_hierarchical_partition_may_seed(seed: int) -> None:
    source = random.Random(seed)
    problem = random_problem(source)
    plain = PlainJudge(problem)
    feasible = [blocks for blocks in all_partitions(problem.space) if all(plain.of(block)[2] is not None for block in blocks)]
    if not feasible:
        assert run(problem).status in (Status.INFEASIBLE, Status.OPTIMAL)
        return
    start = source.choice(sorted(feasible, key=repr))
    cost, _ = plain.of_partition(start)
    result = enumerate_search(problem, StoppingRule(), never_stop, {"complete": False}, seed=seed_of(problem, start))
    assert not result.notes
    assert result.history[0].cost <= cost * (1 + 1e-9)
    assert same(result.cost, box_optimum(problem))


def test_a_partition_that_is_not_hierarchical_is_left_aside() -> None:
    """Five blocks around a middle one: no cut goes through (the windmill)."""
    space = space_of(2, 2)
    rows = [((x, y), 0, 0, 3 * x + y) for x in range(3) for y in range(3)]
    problem = problem_of(space, rows, [constraint_from_text("k_anonymity(1)", ["s"])], cost_from_text("discernibility"))
    windmill = [((0, 2), (0, 1)), ((2, 3), (0, 2)), ((1, 3), (2, 3)), ((0, 1), (1, 3)), ((1, 2), (1, 2))]
    blocks = frozenset(tuple(Interval(*region) for region in block) for block in windmill)
    assert blocks not in all_partitions(space)
    result = enumerate_search(problem, StoppingRule(), never_stop, {}, seed=seed_of(problem, blocks))
    assert "left aside" in result.notes[0]
    assert (result.status, result.cost) == (Status.OPTIMAL, 9)


def test_a_seed_that_violates_a_constraint_is_left_aside() -> None:
    space = space_of(1)
    rows = [((0,), 0, 0, 0), ((1,), 0, 0, 1), ((1,), 0, 0, 2)]
    problem = problem_of(space, rows, [constraint_from_text("k_anonymity(2)", ["s"])], cost_from_text("discernibility"))
    split = Partition(((Interval(0, 1),), (Interval(1, 2),)), np.array([0, 1]))
    result = enumerate_search(problem, StoppingRule(), never_stop, {}, seed=split)
    assert "left aside" in result.notes[0]
    assert (result.status, result.cost) == (Status.OPTIMAL, 9)
