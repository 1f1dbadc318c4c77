"""Which splits may be added to a partition tree, so that every hierarchical partition is made exactly once.

Paper sections 2.2 and 4 (Constraints 1 and 2, Figs 6 to 8), with the corrections of THEORY 3.3 and 3.4. The canonical tree of
a partition takes, at every node, the cut with the lowest id (THEORY 3.1); these functions grow canonical trees in pre-order.
"""

from __future__ import annotations

from collections.abc import Iterator

from gensearch_db.domain.attribute import Space
from gensearch_db.domain.boxes import Box, Boxes, BoxT, Division
from gensearch_db.domain.partition_tree import LEAF, Ancestry, Node, PartitionTree
from gensearch_db.domain.splits import SplitSet


def constraint_1(tree: PartitionTree) -> bool:
    """Constraint 1: a pre-order walk of the internal nodes lists their timestamps in increasing order."""
    timestamps = [node.timestamp for node in tree.root.walk() if node.split != LEAF]
    return timestamps == sorted(timestamps)


def constraint_2(tree: PartitionTree) -> bool:
    """Constraint 2: every split is in sequence: no internal node's subspace has a cut with a lower id than its own split.

    Departs from Definition 7, which has the ids the wrong way round (THEORY 3.3, item 4): as in Fig 6 and Fig 3's example, a
    lower id stands nearer to the root.
    """
    return all(node.split == LEAF or not node.cuts & ((1 << node.split) - 1) for node in tree.root.walk())


def is_split_a_cut(node: Node, split: int) -> bool:
    """Fig 7, Is-split-a-cut: whether the split with this id cuts the whole subspace of ``node``.

    Departs from Fig 7 in how it finds out: a node keeps the set of splits that cross its blocks, and a split is a cut if it
    is available there and not in that set. Fig 7's recursion is undefined for leaves (here: no cut, unless nothing of the
    leaf lies on both sides) and descends by id where geometry is meant, which fails for ids in any but ascending order
    (THEORY 3.3, items 2 and 3). Taxonomy nodes are m-way, without the pseudo-subspaces of Figs 10 to 12 that lose
    partitions (THEORY 3.4).
    """
    return bool(node.cuts >> split & 1)


def detect_legal_split(ancestry: Ancestry | None, division: Division[BoxT]) -> bool:
    """Fig 6, Detect-legal-split: whether dividing a leaf with this ancestry keeps every ancestor's split in sequence.

    Departs from Fig 6: (1) cuts are looked for in the tree *with* the new split; as printed, Constraint 2 never fires and
    partitions are made many times (THEORY 3.3, item 1). (2) Any cut that the split opens is compared, not only the split
    itself: where empty space is cut off, or values have no order, one split can open several. (3) Constraint 1 (lines 4 to 7)
    is not tested here: only leaves after the last split node are offered (``PartitionTree.open_leaves``).

    Line 15's early return is kept: a split that opens nothing at one ancestor opens nothing above it.
    """
    crossing = division.crossing
    while ancestry is not None:
        above, watched, others, before = ancestry
        crossing |= others
        if crossing == before:
            return True
        if watched & ~crossing:
            return False
        ancestry = above
    return True


def children_of(boxes: Boxes[Box], tree: PartitionTree) -> Iterator[PartitionTree]:
    """The children of a node of the partition enumeration tree (PET): one more legal split, at any open leaf."""
    for leaf in tree.open_leaves():
        for division in boxes.divisions(leaf.box):
            if detect_legal_split(leaf.ancestry, division):
                yield tree.split(leaf.path, division)


def enumerate_partitions(boxes: Boxes[Box]) -> Iterator[PartitionTree]:
    """Fig 8, Enumerate: every hierarchical partition exactly once, in depth-first order of the PET.

    Also replaces Fig 12 (Enumerate Categorical): taxonomy splits are single m-way nodes, so there are no incomplete chains,
    no flags on the parent and no forced splits (THEORY 3.4). Iterative, so that depth is no matter.
    """
    waiting = [iter([PartitionTree.undivided(boxes.root)])]
    while waiting:
        tree = next(waiting[-1], None)
        if tree is None:
            waiting.pop()
        else:
            yield tree
            waiting.append(children_of(boxes, tree))


def all_boxes(space: Space) -> Boxes[Box]:
    """The boxes of a space without data, ids ascending: what ``enumerate_partitions`` takes to list a whole space."""
    return Boxes(SplitSet(space), Box)
