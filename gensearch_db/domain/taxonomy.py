"""Taxonomies: trees over the values of a categorical attribute, leaves numbered depth first.

Unary nodes are contracted (THEORY 3.4: otherwise two labels would give the same block), so every inner node has at least two
children and is determined by its interval of leaf codes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from functools import cached_property

from gensearch_db.domain.region import Interval


@dataclass(frozen=True)
class TaxonomyNode:
    """A node: its label, the leaf codes below it, and its children (none for a leaf)."""

    label: str
    interval: Interval
    children: tuple[TaxonomyNode, ...] = ()

    def walk(self) -> Iterator[TaxonomyNode]:
        """This node and all below it, depth first."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True)
class Taxonomy:
    """A tree of :class:`TaxonomyNode` with contracted unary nodes."""

    root: TaxonomyNode

    @staticmethod
    def from_nested(label: str, children: Nested) -> Taxonomy:
        """Build from nested ``(label, children)`` pairs; a leaf has no children.

        >>> taxonomy = Taxonomy.from_nested("*", [("a", []), ("bc", [("b", []), ("c", [])])])
        >>> [leaf.label for leaf in taxonomy.leaves]
        ['a', 'b', 'c']
        """
        return Taxonomy(_number((label, children), 0))

    def without(self, codes: Set[int]) -> Taxonomy:
        """As it would be had these leaves never been in it (some leaf stays); the others are numbered anew.

        >>> taxonomy = Taxonomy.from_nested("*", [("a", []), ("bc", [("b", []), ("c", [])])])
        >>> [node.label for node in taxonomy.without({1}).nodes]
        ['*', 'a', 'c']
        """
        return Taxonomy.from_nested(*_without(self.root, codes))

    @cached_property
    def leaves(self) -> tuple[TaxonomyNode, ...]:
        """The leaf nodes in the order of their codes."""
        return tuple(node for node in self.root.walk() if not node.children)

    @cached_property
    def _by_interval(self) -> dict[Interval, TaxonomyNode]:
        return {node.interval: node for node in self.root.walk()}

    @property
    def nodes(self) -> tuple[TaxonomyNode, ...]:
        """All nodes, depth first: the root is node 0."""
        return tuple(self._by_interval.values())

    def node_of(self, interval: Interval) -> TaxonomyNode:
        """The node with these leaves. Raises ``KeyError`` where no node has exactly them."""
        return self._by_interval[interval]

    def lowest_cover(self, codes: Iterable[int]) -> TaxonomyNode:
        """The lowest node that has all the given leaf codes below it."""
        present = list(codes)
        low, high = min(present), max(present)
        node = self.root
        while node.children:
            child = node.children[bisect_right(node.children, low, key=lambda each: each.interval.lower) - 1]
            if not child.interval.contains(high):
                break
            node = child
        return node


Nested = list[tuple[str, "Nested"]]


def _without(node: TaxonomyNode, codes: Set[int]) -> tuple[str, Nested]:
    kept = (child for child in node.children if not set(child.interval.codes()) <= codes)
    return node.label, [_without(child, codes) for child in kept]


def _number(tree: tuple[str, Nested], first: int) -> TaxonomyNode:
    label, children = tree
    while len(children) == 1:  # of a unary chain the lowest node is kept: its label says the most
        label, children = children[0]
    built: list[TaxonomyNode] = []
    position = first
    for child in children:
        node = _number(child, position)
        built.append(node)
        position = node.interval.upper
    return TaxonomyNode(label, Interval(first, max(position, first + 1)), tuple(built))
