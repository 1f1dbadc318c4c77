"""Each cost on a block that is worked out by hand, and the claims it makes about itself."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from fractions import Fraction

import pytest

from gensearch_db.cost.average_class_size import average_class_size
from gensearch_db.cost.registry import COSTS, cost_from_text, register
from gensearch_db.domain.attribute import Leaf, OrderedAttribute, Space
from gensearch_db.domain.region import Block, Interval
from gensearch_db.errors import SpecificationError
from gensearch_db.search.result import SearchProblem
from tests.cost.test_optimum import COST_TEXTS
from tests.oracles.brute_force import splits_of
from tests.oracles.plain_statistics import cells_in, statistics_of
from tests.oracles.problems import TAXONOMIES, Row, problem_of, random_rows, random_space, taxonomy

WIDTHS = OrderedAttribute(
    "age",
    (Leaf("<20", None, 20, 10.0, 20.0), Leaf("20-25", 20, 25, 20.0, 25.0), Leaf("25+", 25, None, 25.0, 50.0)),
    weight=2.0,
)
SPACE = Space((WIDTHS, taxonomy("city", TAXONOMIES["((a,b),(c,d))"])))

ROWS: list[Row] = [
    # age, city, sensitive, class, person
    ((0, 0), 0, 0, 0),
    ((0, 0), 0, 0, 1),
    ((0, 0), 0, 1, 2),
    ((1, 1), 0, 1, 3),
    ((2, 2), 0, 1, 4),
]
"""The cells (<20, a): 3 rows, (20-25, b): 1, (25+, c): 1. No row lives in d."""

UPPER_LEFT: Block = (Interval(0, 2), Interval(0, 2))
"""Ages below 25, cities a and b: 4 rows."""


def problem(text: str) -> SearchProblem:
    space = Space((WIDTHS, replace(SPACE.attributes[1], leaves=(*SPACE.attributes[1].leaves[:3], _absent()))))
    return problem_of(space, ROWS, [], cost_from_text(text))


def _absent() -> Leaf:
    return replace(SPACE.attributes[1].leaves[3], occurs=False)


def value(text: str, block: Block) -> float:
    made = problem(text)
    return made.cost.of_block(statistics_of(made, cells_in(made, block)), block, made.table)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("discernibility", 16),
        ("ncp", 4 * (2 * 15 / 40 + 2 / 4)),
        ("gcp", 4 * (2 / 3 * (20 - 10) / (25 - 10) + 1 / 3 * (2 - 1) / (3 - 1)) / 5),
        ("classification(c)", 2),
        ("class_entropy(c)", 4.0),
        ("volume", 4 * 2 * 2),
        ("volume(real)", 4 * (15 / 5) * (2 / 1)),
        ("non_uniform_entropy", 2 * (4 * math.log2(4) - 3 * math.log2(3))),
        ("v_optimal", 9 + 1 - 16 / 4),
        ("marginal_nonuniformity", 2 * (abs(3 - 2) + abs(1 - 2))),
        ("average_class_size", 3),
        ("discernibility_entropy", 8),
        ("2 * discernibility + 0.5 * volume", 2 * 16 + 0.5 * 16),
    ],
)
def test_values_by_hand(text: str, expected: float) -> None:
    assert value(text, UPPER_LEFT) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("text", "charge"),
    [
        ("discernibility", 5),
        ("ncp", 3),
        ("gcp", 1 / 5),
        ("classification(c)", 1),
        ("class_entropy(c)", 1),
        ("volume", 3 * 3),
        ("volume(real)", 8 * 4),
        ("non_uniform_entropy", 2 * math.log2(5 / 1)),
        ("v_optimal", math.sqrt(11)),
        ("marginal_nonuniformity", 4),
        ("average_class_size", 1),
        ("discernibility_entropy", math.log2(5)),
        ("2 * discernibility + 0.5 * volume", 2 * 5 + 0.5 * 9),
    ],
)
def test_a_suppressed_tuple_pays_the_documented_charge(text: str, charge: float) -> None:
    made = problem(text)
    assert made.cost.suppression_charge(made.table) == pytest.approx(charge)


def test_c_avg_from_the_additive_cost() -> None:
    assert average_class_size(rows=100, blocks=8, k=5) == 2.5


@pytest.mark.parametrize("text", COST_TEXTS)
def test_claims_hold_on_random_blocks(text: str) -> None:
    """Integral costs are integers, monotone ones never rise under a split, no tuple pays more than the charge."""
    chance = random.Random(text)
    rises = 0
    for _ in range(150):
        space = random_space(chance)
        made = problem_of(space, random_rows(chance, space, chance.randint(1, 20)), [], cost_from_text(text))
        cost = made.cost

        def of(block: Block, made: SearchProblem = made) -> float:
            cells = cells_in(made, block)
            return made.cost.of_block(statistics_of(made, cells), block, made.table) if cells else 0.0

        block = space.root
        for _ in range(3):
            paid = of(block)
            size = sum(int(made.cells.counts[cell]) for cell in cells_in(made, block))
            assert paid >= 0
            assert paid <= size * cost.suppression_charge(made.table) + 1e-9
            assert not cost.integral or paid == int(paid)
            splits = splits_of(space, block)
            if not splits:
                break
            children = chance.choice(splits)
            risen = sum(map(of, children)) > paid + 1e-9
            assert not (risen and cost.monotone), (space, children)
            rises += risen
            block = chance.choice(children)
    if not cost_from_text(text).monotone:
        assert rises > 0


def test_sums_are_read_checked_and_written_back() -> None:
    cost = cost_from_text("ncp + 0.5 * classification(income) + ncp")
    assert cost.describe() == "2 * ncp + 0.5 * classification(income)"
    assert cost_from_text(cost.describe()) == cost
    assert cost.class_columns == ("income",)
    assert cost_from_text("1 * ncp") == cost_from_text("ncp")
    with pytest.raises(SpecificationError, match=r"(?s)3 problems.*'nncp'; did you mean 'ncp'.*greater than 0.*cells or real"):
        cost_from_text("nncp + 0 * discernibility + volume(foo)")


def test_numbers_too_large_to_be_exact_are_refused() -> None:
    made = problem("discernibility")
    huge = replace(made.table, statistics=replace(made.table.statistics, rows=2**27, size=2**27))
    made.cost.check(replace(made.table, statistics=replace(made.table.statistics, rows=2**26)))
    with pytest.raises(SpecificationError, match="too much to be counted exactly"):
        made.cost.check(huge)
    with pytest.raises(SpecificationError, match="too much"):
        cost_from_text("volume").check(replace(huge, statistics=replace(huge.statistics, rows=2**51)))
    cost_from_text("ncp").check(huge)


def test_a_class_column_that_was_not_counted() -> None:
    made = problem("discernibility")
    with pytest.raises(SpecificationError, match="class column 'd' does not exist"):
        cost_from_text("classification(d)").check(made.table)


def test_users_may_add_costs_but_not_take_names() -> None:
    taken = type("Taken", (COSTS["ncp"],), {"name": "discernibility"})
    with pytest.raises(SpecificationError, match="is taken"):
        register(taken)
    own = register(type("Own", (COSTS["ncp"],), {"name": "own_cost"}))
    try:
        assert isinstance(cost_from_text("3 * own_cost").terms[0][1], own)  # type: ignore[attr-defined]
        assert cost_from_text("3 * own_cost").terms[0][0] == Fraction(3)  # type: ignore[attr-defined]
    finally:
        del COSTS["own_cost"]
