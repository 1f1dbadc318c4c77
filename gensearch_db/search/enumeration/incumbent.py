"""The best releases found so far: one, or all optimal ones, each grouping of the cells once."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from gensearch_db.domain.region import Block
from gensearch_db.domain.splits import SplitSet
from gensearch_db.search.enumeration.judged_box import Judge, JudgedBox, members
from gensearch_db.search.result import Partition

TOLERANCE = 1e-9
"""Relative difference below which costs that are no integers count as equal: sums of floats depend on their order."""
LEAST_DIFFERENCE = 1e-12
"""The same for costs near 0, where what is left of large summands is no share of the cost."""


class Incumbent:
    """The least cost found, and the releases that have it.

    Two partitions are one release where they publish the same groups of cells: they may differ in how empty space or
    suppressed rows are divided.
    """

    def __init__(self, judge: Judge, *, keep_all: bool, list_at_most: int) -> None:
        self._judge = judge
        self._keep_all = keep_all
        self._list_at_most = list_at_most
        self._integral = judge.problem.cost.integral
        self.cost = math.inf
        self._releases: dict[frozenset[int], tuple[JudgedBox, ...]] = {}
        self._beyond: set[frozenset[int]] = set()

    @property
    def _slack(self) -> float:
        """Costs that differ by no more than this are equal."""
        return 0.0 if self._integral or not self.found else max(LEAST_DIFFERENCE, TOLERANCE * self.cost)

    @property
    def found(self) -> bool:
        """Whether there is any release yet."""
        return self.cost < math.inf

    @property
    def count(self) -> int:
        """How many different releases of the least cost were seen (1 unless all are kept)."""
        return len(self._releases) + len(self._beyond)

    def cutoff(self, factor: float) -> float:
        """Bounds from here on cannot lead to what is still wanted: a better release, or (if all are kept) an equal one."""
        if self._keep_all:
            return math.nextafter(self.cost + self._slack, math.inf)
        return (self.cost - self._slack) / factor

    def welcomes(self, cost: float) -> bool:
        """Whether a release of this cost would be kept."""
        return cost < self.cost - self._slack or (self._keep_all and cost <= self.cost + self._slack)

    def offer(self, leaves: Iterable[JudgedBox]) -> bool:
        """Keep a partition that is better than the best, or as good where all are kept. Whether it is better."""
        published = tuple(box for box in leaves if box.cells and not box.suppressed)
        charged = [box.cost for box in leaves if box.suppressed]
        cost = math.fsum([*sorted(box.cost for box in published), *sorted(charged)])
        if not self.welcomes(cost):
            return False
        better = not self.found or cost < self.cost - self._slack
        if better:
            self.cost = cost
            self._releases.clear()
            self._beyond.clear()
        groups = frozenset(box.cells for box in published)
        if better or len(self._releases) < max(1, self._list_at_most):
            self._releases.setdefault(groups, published)
        elif groups not in self._releases:
            self._beyond.add(groups)
        return better

    def partitions(self) -> list[Partition]:
        """The releases in canonical order (by their blocks' regions)."""
        listed = [tuple(sorted(boxes, key=lambda box: _sort_key(box.block))) for boxes in self._releases.values()]
        listed.sort(key=lambda boxes: [_sort_key(box.block) for box in boxes])
        return [_partition(boxes, self._judge.problem.cells.cell_count) for boxes in listed]


def _sort_key(block: Block) -> tuple[tuple[int, int], ...]:
    return tuple(region.sort_key() for region in block)


def _partition(boxes: tuple[JudgedBox, ...], cell_count: int) -> Partition:
    block_of_cell = np.full(cell_count, -1, dtype=np.int64)
    for position, box in enumerate(boxes):
        block_of_cell[members(box.cells)] = position
    return Partition(tuple(box.block for box in boxes), block_of_cell)


def leaves_of_seed(judge: Judge, seed: Partition) -> list[JudgedBox] | None:
    """The seed as judged boxes, or None where it is no partition that the search could find.

    It must be hierarchical for these splits and meet the constraints; its suppressed cells, each taken by itself, must stay
    within the limit. By THEORY 3.1 any cut may be taken first, so the test needs no search.
    """
    groups = _groups(seed)
    index = judge.boxes.index
    alone = [index.smallest_block(1 << cell) for cell, block in enumerate(seed.block_of_cell.tolist()) if block < 0]
    blocks = [index.smallest_block(cells) for cells in groups]
    if judge.lengths_limited:
        blocks = list(seed.blocks)
        if [index.in_block(block) for block in blocks] != groups:
            return None
    if not _hierarchical(judge.boxes.split_set, [*blocks, *alone]):
        return None
    boxes = [judge.boxes.box(block) for block in (*blocks, *alone)]
    judge.judge(boxes)
    violating = any(box.suppressed for box in boxes[: len(blocks)])
    return None if violating or sum(box.suppressed for box in boxes) > judge.problem.suppression_limit else boxes


def _groups(seed: Partition) -> list[int]:
    groups = [0] * len(seed.blocks)
    for cell, position in enumerate(seed.block_of_cell.tolist()):
        if position >= 0:
            groups[position] |= 1 << cell
    return groups


def _hierarchical(split_set: SplitSet, blocks: list[Block]) -> bool:
    """Whether splits that cross no block take the blocks apart."""
    if len(blocks) == 1:
        return True
    for position, attribute in enumerate(split_set.space.attributes):
        around = attribute.tight(code for block in blocks for code in block[position].codes())
        for split, parts in split_set.divisions(position, around):
            if not any(split_set.crossing(position, block[position]) >> split & 1 for block in blocks):
                shares = [[b for b in blocks if part.contains(next(b[position].codes()))] for part in parts]
                return all(_hierarchical(split_set, share) for share in shares if share)
    return False
