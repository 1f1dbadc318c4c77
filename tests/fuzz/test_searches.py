"""Two ways to search the same problem: the bound of each is below the cost of the other, and both say what they found.

Where the space has few boxes, both are held against dynamic programming over all of them, which knows no bound (``oracles/``).
"""

from __future__ import annotations

import math
import tempfile
from pathlib import Path

import duckdb
import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

import gensearch_db
from gensearch_db.domain.counting import count_boxes
from gensearch_db.errors import GensearchError, InfeasibleError, SpecificationError
from gensearch_db.search.result import SearchProblem, SearchResult, Status
from tests.cases.invariants import Surroundings
from tests.oracles.box_dynamic_programming import box_optimum
from tests.oracles.brute_force import Judge

from .checks import MOST_CELLS, attempt, check_optimum, searches_seen, some
from .problems import Case, cases, large_cases
from .searches import Options, Way, ways, wrong_options

MOST_BOXES = 1_500


@pytest.mark.slow
@some(2)
@given(
    st.one_of(cases(), cases(), large_cases().filter(lambda case: case.rows <= 1_000)), st.lists(ways(), min_size=1, max_size=3)
)
def test_ways_to_search_agree(case: Case, others: list[Way]) -> None:
    with duckdb.connect() as connection, searches_seen() as seen:
        case.create(connection)
        attempt(connection, case.with_problem(stop_after=2))
    for problem, result in seen:
        results = [result, *(found for other in others if (found := searched(other, problem)) is not None)]
        judge = Judge(problem)
        for one in results:
            check_partition(judge, one)
            check_optimum(problem, one, 10)
        if len(problem.space.attributes) <= 3 and count_boxes(problem.space) <= MOST_BOXES:
            event("all boxes")
            check_all(results, box_optimum(problem))
        check_each_other(results)


def searched(way: Way, problem: SearchProblem) -> SearchResult | None:
    try:
        found = way.search(problem)
    except (SpecificationError, InfeasibleError):
        event("refused")
        return None
    event(f"{way.strategy}: {found.status}")
    return found


def check_partition(judge: Judge, result: SearchResult) -> None:
    """A partition has each cell in one block or suppressed, may be published, and costs what the result says."""
    if result.partition is None:
        assert math.isinf(result.cost)
        return
    total, kept = 0.0, 0
    for number, block in enumerate(result.partition.blocks):
        cells, rows, cost = judge.of(block)
        assert cost is not None, f"{result.status}: a block that may not be published"
        assert cells == set(np.flatnonzero(result.partition.block_of_cell == number).tolist())
        total, kept = total + cost, kept + rows
    suppressed = judge.problem.cells.row_count - kept
    assert suppressed == judge.problem.cells.counts[result.partition.block_of_cell < 0].sum()
    assert suppressed <= judge.problem.suppression_limit
    if suppressed:
        total += suppressed * judge.problem.cost.suppression_charge(judge.problem.table)
    assert math.isclose(total, result.cost, rel_tol=1e-9, abs_tol=1e-9), (
        f"{result.status}: {result.cost} is said, {total} it is"
    )


def check_all(results: list[SearchResult], best: float) -> None:
    """Every bound and cost against the optimum."""
    tolerance = 1e-9 * max(1.0, best) if math.isfinite(best) else 0.0
    for result in results:
        assert result.lower_bound <= best + tolerance, f"{result.status}: the bound is above the optimum"
        assert result.cost >= best - tolerance, f"{result.status}: the cost is below the optimum"
        assert result.status is not Status.INFEASIBLE or math.isinf(best), f"called infeasible, and {best} is possible"
        assert result.status is not Status.OPTIMAL or result.cost <= best + tolerance, (
            "called optimal, and there is a cheaper one"
        )


def check_each_other(results: list[SearchResult]) -> None:
    """What one proves holds for what the others found."""
    for one in results:
        for other in results:
            tolerance = 1e-9 * max(1.0, other.cost) if math.isfinite(other.cost) else 0.0
            assert one.lower_bound <= other.cost + tolerance, (
                f"{one.status} bounds by {one.lower_bound}: {other.cost} was found"
            )
            if {one.status, other.status} == {Status.OPTIMAL} and None not in (one.optimal_count, other.optimal_count):
                assert one.optimal_count == other.optimal_count


@pytest.mark.slow
@some(8)
@given(cases(most_rows=8), wrong_options())
def test_wrong_options_are_refused(case: Case, given_: tuple[str, Options]) -> None:
    """By name, before anything is read, whatever the strategy."""
    strategy, options = given_
    case = case.with_problem(strategy=strategy, options=options, statistics=None, stop_within=None)
    with duckdb.connect() as connection, tempfile.TemporaryDirectory() as folder:
        case.create(connection)
        before = Surroundings.of(connection, Path(folder))
        with pytest.raises(GensearchError) as refusal:
            gensearch_db.anonymize(connection, **case.problem)
        assert any(name in str(refusal.value) for name in options), str(refusal.value)
        Surroundings.of(connection, Path(folder)).check(before, release=None)


def test_the_comparisons_are_made() -> None:
    """Few boxes and few cells occur among the problems, and a wrong bound is found."""
    columns = (("age", "INTEGER", (1, 2, 2, 3, 3, 3)), ("illness", "VARCHAR", ("flu",) * 6))
    given_problem = {"table": "src", "into": "rel", "quasi_identifiers": {"age": {}}, "subject_to": ["k_anonymity(2)"]}
    with duckdb.connect() as connection, searches_seen() as seen:
        Case(columns, given_problem).create(connection)
        gensearch_db.anonymize(connection, **given_problem)
    ((problem, result),) = seen
    assert count_boxes(problem.space) <= MOST_CELLS
    check_partition(Judge(problem), result)
    check_all([result], box_optimum(problem))
    with pytest.raises(AssertionError, match="above the optimum"):
        check_all([result], result.cost - 1)
