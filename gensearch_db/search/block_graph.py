"""The default strategy: the AND/OR graph of blocks, searched anytime and with a certificate.

A team of workers (``team.py``) goes on in rounds: some find better partitions, some raise the lower bound.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from gensearch_db.domain.counting import count_boxes
from gensearch_db.search.box_program import BoxProgram, is_small
from gensearch_db.search.building import Switches
from gensearch_db.search.mondrian import greedy_slices
from gensearch_db.search.monitor import Monitor
from gensearch_db.search.optimal_partitions import OptimalPartitions, StoppedError, TooManyError
from gensearch_db.search.result import Partition, Progress, SearchProblem, SearchResult, Status, StoppingRule
from gensearch_db.search.team import MEMBERS, Team
from gensearch_db.search.worker import Slice

FIRST_ROUND, LONGEST_ROUND, ROUND_GROWTH = 2_000_000, 50_000_000, 1.5
"""Effort (values of cells read) that each worker of the team makes in a round."""
MOST_TABLE_MEGABYTES = 1024
MOST_CELLS_OF_BOTH = 50_000
"""Up to here both greedy baselines are starts. Beyond it medians alone: the first rollout finds more than steepest decrease in
less time (a million rows like Adult's: 1.9 s and 2.9 s)."""
LIMITS = (Status.TIME_LIMIT, Status.NODE_LIMIT)
"""A search that one of these ends, after it had to forget blocks, is said to have reached its memory limit."""
PATIENCE = 0.01
"""Blocks visited, as a share of all boxes, before all boxes of a small space are solved: a box is that much cheaper."""
MOST_COUNTED = 20_000
"""Optimal partitions are listed to be counted; beyond this number the count is given up."""


def block_graph_search(
    problem: SearchProblem,
    stopping: StoppingRule,
    progress: Progress,
    options: Mapping[str, Any],
    threads: int | None = None,
    seed_partition: Partition | None = None,
) -> SearchResult:
    """Find the optimal partition, or the best within the stopping rule together with a lower bound.

    Ctrl-C ends the search as the caller's callback does: with the best release so far, status INTERRUPTED.
    """
    search = BlockGraphSearch(problem, stopping, progress, options, threads)
    try:
        status = search.run(seed_partition)
    except KeyboardInterrupt:
        status = Status.INTERRUPTED
    return search.result(status)


class BlockGraphSearch:
    """One run: the team and the monitor, from the first release to the result."""

    def __init__(
        self,
        problem: SearchProblem,
        stopping: StoppingRule,
        progress: Progress,
        options: Mapping[str, Any],
        threads: int | None = None,
    ) -> None:
        self.problem = problem
        self.monitor = Monitor(stopping, progress, self.counters)
        self.team = Team(problem, Switches.from_options(options), stopping.memory_limit, threads)
        limit = stopping.memory_limit
        table_megabytes = MOST_TABLE_MEGABYTES if limit is None else max(1, min(limit // MEMBERS, MOST_TABLE_MEGABYTES))
        small = bool(options.get("all_boxes", True)) and is_small(problem, table_megabytes)
        self.boxes = count_boxes(problem.space) if small else math.inf
        self.boxes_solved = 0
        self.notes: list[str] = []
        self.list_at_most = int(options.get("list_at_most", 100)) if options.get("all_optimal") else None
        self.optimal_count: int | None = None
        self.alternatives: tuple[Partition, ...] = ()

    def counters(self) -> dict[str, int | float]:
        """Blocks looked at, blocks remembered, entries forgotten for lack of memory."""
        return {
            "blocks_visited": self.visited,
            "blocks_remembered": self.team.remembered,
            "blocks_forgotten": self.team.forgotten,
        }

    @property
    def visited(self) -> int:
        """Blocks looked at by all workers, and boxes solved."""
        return self.team.visited + self.boxes_solved

    def run(self, seed_partition: Partition | None) -> Status:
        """Search until proven or stopped. After ``KeyboardInterrupt``, too, :meth:`result` has what was found."""
        if not self.team.feasible and self.team.prover.worker.kernel.monotone:
            return Status.INFEASIBLE
        self._start(seed_partition)
        status = self._rounds()
        if status is Status.OPTIMAL and self.list_at_most is not None:
            self._list_optimal(self.list_at_most)
        return status

    def _start(self, seed_partition: Partition | None) -> None:
        """From the first moment there is a release: the whole as one block, then what the greedy baselines find in time."""
        improver = self.team.improvers[0]
        worker, order = improver.worker, improver.worker.kernel.order
        if self.team.feasible:
            improver.offer([self.team.whole], worker.cost_of([self.team.whole]), order)
            for by_cost in (False, True) if worker.cell_count <= MOST_CELLS_OF_BOTH else (False,):
                improver.offer(*greedy_slices(worker, self.team.whole, by_cost, self.monitor.in_time), order)
        if seed_partition is not None:
            self._seed(seed_partition)
        self._exchange()

    def _rounds(self) -> Status:
        length = float(FIRST_ROUND)
        while True:
            verdict = self._verdict()
            if verdict is not None:
                return verdict
            if self._time_for_all_boxes():
                verdict = self._solve_all_boxes()
                if verdict is not None:
                    return verdict
                continue
            if self.monitor.stopping.node_limit is not None:
                self.team.visit_at_most(self.monitor.stopping.node_limit - self.visited)
            verdict = self.team.round(length, self._verdict)
            self._exchange()
            if verdict is not None and not self.team.prover.finished:
                return verdict
            length = min(LONGEST_ROUND, length * ROUND_GROWTH)

    def _time_for_all_boxes(self) -> bool:
        limit = self.monitor.stopping.node_limit
        return self.visited >= PATIENCE * self.boxes and (limit is None or self.visited + self.boxes <= limit)

    def _solve_all_boxes(self) -> Status | None:
        """Solve every box of a small space. Returns why the search must stop before the end, if it must."""
        worker = self.team.prover.worker
        worker.abandon()
        program = BoxProgram(worker)
        for _ in program.run():
            self.boxes_solved = program.solved
            verdict = self.monitor.verdict(self.visited)
            if verdict is not None:
                return verdict
        if math.isfinite(program.cost):
            slices = program.slices()
            self.team.improvers[0].offer(slices, worker.cost_of(slices), worker.kernel.order)
        self.team.prover.hear(self.team.improver.cost, program.cost)
        self.monitor.improved(self.team.improver.cost, self.team.prover.lower_bound)
        return None

    def _verdict(self) -> Status | None:
        team = self.team
        if team.prover.finished:
            return Status.OPTIMAL if min(team.improver.cost, team.prover.cost) < math.inf else Status.INFEASIBLE
        return self.monitor.verdict(self.visited)

    def _exchange(self) -> None:
        self.team.exchange(self.monitor.cost, self.monitor.lower_bound)
        self.monitor.improved(self.team.improver.cost, self.team.prover.lower_bound)

    def _memory_notes(self, status: Status) -> tuple[str, ...]:
        forgotten = self.counters()["blocks_forgotten"]
        if not forgotten:
            return ()
        note = f"The memory limit was reached: {forgotten:,} remembered blocks were forgotten, which slows the search down."
        return (note + (f" The search ended with {status.value}." if status in LIMITS else ""),)

    def _list_optimal(self, at_most: int) -> None:
        """Count all optimal partitions and list some of them."""
        worker = self.team.prover.worker
        worker.abandon()
        try:
            groupings = OptimalPartitions(worker, MOST_COUNTED, self._may_go_on).of(self.team.whole)
        except TooManyError:
            self.notes.append(f"There are more than {MOST_COUNTED:,} optimal releases; they were not counted.")
            return
        except StoppedError:
            self.notes.append("The search was over before all optimal releases were listed; they were not counted.")
            return
        self.optimal_count = len(groupings)
        partitions = [worker.partition_of(grouping) for grouping in groupings]
        self.alternatives = tuple(sorted(partitions, key=lambda partition: str(partition.blocks))[:at_most])

    def _may_go_on(self) -> bool:
        """Whether neither time nor the caller ends what goes on after the proof."""
        return not self.monitor.is_stopped() and self.monitor.in_time()

    def _seed(self, partition: Partition) -> None:
        """Start from a given partition if it is feasible; say so if it is not."""
        improver = self.team.improvers[0]
        worker = improver.worker
        if (partition.block_of_cell < 0).any():
            self.notes.append("The seed release suppresses rows, so it was not used as a start.")
            return
        worker.kernel.order[:] = np.argsort(partition.block_of_cell, kind="stable")
        ends = np.cumsum(np.bincount(partition.block_of_cell, minlength=len(partition.blocks)))
        slices: list[Slice] = []
        total, start = 0.0, 0
        for block, end in zip(partition.blocks, ends, strict=True):
            words = worker.words_of_block(block, start, int(end))
            _, _, feasible, cost = worker.evaluate(start, int(end), words)
            if not feasible:
                self.notes.append("The seed release violates the constraints, so it was not used as a start.")
                return
            total += cost
            slices.append((start, int(end), words))
            start = int(end)
        improver.offer(slices, total, worker.kernel.order)

    def result(self, status: Status) -> SearchResult:
        """What is known now."""
        monitor, improver = self.monitor, self.team.improver
        lower_bound = math.inf if status is Status.INFEASIBLE else monitor.lower_bound
        if status is Status.OPTIMAL:
            lower_bound = monitor.cost
        short_of_memory = status in LIMITS and self.counters()["blocks_forgotten"] > 0
        return SearchResult(
            Status.MEMORY_LIMIT if short_of_memory else status,
            improver.partition(),
            monitor.cost,
            lower_bound,
            self.counters(),
            tuple(monitor.history),
            notes=(*self.notes, *self.team.prover.worker.notes(), *self._memory_notes(status)),
            optimal_count=self.optimal_count,
            alternatives=self.alternatives,
        )
