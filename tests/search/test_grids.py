"""Rollouts along grids: all trees whose large blocks are divided at few boundaries, against independent dynamic programming."""

from __future__ import annotations

import math
import random
from bisect import bisect_right

import numpy as np
import pytest

from gensearch_db.cost.registry import cost_from_text
from gensearch_db.domain.attribute import Space
from gensearch_db.privacy.k_anonymity import KAnonymity
from gensearch_db.problem.problem import Strategy
from gensearch_db.search import block_graph, improver, prover
from gensearch_db.search.building import Switches
from gensearch_db.search.grids import Grids
from gensearch_db.search.improver import FEW_GROUPS, FEW_SPLITS, Improver
from gensearch_db.search.result import SearchProblem, Status, StoppingRule
from gensearch_db.search.run import search
from gensearch_db.search.state import UNLIMITED
from gensearch_db.search.worker import Worker
from tests.oracles.box_dynamic_programming import box_optimum
from tests.oracles.problems import ordered, problem_of, random_rows, space_of

BOUNDARIES = (6, 5, 4)


def problem_with(seed: int, cost: str, *, kept: dict[int, list[int]] | None = None) -> SearchProblem:
    """A random problem of three ordered attributes. ``kept``: the only boundaries of some of them; values between two are
    one value."""
    chance = random.Random(seed)
    names = ("a", "b", "c")
    fine = Space(tuple(ordered(name, size) for name, size in zip(names, BOUNDARIES, strict=True)))
    rows = random_rows(chance, fine, 60)
    if kept is None:
        return problem_of(fine, rows, [KAnonymity(3)], cost_from_text(cost))
    space = Space(tuple(ordered(name, len(kept[j])) for j, name in enumerate(names)))
    coarse = [(tuple(bisect_right(kept[j], code) for j, code in enumerate(codes)), *rest) for codes, *rest in rows]
    return problem_of(space, coarse, [KAnonymity(3)], cost_from_text(cost))


def rolled(problem: SearchProblem, boundaries: dict[int, list[int]]) -> float:
    """The cost that one rollout along a grid finds, down to the smallest blocks."""
    worker = Worker(problem)
    guide, space = worker.kernel.guide, worker.kernel.space
    for j, positions in boundaries.items():
        guide.grid[space.leaf_starts[j] + np.array(positions, np.int64)] = True
    guide.grid_rows[0] = 1
    whole = (0, worker.cell_count, worker.root_words)
    assert worker.roll(whole, 1, UNLIMITED)
    slices = worker.slices(*whole)
    assert math.isclose(worker.cost_of(slices), worker.known(worker.root_words)[1], rel_tol=1e-9)
    return worker.cost_of(slices)


@pytest.mark.parametrize("cost", ["discernibility", "gcp", "discernibility + 3 * ncp"])
@pytest.mark.parametrize("seed", range(8))
def test_a_grid_of_all_boundaries_finds_the_optimum(seed: int, cost: str) -> None:
    problem = problem_with(seed, cost)
    every = {j: list(range(1, count + 1)) for j, count in enumerate(BOUNDARIES)}
    assert math.isclose(rolled(problem, every), box_optimum(problem), rel_tol=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_a_coarse_grid_finds_no_worse_than_the_best_tree_of_its_boundaries(seed: int) -> None:
    chance = random.Random(seed)
    kept = {j: sorted(chance.sample(range(1, count + 1), 2)) for j, count in enumerate(BOUNDARIES)}
    problem, coarse = problem_with(seed, "discernibility"), problem_with(seed, "discernibility", kept=kept)
    found = rolled(problem, kept)
    assert box_optimum(problem) <= found <= box_optimum(coarse)


def test_grids_are_of_the_boundaries_that_divide_the_rows() -> None:
    problem = problem_with(0, "discernibility")
    worker = Worker(problem)
    grids, guide, starts = Grids(worker, 0), worker.kernel.guide, worker.kernel.space.leaf_starts
    grids.lay_first((0, worker.cell_count, worker.root_words), 1)
    for j, count in enumerate(BOUNDARIES):
        rows = np.bincount(problem.cells.codes[:, j], problem.cells.counts, count + 1)
        before = np.cumsum(rows)[:-1] / rows.sum()
        (laid,) = np.flatnonzero(guide.grid[starts[j] : starts[j + 1]])
        assert abs(before[laid - 1] - 0.5) == np.abs(before - 0.5).min()
    assert guide.grid_rows[0] > 0
    grids.lift()
    assert guide.grid_rows[0] == 0


@pytest.mark.parametrize("coarse_spaces", [True, False])
def test_an_improver_keeps_to_its_effort_and_never_gets_worse(coarse_spaces: bool) -> None:
    chance = random.Random(3)
    space = space_of(15, 12, 9, 6)
    problem = problem_of(space, random_rows(chance, space, 900), [KAnonymity(3)], cost_from_text("discernibility"))
    assert problem.cells.row_count // 3 > FEW_GROUPS
    assert FEW_SPLITS < 15 + 12 + 9 + 6
    worker = Worker(problem, Switches(coarse_spaces=coarse_spaces))
    finder = Improver(worker)
    costs = []
    for _ in range(30):
        finder.step(worker.effort + 1_000_000)
        costs.append(finder.cost)
        assert worker.kernel.guide.halted[0] in (0, 1)
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < costs[0]
    partition = finder.partition()
    assert partition is not None
    sizes = np.bincount(partition.block_of_cell, problem.cells.counts)
    assert (sizes >= 3).all()
    assert (sizes**2).sum() == finder.cost


@pytest.mark.parametrize("grids", [True, False])
def test_grids_leave_the_optimum_as_it_is(grids: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(improver, "FEW_SPLITS", 5)
    chance = random.Random(11)
    space = space_of(6, "((a,b),(c,d))", 4)
    problem = problem_of(space, random_rows(chance, space, 160), [KAnonymity(2)], cost_from_text("discernibility"))
    options = {"grids": grids, "all_boxes": False}
    result = search(problem, Strategy.BLOCK_GRAPH, StoppingRule(seconds=60), options=options)
    assert result.status is Status.OPTIMAL
    assert result.cost == box_optimum(problem)


def test_passes_that_are_given_up_lose_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every pass is given up at its first pause here; what it learnt carries the next one farther, up to the proof."""
    monkeypatch.setattr(prover, "BEFORE_VERDICT", 0)
    monkeypatch.setattr(prover, "OUT_OF_SIGHT", 0)
    for length in ("FIRST_ROUND", "LONGEST_ROUND"):
        monkeypatch.setattr(block_graph, length, 100_000)
    given_up = []
    out_of_sight = prover.Prover._out_of_sight
    monkeypatch.setattr(prover.Prover, "_out_of_sight", lambda *which: given_up.append(out_of_sight(*which)) or given_up[-1])
    chance = random.Random(11)
    space = space_of(6, "((a,b),(c,d))", 4)
    problem = problem_of(space, random_rows(chance, space, 300), [KAnonymity(3)], cost_from_text("discernibility"))
    result = search(problem, Strategy.BLOCK_GRAPH, StoppingRule(seconds=60), options={"all_boxes": False})
    assert any(given_up)
    assert result.status is Status.OPTIMAL
    assert result.cost == box_optimum(problem)


def test_the_share_of_a_question_that_is_answered_grows_to_its_end() -> None:
    problem = problem_with(0, "discernibility")
    worker = Worker(problem)
    worker.ask(0, worker.cell_count, worker.root_words, math.inf)
    shares = []
    while not worker.work(worker.effort + 1):
        shares.append(worker.share_done())
    assert shares[0] == 0.0
    assert all(0.0 <= share <= 1.0 for share in shares)
    assert max(shares[: len(shares) // 10]) < 0.5 < max(shares)
