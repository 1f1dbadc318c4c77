"""Every hierarchical partition exactly once: counts of THEORY 3.2, sets of blocks, any order of ids, the paper's figures."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product

import pytest

from gensearch_db.domain.attribute import Space
from gensearch_db.domain.boxes import Box, Boxes
from gensearch_db.domain.counting import count_partitions
from gensearch_db.domain.splits import Split, SplitSet
from gensearch_db.search.enumeration.legality import all_boxes, constraint_1, constraint_2, enumerate_partitions
from tests.oracles.brute_force import all_partitions
from tests.oracles.paper_figures import NumericSplit, PaperEnumeration, blocks_of
from tests.oracles.problems import TAXONOMIES, ordered, space_of, taxonomy, unordered

T3, AB_C, AB_CD, ABC_DE = "3 leaves", "((a,b),c)", "((a,b),(c,d))", "((a,b,c),(d,e))"

SMALL: list[tuple[tuple[int | str, ...], int]] = [
    ((5,), 32),
    ((1, 1), 8),
    ((2, 1), 34),
    ((3, 1), 148),
    ((4, 1), 650),
    ((5, 1), 2864),
    ((2, 2), 320),
    ((3, 2), 3118),
    ((1, 1, 1), 146),
    ((2, 1, 1), 3016),
    (("root4",), 5),
    ((1, T3), 12),
    ((2, T3), 90),
    ((2, "4 leaves"), 298),
    ((1, "root4"), 586),
    ((1, ABC_DE), 106),
    ((2, ABC_DE), 3292),
    ((2, "(((a,b),c),d)"), 860),
    ((T3, T3), 16),
    ((T3, T3, 1), 3074),
    ((AB_CD, T3), 206),
    ((AB_CD, AB_CD), 6857),
]
LARGE: list[tuple[tuple[int | str, ...], int]] = [
    ((4, 2), 30752),
    ((1, 1, 1, 1), 61712),
    ((3, 1, 1), 65014),
    ((3, 3), 68480),
    ((AB_CD, 1, 1), 23708),
    ((T3, 2, 1), 48732),
    ((ABC_DE, 1, 1), 99740),
    ((2, "root4"), 130792),
]
TABLE: dict[str, dict[tuple[int | str, ...], int]] = {
    "2 leaves": {
        (): 2,
        (1,): 8,
        (2,): 34,
        (3,): 148,
        (1, 1): 146,
        (2, 1): 3016,
        (T3,): 12,
        (T3, 1): 658,
        (AB_CD,): 74,
        (AB_CD, 1): 23708,
    },
    T3: {(): 2, (3,): 720, (1, 1): 658},
    "4 leaves": {(): 2, (1,): 20, (3,): 4744, (1, 1): 4370},
    AB_C: {(): 3, (1,): 22, (2,): 186, (3,): 1648, (1, 1): 1560},
    AB_CD: {(): 5, (1,): 74, (2,): 1324, (3,): 25168},
    ABC_DE: {(): 5},
    "(((a,b),c),d)": {(): 4, (1,): 52, (3,): 15236, (1, 1): 13842},
}
"""The rest of THEORY 3.2's table of taxonomies, by what stands beside the taxonomy."""
LARGEST: list[tuple[tuple[int | str, ...], int]] = [
    ((5, 2), 304618),
    ((2, 2, 1), 313138),
    ((AB_C, 2, 1), 137358),
    ((ABC_DE, 3), 114048),
]


def boxes_of(space: Space, seed: int | None) -> Boxes[Box]:
    return all_boxes(space) if seed is None else Boxes(SplitSet.shuffled(space, random.Random(seed)), Box)


@pytest.mark.parametrize("seed", [None, 1, 2, 3])
@pytest.mark.parametrize(("shape", "count"), SMALL)
def test_each_partition_once_under_any_ids(shape: tuple[int | str, ...], count: int, seed: int | None) -> None:
    space = space_of(*shape)
    found = [tree.blocks() for tree in enumerate_partitions(boxes_of(space, seed))]
    assert len(found) == count
    assert set(found) == all_partitions(space)


def _enumerate_large(shape: tuple[int | str, ...], count: int) -> None:
    space = space_of(*shape)
    seed = 7 if len(shape) % 2 else None
    made, different = 0, set()
    for tree in enumerate_partitions(boxes_of(space, seed)):
        made += 1
        different.add(hash(frozenset(map(id, tree.leaves()))))  # equal blocks are the same box; sets of sets fit no memory
    assert made == len(different) == count == count_partitions(space)


@pytest.mark.slow
@pytest.mark.parametrize(("shape", "count"), LARGE)
def test_large_spaces(shape: tuple[int | str, ...], count: int) -> None:
    _enumerate_large(shape, count)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "count"), [((name, *rest), count) for name, cells in TABLE.items() for rest, count in cells.items()]
)
def test_the_rest_of_the_table(shape: tuple[int | str, ...], count: int) -> None:
    _enumerate_large(shape, count)


@pytest.mark.slow
@pytest.mark.parametrize(("shape", "count"), LARGEST)
def test_spaces_up_to_320_000_partitions(shape: tuple[int | str, ...], count: int) -> None:
    _enumerate_large(shape, count)


@pytest.mark.parametrize(
    ("shape", "by_blocks"),
    [
        ((1, 1), [1, 2, 4, 1]),
        ((2, 1), [1, 3, 9, 13, 7, 1]),
        ((2, 2), [1, 4, 18, 48, 90, 96, 50, 12, 1]),
        ((3, 1), [1, 4, 15, 37, 47, 33, 10, 1]),
        ((3, 2), [1, 5, 28, 106, 301, 609, 834, 726, 378, 112, 17, 1]),
        ((1, 1, 1), [1, 3, 12, 33, 42, 42, 12, 1]),
        ((2, 1, 1), [1, 4, 21, 87, 244, 495, 760, 754, 483, 146, 20, 1]),
        ((2, T3), [1, 2, 2, 10, 24, 26, 18, 6, 1]),
        ((2, AB_C), [1, 3, 10, 27, 50, 54, 31, 9, 1]),
        ((1, AB_CD), [1, 2, 6, 16, 20, 20, 8, 1]),
        ((T3, T3), [1, 0, 2, 0, 6, 0, 6, 0, 1]),
    ],
)
def test_number_of_blocks(shape: tuple[int | str, ...], by_blocks: list[int]) -> None:
    counted = Counter(len(tree.leaves()) for tree in enumerate_partitions(boxes_of(space_of(*shape), 5)))
    assert counted == {blocks: count for blocks, count in enumerate(by_blocks, start=1) if count}


@pytest.mark.parametrize("seed", [None, 1, 2])
@pytest.mark.parametrize(
    "attributes",
    [
        (unordered("u", 4),),
        (unordered("u", 3), ordered("o", 1)),
        (unordered("u", 3), unordered("v", 3)),
        (unordered("u", 3), ordered("o", 1), taxonomy("t", TAXONOMIES["2 leaves"])),
        (taxonomy("r", TAXONOMIES[ABC_DE], relaxed=True), ordered("o", 1)),
        (taxonomy("r", TAXONOMIES[AB_C], relaxed=True), unordered("u", 3)),
    ],
)
def test_unordered_values_are_grouped_in_every_way_once(attributes: tuple[object, ...], seed: int | None) -> None:
    space = Space(attributes)  # type: ignore[arg-type]
    found = [tree.blocks() for tree in enumerate_partitions(boxes_of(space, seed))]
    assert len(found) == len(set(found))
    assert set(found) == all_partitions(space)


@pytest.mark.parametrize("shape", [(2, 2), (2, T3), (3, 1, 1)])
def test_all_trees_keep_both_constraints(shape: tuple[int | str, ...]) -> None:
    for number, tree in zip(range(2000), enumerate_partitions(boxes_of(space_of(*shape), 11)), strict=False):
        assert constraint_1(tree), number
        assert constraint_2(tree), number


def _numeric_ids(splits: tuple[int, ...], seed: int | None) -> tuple[Boxes[Box], dict[NumericSplit, int]]:
    boxes = boxes_of(space_of(*splits), seed)
    ids = {(split.attribute, int(split.value)): number for number, split in enumerate(boxes.split_set.splits)}  # type: ignore[call-overload]
    return boxes, ids


@pytest.mark.parametrize(("splits", "seed"), list(product([(4,), (2, 1), (2, 2), (1, 1, 1), (3, 2)], [None, 1, 2])))
def test_same_as_the_corrected_figures(splits: tuple[int, ...], seed: int | None) -> None:
    boxes, ids = _numeric_ids(splits, seed)
    ours = {tree.blocks() for tree in enumerate_partitions(boxes)}
    paper = [blocks_of(tree) for tree in PaperEnumeration(splits, ids).enumerate()]
    assert Counter(paper) == Counter({frozenset(tuple(tuple(r) for r in b) for b in blocks): 1 for blocks in ours})


@pytest.mark.parametrize(("splits", "trees"), [((4,), 51), ((2, 1), 62), ((2, 2), 1241), ((1, 1, 1), 244)])
def test_as_printed_the_figures_make_every_kd_tree(splits: tuple[int, ...], trees: int) -> None:
    """THEORY 3.3, item 1: with P(n) in place of P(n) and the new split, Constraint 2 never fires."""
    _, ids = _numeric_ids(splits, None)
    assert sum(1 for _ in PaperEnumeration(splits, ids, as_printed=True).enumerate()) == trees


def test_ids_may_put_a_deeper_taxonomy_node_before_its_parent() -> None:
    space = space_of(2, AB_C)
    order = sorted(SplitSet(space).splits, key=lambda split: (split.attribute != 1, str(split.value)))
    assert isinstance(order[0], Split)
    found = [tree.blocks() for tree in enumerate_partitions(Boxes(SplitSet(space, order), Box))]
    assert len(found) == len(set(found)) == 186
