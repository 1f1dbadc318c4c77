"""Lower bounds of a block's optimum that follow from sums over its cells. THEORY 2.2, 2.3, 2.5.

Every cell carries *features* that add up over the cells of a block, hence over each side of every split at once: how many of
them are big (at least ``minimum_rows`` rows), the rows of the big ones, and two *prices*: numbers whose sum over the
cells of any feasible block is at most the block's cost. The price of squared sizes is ``minimum_rows`` for each row, and what
goes beyond is the feature.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gensearch_db.compilation import compiled

SQUARES, BIG_CELLS, BIG_ROWS, EXCESS_SQUARES, PRICE_REST = 0, 1, 2, 3, 4
LAST_PLAIN_FEATURE = 5
"""Feature columns from here on only serve to put the values of large sets in order (see :func:`order_features`)."""


class BoundArrays(NamedTuple):
    """What the bounds need beside the features: the least rows of a feasible block, the weight of the squared sizes in the
    cost, whether all costs are integers, and which bounds are switched on. ``single_groups``: 1 if a block that is too small
    to be divided is known to be feasible, at a cost that its regions and its size tell.
    """

    minimum_rows: int
    squares_weight: float
    integral: int
    balanced: int
    water_fill: int
    single_groups: int


def cell_features(
    rows: NDArray[np.int64],
    minimum_rows: int,
    needed: NDArray[np.int64],
    squares_weight: float,
    cost_reads_squares: bool,
) -> NDArray[np.float64]:
    """The features of each cell. ``needed``: the least rows of a feasible block that holds the cell. The price of every
    summand but the squared sizes is left at 0. Most cells of most problems have none at all, which saves time."""
    features = np.zeros((len(rows), LAST_PLAIN_FEATURE))
    big = rows >= minimum_rows
    features[:, BIG_CELLS] = big
    features[:, BIG_ROWS] = np.where(big, rows, 0)
    features[:, EXCESS_SQUARES] = rows * (np.maximum(rows, needed) - minimum_rows) if squares_weight else 0.0
    features[:, SQUARES] = rows.astype(np.float64) ** 2 if cost_reads_squares else 0.0
    return features


def order_features(codes: NDArray[np.int32], rows: NDArray[np.int64], ordered: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Two columns whose mean tells what the rows of a value are like: the code of the first ordered attribute (else the first
    attribute's frequency rank), and the frequency rank of the attribute with the most values."""

    def ranks(j: int) -> NDArray[np.int64]:
        """For each cell how frequent its value of attribute j is: 0 for the most frequent."""
        frequency = np.bincount(codes[:, j], weights=rows)
        rank = np.empty(len(frequency), np.int64)
        rank[np.argsort(-frequency, kind="stable")] = np.arange(len(frequency))
        return rank[codes[:, j]]

    first = codes[:, int(np.argmax(ordered))] if ordered.any() else ranks(0)
    widest = int(np.argmax([len(np.unique(codes[:, j])) * (not ordered[j]) for j in range(codes.shape[1])]))
    return np.stack([rows * first, rows * ranks(widest)], axis=1).astype(np.float64)


@compiled
def balanced_squares(rows: int, groups: int) -> float:
    """The least sum of squares of ``groups`` sizes that add up to ``rows``."""
    quotient = rows // groups
    remainder = rows - quotient * groups
    return float(remainder) * (quotient + 1.0) ** 2 + float(groups - remainder) * float(quotient) * float(quotient)


@compiled
def most_groups(minimum_rows: int, rows: int, features: NDArray[np.float64]) -> int:
    """No feasible partition of a block with these rows and features has more blocks: H + floor(s / minimum_rows), H = big
    cells, s = rows of the small ones (THEORY 2.2, item 3). At least 1."""
    small = rows - int(features[BIG_ROWS])
    return max(1, min(rows // minimum_rows, int(features[BIG_CELLS]) + small // minimum_rows))


@compiled
def bound_from_sums(bounds: BoundArrays, rows: int, features: NDArray[np.float64]) -> float:
    """A lower bound of the optimum of a block with these rows and features; infinite where no feasible partition exists."""
    if rows < bounds.minimum_rows:
        return np.inf
    squares = 0.0
    if bounds.squares_weight > 0.0:
        squares = float(bounds.minimum_rows) * rows + features[EXCESS_SQUARES]
        if bounds.balanced == 1:
            squares = max(squares, balanced_squares(rows, most_groups(bounds.minimum_rows, rows, features)))
    bound = bounds.squares_weight * squares + features[PRICE_REST]
    return np.ceil(bound - 1e-6) if bounds.integral == 1 else bound


@compiled
def water_fill(rows: NDArray[np.int64], order: NDArray[np.int64], start: int, end: int, minimum_rows: int) -> float:
    """Bound C of THEORY 2.3: the big cells and floor(s / minimum_rows) empty bins are filled up level with the s small rows."""
    small = 0
    smallest_big = np.int64(9223372036854775807)
    for position in range(start, end):
        count = rows[order[position]]
        if count < minimum_rows:
            small += count
        else:
            smallest_big = min(smallest_big, count)
    bins = small // minimum_rows
    level = small // bins if bins > 0 else smallest_big + small
    while True:
        filled = small
        members = bins
        outside = 0.0
        for position in range(start, end):
            count = rows[order[position]]
            if count < minimum_rows:
                continue
            if count <= level:
                filled += count
                members += 1
            else:
                outside += float(count) * float(count)
        if members == 0:
            return np.inf
        if filled // members == level:
            return outside + balanced_squares(filled, members)
        level = filled // members
