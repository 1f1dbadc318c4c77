"""Lower bounds never exceed the true optimum: prices and bounds on thousands of random problems."""

from __future__ import annotations

import math
import random
from itertools import combinations

import pytest

from gensearch_db.cost.bounds import balanced_squares, harmonic_squares, least_squares, water_filled_squares
from gensearch_db.cost.registry import cost_from_text
from gensearch_db.privacy.group_bounds import most_groups, smallest_group
from tests.cost.test_optimum import COST_TEXTS, constraints_of
from tests.oracles.box_dynamic_programming import box_optimum
from tests.oracles.plain_statistics import statistics_of
from tests.oracles.problems import problem_of, random_rows, random_space
from tests.privacy.test_bounds import divisions

NO_BOUND = ("marginal_nonuniformity", "count_error('queries.sql')")


@pytest.mark.parametrize("text", COST_TEXTS)
def test_prices_and_bounds_never_exceed_the_optimum(text: str) -> None:
    chance = random.Random(text)
    feasible = reached = 0
    for _ in range(150):
        space = random_space(chance, most_cells=8)
        rows = random_rows(chance, space, chance.randint(4, 20))
        labels = chance.random() < 0.3
        problem = problem_of(space, rows, constraints_of(chance), cost_from_text(text), values_labels=labels)
        smallest = smallest_group(problem.constraints, problem.table)
        prices = float(problem.cost.prices(problem.cells, problem.table, smallest, labels).sum())
        cells = [statistics_of(problem, [number]) for number in range(problem.cells.cell_count)]
        groups = most_groups(problem.constraints, cells, problem.table.statistics, problem.table, smallest)
        optimum = box_optimum(problem)
        if math.isfinite(optimum):
            bound = problem.cost.lower_bound([cell.rows for cell in cells], prices, smallest, groups)
            feasible += 1
            assert prices <= optimum + 1e-9, (space, problem.constraints)
            assert bound <= optimum + 1e-9, (space, problem.constraints)
            reached += bound >= optimum - 1e-9
    assert feasible >= 40
    assert reached >= (0 if text in NO_BOUND else 5)


def least_by_enumeration(sizes: list[int], smallest: int) -> int:
    totals = [
        sum(sum(sizes[number] for number in group) ** 2 for group in division)
        for division in divisions(list(range(len(sizes))))
        if all(sum(sizes[number] for number in group) >= smallest for group in division)
    ]
    return min(totals, default=-1)


def test_bounds_on_squared_sizes() -> None:
    """A to D against every division of up to six cells; the best of them is exact more often than not."""
    chance = random.Random(9)
    exact = 0
    for _ in range(400):
        smallest = chance.randint(1, 6)
        sizes = [chance.randint(1, 8) for _ in range(chance.randint(1, 6))]
        optimum = least_by_enumeration(sizes, smallest)
        if optimum < 0:
            continue
        big = sum(size >= smallest for size in sizes)
        groups = big + sum(size for size in sizes if size < smallest) // smallest
        needs = [max(size, smallest) for size in sizes]
        for bound in (
            balanced_squares(sum(sizes), groups),
            water_filled_squares(sizes, smallest),
            harmonic_squares(sizes, needs, groups),
            least_squares(sizes, needs, smallest, groups),
        ):
            assert bound <= optimum, (sizes, smallest)
        exact += least_squares(sizes, needs, smallest, groups) == optimum
    assert exact > 200


def test_the_worked_example_of_the_paper_has_small_cells_paid_at_k() -> None:
    """MinCost: sizes 1, 1, 3 with k = 2: 2 + 2 + 9."""
    needs = [2, 2, 3]
    assert sum(size * need for size, need in zip([1, 1, 3], needs, strict=True)) == 13
    assert least_squares([1, 1, 3], needs, 2, 2) == 13


def test_water_filling_is_the_optimum_where_tuples_can_be_divided_at_will() -> None:
    """With cells of one tuple each the bound is the best division into groups of at least k."""
    for total, smallest in [(7, 3), (9, 2), (10, 4)]:
        best = min(
            sum(part**2 for part in parts)
            for count in range(1, total // smallest + 1)
            for parts in _compositions(total, count)
            if min(parts) >= smallest
        )
        assert water_filled_squares([1] * total, smallest) == best


def _compositions(total: int, parts: int) -> list[tuple[int, ...]]:
    return [
        tuple(b - a for a, b in zip((0, *cuts), (*cuts, total), strict=True))
        for cuts in combinations(range(1, total), parts - 1)
    ]
