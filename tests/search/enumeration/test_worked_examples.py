"""The paper's worked examples: Figs 2 and 3, 5, 9, 10 and 11."""

from __future__ import annotations

import math

import pytest

from gensearch_db.cost.registry import cost_from_text
from gensearch_db.domain.boxes import Box, Boxes
from gensearch_db.domain.partition_tree import PartitionTree
from gensearch_db.domain.region import Block, Interval
from gensearch_db.domain.splits import Split, SplitSet
from gensearch_db.privacy.k_anonymity import KAnonymity
from gensearch_db.search.enumeration.bounds import BoundRule
from gensearch_db.search.enumeration.cell_statistics import statistics_in_memory
from gensearch_db.search.enumeration.frontier import Candidate, Expansion
from gensearch_db.search.enumeration.judged_box import Judge
from gensearch_db.search.enumeration.legality import (
    all_boxes,
    children_of,
    constraint_1,
    constraint_2,
    detect_legal_split,
    enumerate_partitions,
    is_split_a_cut,
)
from gensearch_db.search.enumeration.options import EnumerationOptions
from tests.oracles.problems import problem_of, space_of


def divided(boxes: Boxes[Box], tree: PartitionTree, path: tuple[int, ...], split: int) -> PartitionTree:
    """The tree with the leaf at ``path`` divided by the split with this id, in sequence or not."""
    children = boxes.divisions(tree.node(path).box)
    return tree.split(path, next(division for division in children if division.split == split))


def legal(boxes: Boxes[Box], tree: PartitionTree, path: tuple[int, ...], split: int) -> bool:
    """Detect-legal-split for the leaf at ``path``, which must still be open."""
    leaf = next(leaf for leaf in tree.open_leaves() if leaf.path == path)
    return detect_legal_split(leaf.ancestry, next(d for d in boxes.divisions(leaf.box) if d.split == split))


# Fig 2: splits (1) Age = 40, (2) Age = 50, (3) Salary = 100K, (4) Salary = 150K. Ids here start from 0.
AGE_40, AGE_50, SALARY_100, SALARY_150 = range(4)


def figure_3() -> tuple[Boxes[Box], PartitionTree]:
    """(3)[1], (1)[2], (4)[3], (2)[4]: Fig 3 without its last split."""
    boxes = all_boxes(space_of(2, 2))
    tree = PartitionTree.undivided(boxes.root)
    for path, split in [((), SALARY_100), ((0,), AGE_40), ((1,), SALARY_150), ((1, 0), AGE_50)]:
        assert legal(boxes, tree, path, split)
        tree = divided(boxes, tree, path, split)
    return boxes, tree


def test_figure_3_is_in_sequence_up_to_its_last_split() -> None:
    boxes, tree = figure_3()
    assert constraint_1(tree)
    assert constraint_2(tree)
    assert [node.timestamp for node in tree.root.walk()] == [1, 2, 0, 0, 3, 4, 0, 0, 0]
    assert not legal(boxes, tree, (1, 1), AGE_50)
    complete = divided(boxes, tree, (1, 1), AGE_50)
    assert constraint_1(complete)
    assert not constraint_2(complete)


def test_figure_3_cuts() -> None:
    boxes, tree = figure_3()
    assert is_split_a_cut(tree.root, SALARY_100)
    assert is_split_a_cut(tree.root, SALARY_150)
    assert not is_split_a_cut(tree.root, AGE_40)
    assert is_split_a_cut(tree.node((0,)), AGE_40)
    assert is_split_a_cut(tree.node((1,)), SALARY_150)
    assert not is_split_a_cut(tree.node((1,)), AGE_50)
    assert is_split_a_cut(divided(boxes, tree, (1, 1), AGE_50).node((1,)), AGE_50)


def test_both_sequences_of_figure_3_give_one_partition_enumerated_once() -> None:
    boxes, tree = figure_3()
    first = divided(boxes, tree, (1, 1), AGE_50)
    second = PartitionTree.undivided(boxes.root)
    for path, split in [((), SALARY_150), ((0,), SALARY_100), ((0, 0), AGE_40), ((0, 1), AGE_50), ((1,), AGE_50)]:
        second = divided(boxes, second, path, split)
    assert first.blocks() == second.blocks()
    found = [candidate for candidate in enumerate_partitions(boxes) if candidate.blocks() == first.blocks()]
    assert len(found) == 1
    assert [node.split for node in found[0].root.walk() if node.split >= 0] == [
        SALARY_100,
        AGE_40,
        AGE_50,
        SALARY_150,
        SALARY_150,
    ]


def test_figure_5_dm_41_bound_33() -> None:
    """Four frozen blocks of 2; open blocks of 3 (cells 2, 1) and 4 (cells 1, 3, and one empty); k = 2."""
    space = space_of(4, 4)
    sizes = {(0, 0): 2, (1, 0): 2, (2, 0): 2, (3, 0): 2, (4, 0): 2, (4, 1): 1, (4, 2): 1, (4, 3): 3}
    rows = [(codes, 0, 0, 0) for codes, count in sizes.items() for _ in range(count)]
    problem = problem_of(space, rows, [KAnonymity(2)], cost_from_text("discernibility"))
    order = [Split(0, at) for at in (4, 3, 2, 1)] + [Split(1, at) for at in (2, 1, 3, 4)]
    judge = Judge(problem, SplitSet(space, order), statistics_in_memory(space, problem.cells))
    expansion = Expansion(BoundRule(judge, EnumerationOptions.from_mapping({"bound": "paper"})))
    node: Candidate = expansion.root()
    for wanted in (Split(0, 4), Split(0, 3), Split(0, 2), Split(0, 1), Split(1, 2)):
        children = expansion.children(expansion.place(node), math.inf, [math.inf])
        node = next(c for c in children if c.division is not None and order[c.division.split] == wanted)
    assert sorted(box.rows for box in node.tree().leaves()) == [2, 2, 2, 2, 3, 4]  # type: ignore[attr-defined]
    assert node.cost == 41
    assert node.bound == 33


def test_figure_9_enumeration_tree_of_two_splits_and_one() -> None:
    boxes = all_boxes(space_of(2, 1))
    root = PartitionTree.undivided(boxes.root)
    assert [child.root.split for child in children_of(boxes, root)] == [0, 1, 2]
    assert sum(1 for _ in enumerate_partitions(boxes)) == 34


def test_figures_10_and_11_a_taxonomy_node_divides_into_all_its_children() -> None:
    """Working class: four children, two of them with three leaves each; salary: three splits. Timestamps are one per node."""
    boxes = all_boxes(space_of("root4", 3))
    workclass, salary_middle = 0, 4
    assert boxes.split_set.splits[salary_middle] == Split(1, 2)
    tree = PartitionTree.undivided(boxes.root)
    assert legal(boxes, tree, (), workclass)
    tree = divided(boxes, tree, (), workclass)
    assert len(tree.leaves()) == 4
    assert legal(boxes, tree, (1,), salary_middle)
    tree = divided(boxes, tree, (1,), salary_middle)
    government = next(d.split for d in boxes.divisions(tree.node((1, 0)).box) if d.children[0].block[1] == Interval(0, 2))
    assert legal(boxes, tree, (1, 0), government)
    tree = divided(boxes, tree, (1, 0), government)
    expected: set[Block] = {
        (Interval(0, 3), Interval(0, 4)),
        *((Interval(code, code + 1), Interval(0, 2)) for code in (3, 4, 5)),
        (Interval(3, 6), Interval(2, 4)),
        (Interval(6, 7), Interval(0, 4)),
        (Interval(7, 8), Interval(0, 4)),
    }
    assert tree.blocks() == expected
    assert constraint_1(tree)
    assert constraint_2(tree)
    assert tree.split_count == 3


@pytest.mark.parametrize("split", [1, 2])
def test_figure_10_deeper_splits_need_their_parents_first(split: int) -> None:
    """Footnote to Fig 10: no partition uses the splits of a node before those of its parent."""
    boxes = all_boxes(space_of("root4", 3))
    assert split not in [division.split for division in boxes.divisions(boxes.root)]
