"""Compiled: the rows nearest to a cell, and the box around them, where the search for its cheapest box begins.

How near a row is, the smallest box around it and the cell tells: what that measures, summed over the attributes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gensearch_db.compilation import compiled

BELOW, ABOVE, UP, SIZE = 0, 1, 2, 3
BINS = 1024
"""The nearest rows are found by sorting distances into so many bins."""


class Measures(NamedTuple):
    """``steps``: the kind of each step; ``attributes``: whose it is. Tables of attribute j begin at ``starts[j]`` and have
    ``widths[j]`` squared entries: ``pairs[code, other]`` is the measure of the smallest region with both values; ``ranks`` in
    the same place tells how far up their common node lies. ``set_starts[j] + size``: the least measure of a set of that size.
    """

    steps: NDArray[np.int64]
    attributes: NDArray[np.int64]
    starts: NDArray[np.int64]
    widths: NDArray[np.int64]
    pairs: NDArray[np.float64]
    ranks: NDArray[np.int64]
    set_starts: NDArray[np.int64]
    sets: NDArray[np.float64]


class Near(NamedTuple):
    """Scratch: the cells near the one in question. ``rank[t, i]``: the least option of step t that takes cell i in;
    ``rest[t, i]``: what the attributes after that of step t measure at least, of a box around both. ``lists[t]``: the cells
    that the choices before step t leave, ``lengths[t]`` of them. ``choice[t]``, ``before[t]``: the option of step t and the
    measure of the attributes before its own.
    """

    cells: NDArray[np.int64]
    distance: NDArray[np.float64]
    rank: NDArray[np.int32]
    rest: NDArray[np.float64]
    lists: NDArray[np.int64]
    lengths: NDArray[np.int64]
    choice: NDArray[np.int64]
    before: NDArray[np.float64]


def new_near(steps: int, cells: int) -> Near:
    """Scratch space for so many steps and cells."""
    return Near(
        np.zeros(cells, np.int64),
        np.zeros(cells),
        np.zeros((steps, cells), np.int32),
        np.zeros((steps, cells)),
        np.zeros((steps + 1, cells), np.int64),
        np.zeros(steps + 1, np.int64),
        np.zeros(steps + 1, np.int64),
        np.zeros(steps + 2),
    )


@compiled
def nearest(
    measures: Measures, near: Near, codes: NDArray[np.int64], rows: NDArray[np.int64], needed: int, cell: int
) -> tuple[float, float]:
    """Fill ``near.distance``. How far the farthest of the needed rows, the nearest ones first, is at least and at most."""
    largest = 0.0
    for other in range(len(rows)):
        total = 0.0
        for j in range(codes.shape[1]):
            total += measures.pairs[measures.starts[j] + codes[cell, j] * measures.widths[j] + codes[other, j]]
        near.distance[other] = total
        largest = max(largest, total)
    scale = (BINS - 1) / largest if largest > 0.0 else 0.0
    found = np.zeros(BINS, np.int64)
    for other in range(len(rows)):
        found[int(near.distance[other] * scale)] += rows[other]
    crossing, total_rows = 0, found[0]
    while total_rows < needed and crossing < BINS - 1:
        crossing += 1
        total_rows += found[crossing]
    least, most = np.inf, 0.0
    for other in range(len(rows)):
        if int(near.distance[other] * scale) == crossing:
            least, most = min(least, near.distance[other]), max(most, near.distance[other])
    return least, most


@compiled
def box_of_nearest(measures: Measures, near: Near, codes: NDArray[np.int64], cell: int, reach: float) -> float:
    """The measure of the box around all cells within reach."""
    total = 0.0
    seen = np.zeros(measures.widths.max(), np.bool_)
    for j in range(codes.shape[1]):
        own = codes[cell, j]
        base = measures.starts[j]
        lower, upper, farthest, values = own, own, 0.0, 0
        seen[:] = False
        for other in range(len(near.distance)):
            if near.distance[other] <= reach:
                code = codes[other, j]
                lower, upper = min(lower, code), max(upper, code)
                farthest = max(farthest, measures.pairs[base + own * measures.widths[j] + code])
                if not seen[code]:
                    seen[code] = True
                    values += 1
        kind = kind_of(measures, j)
        if kind == BELOW:
            total += measures.pairs[base + lower * measures.widths[j] + upper]
        elif kind == UP or values == 1:
            total += farthest if kind == UP else measures.pairs[base + own * measures.widths[j] + own]
        else:
            total += measures.sets[measures.set_starts[j] + values]
    return total


@compiled
def kind_of(measures: Measures, j: int) -> int:
    """The kind of an attribute's first step."""
    for t in range(len(measures.steps)):
        if measures.attributes[t] == j:
            return int(measures.steps[t])
    return UP
