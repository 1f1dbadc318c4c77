"""Distances of t-closeness by their definitions, in fractions: along an order, between equals, over a taxonomy.

Over a taxonomy, values hang below the root at the same depth once each edge is as long as half the difference of its ends'
heights; what must be moved across an edge is the difference of the masses below it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction

Counts = Counter[str | None]
Distance = Callable[[Counts, Counts], Fraction]
"""How far a block's values are from the table's."""

Tree = dict[str, "Tree"]
"""The subtrees of a node by their names; a leaf has none."""


def gaps(block: Counts, table: Counts) -> dict[str | None, Fraction]:
    """By how much each value's share in the block exceeds that in the table."""
    rows, total = sum(block.values()), sum(table.values())
    return {value: Fraction(block[value], rows) - Fraction(table[value], total) for value in {*block, *table}}


def along(order: Sequence[str | None]) -> Distance:
    """Neighbours in ``order`` are equally far apart, its ends 1."""

    def distance(block: Counts, table: Counts) -> Fraction:
        found, moved, total = gaps(block, table), Fraction(0), Fraction(0)
        for value in order:
            moved += found.get(value, Fraction(0))
            total += abs(moved)
        return total / max(1, len(order) - 1)

    return distance


def between_equals(block: Counts, table: Counts) -> Fraction:
    """Any two values are 1 apart."""
    return sum((abs(gap) for gap in gaps(block, table).values()), Fraction(0)) / 2


def over(paths: Sequence[Sequence[str]]) -> Distance:
    """Two values are as far apart as the height of the lowest node above both, the root's being 1.

    ``paths``: each value and the nodes above it, the root last. A missing value hangs below the root.
    """
    tree: Tree = {}
    for path in paths:
        node = tree
        for name in reversed(path):
            node = node.setdefault(name, {})
    root = _contracted(tree)
    height = max(1, _height(root))

    def distance(block: Counts, table: Counts) -> Fraction:
        found = gaps(block, table)

        def moved(name: str, node: Tree) -> tuple[Fraction, Fraction]:
            """What goes through the edge above a node, and the work done below it."""
            if not node:
                return found.get(name, Fraction(0)), Fraction(0)
            through, work = Fraction(0), Fraction(0)
            for child, below in node.items():
                gap, done = moved(child, below)
                through += gap
                work += done + abs(gap) * Fraction(_height(node) - _height(below), 2 * height)
            return through, work

        missing = abs(found.get(None, Fraction(0))) / 2
        return missing + (moved("", root)[1] if root else missing)  # beside the only value there is

    return distance


def _contracted(tree: Tree) -> Tree:
    """Without nodes that have one child; below the root that is left."""
    while len(tree) == 1:
        ((_, tree),) = tree.items()
    return _without_chains(tree)


def _without_chains(tree: Tree) -> Tree:
    kept: Tree = {}
    for name, below in tree.items():
        while len(below) == 1:
            ((name, below),) = below.items()
        kept[name] = _without_chains(below)
    return kept


def _height(tree: Tree) -> int:
    return 1 + max(map(_height, tree.values())) if tree else 0
