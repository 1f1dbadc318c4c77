"""Partition trees (paper 2.1, Definition 5), with m-way nodes for taxonomy splits (THEORY 3.4).

A tree is immutable: splitting a leaf makes a new tree that shares all but the path to that leaf. Each node knows which splits
still cross one of its blocks, so that the cuts of its subspace (Definition 3) are read off in one bit operation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gensearch_db.domain.boxes import Box, Division
from gensearch_db.domain.region import Block

LEAF = -1
"""The ``split`` of a node that is not divided."""


class Node(NamedTuple):
    """A subspace of the partition.

    ``split`` is the id of the split made here (``LEAF``: an undivided block), ``children`` the subspaces from left to right,
    ``crossing`` the set of splits that run through some block below, ``timestamp`` the order in which internal nodes were
    split, from 1 (0 for leaves).
    """

    box: Box
    split: int
    children: tuple[Node, ...]
    crossing: int
    timestamp: int

    @property
    def cuts(self) -> int:
        """The available splits that cut this whole subspace: those that run through none of its blocks."""
        return self.box.available & ~self.crossing

    def walk(self) -> Iterator[Node]:
        """This node and all below it, in pre-order."""
        yield self
        for child in self.children:
            yield from child.walk()


class Ancestry(NamedTuple):
    """What a leaf must know of one ancestor to test its splits, linked to the next ancestor above.

    ``watched``: the splits available at the ancestor that have a lower id than its own. ``others``: the splits that cross
    a block below the ancestor outside the branch of the leaf. ``crossing``: those that cross any of its blocks as yet.
    """

    above: Ancestry | None
    watched: int
    others: int
    crossing: int


class OpenLeaf(NamedTuple):
    """A leaf that Constraint 1 still allows to split: it follows the last split node in pre-order."""

    box: Box
    path: tuple[int, ...]
    ancestry: Ancestry | None


class PartitionTree(NamedTuple):
    """A partition tree: its root, the number of its internal nodes, and the path (child positions) to the last one split."""

    root: Node
    split_count: int
    last_split: tuple[int, ...] | None

    @classmethod
    def undivided(cls, box: Box) -> PartitionTree:
        """The tree of one block."""
        return cls(_leaf(box), 0, None)

    def split(self, path: tuple[int, ...], division: Division[Box]) -> PartitionTree:
        """The tree in which the leaf at ``path`` is divided; its timestamp is the next one."""
        timestamp = self.split_count + 1
        return PartitionTree(_replaced(self.root, path, 0, division, timestamp), timestamp, path)

    def node(self, path: tuple[int, ...]) -> Node:
        """The node at ``path``."""
        node = self.root
        for position in path:
            node = node.children[position]
        return node

    def leaves(self) -> list[Box]:
        """The boxes of the leaves in pre-order: the partition's blocks."""
        return [node.box for node in self.root.walk() if node.split == LEAF]

    def blocks(self) -> frozenset[Block]:
        """The partition as its set of blocks."""
        return frozenset(box.block for box in self.leaves())

    def open_leaves(self) -> list[OpenLeaf]:
        """The leaves after the last split node, in pre-order (paper, Property 3: all others are frozen for good)."""
        if self.last_split is None:
            return [OpenLeaf(self.root.box, (), None)]
        levels: list[list[OpenLeaf]] = []
        node, ancestry = self.root, None
        path: tuple[int, ...] = ()
        for position in (*self.last_split, LEAF):
            branches = [_branch(node, ancestry, i) for i in range(len(node.children))]
            levels.append([OpenLeaf(node.children[i].box, (*path, i), branches[i]) for i in range(position + 1, len(branches))])
            if position != LEAF:
                node, ancestry, path = node.children[position], branches[position], (*path, position)
        return [leaf for level in reversed(levels) for leaf in level]


def _leaf(box: Box) -> Node:
    return Node(box, LEAF, (), box.crossing, 0)


def _branch(node: Node, above: Ancestry | None, position: int) -> Ancestry:
    others = 0
    for i, child in enumerate(node.children):
        if i != position:
            others |= child.crossing
    return Ancestry(above, node.box.available & ((1 << node.split) - 1), others, node.crossing)


def _replaced(node: Node, path: tuple[int, ...], depth: int, division: Division[Box], timestamp: int) -> Node:
    if depth == len(path):
        children = tuple(_leaf(child) for child in division.children)
        return Node(node.box, division.split, children, division.crossing, timestamp)
    position = path[depth]
    child = _replaced(node.children[position], path, depth + 1, division, timestamp)
    children = (*node.children[:position], child, *node.children[position + 1 :])
    crossing = 0
    for sibling in children:
        crossing |= sibling.crossing
    return Node(node.box, node.split, children, crossing, node.timestamp)
