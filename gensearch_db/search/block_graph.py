"""The default strategy: the AND/OR graph of blocks, searched by the compiled kernel, anytime and with a certificate."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from gensearch_db.search.mondrian import Slice, median_slices, steepest_slices
from gensearch_db.search.monitor import Monitor
from gensearch_db.search.result import Partition, Progress, SearchProblem, SearchResult, Status, StoppingRule
from gensearch_db.search.worker import Switches, Worker


def block_graph_search(
    problem: SearchProblem,
    stopping: StoppingRule,
    progress: Progress,
    options: Mapping[str, Any],
    seed_partition: Partition | None = None,
) -> SearchResult:
    """Find the optimal partition, or the best within the stopping rule together with a lower bound."""
    search = BlockGraphSearch(problem, stopping, progress, options)
    try:
        status = search.run(seed_partition)
    except KeyboardInterrupt:
        status = Status.INTERRUPTED
    return search.result(status)


class BlockGraphSearch:
    """One run: the worker, the best partition so far, the monitor."""

    def __init__(self, problem: SearchProblem, stopping: StoppingRule, progress: Progress, options: Mapping[str, Any]) -> None:
        self.problem = problem
        self.worker = Worker(problem, Switches.from_options(options), stopping.memory_limit)
        self.monitor = Monitor(stopping, progress, self.counters)
        self.best: Partition | None = None
        self.notes: list[str] = []

    def counters(self) -> dict[str, int | float]:
        """Blocks looked at, blocks remembered, entries forgotten for lack of memory."""
        return {
            "blocks_visited": self.worker.visited,
            "blocks_remembered": int(self.worker.kernel.memory.entries[0]),
            "blocks_forgotten": self.worker.forgotten,
        }

    def run(self, seed_partition: Partition | None) -> Status:
        """Search until proven or stopped."""
        worker, monitor = self.worker, self.monitor
        whole: Slice = (0, worker.cell_count, worker.root_words)
        _, _, feasible, _ = worker.evaluate(*whole)
        if feasible:
            self._offer(*steepest_slices(worker, whole))
            self._offer(*median_slices(worker, whole))
        elif worker.kernel.monotone:
            monitor.improved(lower_bound=math.inf)
            return Status.INFEASIBLE
        if seed_partition is not None:
            self._seed(seed_partition)
        worker.ask(*whole, monitor.cost)
        while not worker.work(monitor.next_look(worker.visited)):
            verdict = monitor.verdict(worker.visited)
            if verdict is not None:
                return verdict
        lower, cost = worker.answer
        if cost < monitor.cost:
            self.best = worker.partition(worker.slices(*whole))
            monitor.improved(cost=cost)
        if self.best is None:
            return Status.INFEASIBLE
        monitor.improved(lower_bound=lower)
        return Status.OPTIMAL

    def _offer(self, slices: list[Slice], cost: float) -> None:
        if cost < self.monitor.cost:
            self.best = self.worker.partition(slices)
            self.monitor.improved(cost=cost)

    def _seed(self, partition: Partition) -> None:
        """Start from a given partition if it is feasible; say so if it is not."""
        order = np.argsort(partition.block_of_cell, kind="stable")
        self.worker.kernel.order[:] = order
        if (partition.block_of_cell < 0).any():
            self.notes.append("The seed release suppresses rows, so it was not used as a start.")
            return
        ends = np.cumsum(np.bincount(partition.block_of_cell, minlength=len(partition.blocks)))
        total, start = 0.0, 0
        for end in ends:
            words = self.worker.words_of(start, int(end))
            _, _, feasible, cost = self.worker.evaluate(start, int(end), words)
            if not feasible:
                self.notes.append("The seed release violates the constraints, so it was not used as a start.")
                return
            total += cost
            start = int(end)
        if total < self.monitor.cost:
            self.best = partition
            self.monitor.improved(cost=total)

    def result(self, status: Status) -> SearchResult:
        """What is known now."""
        monitor = self.monitor
        return SearchResult(
            status,
            self.best,
            monitor.cost,
            math.inf if status is Status.INFEASIBLE else monitor.lower_bound,
            self.counters(),
            tuple(monitor.history),
            (*self.notes, *self.worker.notes()),
        )
