"""Blurred spaces: bounds that hold whatever is blurred, against dynamic programming over boxes and over the blurred ones."""

from __future__ import annotations

import math
import random
from functools import cache

import numpy as np
import pytest

from gensearch_db.cost.discernibility import Discernibility
from gensearch_db.privacy.k_anonymity import KAnonymity
from gensearch_db.problem.problem import Strategy
from gensearch_db.search import blurred_spaces, prover
from gensearch_db.search.blurred_boxes import DEAR
from gensearch_db.search.blurred_spaces import BlurredSpaces
from gensearch_db.search.result import SearchProblem, Status, StoppingRule
from gensearch_db.search.run import search
from gensearch_db.search.worker import Worker
from tests.oracles.box_dynamic_programming import box_optimum
from tests.oracles.problems import problem_of, random_rows, space_of
from tests.search.test_grids import problem_with

Sharp = list[list[int]]
FAR, ROOM = 60_000.0, 1e9
"""A cost above all others, still told in grains of one; and bytes enough for any space."""


def bounded(problem: SearchProblem, sharp: Sharp, monkeypatch: pytest.MonkeyPatch, known: float = FAR) -> float:
    """What the blurred space of these sharp values tells of the whole."""
    spaces = BlurredSpaces(Worker(problem))
    monkeypatch.setattr(blurred_spaces, "LEAST_SHARP", 0.0)
    monkeypatch.setattr(spaces, "sharp_values", lambda _: sharp)
    for _ in spaces.bound(math.inf, ROOM, known):
        pass
    return spaces.lower_bound


def all_sharp(problem: SearchProblem) -> Sharp:
    return [list(range(attribute.leaf_count)) for attribute in problem.space.attributes]


def some_sharp(problem: SearchProblem, seed: int) -> Sharp:
    """Every value of an attribute, or some, or one."""
    chance = random.Random(seed)
    counts = [attribute.leaf_count for attribute in problem.space.attributes]
    return [sorted(chance.sample(range(count), chance.choice([1, count // 2, count - 1, count]))) for count in counts]


def skewed(seed: int, k: int = 4) -> SearchProblem:
    """Two attributes of a few frequent values and many rare ones, a third of two values; some cells hold more than k rows."""
    chance = random.Random(seed)
    space = space_of(8, 6, 1)
    draws = [(chance.expovariate(0.5), chance.expovariate(0.7), chance.randint(0, 1)) for _ in range(90)]
    rows = [((min(8, int(a)), min(6, int(b)), c), 0, 0, i) for i, (a, b, c) in enumerate(draws)]
    return problem_of(space, rows, [KAnonymity(k)], Discernibility())


def prices(problem: SearchProblem, k: int) -> int:
    return sum(int(rows) * max(int(rows), k) for rows in problem.cells.counts)


def blurred_optimum(problem: SearchProblem, k: int, sharp: Sharp) -> float:
    """The bound by its definition: over ranges of sharp values, rows counted one cell at a time."""
    cells = list(zip(map(tuple, problem.cells.codes.tolist()), problem.cells.counts.tolist(), strict=True))
    leaves = [attribute.leaf_count for attribute in problem.space.attributes]

    def inside(ranges: tuple[tuple[int, int], ...], perhaps: bool) -> list[int]:
        limits = []
        for values, (first, last), count in zip(sharp, ranges, leaves, strict=True):
            before = values[first - 1] if first else -1
            behind = values[last + 1] if last + 1 < len(values) else count
            limits.append((before + 1, behind - 1) if perhaps else (values[first], values[last]))
        return [rows for codes, rows in cells if all(low <= c <= high for c, (low, high) in zip(codes, limits, strict=True))]

    @cache
    def least(ranges: tuple[tuple[int, int], ...]) -> float:
        surely, perhaps = inside(ranges, perhaps=False), sum(inside(ranges, perhaps=True))
        if perhaps < k:
            return math.inf
        rows = sum(surely)
        best = float(rows * rows - sum(c * max(c, k) for c in surely)) if rows > k else 0.0
        if perhaps >= 2 * k:
            for j, (first, last) in enumerate(ranges):
                for cut in range(first, last):
                    left = (*ranges[:j], (first, cut), *ranges[j + 1 :])
                    right = (*ranges[:j], (cut + 1, last), *ranges[j + 1 :])
                    best = min(best, least(left) + least(right))
        return best

    return prices(problem, k) + least(tuple((0, len(values) - 1) for values in sharp))


@pytest.mark.parametrize("cost", ["discernibility", "2.5 * discernibility"])
@pytest.mark.parametrize("seed", range(5))
def test_with_all_values_sharp_it_is_the_optimum(seed: int, cost: str, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = problem_with(seed, cost)
    assert math.isclose(bounded(problem, all_sharp(problem), monkeypatch), box_optimum(problem), rel_tol=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_it_is_never_above_the_optimum_nor_below_the_prices(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for problem, k in ((problem_with(seed, "discernibility"), 3), (skewed(seed), 4)):
        optimum = box_optimum(problem)
        for draw in range(20):
            bound = bounded(problem, some_sharp(problem, 100 * seed + draw), monkeypatch)
            assert prices(problem, k) <= bound <= optimum


@pytest.mark.parametrize("at_once", [1, 500_000])
@pytest.mark.parametrize("seed", range(8))
def test_it_is_the_optimum_of_the_blurred_problem(seed: int, at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blurred_spaces, "BOXES_AT_ONCE", at_once)
    for problem, k in ((problem_with(seed, "discernibility"), 3), (skewed(seed), 4)):
        sharp = some_sharp(problem, seed)
        assert bounded(problem, sharp, monkeypatch) == blurred_optimum(problem, k, sharp)


def test_it_tells_more_than_prices_where_the_rare_values_are_blurred(monkeypatch: pytest.MonkeyPatch) -> None:
    better = 0
    for seed in range(20):
        problem = skewed(seed)
        sharp = [list(range(6)), list(range(4)), [0, 1]]
        better += bounded(problem, sharp, monkeypatch) > prices(problem, 4)
    assert better >= 10


@pytest.mark.parametrize("seed", range(4))
def test_coarse_grains_only_lower_it(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A grain of g rounds each block down by less than g."""
    problem = problem_with(seed, "discernibility")
    sharp, base = all_sharp(problem), prices(problem, 3)
    optimum = box_optimum(problem)
    for grain in (2, 7, 50):
        bound = bounded(problem, sharp, monkeypatch, base + float(grain) * DEAR)
        blocks = problem.cells.row_count // 3
        assert optimum - grain * blocks <= bound <= optimum


def test_a_far_cost_is_told_up_to_the_last_grain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two cells, each short of k rows: only the whole is feasible, which costs more beyond its prices than 16 bits tell."""
    rows = [((int(i >= 900),) * 2, 0, 0, i) for i in range(1000)]
    problem = problem_of(space_of(1, 1), rows, [KAnonymity(901)], Discernibility())
    assert box_optimum(problem) == 1_000_000
    base = prices(problem, 901)
    assert bounded(problem, all_sharp(problem), monkeypatch, base + 65_535.0) == base + 65_535
    assert bounded(problem, all_sharp(problem), monkeypatch, 1e6) == 1_000_000 - (1_000_000 - base) % 2


def test_rare_values_are_blurred_first() -> None:
    problem = skewed(3)
    spaces = BlurredSpaces(Worker(problem))
    rows_of = [np.bincount(problem.cells.codes[:, j], problem.cells.counts) for j in range(3)]
    boxes_before = math.inf
    for most in (10**9, 3000, 400, 60, 5, 1):
        sharp = spaces.sharp_values(most)
        boxes = math.prod(len(each) * (len(each) + 1) // 2 for each in sharp)
        assert boxes <= min(most, boxes_before)
        boxes_before = boxes
        for rows, each in zip(rows_of, sharp, strict=True):
            assert each == sorted(each)
            blurred = set(range(len(rows))) - set(each)
            assert max((rows[value] for value in blurred), default=0) <= min(rows[value] for value in each)


def test_more_is_not_taken_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    spaces = BlurredSpaces(Worker(skewed(1)))
    taken = []
    laid = spaces._table
    monkeypatch.setattr(spaces, "_table", lambda sharp: taken.append(laid(sharp)) or taken[-1])

    def bound_within(room: float) -> float:
        spaces.lower_bound = 0.0
        for _ in spaces.bound(1e9, room, FAR):
            pass
        return spaces.lower_bound

    fixed = spaces._bytes_but_for_boxes(spaces.sharp_values(1e9))
    assert bound_within(fixed - 1) == 0.0
    assert not taken, "not even laid"
    assert bound_within(fixed + 1) == 0.0
    assert bound_within(ROOM) > 0.0
    (table, _), kept = taken, int(taken[1].kept_count[0])
    sums = table.sure_rows.nbytes + table.outer_rows.nbytes + table.sure_prices.nbytes
    assert sums + table.kept.nbytes <= fixed
    for_boxes = 2 * kept * int(table.slabs.sizes[0])
    assert bound_within(fixed + for_boxes - 1) == 0.0
    assert bound_within(fixed + for_boxes) > 0.0
    assert kept < len(table.kept)
    assert spaces._kept_share == kept / len(table.kept)


def test_spaces_grow_as_far_as_it_is_worth_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tenfold, up to the limit; no space after the one in which all values are sharp (2,268 boxes)."""
    monkeypatch.setattr(blurred_spaces, "FIRST_BOXES", 10.0)
    spaces = BlurredSpaces(Worker(skewed(1)))
    laid = []
    for largest in (1000.0, 1400.0, 3000.0, 1e9):
        while (boxes := spaces.next_boxes(largest, ROOM)) is not None:
            laid.append(boxes)
            for _ in spaces.bound(boxes, ROOM, FAR):
                pass
    assert laid == [10.0, 100.0, 1000.0, 3000.0]
    assert math.prod(len(each) * (len(each) + 1) // 2 for each in spaces.sharp_values(1e9)) == 2268
    assert spaces.lower_bound == box_optimum(skewed(1))
    assert BlurredSpaces(Worker(skewed(1))).next_boxes(1e9, 10.0) == 5.0


def test_a_machine_without_the_memory_leaves_the_bound_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    spaces = BlurredSpaces(Worker(skewed(1)))

    def none_left(_: Sharp) -> None:
        raise MemoryError

    monkeypatch.setattr(spaces, "_table", none_left)
    assert list(spaces.bound(1e9, ROOM, FAR)) == []
    assert spaces.lower_bound == 0.0


def test_sums_that_would_take_too_long_are_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Units: 8 sharp values and one that has no rows, 6 and one, 2; sums begin before the first."""
    for most, tells in ((10 * 8 * 3 - 1, False), (10 * 8 * 3, True)):
        monkeypatch.setattr(blurred_spaces, "MOST_SUMS", most)
        spaces = BlurredSpaces(Worker(skewed(1)))
        assert bool(list(spaces.bound(1e9, ROOM, FAR))) == tells


def test_too_few_sharp_rows_are_not_worth_the_work() -> None:
    spaces = BlurredSpaces(Worker(problem_with(0, "discernibility")))
    assert list(spaces.bound(1.0, ROOM, FAR)) == []
    assert spaces.lower_bound == 0.0


@pytest.mark.parametrize("on", [True, False])
def test_the_prover_raises_its_bound_by_them(on: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """With next to no effort for its own passes the whole is proven by the boxes of a space, if they are switched on."""
    monkeypatch.setattr(prover, "FIRST_CLIMB", 1)
    monkeypatch.setattr(prover, "FIRST_DIRECT", 1)
    monkeypatch.setattr(prover, "FIRST_EFFORT", 1)
    problem = larger()
    stopping = StoppingRule(node_limit=2_000)
    options = {"blurred_spaces": on, "all_boxes": False, "assistant": False}
    result = search(problem, Strategy.BLOCK_GRAPH, stopping, options=options)
    optimum = box_optimum(problem)
    assert result.lower_bound <= optimum <= result.cost
    assert (result.lower_bound == optimum) == on
    assert result.status is (Status.OPTIMAL if on and result.cost == optimum else Status.NODE_LIMIT)


def larger() -> SearchProblem:
    chance, space = random.Random(7), space_of(7, 6, 4)
    return problem_of(space, random_rows(chance, space, 300), [KAnonymity(9)], Discernibility())
