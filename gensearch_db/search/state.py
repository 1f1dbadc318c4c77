"""The state of the compiled search: its stack, its counters, and everything it reads, as groups of arrays."""

from __future__ import annotations

import copy
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gensearch_db.cost.kernel import BlockContext, CostArrays
from gensearch_db.privacy.kernel import ConstraintArrays
from gensearch_db.search.arrays import Accumulators, CellArrays, SpaceArrays
from gensearch_db.search.bounds import BoundArrays
from gensearch_db.search.memory import Memory

UNLIMITED = np.iinfo(np.int64).max
BOUNDS, OWN_COSTS = 0, 1
"""What a split is worth: the least it can lead to (exact search), or the costs of its parts as blocks (steepest decrease)."""


class Candidates(NamedTuple):
    """A stack of splits: ``position`` is the boundary of an ordered attribute, the node of a taxonomy, the first part's leaf
    mask of a set. ``bound``: the least that the split can lead to. ``top[0]``: how many lie on the stack.
    ``best`` (cost, then in ``best_split`` attribute and position) is the cheapest split whose parts are all known exactly.
    ``worth[0]``: whether ``bound`` is one (BOUNDS) or an estimate (OWN_COSTS). ``aside[0]``: 1 if the second best split is
    tried before the best, by whoever works beside another that does not.
    """

    worth: NDArray[np.int64]
    aside: NDArray[np.int64]
    attribute: NDArray[np.int64]
    position: NDArray[np.int64]
    bound: NDArray[np.float64]
    top: NDArray[np.int64]
    best: NDArray[np.float64]
    best_split: NDArray[np.int64]


def new_candidates(capacity: int) -> Candidates:
    """An empty stack."""
    return Candidates(
        np.zeros(1, np.int64),
        np.zeros(1, np.int64),
        np.zeros(capacity, np.int64),
        np.zeros(capacity, np.int64),
        np.zeros(capacity),
        np.zeros(1, np.int64),
        np.zeros(1),
        np.zeros(2, np.int64),
    )


class Frames(NamedTuple):
    """The stack, one entry per frame. ``first_candidate`` … ``candidates.top`` are its splits still to try;
    ``first_child`` … its current split's parts in the child arrays. ``rest`` is the least bound of what was cut off;
    ``opened`` counts the splits taken so far.
    """

    phase: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    words: NDArray[np.uint64]
    limit: NDArray[np.float64]
    best: NDArray[np.float64]
    best_attribute: NDArray[np.int64]
    best_position: NDArray[np.int64]
    rest: NDArray[np.float64]
    first_candidate: NDArray[np.int64]
    last_candidate: NDArray[np.int64]
    attribute: NDArray[np.int64]
    position: NDArray[np.int64]
    first_child: NDArray[np.int64]
    child_count: NDArray[np.int64]
    child: NDArray[np.int64]
    visited_before: NDArray[np.int64]
    opened: NDArray[np.int64]


class Children(NamedTuple):
    """The parts of the splits that frames are working on: slices, bounds so far, and whether those are optima."""

    start: NDArray[np.int64]
    end: NDArray[np.int64]
    bound: NDArray[np.float64]
    exact: NDArray[np.bool_]
    words: NDArray[np.uint64]


class Counters(NamedTuple):
    """``depth[0]``: the top frame (-1: none). ``visited``: blocks looked at. ``effort``: what that took, counted in values of
    cells read (a measure of time that no clock disturbs). ``last_block``, ``last_effort``: where to pause.
    ``last_of_question``: the effort at which the question at hand is given up. ``restricted``: 1 if some splits were left out.
    ``answer``: lower bound and best cost of the frame that ended last.
    """

    depth: NDArray[np.int64]
    visited: NDArray[np.int64]
    last_block: NDArray[np.int64]
    effort: NDArray[np.int64]
    last_effort: NDArray[np.int64]
    last_of_question: NDArray[np.int64]
    restricted: NDArray[np.int64]
    answer: NDArray[np.float64]


class Guide(NamedTuple):
    """How greedy searches and rollouts rank splits.

    ``costs``: the summands that follow from regions, sizes and (rollouts only) marginals, squared sizes left out.
    ``tie_weight``: per row and unit of loss, to break ties where squared sizes are all. ``reads_marginals``: 1 if a summand
    does. ``first_ordered``: the first ordered attribute, or -1. ``checks``: how many of the best ranked splits are compared by
    the true cost of their parts (1 where the ranking is that cost). ``sizes_decide``: 1 if a part with enough rows is always
    feasible. ``widths[level]``: how many splits a rollout of that level completes. ``random[0]``: the state of the generator
    that draws orders. ``epoch[0]``: results of earlier
    epochs are not taken for granted. ``halted[0]``: why a rollout unwinds to where the search can be stopped (DONE: it does
    not). ``exact_rows[0]``: rollouts solve blocks of at most so many rows exactly, each with at most ``exact_effort[0]``.
    ``grid_rows[0]``: rollouts divide blocks of more rows at the boundaries of the grid only, each of which they try (0: there
    is no grid); ``grid``: whether the boundary before a leaf value belongs to it.
    """

    costs: CostArrays
    tie_weight: float
    reads_marginals: int
    first_ordered: int
    checks: int
    sizes_decide: int
    widths: NDArray[np.int64]
    random: NDArray[np.uint64]
    epoch: NDArray[np.int64]
    halted: NDArray[np.int64]
    exact_rows: NDArray[np.float64]
    exact_effort: NDArray[np.int64]
    grid: NDArray[np.bool_]
    grid_rows: NDArray[np.int64]


class Kernel(NamedTuple):
    """All that one worker needs. ``context``: the block evaluated last; ``left``, ``right``: the sides of a split of it."""

    space: SpaceArrays
    cells: CellArrays
    constraints: ConstraintArrays
    monotone: int
    costs: CostArrays
    bounds: BoundArrays
    guide: Guide
    context: BlockContext
    left: BlockContext
    right: BlockContext
    sums: Accumulators
    order: NDArray[np.int64]
    spare: NDArray[np.int64]
    memory: Memory
    frames: Frames
    children: Children
    candidates: Candidates
    counters: Counters


CHANGING = (
    *("guide", "context", "left", "right", "sums", "order", "spare"),
    *("memory", "frames", "children", "candidates", "counters"),
)
"""The groups of a kernel that a search writes to."""


def twin(kernel: Kernel) -> Kernel:
    """A kernel that shares what never changes and has the rest to itself: the features too, as each prover finds prices of its
    own. The given one must not have been used yet."""
    own = copy.deepcopy({name: getattr(kernel, name) for name in CHANGING})
    cells = kernel.cells
    return kernel._replace(cells=cells._replace(features=cells.features.copy(), featured=cells.featured.copy()), **own)


def new_frames(capacity: int, word_count: int) -> Frames:
    """A stack with room for ``capacity`` frames."""
    arrays = {
        name: np.zeros(capacity, np.float64 if name in ("limit", "best", "rest") else np.int64)
        for name in Frames._fields
        if name != "words"
    }
    return Frames(words=np.zeros((capacity, word_count), np.uint64), **arrays)


def new_children(capacity: int, word_count: int) -> Children:
    """Room for ``capacity`` parts of splits."""
    return Children(
        np.zeros(capacity, np.int64),
        np.zeros(capacity, np.int64),
        np.zeros(capacity),
        np.zeros(capacity, np.bool_),
        np.zeros((capacity, word_count), np.uint64),
    )


def new_counters() -> Counters:
    """Nothing visited, no frame."""
    return Counters(
        depth=np.full(1, -1, np.int64),
        visited=np.zeros(1, np.int64),
        last_block=np.full(1, UNLIMITED, np.int64),
        effort=np.zeros(1, np.int64),
        last_effort=np.zeros(1, np.int64),
        last_of_question=np.full(1, UNLIMITED, np.int64),
        restricted=np.zeros(1, np.int64),
        answer=np.zeros(2),
    )
