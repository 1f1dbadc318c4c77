"""Coarse spaces: the optimum over all boxes of a few boundaries, against independent dynamic programming."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from gensearch_db.cost.registry import cost_from_text
from gensearch_db.privacy.distinct_l_diversity import DistinctLDiversity
from gensearch_db.privacy.k_anonymity import KAnonymity
from gensearch_db.search import coarse_spaces
from gensearch_db.search.coarse_spaces import CoarseSpaces, can_solve, entropy_gains
from gensearch_db.search.improver import Improver
from gensearch_db.search.result import SearchProblem
from gensearch_db.search.state import UNLIMITED
from gensearch_db.search.worker import Slice, Worker
from tests.oracles.box_dynamic_programming import box_optimum
from tests.oracles.problems import problem_of, random_rows, space_of
from tests.search.test_grids import BOUNDARIES, problem_with

EVERY = {j: list(range(1, count + 1)) for j, count in enumerate(BOUNDARIES)}


def whole(worker: Worker) -> Slice:
    return (0, worker.cell_count, worker.root_words)


def solved(worker: Worker, kept: dict[int, list[int]], monkeypatch: pytest.MonkeyPatch) -> float:
    """What the worker knows of the whole once the coarse space of these boundaries is solved; the partition costs that."""
    spaces = CoarseSpaces(worker, 0)
    laid = [[0, *kept[j], count + 1] for j, count in enumerate(BOUNDARIES)]
    monkeypatch.setattr(spaces, "_lay", lambda *_: laid)
    for _ in spaces.solve(whole(worker), 0, 1.0):
        pass
    cost = worker.known(worker.root_words)[1]
    assert worker.cost_of(worker.slices(*whole(worker))) == cost
    return cost


def some_boundaries(seed: int) -> dict[int, list[int]]:
    chance = random.Random(seed)
    return {j: sorted(chance.sample(range(1, count + 1), 2)) for j, count in enumerate(BOUNDARIES)}


@pytest.mark.parametrize("cost", ["discernibility", "2.5 * discernibility"])
@pytest.mark.parametrize("seed", range(12))
def test_with_all_boundaries_it_is_the_optimum(seed: int, cost: str, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = problem_with(seed, cost)
    assert math.isclose(solved(Worker(problem), EVERY, monkeypatch), box_optimum(problem), rel_tol=1e-12)


@pytest.mark.parametrize("at_once", [1, 500_000])
@pytest.mark.parametrize("seed", range(12))
def test_with_few_boundaries_it_is_the_optimum_of_the_coarse_problem(
    seed: int, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coarse_spaces, "BOXES_AT_ONCE", at_once)
    kept = some_boundaries(seed)
    found = solved(Worker(problem_with(seed, "discernibility")), kept, monkeypatch)
    assert found == box_optimum(problem_with(seed, "discernibility", kept=kept))


@pytest.mark.parametrize("seed", range(12))
def test_what_is_known_of_parts_is_built_in(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The parts of one split of the whole are solved with all boundaries; then the coarse space knows them, and that split."""
    problem, kept = problem_with(seed, "discernibility"), some_boundaries(seed)
    worker, other = Worker(problem), Worker(problem)
    coarse = solved(other, kept, monkeypatch)
    assert worker.roll(whole(worker), 0, UNLIMITED)
    for part in Improver(worker).subtrees(problem.cells.row_count - 1):
        worker.ask(*part, math.inf)
        assert worker.work(UNLIMITED)
    refined = worker.refresh(whole(worker))
    assert box_optimum(problem) <= solved(worker, kept, monkeypatch) <= min(coarse, refined)


def test_known_parts_make_a_coarse_space_better_than_both(monkeypatch: pytest.MonkeyPatch) -> None:
    better = 0
    for seed in range(40):
        problem, kept = problem_with(seed, "discernibility"), some_boundaries(seed)
        worker = Worker(problem)
        coarse = solved(Worker(problem), kept, monkeypatch)
        worker.roll(whole(worker), 0, UNLIMITED)
        known = worker.known(worker.root_words)[1]
        better += solved(worker, kept, monkeypatch) < min(coarse, known)
    assert better > 0


def problems_of_other_kinds() -> dict[str, SearchProblem]:
    chance = random.Random(5)
    ordered, taxonomies = space_of(6, 5), space_of(6, "((a,b),(c,d))")
    rows, others = random_rows(chance, ordered, 60), random_rows(chance, taxonomies, 60)
    three, squares = KAnonymity(3), cost_from_text("discernibility")
    return {
        "ncp": problem_of(ordered, rows, [three], cost_from_text("ncp")),
        "mixed": problem_of(ordered, rows, [three], cost_from_text("discernibility + ncp")),
        "diversity": problem_of(ordered, rows, [three, DistinctLDiversity(2, "s")], squares),
        "taxonomy": problem_of(taxonomies, others, [three], squares),
    }


@pytest.mark.parametrize("kind", ["ncp", "mixed", "diversity", "taxonomy"])
def test_other_problems_are_left_to_grids(kind: str) -> None:
    assert not can_solve(Worker(problems_of_other_kinds()[kind]))
    assert can_solve(Worker(problem_with(0, "discernibility")))


def test_boundaries_are_chosen_by_what_they_tell() -> None:
    """Against the entropy of the two sides, written out for one boundary after another."""
    rows = np.array([4, 0, 6, 1, 9, 2, 8])
    before = np.concatenate([[0.0], np.cumsum(rows)])
    gains = entropy_gains(before, [0, 3, 7])
    for boundary in range(8):
        first, last = (0, 3) if boundary < 3 else (3, 7)
        left, right = rows[first:boundary].sum(), rows[boundary:last].sum()
        told = 0.0
        if left and right and first < boundary < last:
            told = -left * math.log(left / (left + right)) - right * math.log(right / (left + right))
        assert math.isclose(gains[boundary], told, abs_tol=1e-12)


def test_no_more_boxes_than_may_be_laid() -> None:
    worker = Worker(problem_with(1, "discernibility"))
    spaces = CoarseSpaces(worker, 1)
    for most in (1, 3, 40, 10**6):
        laid: list[list[int]] = spaces._lay(whole(worker), worker.tree(whole(worker)), most, 1.0)
        assert math.prod((len(each) - 1) * len(each) // 2 for each in laid) <= most
    occurring = [len(np.unique(column)) for column in worker.problem.cells.codes.T]
    assert [len(each) - 1 for each in laid] == occurring, "room for all that divide rows"


def test_the_memory_limit_is_kept() -> None:
    worker = Worker(problem_with(1, "discernibility"), memory_limit=1)
    assert 5 * CoarseSpaces(worker, 0).most_boxes <= 2**20


def test_where_the_machine_has_less_memory_smaller_spaces_do(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = Worker(problem_with(1, "discernibility"))
    spaces, table_of = CoarseSpaces(worker, 0), coarse_spaces.coarse_table
    laid = []

    def within_memory(boundaries: list[list[int]]) -> coarse_spaces.CoarseTable:
        table = table_of(boundaries)
        laid.append(table.optimum.size)
        if table.optimum.size > 100:
            raise MemoryError
        return table

    monkeypatch.setattr(coarse_spaces, "coarse_table", within_memory)
    for _ in spaces.solve(whole(worker), 1000, 1.0):
        pass
    assert laid[0] > 100 >= laid[-1]
    assert spaces.most_boxes == 1000 // 4 ** (len(laid) - 1)
    assert worker.known(worker.root_words)[1] < problem_with(1, "discernibility").cells.row_count ** 2
