"""Compiled: what one side of a split is worth, and the stack of splits still to try."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gensearch_db.compilation import compiled
from gensearch_db.cost.kernel import block_cost
from gensearch_db.search.block_kernel import fill_regions
from gensearch_db.search.bounds import SQUARES, bound_from_sums, most_groups
from gensearch_db.search.memory import FREE, slot_of
from gensearch_db.search.state import BOUNDS, Candidates, Kernel

SIDE_EFFORT = 32
"""What it takes to judge one side of a split, in values of cells read."""


@compiled
def side_worth(
    kernel: Kernel, rows: int, features: NDArray[np.float64], words: NDArray[np.uint64], limit: float
) -> tuple[float, bool]:
    """The lower bound of one side of a split, and whether it is the side's optimum; or the side's own cost."""
    kernel.counters.effort[0] += SIDE_EFFORT
    bound = bound_from_sums(kernel.bounds, rows, features)
    if bound >= limit:
        return bound, False
    if kernel.candidates.worth[0] != BOUNDS:
        return side_cost(kernel, rows, features, words), False
    if is_single_group(kernel, rows, features):
        return side_cost(kernel, rows, features, words), True
    memory = kernel.memory
    slot = slot_of(memory, words)
    if memory.tag[slot] != FREE:
        return max(bound, memory.lower[slot]), memory.lower[slot] >= memory.upper[slot]
    return bound, False


@compiled
def is_single_group(kernel: Kernel, rows: int, features: NDArray[np.float64]) -> bool:
    """Whether the only feasible partition of a block is the block itself, at the cost that :func:`side_cost` tells."""
    return kernel.bounds.single_groups == 1 and most_groups(kernel.bounds.minimum_rows, rows, features) == 1


@compiled
def side_cost(kernel: Kernel, rows: int, features: NDArray[np.float64], words: NDArray[np.uint64]) -> float:
    """What one side costs as a block, as far as its regions and size tell."""
    cost = 0.0
    if len(kernel.guide.costs.kinds) > 0:
        fill_regions(kernel.space, words, kernel.left)
        cost = block_cost(kernel.guide.costs, rows, rows, features[SQUARES], kernel.left)
    return cost + kernel.bounds.squares_weight * float(rows) * float(rows)


@compiled
def push(candidates: Candidates, j: int, position: int, bound: float, exact: bool) -> None:
    """Put a split on the stack, or keep it as the best if all its parts are known exactly."""
    if bound == np.inf:
        return
    if exact:
        if bound < candidates.best[0]:
            candidates.best[0] = bound
            candidates.best_split[0] = j
            candidates.best_split[1] = position
        return
    top = candidates.top[0]
    candidates.attribute[top] = j
    candidates.position[top] = position
    candidates.bound[top] = bound
    candidates.top[0] = top + 1


@compiled
def pop_best(candidates: Candidates, first: int) -> tuple[int, int]:
    """Take the split with the least bound off the stack, among those from ``first`` on. Its attribute and position."""
    last = candidates.top[0] - 1
    pick = first
    for i in range(first + 1, last + 1):
        if candidates.bound[i] < candidates.bound[pick]:
            pick = i
    j, position = candidates.attribute[pick], candidates.position[pick]
    candidates.attribute[pick] = candidates.attribute[last]
    candidates.position[pick] = candidates.position[last]
    candidates.bound[pick] = candidates.bound[last]
    candidates.top[0] = last
    return j, position
