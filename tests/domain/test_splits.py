"""Split sets: groups, ids, and what a split does to a region; against the attributes' own list of splits."""

from __future__ import annotations

import random
import time

import pytest

from gensearch_db.domain.attribute import Attribute, Space
from gensearch_db.domain.region import Interval, LeafSet
from gensearch_db.domain.splits import Split, SplitSet
from gensearch_db.errors import SpecificationError
from tests.oracles.problems import TAXONOMIES, ordered, space_of, taxonomy, unordered

ATTRIBUTES = [
    ordered("o", 3),
    taxonomy("t", TAXONOMIES["((a,b,c),(d,e))"]),
    taxonomy("r", TAXONOMIES["((a,b,c),(d,e))"], relaxed=True),
    unordered("u", 5),
]


def reachable(attribute: Attribute) -> set[object]:
    found, waiting = set(), [attribute.root]
    while waiting:
        region = waiting.pop()
        if region not in found:
            found.add(region)
            waiting.extend(part for parts in attribute.splits(region) for part in parts)
    return found


@pytest.mark.parametrize("attribute", ATTRIBUTES, ids=lambda a: a.name)
@pytest.mark.parametrize("seed", [None, 1, 2])
def test_divisions_are_the_attributes_splits_each_once(attribute: Attribute, seed: int | None) -> None:
    space = Space((attribute,))
    split_set = SplitSet(space) if seed is None else SplitSet.shuffled(space, random.Random(seed))
    for region in reachable(attribute):
        divisions = split_set.divisions(0, region)
        assert [d.id for d in divisions] == sorted(d.id for d in divisions)
        made = [frozenset(d.parts) for d in divisions]
        assert len(set(made)) == len(made)
        assert set(made) == {frozenset(parts) for parts in attribute.splits(region)}
        for division in divisions:
            firsts = [next(part.codes()) for part in division.parts]
            assert firsts == sorted(firsts)
            assert split_set.available(0, region) >> division.id & 1
            assert split_set.crossing(0, region) >> division.id & 1


def test_ids_ascend_by_attribute_and_value_as_in_the_paper() -> None:
    split_set = SplitSet(space_of(2, 1))
    assert split_set.splits == (Split(0, 1), Split(0, 2), Split(1, 1))
    assert split_set.group(0) == (0, 1)
    assert split_set.group(1) == (2,)
    assert SplitSet.descending(space_of(2, 1)).splits == (Split(1, 1), Split(0, 2), Split(0, 1))


def test_a_deeper_taxonomy_split_crosses_but_is_not_available() -> None:
    space = space_of("((a,b),c)")
    split_set = SplitSet(space)
    root, inner = split_set.splits
    assert (root.value, inner.value) == (Interval(0, 3), Interval(0, 2))
    assert split_set.crossing(0, Interval(0, 3)) == 0b11
    assert split_set.available(0, Interval(0, 3)) == 0b01
    assert split_set.available(0, Interval(0, 2)) == 0b10
    assert split_set.crossing(0, Interval(2, 3)) == 0


def test_an_unordered_subset_is_divided_once_by_splits_that_act_alike() -> None:
    split_set = SplitSet(Space((unordered("u", 3),)))
    assert len(split_set.splits) == 3
    pair = LeafSet(0b011)
    assert bin(split_set.available(0, pair)).count("1") == 2
    assert len(split_set.divisions(0, pair)) == 1


def test_more_than_twelve_unordered_values_are_refused_with_advice() -> None:
    assert len(SplitSet(Space((unordered("u", 12),))).splits) == 2**11 - 1
    with pytest.raises(SpecificationError, match=r"'job' has 13 values.*order.*taxonomy"):
        SplitSet(Space((unordered("job", 13),)))


def test_an_order_that_is_no_permutation_is_refused() -> None:
    with pytest.raises(SpecificationError, match="exactly once"):
        SplitSet(space_of(2), [Split(0, 1), Split(0, 1)])


def test_many_boundaries_take_no_longer_than_a_look_at_each() -> None:
    """The sides of each pair of a leaf value and a boundary were looked at, before any clock was: a minute for 10,000."""
    space = space_of(10_000)
    started = time.process_time()
    split_set = SplitSet(space, [Split(0, value) for value in (7, 3, *(v for v in range(1, 10_001) if v not in (3, 7)))])
    assert time.process_time() - started < 5
    assert split_set.crossing(0, Interval(2, 8)) == sum(1 << split_set.splits.index(Split(0, value)) for value in range(3, 8))
