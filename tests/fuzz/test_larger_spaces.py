"""Spaces of three or four attributes and up to 5,000 boxes: all ways to search against dynamic programming over all boxes."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

from gensearch_db.cost.registry import cost_from_text
from gensearch_db.domain.attribute import Attribute, Space
from gensearch_db.domain.counting import count_boxes
from gensearch_db.privacy.registry import constraints_from_texts
from gensearch_db.search.result import SearchProblem, Status
from tests.oracles.box_dynamic_programming import box_optimum
from tests.oracles.brute_force import Judge
from tests.oracles.problems import TAXONOMIES, ordered, problem_of, random_rows, taxonomy, unordered

from .checks import few
from .requirements import constraints, costs
from .searches import Way, ways
from .test_searches import check_all, check_each_other, check_partition, searched

FEWEST_BOXES, MOST_BOXES = 500, 5_000


@st.composite
def attributes(draw: st.DrawFn, name: str) -> Attribute:
    """An attribute of any geometry with up to seven leaves, some with a minimum length or a weight."""
    kind = draw(st.sampled_from(["ordered", "ordered", "taxonomy", "relaxed", "unordered"]))
    fields: dict[str, Any] = {}
    if draw(st.integers(0, 5)) == 0:
        fields["minimum_length"] = 2.0
    if draw(st.integers(0, 5)) == 0:
        fields["weight"] = 2.5
    if kind == "ordered":
        return ordered(name, draw(st.integers(1, 6)), **fields)
    if kind == "unordered":
        return unordered(name, draw(st.integers(2, 4)), **fields)
    return taxonomy(name, TAXONOMIES[draw(st.sampled_from(sorted(TAXONOMIES)))], relaxed=kind == "relaxed", **fields)


@st.composite
def larger_problems(draw: st.DrawFn) -> SearchProblem:
    """A problem of 500 to 5,000 boxes, with any constraints, costs, persons and suppression."""
    count = draw(st.sampled_from([3, 3, 4]))
    space = Space(tuple(draw(attributes(f"q{position}")) for position in range(count)))
    assume(FEWEST_BOXES <= count_boxes(space) <= MOST_BOXES)
    rows = draw(st.integers(8, 120))
    persons = draw(st.integers(0, 5)) == 0
    texts = [f"k_anonymity({draw(st.integers(2, 6))})", *(draw(constraints(["s"])) if draw(st.booleans()) else [])]
    cost = draw(costs()).replace("(illness)", "(c)").replace("(who)", "(c)")
    source = random.Random(draw(st.integers(0, 10**9)))
    return problem_of(
        space,
        random_rows(source, space, rows, people=rows // 2 if persons else 10**9),
        constraints_from_texts(texts, ("s",)),
        cost_from_text(cost),
        suppression_limit=draw(st.sampled_from([0, 0, rows // 10])),
        persons=persons,
        values_labels=draw(st.booleans()) and not any(attribute.minimum_length for attribute in space.attributes),
    )


@pytest.mark.slow
@few
@given(larger_problems(), st.lists(ways(), min_size=2, max_size=4))
def test_ways_to_search_reach_what_all_boxes_give(problem: SearchProblem, ways_: list[Way]) -> None:
    results = [found for way in ways_ if (found := searched(way, problem)) is not None]
    if not results:
        return
    judge = Judge(problem)
    for result in results:
        check_partition(judge, result)
    best = box_optimum(problem)
    event("infeasible" if best == float("inf") else "feasible")
    event(f"proven: {sum(result.status is Status.OPTIMAL for result in results)} of {len(results)}")
    check_all(results, best)
    check_each_other(results)
