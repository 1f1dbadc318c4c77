"""Coarse spaces: a few boundaries of ordered attributes, all boxes of which are solved at once (``coarse_boxes.py``).

The optimum over so many boxes is a good tree from its top to blocks of some groups; it is remembered, and what is left is
to solve its subtrees with all boundaries.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gensearch_db.search.arrays import ORDERED
from gensearch_db.search.coarse_boxes import CoarseTable, KnownBoxes, boxes_around, place_cells, solve_slabs
from gensearch_db.search.memory import WHOLE, Tree
from gensearch_db.search.slabs import lay_slabs
from gensearch_db.search.structures import structure
from gensearch_db.search.worker import Slice, Worker

MOST_BOXES, BYTES_PER_BOX = 1_000_000_000, 5
"""As far as they take no more than two thirds of what the worker's memory leaves free, or a third of all that it may take."""
BOXES_PER_GROUP = 2_000_000
"""As many boxes for each least group of a part: more of them take longer than they gain."""
BOXES_AT_ONCE = 500_000
"""Between two looks at the clock."""
LARGE = 1 / 8
"""Boundaries are familiar if they divide blocks of more than this share of a part's rows; what is known of smaller blocks is
entered, so that the boundaries inside them need not be there."""
SPREAD = 0.25
"""Of the logarithms of the random worth of boundaries."""


def can_solve(worker: Worker) -> bool:
    """Whether squared sizes are all of the cost, least rows all of the constraints, and every attribute is ordered."""
    kernel = worker.kernel
    plain = kernel.costs.suppression_price == 0.0 and kernel.space.tightening == 1 and kernel.guide.sizes_decide == 1
    return worker.only_squares and plain and bool((kernel.space.kinds == ORDERED).all())


class CoarseSpaces:
    """Lays and solves coarse spaces for one worker. ``number``: which one of its team it is, so that each draws others."""

    def __init__(self, worker: Worker, number: int) -> None:
        self.worker = worker
        self._cap = MOST_BOXES
        self._random = np.random.default_rng(number)
        self._spread = SPREAD * min(number, 1)

    @property
    def most_boxes(self) -> int:
        """How many boxes there is room for now."""
        room = max(self.worker.megabytes * 2**20 // 3, 2 * self.worker.spare_bytes // 3)
        return min(self._cap, room // BYTES_PER_BOX)

    def solve(self, part: Slice, most_boxes: int, familiar: float) -> Iterator[None]:
        """Find the best tree of a part over a coarse space of at most so many boxes, and over what is known of the part, and
        remember it. ``familiar``: how much more a boundary of the best tree known is worth than another one. Yields after some
        boxes each time, with the effort counted; the worker's order must be as it was then."""
        worker, (start, end, words) = self.worker, part
        bounds, counters = worker.kernel.bounds, worker.kernel.counters
        tree = worker.tree(part)
        boundaries, table = self._table_within(part, tree, most_boxes, familiar)
        self._spread = SPREAD
        compiled, known = structure(table), self._known_boxes(table, tree)
        place_cells(worker.compiled, compiled, start, end)
        slabs, boxes = table.optimum.shape
        at_once = max(1, BOXES_AT_ONCE // boxes)
        for first in range(0, slabs, at_once):
            counters.effort[0] += solve_slabs(compiled, known, first, min(slabs, first + at_once), bounds.minimum_rows)
            yield
        if bounds.squares_weight * table.optimum[-1, -1] < worker.known(words)[1]:
            self._remember(table, boundaries, part)

    def _table_within(self, part: Slice, tree: Tree, most_boxes: int, familiar: float) -> tuple[list[list[int]], CoarseTable]:
        """Boundaries and their table: fewer, from now on, where the machine has less memory than the worker may take."""
        while True:
            boundaries = self._lay(part, tree, min(most_boxes, self._cap), familiar)
            try:
                return boundaries, coarse_table(boundaries)
            except MemoryError:
                self._cap = min(most_boxes, self._cap) // 4

    def _known_boxes(self, table: CoarseTable, tree: Tree) -> Any:
        """What a tree tells of boxes of the table."""
        slabs, ranges = np.zeros(len(tree.rows), np.int64), np.zeros(len(tree.rows), np.int64)
        boxes_around(self.worker.compiled, structure(table), tree.words, slabs, ranges)
        order = np.argsort(slabs, kind="stable")
        squares = tree.costs / self.worker.kernel.bounds.squares_weight
        return structure(KnownBoxes(slabs[order], ranges[order], tree.rows[order], squares[order]))

    def _lay(self, part: Slice, known: Tree, most_boxes: int, familiar: float) -> list[list[int]]:
        """The boundaries of each attribute, its ends included: one after another that which tells most of the rows apart (by
        entropy) for the boxes that it adds, as far as they may be added."""
        kernel = self.worker.kernel
        cells = kernel.order[part[0] : part[1]]
        counts = np.diff(kernel.space.leaf_starts)
        before, worth = [], []
        for j, count in enumerate(counts):
            rows = np.bincount(kernel.cells.codes[cells, j], kernel.cells.rows[cells], minlength=count)
            before.append(np.concatenate([[0.0], np.cumsum(rows)]))
            worth.append(np.exp(self._spread * self._random.standard_normal(count + 1)))
        large = known.rows > LARGE * before[0][-1]
        for j, position in {(int(j), int(position)) for j, position in known.splits[large] if j >= 0}:
            worth[j][position] *= familiar
        laid = [[0, int(count)] for count in counts]
        gains = [worth[j] * entropy_gains(before[j], laid[j]) for j in range(len(counts))]
        boxes = 1.0
        while True:
            growth = [(len(each) + 1) / (len(each) - 1) for each in laid]
            offers = [
                gain.max() / math.log(more) if boxes * more <= most_boxes else 0.0
                for gain, more in zip(gains, growth, strict=True)
            ]
            j = int(np.argmax(offers))
            if offers[j] <= 0.0:
                return laid
            boxes *= growth[j]
            laid[j] = sorted([*laid[j], int(np.argmax(gains[j]))])
            gains[j] = worth[j] * entropy_gains(before[j], laid[j])

    def _remember(self, table: CoarseTable, boundaries: list[list[int]], part: Slice) -> None:
        """Remember the tree that the optimum of the table's last box comes from, down to what was known before."""
        worker = self.worker
        weight, order = worker.kernel.bounds.squares_weight, worker.kernel.order
        found: list[tuple[NDArray[np.uint64], tuple[int, int], float, int]] = []
        slabs, boxes = table.optimum.shape
        waiting = [((slabs - 1, boxes - 1), part[0], part[1])]
        while waiting:
            box, start, end = waiting.pop()
            rows, optimum = rows_of(table, box), int(table.optimum[box])
            split = split_of(table, box)
            if split is None and optimum != rows * rows:
                continue  # told by what was known
            attribute, position = WHOLE, 0
            if split is not None:
                attribute, position = (
                    int(table.slabs.attributes[split.place]),
                    boundaries[table.slabs.attributes[split.place]][split.boundary],
                )
                cells = order[start:end].copy()
                falls = worker.kernel.cells.codes[cells, attribute] < position
                middle = start + int(np.count_nonzero(falls))
                order[start:middle], order[middle:end] = cells[falls], cells[~falls]
                waiting += [(split.left, start, middle), (split.right, middle, end)]
            found.append((worker.words_of(start, end), (attribute, position), weight * optimum, rows))
        words, splits, costs, sizes = zip(*found, strict=True)
        worker.take_in(Tree(np.array(words), np.array(splits, np.int64), np.array(costs), np.array(sizes, np.int64)))


def entropy_gains(before: NDArray[np.float64], laid: list[int]) -> NDArray[np.float64]:
    """For every boundary of an attribute, what it would tell of the rows in the interval that it divides, in nats. ``before``:
    the rows before each boundary; ``laid``: the boundaries so far, in order, both ends included."""
    positions = np.arange(len(before))
    last = np.clip(np.searchsorted(laid, positions, side="right"), 1, len(laid) - 1)
    lower, upper = before[np.array(laid)[last - 1]], before[np.array(laid)[last]]
    left, right = before - lower, upper - before
    divided = (left > 0.0) & (right > 0.0)
    whole = np.where(divided, upper - lower, 1.0)
    left, right = np.where(divided, left, 1.0), np.where(divided, right, 1.0)
    return np.where(divided, -left * np.log(left / whole) - right * np.log(right / whole), 0.0)


def coarse_table(boundaries: list[list[int]]) -> CoarseTable:
    """The table of a coarse space, with nothing in it. ``boundaries``: of each attribute, both ends included."""
    slabs = lay_slabs([len(each) - 1 for each in boundaries])
    placed = [boundaries[j] for j in slabs.attributes]
    interval_of = np.zeros((len(placed), max(each[-1] for each in placed)), np.int64)
    for p, each in enumerate(placed):
        interval_of[p, : each[-1]] = np.repeat(np.arange(len(each) - 1), np.diff(each))
    count = int(slabs.strides[-1])
    before, optimum = np.zeros((count, int(slabs.intervals[0]) + 1), np.int32), np.zeros((count, int(slabs.sizes[0])), np.int32)
    return CoarseTable(slabs, interval_of, before, optimum)


Box = tuple[int, int]
"""Slab, and range of the first place."""


class Split(NamedTuple):
    """A split of a box: place and boundary (its number), and the boxes of both sides."""

    place: int
    boundary: int
    left: Box
    right: Box


def rows_of(table: CoarseTable, box: Box) -> int:
    """The rows of a box."""
    slab, which = box
    return int(table.before[slab, table.slabs.upper[0, which]] - table.before[slab, table.slabs.lower[0, which]])


def splits_of(table: CoarseTable, box: Box) -> Iterator[Split]:
    """All splits of a box."""
    slab, which = box
    for p in range(len(table.slabs.sizes)):
        stride = int(table.slabs.strides[p])
        digit = slab // stride % int(table.slabs.sizes[p]) if p else which
        lower, upper = int(table.slabs.lower[p, digit]), int(table.slabs.upper[p, digit])
        for boundary in range(lower + 1, upper):
            sides = (int(table.slabs.number[p, lower, boundary]), int(table.slabs.number[p, boundary, upper]))
            left, right = ((slab + (side - digit) * stride, which if p else side) for side in sides)
            yield Split(p, boundary, left, right)


def split_of(table: CoarseTable, box: Box) -> Split | None:
    """A split with rows on both sides that the optimum of a box comes from; None where the box stays whole or was told."""
    optimum = int(table.optimum[box])
    for split in splits_of(table, box):
        costs = int(table.optimum[split.left]) + int(table.optimum[split.right])
        if costs == optimum and 0 < rows_of(table, split.left) < rows_of(table, box):
            return split
    return None
