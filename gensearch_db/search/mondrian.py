"""Mondrian: LeFevre's greedy baselines on the same split set and constraints as the exact search.

``mondrian`` halves the block at the median of its widest attribute (LeFevre, DeWitt, Ramakrishnan 2006); a taxonomy node is
split into all its children. ``mondrian_steepest`` takes the split that lowers the cost most (the paper's variant). Neither
ever suppresses a row.
"""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from gensearch_db.errors import InfeasibleError
from gensearch_db.search.arrays import ORDERED, TAXONOMY
from gensearch_db.search.block_kernel import code_range, lowest_cover
from gensearch_db.search.candidates import set_parts
from gensearch_db.search.greedy import parts_hold, steepest
from gensearch_db.search.result import Moment, SearchProblem, SearchResult, Status
from gensearch_db.search.solver import divide, quick_bound
from gensearch_db.search.worker import Slice, Worker


def mondrian_search(problem: SearchProblem, by_cost: bool) -> SearchResult:
    """Run one of the baselines. Status HEURISTIC, or INFEASIBLE where the whole table as one block violates a constraint.

    Raises :class:`InfeasibleError` where that proves nothing, because suppressing rows is allowed or constraints that are not
    monotone might be met by splitting. With suppression allowed no lower bound is known, and a note says that none took place.
    """
    started = time.monotonic()
    worker = Worker(problem)
    rows, _, feasible, cost = worker.evaluate(0, worker.cell_count, worker.root_words)
    bound = float(quick_bound(worker.compiled, rows))
    if not feasible and (problem.suppression_limit or not worker.kernel.monotone):
        raise InfeasibleError(
            "Mondrian starts from the whole table as one block, which violates a constraint, and never suppresses rows;"
            " that does not say that there is no release: use strategy block_graph or enumeration"
        )
    if not feasible:
        return SearchResult(Status.INFEASIBLE, None, float("inf"), float("inf"))
    notes = worker.notes()
    if problem.suppression_limit:
        bound = 0.0
        notes = (*notes, "Mondrian never suppresses rows: what suppress_at_most allows was not used.")
    whole = (0, worker.cell_count, worker.root_words)
    slices, cost = steepest_slices(worker, whole) if by_cost else median_slices(worker, whole)
    moment = Moment(time.monotonic() - started, cost, bound)
    return SearchResult(Status.HEURISTIC, worker.partition(slices), cost, bound, {"blocks": len(slices)}, (moment,), notes)


def steepest_slices(worker: Worker, whole: Slice) -> tuple[list[Slice], float]:
    """The steepest-decrease partition of a feasible block as slices with their words, and its cost."""
    start, end, words = whole
    size = end - start
    ends, block_words = np.zeros(size, np.int64), np.zeros((size, len(words)), np.uint64)
    pending_ends, pending_words = np.zeros(size + 1, np.int64), np.zeros((size + 1, len(words)), np.uint64)
    count, cost = steepest(
        worker.compiled, start, end, words, worker.most_parts, ends, block_words, pending_ends, pending_words
    )
    starts = [start, *ends[: count - 1]]
    return [(int(starts[i]), int(ends[i]), block_words[i].copy()) for i in range(count)], float(cost)


def median_slices(worker: Worker, whole: Slice) -> tuple[list[Slice], float]:
    """Median splits on the widest attribute as slices with their words, and their cost together."""
    done: list[Slice] = []
    pending = [whole]
    total = 0.0
    while pending:
        start, end, words = pending.pop()
        _, _, _, cost = worker.evaluate(start, end, words)
        parts = _median_parts(worker, start, end, words)
        if parts:
            pending.extend(reversed(parts))
        else:
            done.append((start, end, words))
            total += cost
    return done, total


def _median_parts(worker: Worker, start: int, end: int, words: NDArray[np.uint64]) -> list[Slice]:
    """The parts of the first allowed split, attributes tried from the widest (in shares of its domain) to the narrowest."""
    kernel = worker.kernel
    widths = kernel.context.lengths / np.maximum(kernel.space.whole_lengths, 1e-300)
    marginals = kernel.sums.rows.copy()
    boundaries = np.zeros(worker.most_parts + 2, np.int64)
    part_words = np.zeros((worker.most_parts, len(words)), np.uint64)
    for j in np.argsort(-widths, kind="stable"):
        position = _median_position(worker, int(j), words, marginals)
        if position is None:
            continue
        parts = divide(worker.compiled, start, end, int(j), position, boundaries)
        if parts_hold(worker.compiled, words, int(j), position, parts, boundaries, part_words)[0]:
            return [
                (int(boundaries[part]), int(boundaries[part + 1]), part_words[part].copy())
                for part in range(parts)
                if boundaries[part] < boundaries[part + 1]
            ]
    return []


def _median_position(worker: Worker, j: int, words: NDArray[np.uint64], marginals: NDArray[np.int64]) -> int | None:
    """Where attribute j is cut: the boundary that divides the rows most evenly, a taxonomy's node, or the set's values taken in
    the order of their frequency up to half of the rows."""
    space = worker.kernel.space
    lower, upper = (int(code) for code in code_range(worker.space, words, j))
    if upper - lower < 2:
        return None
    if space.kinds[j] == TAXONOMY:
        return int(lowest_cover(worker.space, j, lower, upper))
    base = int(space.leaf_starts[j])
    counts = marginals[base + lower : base + upper]
    half = counts.sum() / 2
    if space.kinds[j] == ORDERED:
        return lower + 1 + int(np.argmin(np.abs(np.cumsum(counts)[:-1] - half)))
    return _half_of_set(worker, j, words, lower, counts)


def _half_of_set(worker: Worker, j: int, words: NDArray[np.uint64], lower: int, counts: NDArray[np.int64]) -> int | None:
    masks = np.zeros(64, np.uint64)
    upper = lower + len(counts)
    parts = [int(mask) for mask in masks[: set_parts(worker.space, words, j, lower, upper, masks)]]
    if len(parts) < 2:
        return None
    weight = {
        part: sum(int(counts[code - lower]) for code in range(lower, lower + len(counts)) if part >> code & 1) for part in parts
    }
    chosen, rows = 0, 0
    for part in sorted(parts, key=lambda part: (-weight[part], part))[:-1]:
        chosen |= part
        rows += weight[part]
        if 2 * rows >= counts.sum():
            break
    return chosen
