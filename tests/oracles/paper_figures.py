"""Figs 6 to 8 of the paper on binary trees of numeric splits, transcribed line by line: as printed, and as corrected.

Independent of ``domain/partition_tree.py``: plain lists, recursion, no sets of splits. ``as_printed`` leaves the printed slip
of Fig 6, line 11 in place (THEORY 3.3, item 1), which makes Constraint 2 idle.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

NumericSplit = tuple[int, int]
"""(attribute, boundary)"""
NumericBlock = tuple[tuple[int, int], ...]
"""Half-open intervals of leaf codes."""


@dataclass(frozen=True)
class Tree:
    """A node: its block, and its split with both children (None: a leaf)."""

    block: NumericBlock
    split: NumericSplit | None = None
    left: Tree | None = None
    right: Tree | None = None


class PaperEnumeration:
    """Enumerate(D, S, r, P(r)) for attributes with these numbers of splits; ``ids[split]`` is the split's id."""

    def __init__(self, split_counts: tuple[int, ...], ids: dict[NumericSplit, int], *, as_printed: bool = False) -> None:
        self.root = Tree(tuple((0, count + 1) for count in split_counts))
        self.ids = ids
        self.as_printed = as_printed

    def enumerate(self) -> Iterator[Tree]:
        """Fig 8."""
        waiting: list[tuple[Tree, int]] = [(self.root, 0)]
        while waiting:
            tree, first_open = waiting.pop()
            yield tree
            for place in range(first_open, len(_leaves(tree))):
                for split in self._available(_leaves(tree)[place].block):
                    if self.detect_legal_split(tree, place, split):
                        waiting.append((_with_split(tree, place, split), place))

    def _available(self, block: NumericBlock) -> list[NumericSplit]:
        inside = [(j, at) for j, (low, high) in enumerate(block) for at in range(low + 1, high)]
        return sorted(inside, key=self.ids.__getitem__)

    def detect_legal_split(self, tree: Tree, place: int, split: NumericSplit) -> bool:
        """Fig 6; Constraint 1 is met by offering only leaves from the last split on."""
        after = _with_split(tree, place, split)
        looked_at = tree if self.as_printed else after
        ancestors = _ancestors(looked_at, _leaves(tree)[place].block)
        for ancestor in reversed(ancestors):
            if not self.is_split_a_cut(ancestor, split):
                return True
            assert ancestor.split is not None
            if self.ids[split] < self.ids[ancestor.split]:
                return False
        return True

    def is_split_a_cut(self, node: Tree, split: NumericSplit) -> bool:
        """Fig 7, with a leaf as no cut and left and right by position (THEORY 3.3, items 2 and 3)."""
        if node.split is None:
            return False
        assert node.left is not None
        assert node.right is not None
        if node.split == split:
            return True
        if node.split[0] == split[0]:
            return self.is_split_a_cut(node.right if node.split[1] < split[1] else node.left, split)
        return self.is_split_a_cut(node.left, split) and self.is_split_a_cut(node.right, split)


def blocks_of(tree: Tree) -> frozenset[NumericBlock]:
    """The partition as its set of blocks."""
    return frozenset(leaf.block for leaf in _leaves(tree))


def _leaves(tree: Tree) -> list[Tree]:
    if tree.left is None or tree.right is None:
        return [tree]
    return _leaves(tree.left) + _leaves(tree.right)


def _with_split(tree: Tree, place: int, split: NumericSplit) -> Tree:
    if tree.left is None or tree.right is None:
        attribute, at = split
        low, high = tree.block[attribute]
        left = (*tree.block[:attribute], (low, at), *tree.block[attribute + 1 :])
        right = (*tree.block[:attribute], (at, high), *tree.block[attribute + 1 :])
        return Tree(tree.block, split, Tree(left), Tree(right))
    on_left = len(_leaves(tree.left))
    if place < on_left:
        return Tree(tree.block, tree.split, _with_split(tree.left, place, split), tree.right)
    return Tree(tree.block, tree.split, tree.left, _with_split(tree.right, place - on_left, split))


def _ancestors(tree: Tree, block: NumericBlock) -> list[Tree]:
    """The internal nodes strictly above the node with this block, from the root down."""
    found: list[Tree] = []
    node = tree
    while node.block != block:
        found.append(node)
        assert node.left is not None
        assert node.right is not None
        inside_left = all(a[0] <= b[0] and b[1] <= a[1] for a, b in zip(node.left.block, block, strict=True))
        node = node.left if inside_left else node.right
    return found
