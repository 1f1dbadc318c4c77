"""Nodes of the partition enumeration tree that wait to be expanded, and their expansion (paper 3.1 and 4.2)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from gensearch_db.domain.boxes import Division
from gensearch_db.domain.partition_tree import OpenLeaf, PartitionTree
from gensearch_db.search.enumeration.bounds import BoundRule
from gensearch_db.search.enumeration.judged_box import Completion, JudgedBox
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


class Place(NamedTuple):
    """A node that is being expanded."""

    node: Candidate
    tree: PartitionTree
    leaves: list[OpenLeaf]
    bounds: list[float]

    @property
    def bound(self) -> float:
        """The node's lower bound, now that it is known which splits are legal."""
        return max(self.node.bound, self.node.frozen_cost + sum(self.bounds))


class Expansion:
    """Makes the children of PET nodes, and counts what it does."""

    def __init__(self, rule: BoundRule) -> None:
        self.rule = rule
        self.limit = rule.limit
        self.generated = 0
        self.pruned = 0
        self.out_of_sequence = 0

    def root(self) -> Candidate:
        """The undivided space, bounded by its own cells alone."""
        box = self.rule.judge.boxes.root
        self.rule.judge.judge([box])
        self.generated += 1
        return Candidate(self.rule.direct(box), box.cost, box.suppressed, 0.0, 0, PartitionTree.undivided(box), (), None)

    def bounded(self, root: Candidate) -> Candidate:
        """The undivided space with the bound that the options ask for."""
        return root._replace(bound=self.rule.of(self.rule.judge.boxes.root))

    def quick_release(self) -> list[JudgedBox]:
        """The blocks of a partition made in one descent, before any bound looks ahead: each box takes the division whose
        parts' own cells promise least, as long as they promise less than the box costs."""
        waiting, blocks = [self.rule.judge.boxes.root], []
        while waiting:
            box = waiting.pop()
            promises = ((sum(map(self.rule.quick, d.children)), d.split, d) for d in self.rule.judge.divisions(box))
            least, _, division = min(promises, key=lambda promise: promise[:2], default=(math.inf, 0, None))
            if division is not None and least < (box.cost if box.suppressed <= self.limit else math.inf):
                waiting.extend(division.children)
            else:
                blocks.append(box)
        return blocks

    def open_bounds(self, leaves: list[OpenLeaf]) -> list[float]:
        """A bound of each open leaf that knows which of its splits are out of sequence, and will be for good.

        Legality never returns (THEORY 3.5): a leaf without a legal split is as good as frozen.
        """
        found = []
        for leaf in leaves:
            box = _judged(leaf)
            own = box.cost if box.suppressed <= self.limit else math.inf
            bound = self.rule.of(box)
            if bound < own:
                legal = (
                    o.bound for o in self.rule.options(box) if o.bound >= own or detect_legal_split(leaf.ancestry, o.division)
                )
                bound = max(bound, min(own, next(legal, math.inf)))
            found.append(bound)
        return found

    def completed(self, node: Candidate, leaves: list[OpenLeaf]) -> tuple[float, int]:
        """The cost and the suppressed rows of the node's partition with every open leaf divided on greedily."""
        completions = [self._completion(_judged(leaf)) for leaf in leaves]
        cost = node.frozen_cost + sum(completion.cost for completion in completions)
        return cost, node.frozen_suppressed + sum(completion.suppressed for completion in completions)

    def completed_leaves(self, tree: PartitionTree, leaves: list[OpenLeaf]) -> list[JudgedBox]:
        """The blocks of that partition."""
        frozen = tree.leaves()[: -len(leaves)]
        waiting = [_judged(leaf) for leaf in leaves]
        blocks = [box for box in frozen if isinstance(box, JudgedBox)]
        while waiting:
            box = waiting.pop()
            division = self._completion(box).division
            if division is None:
                blocks.append(box)
            else:
                waiting.extend(division.children)
        return blocks

    def _completion(self, box: JudgedBox) -> Completion:
        """Always the division with the lowest bound; a box whose own cost is no more than what that leads to stays whole."""
        if box.completion is None:
            box.completion = Completion(box.cost, box.suppressed, None)
            options = self.rule.options(box)
            if options and (options[0].bound < box.cost or box.suppressed):
                parts = [self._completion(child) for child in options[0].division.children]
                cost, suppressed = sum(part.cost for part in parts), sum(part.suppressed for part in parts)
                if (suppressed > self.limit, cost) < (box.suppressed > self.limit, box.cost):
                    box.completion = Completion(cost, suppressed, options[0].division)
        return box.completion

    def children(self, place: Place, cutoff: float, smallest_pruned: list[float]) -> Iterator[Candidate]:
        """The children with a bound below ``cutoff``: one legal split more, at any leaf that may still be split.

        Bounds add up over leaves: what is frozen counts with its cost (it never changes), what is open with its bound, so the
        sum is Fig 4's LB for any cost. A leaf that may not be published and is passed over would be frozen: no child may.
        ``smallest_pruned[0]`` is lowered to the bound of what is cut off.
        """
        node, tree, leaves, bounds = place
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

    def place(self, node: Candidate) -> Place:
        """The node's tree, with its open leaves and their bounds."""
        tree = node.tree()
        leaves = tree.open_leaves()
        return Place(node, tree, leaves, self.open_bounds(leaves))


def _judged(leaf: OpenLeaf) -> JudgedBox:
    box = leaf.box
    assert isinstance(box, JudgedBox)
    return box
