"""Compiled: divisions of a set whose sides hold chosen numbers of rows.

Where the cost counts squared sizes, the best partitions waste no rows: every block holds the least number of rows, or hardly
more. A set of values can be divided in so many ways that one of them nearly always hits such a size. Which sizes can be hit is
the classic subset sum problem: one bit per size, shifted and joined once per value.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gensearch_db.compilation import compiled

SIXTY_FOUR, SIX, LOW_SIX = 64, np.uint64(6), np.uint64(63)
ZERO, ONE = np.uint64(0), np.uint64(1)


@compiled
def reachable_sums(part_rows: NDArray[np.int64], total: int) -> NDArray[np.uint64]:
    """Row ``i`` of the answer holds one bit for each sum that some of the first ``i`` parts add up to, up to ``total``."""
    words = total // SIXTY_FOUR + 1
    reachable = np.zeros((len(part_rows) + 1, words), np.uint64)
    reachable[0, 0] = ONE
    for p in range(len(part_rows)):
        before, after = reachable[p], reachable[p + 1]
        whole, rest = part_rows[p] // SIXTY_FOUR, np.uint64(part_rows[p] % SIXTY_FOUR)
        for w in range(words):
            bits = before[w]
            if w >= whole:
                bits |= before[w - whole] << rest
                if rest != ZERO and w > whole:
                    bits |= before[w - whole - 1] >> (np.uint64(SIXTY_FOUR) - rest)
            after[w] = bits
    return reachable


@compiled
def nearest_sum(reachable: NDArray[np.uint64], ideal: int, lowest: int, highest: int) -> int:
    """The sum nearest to ``ideal`` in ``lowest``..``highest`` that all parts together can reach; -1 if there is none."""
    sums = reachable[len(reachable) - 1]
    for distance in range(max(ideal - lowest, highest - ideal) + 1):
        for total in (ideal - distance, ideal + distance):
            if lowest <= total <= highest and (sums[total // SIXTY_FOUR] >> np.uint64(total % SIXTY_FOUR)) & ONE != ZERO:
                return total
    return -1


@compiled
def parts_of_sum(reachable: NDArray[np.uint64], part_rows: NDArray[np.int64], total: int, chosen: NDArray[np.int64]) -> None:
    """Mark in ``chosen`` (1 or 0) parts that add up to a reachable sum; the first parts that do."""
    for p in range(len(part_rows) - 1, -1, -1):
        chosen[p] = 0
        if (reachable[p, total // SIXTY_FOUR] >> np.uint64(total % SIXTY_FOUR)) & ONE == ZERO:
            chosen[p] = 1
            total -= part_rows[p]
