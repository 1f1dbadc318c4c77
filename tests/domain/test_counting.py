"""Exact counts of THEORY 3.2, by inclusion and exclusion."""

from __future__ import annotations

import time

import pytest

from gensearch_db.domain.attribute import Space
from gensearch_db.domain.counting import count_boxes, count_partitions
from gensearch_db.errors import SpecificationError
from tests.oracles.brute_force import all_partitions, splits_of
from tests.oracles.problems import TAXONOMIES, ordered, space_of, taxonomy, unordered

T3, T4, AB_C, AB_CD = "3 leaves", "4 leaves", "((a,b),c)", "((a,b),(c,d))"
ABC_DE, DEEP = "((a,b,c),(d,e))", "(((a,b),c),d)"

NUMERIC = [
    ((1, 1), 8, 9),
    ((2, 1), 34, 18),
    ((3, 1), 148, 30),
    ((4, 1), 650, 45),
    ((5, 1), 2864, 63),
    ((2, 2), 320, 36),
    ((3, 2), 3118, 60),
    ((4, 2), 30752, 90),
    ((5, 2), 304618, 126),
    ((3, 3), 68480, 100),
    ((4, 3), 1525558, 150),
    ((4, 4), 76879360, 225),
    ((5, 5), 446048380296, 441),
    ((1, 1, 1), 146, 27),
    ((2, 1, 1), 3016, 54),
    ((3, 1, 1), 65014, 90),
    ((2, 2, 1), 313138, 108),
    ((3, 2, 1), 34217692, 180),
    ((2, 2, 2), 369362176, 216),
    ((1, 1, 1, 1), 61712, 81),
    ((2, 1, 1, 1), 31234570, 162),
    ((2, 2, 1, 1), 397763186632, 324),
    ((1, 1, 1, 1, 1), 14665580642, 243),
]
TAXONOMY = {
    "2 leaves": (2, 8, 34, 148, 146, 3016),
    T3: (2, 12, 90, 720, 658, 48732),
    T4: (2, 20, 298, 4744, 4370, 1396804),
    AB_C: (3, 22, 186, 1648, 1560, 137358),
    AB_CD: (5, 74, 1324, 25168, 23708, 10018954),
    ABC_DE: (5, 106, 3292, 114048, 99740, 150587562),
    DEEP: (4, 52, 860, 15236, 13842, 5093828),
    "root4": (5, 586, 130792, 33444408, 27732568),
}
BESIDE = [(), (1,), (2,), (3,), (1, 1), (2, 1)]
PAIRS = [
    ((T3, "2 leaves"), 12),
    ((T3, "2 leaves", 1), 658),
    ((T3, T3), 16),
    ((T3, T3, 1), 3074),
    ((AB_CD, "2 leaves"), 74),
    ((AB_CD, "2 leaves", 1), 23708),
    ((AB_CD, T3), 206),
    ((AB_CD, T3, 1), 586216),
    ((AB_CD, AB_CD), 6857),
]


@pytest.mark.parametrize("splits", range(12))
def test_one_dimension_has_two_to_the_splits(splits: int) -> None:
    assert count_partitions(space_of(splits)) == 2**splits


@pytest.mark.parametrize(("shape", "partitions", "boxes"), NUMERIC)
def test_numeric_spaces(shape: tuple[int, ...], partitions: int, boxes: int) -> None:
    assert count_partitions(space_of(*shape)) == partitions
    assert count_boxes(space_of(*shape)) == boxes


@pytest.mark.parametrize(
    ("shape", "partitions"),
    [((name, *beside), count) for name, counts in TAXONOMY.items() for beside, count in zip(BESIDE, counts, strict=False)]
    + PAIRS,
)
def test_taxonomies(shape: tuple[int | str, ...], partitions: int) -> None:
    assert count_partitions(space_of(*shape)) == partitions


SMALL = [
    Space((unordered("u", 4),)),
    Space((unordered("u", 3), ordered("o", 1))),
    Space((unordered("u", 3), unordered("v", 3))),
    Space((unordered("u", 4), ordered("o", 2))),
    Space((taxonomy("r", TAXONOMIES["root4"], relaxed=True),)),
    Space((taxonomy("r", TAXONOMIES[ABC_DE], relaxed=True), ordered("o", 1))),
    Space((taxonomy("r", TAXONOMIES[AB_C], relaxed=True), unordered("u", 3))),
]


@pytest.mark.parametrize("space", SMALL)
def test_unordered_and_relaxed_spaces_equal_brute_force(space: Space) -> None:
    assert count_partitions(space) == len(all_partitions(space))
    boxes, waiting = set(), [space.root]
    while waiting:
        block = waiting.pop()
        if block not in boxes:
            boxes.add(block)
            waiting.extend(child for children in splits_of(space, block) for child in children)
    assert count_boxes(space) == len(boxes)


def test_unordered_values_alone_give_bell_numbers() -> None:
    bell = [1, 1, 2, 5, 15, 52, 203, 877, 4140, 21147, 115975, 678570, 4213597]
    for values in range(1, 13):
        assert count_partitions(Space((unordered("u", values),))) == bell[values]


def test_spaces_too_large_to_count_are_refused() -> None:
    with pytest.raises(SpecificationError, match="too many partitions to count"):
        count_partitions(space_of(40, 40, 40), most_terms=10_000)
    assert count_boxes(space_of(40, 40, 40)) == (41 * 42 // 2) ** 3


@pytest.mark.parametrize("nested", [False, True])
def test_a_large_set_is_refused_at_once(nested: bool) -> None:
    """A relaxed node of 1500 children, all alike or one unlike the others: each of its cuttings takes long to work out."""
    first = [("x", []), ("y", [])] if nested else []
    space = Space((taxonomy("r", [("0", first), *((str(child), []) for child in range(1, 1500))], relaxed=True),))
    started = time.process_time()
    with pytest.raises(SpecificationError, match="too many partitions to count"):
        count_partitions(space, most_terms=100_000)
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    ("space", "terms"),
    [
        (space_of(5), 73),
        (space_of(3, 2), 94),
        (Space((unordered("u", 5),)), 43),
        (Space((taxonomy("r", TAXONOMIES["root4"], relaxed=True),)), 77),
    ],
)
def test_a_space_is_counted_if_its_terms_suffice(space: Space, terms: int) -> None:
    """As many as there were when each way to cut was counted as it came up."""
    assert count_partitions(space, most_terms=terms) == count_partitions(space)
    with pytest.raises(SpecificationError, match="too many partitions to count"):
        count_partitions(space, most_terms=terms - 1)
