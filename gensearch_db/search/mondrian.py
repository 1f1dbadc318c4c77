"""Mondrian: LeFevre's greedy baselines on the same split set and constraints as the exact search.

``mondrian`` halves the block at the median of its widest attribute (LeFevre, DeWitt, Ramakrishnan 2006); a taxonomy node is
split into all its children. ``mondrian_steepest`` takes the split that lowers the cost most (the paper's variant). Neither
ever suppresses a row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from gensearch_db.errors import InfeasibleError
from gensearch_db.search.block_kernel import quick_bound
from gensearch_db.search.greedy import cut
from gensearch_db.search.monitor import Monitor
from gensearch_db.search.result import Progress, SearchProblem, SearchResult, Status, StoppingRule, never_stop
from gensearch_db.search.worker import Slice, Worker

CELLS_BETWEEN_LOOKS = 500_000
"""Cells that are read between two looks at the clock: some hundredths of a second."""


def mondrian_search(
    problem: SearchProblem, by_cost: bool, stopping: StoppingRule, progress: Progress = never_stop
) -> SearchResult:
    """Run one of the baselines. Status HEURISTIC, or INFEASIBLE where the whole table as one block violates a constraint; where
    the stopping rule ends it sooner, blocks that are not cut yet are released as they are.

    Raises :class:`InfeasibleError` where that proves nothing, because suppressing rows is allowed or constraints that are not
    monotone might be met by splitting. With suppression allowed no lower bound is known, and a note says that none took place.
    """
    monitor = Monitor(replace(stopping, node_limit=None), progress, dict)
    worker = Worker(problem)
    rows, _, feasible, _ = worker.evaluate(0, worker.cell_count, worker.root_words)
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
    slices, cost = greedy_slices(worker, (0, worker.cell_count, worker.root_words), by_cost, lambda: monitor.verdict(0) is None)
    status = monitor.verdict(0) or Status.HEURISTIC
    monitor.improved(cost, bound)
    return SearchResult(status, worker.partition(slices), cost, bound, {"blocks": len(slices)}, tuple(monitor.history), notes)


def greedy_slices(
    worker: Worker, whole: Slice, by_cost: bool, in_time: Callable[[], bool] = lambda: True
) -> tuple[list[Slice], float]:
    """A feasible block cut by steepest decrease (``by_cost``) or at medians: slices with their words, and their cost together.

    ``in_time`` is asked again and again; once it says no, what is not cut yet stays as it is.
    """
    start, end, words = whole
    size = end - start
    ends, block_words = np.zeros(size, np.int64), np.zeros((size, len(words)), np.uint64)
    pending_ends, pending_words = np.zeros(size + 1, np.int64), np.zeros((size + 1, len(words)), np.uint64)
    pending_ends[0], pending_words[0] = end, words
    place, costs = np.array([1, 0, start, -1]), np.zeros(2)
    arrays = (place, costs, ends, block_words, pending_ends, pending_words)
    while place[0] > 0 and in_time():
        cut(worker.compiled, by_cost, CELLS_BETWEEN_LOOKS, worker.most_parts, *arrays)
    worker.kernel.candidates.top[0] = 0
    cost = float(costs[0])
    bounds = [start, *ends[: place[1]].tolist()]
    slices = [(bounds[i], bounds[i + 1], block_words[i]) for i in range(len(bounds) - 1)]
    for i in range(int(place[0]) - 1, -1, -1):
        uncut = (slices[-1][1] if slices else start, int(pending_ends[i]), pending_words[i])
        slices.append(uncut)
        cost += worker.evaluate(*uncut)[3]
    return slices, cost
