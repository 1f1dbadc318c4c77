"""Nodes of the partition enumeration tree that wait to be expanded, and their expansion (paper 3.1 and 4.2)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gensearch_db.domain.boxes import Division
from gensearch_db.domain.partition_tree import OpenLeaf, PartitionTree
from gensearch_db.search.enumeration.bounds import BoundRule
from gensearch_db.search.enumeration.judged_box import JudgedBox
from gensearch_db.search.enumeration.legality import detect_legal_split


class Candidate(NamedTuple):
    """A node of the PET: a parent's tree and one more split, built only when it is expanded.

    ``bound``: lower bound of the costs of all partitions at and below it. ``cost`` and ``suppressed``: of the node's own
    partition. ``frozen_cost`` and ``frozen_suppressed``: of its leaves before the last split, which never change again.
    """

    bound: float
    cost: float
    suppressed: int
    frozen_cost: float
    frozen_suppressed: int
    parent: PartitionTree
    path: tuple[int, ...]
    division: Division[JudgedBox] | None

    def tree(self) -> PartitionTree:
        """The node's partition tree."""
        return self.parent if self.division is None else self.parent.split(self.path, self.division)  # type: ignore[arg-type]


class Expansion:
    """Makes the children of PET nodes, and counts what it does."""

    def __init__(self, rule: BoundRule) -> None:
        self.rule = rule
        self.limit = rule.limit
        self.generated = 0
        self.pruned = 0
        self.out_of_sequence = 0

    def root(self) -> Candidate:
        """The undivided space."""
        box = self.rule.judge.boxes.root
        self.rule.judge.judge([box])
        self.generated += 1
        return Candidate(self.rule.of(box), box.cost, box.suppressed, 0.0, 0, PartitionTree.undivided(box), (), None)

    def children(self, node: Candidate, cutoff: float, smallest_pruned: list[float]) -> Iterator[Candidate]:
        """The children with a bound below ``cutoff``: one legal split more, at any leaf that may still be split.

        Bounds add up over leaves: what is frozen counts with its cost (it never changes), what is open with its bound, so the
        sum is Fig 4's LB for any cost. A leaf that may not be published and is passed over would be frozen: no child may.
        ``smallest_pruned[0]`` is lowered to the bound of what is cut off.
        """
        tree = node.tree()
        leaves = tree.open_leaves()
        bounds = [self.rule.of(_judged(leaf)) for leaf in leaves]
        behind = sum(bounds)
        frozen_cost, frozen_suppressed = node.frozen_cost, node.frozen_suppressed
        for leaf, bound in zip(leaves, bounds, strict=True):
            box = _judged(leaf)
            behind -= bound
            fixed = frozen_cost + behind
            options = self.rule.options(box)
            for position, option in enumerate(options):
                if fixed + option.bound >= cutoff:
                    self.pruned += len(options) - position
                    smallest_pruned[0] = min(smallest_pruned[0], fixed + option.bound)
                    break
                if not detect_legal_split(leaf.ancestry, option.division):
                    self.out_of_sequence += 1
                    continue
                self.generated += 1
                yield Candidate(
                    fixed + option.bound,
                    node.cost - box.cost + option.cost,
                    node.suppressed - box.suppressed + option.suppressed,
                    frozen_cost,
                    frozen_suppressed,
                    tree,
                    leaf.path,
                    option.division,
                )
            frozen_cost += box.cost
            frozen_suppressed += box.suppressed
            if frozen_suppressed > self.limit:
                break


def _judged(leaf: OpenLeaf) -> JudgedBox:
    box = leaf.box
    assert isinstance(box, JudgedBox)
    return box
