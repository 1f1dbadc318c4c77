"""Compiled: dividing a block's cells by a split, in place, and the words of the parts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gensearch_db.compilation import compiled
from gensearch_db.search.arrays import ORDERED, TAXONOMY, SpaceArrays
from gensearch_db.search.block_kernel import gather
from gensearch_db.search.state import Kernel
from gensearch_db.search.words import ONE, ZERO, attribute_mask, code_range, interval_words, set_words

PART_SHIFT, CELL_BITS = 40, (1 << 40) - 1
"""While cells are sorted, the number of a cell's part stands above the number of the cell."""


@compiled
def part_of(space: SpaceArrays, j: int, position: int, code: int) -> int:
    """Which part of a split a leaf code falls into."""
    if space.kinds[j] == ORDERED:
        return 0 if code < position else 1
    if space.kinds[j] == TAXONOMY:
        return space.child_of[space.child_offsets[position] + code]
    return 0 if (np.uint64(position) >> np.uint64(code)) & ONE != ZERO else 1


@compiled
def divide(kernel: Kernel, start: int, end: int, j: int, position: int, boundaries: NDArray[np.int64]) -> int:
    """Sort a slice by the parts of a split, keeping the order inside each part. Part p becomes
    ``boundaries[p] <= i < boundaries[p + 1]``. Returns the number of parts, empty ones included."""
    space, codes, order, spare = kernel.space, kernel.cells.codes, kernel.order, kernel.spare
    parts = 2 if space.kinds[j] != TAXONOMY else space.node_child_count[position]
    for p in range(parts + 1):
        boundaries[p] = 0
    for i in range(start, end):
        part = part_of(space, j, position, codes[order[i], j])
        spare[i] = part << PART_SHIFT | order[i]
        boundaries[part + 1] += 1
    boundaries[0] = start
    for p in range(parts):
        boundaries[p + 1] += boundaries[p]
    for i in range(start, end):
        part = spare[i] >> PART_SHIFT
        order[boundaries[part]] = spare[i] & CELL_BITS
        boundaries[part] += 1
    for p in range(parts, 0, -1):
        boundaries[p] = boundaries[p - 1]
    boundaries[0] = start
    return parts


@compiled
def gather_part(
    kernel: Kernel,
    parent: NDArray[np.uint64],
    j: int,
    position: int,
    part: int,
    start: int,
    end: int,
    words: NDArray[np.uint64],
) -> None:
    """The words of a non-empty part of a split: those of its cells, or of its region where regions stay untightened."""
    gather(kernel, start, end, words)
    if kernel.space.tightening == 0:
        untightened_words(kernel.space, parent, j, position, part, words)


@compiled
def untightened_words(
    space: SpaceArrays, parent: NDArray[np.uint64], j: int, position: int, part: int, words: NDArray[np.uint64]
) -> None:
    """The words of a part's region as the split makes it."""
    from_code, to_code = code_range(space, parent, j)
    if space.kinds[j] == ORDERED:
        if part == 0:
            to_code = position
        else:
            from_code = position
        interval_words(space, parent, j, from_code, to_code, words)
    elif space.kinds[j] == TAXONOMY:
        child = space.node_first_child[position] + part
        interval_words(space, parent, j, space.node_lower[child], space.node_upper[child], words)
    else:
        mask = np.uint64(position)
        if part == 1:
            mask = attribute_mask(space, parent, j) & ~mask
        set_words(space, parent, j, mask, words)
