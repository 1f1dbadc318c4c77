"""Compiled: rows by leaf value of both sides of a split, carried from one side to the other as a sweep goes on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gensearch_db.compilation import compiled
from gensearch_db.search.state import Kernel


@compiled
def occurring_leaves(kernel: Kernel) -> NDArray[np.int64]:
    """The leaf values of all attributes that occur in the block evaluated last; none where the cost reads no marginals."""
    space, context, rows = kernel.space, kernel.context, kernel.sums.rows
    leaves = np.empty(space.leaf_starts[len(space.kinds)] if kernel.guide.reads_marginals == 1 else 0, np.int64)
    count = 0
    for a in range(len(space.kinds) if len(leaves) > 0 else 0):
        for leaf in range(space.leaf_starts[a] + context.lower[a], space.leaf_starts[a] + context.upper[a]):
            if rows[leaf] > 0:
                leaves[count] = leaf
                count += 1
    return leaves[:count]


@compiled
def contingency(
    kernel: Kernel, start: int, end: int, j: int, lower: int, part_of: NDArray[np.int64], count: int, leaves: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The rows of each part of attribute j by leaf value of all attributes: what its sweeps move from one side to the other."""
    codes, cell_rows, order, leaf_starts = kernel.cells.codes, kernel.cells.rows, kernel.order, kernel.space.leaf_starts
    attributes = codes.shape[1]
    table = np.zeros((count if len(leaves) > 0 else 0, leaf_starts[attributes]), np.int64)
    kernel.counters.effort[0] += (end - start) * attributes if len(leaves) > 0 else 0
    for i in range(start, end if len(leaves) > 0 else start):
        cell = order[i]
        part = part_of[codes[cell, j] - lower]
        for a in range(attributes):
            table[part, leaf_starts[a] + codes[cell, a]] += cell_rows[cell]
    return table


@compiled
def all_right(kernel: Kernel) -> None:
    """Put the marginals of all cells on the right side."""
    space, context = kernel.space, kernel.context
    for a in range(len(space.kinds)):
        first, last = space.leaf_starts[a] + context.lower[a], space.leaf_starts[a] + context.upper[a]
        kernel.left.marginals[first:last] = 0
        kernel.right.marginals[first:last] = kernel.sums.rows[first:last]


@compiled
def move_part(kernel: Kernel, part: NDArray[np.int64], leaves: NDArray[np.int64]) -> None:
    """Move a part's marginals from the right side to the left."""
    left, right = kernel.left.marginals, kernel.right.marginals
    for leaf in leaves:
        left[leaf] += part[leaf]
        right[leaf] -= part[leaf]
