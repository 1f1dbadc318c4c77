"""Blurred spaces: a lower bound from all boxes of the frequent values of ordered attributes (``blurred_boxes.py``).

Where the values of an attribute are many, most of them have few rows. A space that leaves it open on which side of a cut
those are has so few boxes that all of them can be bounded, and yet no partition of the real space costs less than its
optimum. What it finds, no price per cell can tell: how boxes fit together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gensearch_db.search.blurred_boxes import DEAR, BlurredTable, bound_slabs, number_slabs, start_over
from gensearch_db.search.slabs import lay_slabs
from gensearch_db.search.structures import structure
from gensearch_db.search.worker import Worker

BYTES_PER_BOX, BYTES_PER_SUM, BYTES_PER_SLAB = 2, 16, 4
BOXES_AT_ONCE = 500_000
"""Between two looks at the clock."""
FIRST_BOXES, GROWTH, LEAST_GROWTH = 1e8, 10.0, 1.5
"""Of the spaces one after another."""
MOST_SUMS = 50_000_000
"""Of rows, cumulated over the units of all attributes: some seconds without a look at the clock."""
LEAST_SHARP = 0.5
"""Of the rows, those that have only sharp values: with fewer the bound is that of the prices alone."""


class BlurredSpaces:
    """Lays and bounds blurred spaces of one problem, for a worker that :func:`~coarse_spaces.can_solve` is true of."""

    def __init__(self, worker: Worker) -> None:
        kernel = worker.kernel
        self.worker = worker
        self.lower_bound = 0.0
        self._kept_share, self._most_boxes = 1.0, 0.0
        self._codes, self._rows = kernel.cells.codes, kernel.cells.rows
        self._counts = [int(count) for count in np.diff(kernel.space.leaf_starts)]
        self._rows_of = [np.bincount(self._codes[:, j], self._rows, minlength=count) for j, count in enumerate(self._counts)]
        self._prices = self._rows * np.maximum(self._rows, kernel.bounds.minimum_rows)

    def bound(self, most_boxes: float, room: float, known: float) -> Iterator[None]:
        """Raise ``lower_bound`` to what a space of at most so many boxes tells, if it fits into ``room`` bytes and enough
        rows stay sharp. ``known``: the best known cost, beyond which nothing need be told. Yields after some boxes each time,
        with the effort counted."""
        sharp = self.sharp_values(most_boxes)
        all_sharp = all(len(each) == np.count_nonzero(rows) for each, rows in zip(sharp, self._rows_of, strict=True))
        self._most_boxes = math.inf if all_sharp else most_boxes
        fixed = self._bytes_but_for_boxes(sharp)
        too_large = fixed > room or self._sums(sharp) > MOST_SUMS
        if math.isinf(known) or too_large or self.share_of_sharp_rows(sharp) < LEAST_SHARP:
            return
        with suppress(MemoryError):  # the machine has less than the workers may take
            yield from self._bound(self._table(sharp), room - fixed, known)

    def _bound(self, table: BlurredTable, room: float, known: float) -> Iterator[None]:
        bounds = self.worker.kernel.bounds
        yield from self._in_batches(table, number_slabs, bounds.minimum_rows)
        kept, boxes = int(table.kept_count[0]), int(table.slabs.sizes[0])
        self._kept_share = kept / len(table.kept)
        if BYTES_PER_BOX * kept * boxes > room:
            return
        prices = int(self._prices.sum())
        grain = max(1, math.ceil((known / bounds.squares_weight - prices) / DEAR))
        table = table._replace(least=np.zeros((kept, boxes), np.uint16))
        yield from self._in_batches(table, bound_slabs, bounds.minimum_rows, grain)
        self.lower_bound = max(self.lower_bound, bounds.squares_weight * (prices + grain * int(table.least[-1, -1])))

    def _in_batches(self, table: BlurredTable, step: Callable[..., int], *arguments: int) -> Iterator[None]:
        """Do something with all slabs, some at a time, and count the effort."""
        effort, compiled = self.worker.kernel.counters.effort, structure(table)
        at_once = max(1, BOXES_AT_ONCE // int(table.slabs.sizes[0]))
        start_over(compiled)
        for first in range(0, len(table.kept), at_once):
            effort[0] += step(compiled, first, min(len(table.kept), first + at_once), *arguments)
            yield

    def next_boxes(self, largest: float, room: float) -> float | None:
        """How many boxes the next space may have: more than the last one's, at most so many, and no more than fit into ``room``
        bytes if no greater share of its slabs is kept. None where that is not worth the work."""
        fitting = room / (BYTES_PER_BOX * self._kept_share)
        boxes = min(largest, fitting, GROWTH * self._most_boxes if self._most_boxes else FIRST_BOXES)
        return boxes if boxes >= LEAST_GROWTH * self._most_boxes else None

    def sharp_values(self, most_boxes: float) -> list[list[int]]:
        """The sharp values of each attribute: all, but for those one after another that have the fewest rows for the boxes that
        they add, until few enough boxes are left."""
        sharp = [np.lexsort((np.arange(len(rows)), -rows))[: np.count_nonzero(rows)].tolist() for rows in self._rows_of]
        boxes = math.prod(len(each) * (len(each) + 1) / 2 for each in sharp)
        while boxes > most_boxes:
            growths = [(len(each) + 1) / (len(each) - 1) if len(each) > 1 else 1.0 for each in sharp]
            losses = [
                rows[each[-1]] / math.log(growth) if growth > 1.0 else math.inf
                for rows, each, growth in zip(self._rows_of, sharp, growths, strict=True)
            ]
            j = int(np.argmin(losses))
            if math.isinf(losses[j]):
                break
            sharp[j].pop()
            boxes /= growths[j]
        return [sorted(each) for each in sharp]

    def share_of_sharp_rows(self, sharp: list[list[int]]) -> float:
        """Of all rows, those of which every value is sharp."""
        inside = np.ones(len(self._rows), bool)
        for j, each in enumerate(sharp):
            inside &= np.isin(self._codes[:, j], each)
        return float(self._rows[inside].sum() / self._rows.sum())

    def _bytes_but_for_boxes(self, sharp: list[list[int]]) -> float:
        """What a space takes, but for what is told of its boxes."""
        widest = max(map(len, sharp))
        slabs = math.prod(len(each) * (len(each) + 1) / 2 for each in sharp) / (widest * (widest + 1) / 2)
        return BYTES_PER_SUM * self._sums(sharp) * (1 + 1 / 2) + BYTES_PER_SLAB * slabs

    def _sums(self, sharp: list[list[int]]) -> int:
        return math.prod(int(self._units(j, each)[-1]) + 2 for j, each in enumerate(sharp))

    def _units(self, j: int, sharp: list[int]) -> NDArray[np.int64]:
        """The unit of each leaf value of an attribute."""
        is_sharp = np.isin(np.arange(self._counts[j]), sharp)
        begins = is_sharp | np.concatenate([[False], is_sharp[:-1]])
        return np.cumsum(begins, dtype=np.int64) - int(begins[0])

    def _table(self, sharp: list[list[int]]) -> BlurredTable:
        """The table of a blurred space, with its rows counted and nothing bounded."""
        slabs = lay_slabs([len(each) for each in sharp])
        places, most = slabs.lower.shape
        first, last, outer_first, outer_last = (np.zeros((places, most), np.int64) for _ in range(4))
        units, unit_counts = [], []
        for p, j in enumerate(slabs.attributes):
            unit_of = self._units(j, sharp[j])
            units.append(unit_of[self._codes[:, j]])
            unit_counts.append(int(unit_of[-1]) + 1)
            of_sharp = unit_of[sharp[j]]
            before, after = np.append(-1, of_sharp) + 1, np.append(of_sharp, unit_counts[-1])
            count = slabs.sizes[p]
            lower, upper = slabs.lower[p, :count], slabs.upper[p, :count]
            first[p, :count], last[p, :count] = of_sharp[lower], of_sharp[upper - 1] + 1
            outer_first[p, :count], outer_last[p, :count] = before[lower], after[upper]
        shape = tuple(count + 1 for count in reversed(unit_counts))
        cells = tuple(each + 1 for each in reversed(units))
        widths = np.cumprod([1, *reversed(shape)], dtype=np.int64)
        starts = np.concatenate([[0, 0], np.cumsum(widths[1:])]).astype(np.int64)
        return BlurredTable(
            slabs,
            first,
            last,
            outer_first,
            outer_last,
            starts=starts,
            widths=widths,
            sure_rows=_with_levels(shape, cells, self._rows, int(starts[-2]), np.int32),
            outer_rows=_with_levels(shape, cells, self._rows, int(starts[-2]), np.int32),
            sure_prices=_with_levels(shape, cells, self._prices, int(starts[-2]), np.int64),
            digits=np.zeros(places, np.int64),
            changed=np.zeros(1, np.int64),
            kept=np.zeros(int(slabs.strides[-1]), np.int32),
            kept_count=np.zeros(1, np.int64),
            least=np.zeros((0, 0), np.uint16),
        )


def _with_levels(
    shape: tuple[int, ...],
    units: tuple[NDArray[np.int64], ...],
    values: NDArray[np.int64],
    room: int,
    kind: type[np.integer[Any]],
) -> NDArray[Any]:
    """Room for the levels above, and the values of all cells, cumulated over the units of each place."""
    sums = np.zeros(room + math.prod(shape), kind)
    table = sums[room:].reshape(shape)
    np.add.at(table, units, values.astype(kind))
    for axis in range(len(shape)):
        np.cumsum(table, axis=axis, dtype=kind, out=table)
    return sums
