"""The default strategy: the AND/OR graph of blocks, searched anytime and with a certificate.

Workers with a memory each take turns in rounds of fixed effort, or run a round side by side on threads: two improvers find
better partitions, the prover raises the lower bound. They hear of each other between rounds only, so the result does not
depend on threads or on the clock, but for where a time limit cuts it off.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

import numpy as np

from gensearch_db.domain.counting import count_boxes
from gensearch_db.search.box_program import BoxProgram, is_small
from gensearch_db.search.building import Switches
from gensearch_db.search.improver import Improver
from gensearch_db.search.mondrian import greedy_slices
from gensearch_db.search.monitor import Monitor
from gensearch_db.search.optimal_partitions import OptimalPartitions, TooManyError
from gensearch_db.search.prover import Prover
from gensearch_db.search.result import Partition, Progress, SearchProblem, SearchResult, Status, StoppingRule
from gensearch_db.search.solver import quick_bound
from gensearch_db.search.worker import Slice, Worker

FIRST_ROUND, LONGEST_ROUND, ROUND_GROWTH = 2_000_000, 50_000_000, 1.5
"""Effort (values of cells read) that each worker makes in a round."""
MOST_TABLE_MEGABYTES = 1024
LEAST_SHARE = 0.25
"""Of a round, for prover or improvers while they make no progress."""
SMALL_GAP = 0.4
"""Up to this gap the first proof may end soon, and is given its full share."""
SECONDS_BETWEEN_LOOKS = 0.1
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
    """Find the optimal partition, or the best within the stopping rule together with a lower bound."""
    search = BlockGraphSearch(problem, stopping, progress, options, threads)
    return search.result(search.run(seed_partition))


class BlockGraphSearch:
    """One run: improver, prover and monitor."""

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
        switches = Switches.from_options(options)
        memory_limit = None if stopping.memory_limit is None else max(1, stopping.memory_limit // 3)
        worker = Worker(problem, switches, memory_limit)
        second = Worker(problem, switches, memory_limit, worker.kernel)
        self.whole: Slice = (0, worker.cell_count, worker.root_words)
        rows, _, self.feasible, cost = worker.evaluate(*self.whole)
        self.whole_cost = cost if self.feasible else math.inf
        self.improvers = (Improver(worker, 0, 2), Improver(second, 1, 2))
        self.prover = Prover(Worker(problem, switches, memory_limit, worker.kernel), float(quick_bound(worker.compiled, rows)))
        self.shares = [1.0, 1.0]
        table_megabytes = MOST_TABLE_MEGABYTES if memory_limit is None else min(memory_limit, MOST_TABLE_MEGABYTES)
        small = bool(options.get("all_boxes", True)) and is_small(problem, table_megabytes)
        self.boxes = count_boxes(problem.space) if small else math.inf
        self.boxes_solved = 0
        self.threads = min(3, threads or os.cpu_count() or 1)
        self.notes: list[str] = []
        self.list_at_most = int(options.get("list_at_most", 100)) if options.get("all_optimal") else None
        self.optimal_count: int | None = None
        self.alternatives: tuple[Partition, ...] = ()

    def counters(self) -> dict[str, int | float]:
        """Blocks looked at, blocks remembered, entries forgotten for lack of memory."""
        return {
            "blocks_visited": self.visited,
            "blocks_remembered": sum(int(worker.kernel.memory.entries[0]) for worker in self.workers),
            "blocks_forgotten": sum(worker.forgotten for worker in self.workers),
        }

    @property
    def visited(self) -> int:
        """Blocks looked at by all workers, and boxes solved."""
        return sum(worker.visited for worker in self.workers) + self.boxes_solved

    @property
    def workers(self) -> tuple[Worker, ...]:
        """Those of the prover and the improvers."""
        return (self.prover.worker, *(improver.worker for improver in self.improvers))

    @property
    def improver(self) -> Improver:
        """The one with the best partition."""
        return min(self.improvers, key=lambda improver: improver.cost)

    def run(self, seed_partition: Partition | None) -> Status:
        """Search until proven or stopped."""
        try:
            if not self.feasible and self.prover.worker.kernel.monotone:
                return Status.INFEASIBLE
            self._start(seed_partition)
            status = self._rounds()
            if status is Status.OPTIMAL and self.list_at_most is not None:
                self._list_optimal(self.list_at_most)
            return status
        except KeyboardInterrupt:
            return Status.INTERRUPTED

    def _start(self, seed_partition: Partition | None) -> None:
        """From the first moment there is a release: the whole as one block, then what the greedy baselines find in time."""
        improver = self.improvers[0]
        worker, order = improver.worker, improver.worker.kernel.order
        if self.feasible:
            improver.offer([self.whole], worker.cost_of([self.whole]), order)
            for by_cost in (False, True) if worker.cell_count <= MOST_CELLS_OF_BOTH else (False,):
                improver.offer(*greedy_slices(worker, self.whole, by_cost, self.monitor.in_time), order)
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
            self._share_blocks()
            verdict = self._round(length)
            self._exchange()
            if verdict is not None and not self.prover.finished:
                return verdict
            length = min(LONGEST_ROUND, length * ROUND_GROWTH)

    def _share_blocks(self) -> None:
        """Under a node limit, each worker may visit its part of the blocks that are left."""
        limit = self.monitor.stopping.node_limit
        if limit is not None:
            for worker in self.workers:
                worker.visit_at_most(max(1, (limit - self.visited + 1) // len(self.workers)))

    def _time_for_all_boxes(self) -> bool:
        limit = self.monitor.stopping.node_limit
        return self.visited >= PATIENCE * self.boxes and (limit is None or self.visited + self.boxes <= limit)

    def _solve_all_boxes(self) -> Status | None:
        """Solve every box of a small space. Returns why the search must stop before the end, if it must."""
        worker = self.prover.worker
        worker.abandon()
        program = BoxProgram(worker)
        for _ in program.run():
            self.boxes_solved = program.solved
            verdict = self.monitor.verdict(self.visited)
            if verdict is not None:
                return verdict
        if math.isfinite(program.cost):
            slices = program.slices()
            self.improvers[0].offer(slices, worker.cost_of(slices), worker.kernel.order)
        self.prover.hear(self.improver.cost, program.cost)
        self.monitor.improved(self.improver.cost, self.prover.lower_bound)
        return None

    def _round(self, effort: float) -> Status | None:
        """Let the workers make their shares of ``effort``. Returns why the search must stop, if it must.

        The second improver has time while the prover has little hope.
        """
        pool = ThreadPoolExecutor(self.threads, thread_name_prefix="gensearch")
        verdict = None
        proving, improving = self.shares
        tasks: list[tuple[Prover | Improver, float]] = [(self.prover, proving), (self.improvers[0], improving)]
        if proving <= LEAST_SHARE:
            tasks.append((self.improvers[1], improving))
        running: set[Future[None]] = {
            pool.submit(task.step, task.worker.effort + max(1, int(effort * share))) for task, share in tasks
        }
        try:
            while running:
                done, running = wait(running, timeout=SECONDS_BETWEEN_LOOKS)
                for future in done:
                    if not future.cancelled():
                        future.result()
                if running and verdict is None:
                    verdict = self._verdict()
                if verdict is not None:
                    self._halt(running)
        finally:
            self._halt(running)
            pool.shutdown(wait=True)
        return verdict

    def _halt(self, running: set[Future[None]]) -> None:
        for future in running:
            future.cancel()
        for worker in self.workers:
            worker.stop()

    def _verdict(self) -> Status | None:
        if self.prover.finished:
            return Status.OPTIMAL if min(self.improver.cost, self.prover.cost) < math.inf else Status.INFEASIBLE
        return self.monitor.verdict(self.visited)

    def _exchange(self) -> None:
        """Between rounds: the prover hears of the best cost; the improvers of each other's trees and of a partition that the
        prover found. Who made progress gets more of the next round, who did not less."""
        prover, monitor, (first, second) = self.prover, self.monitor, self.improvers
        if prover.cost < self.improver.cost:
            first.offer(prover.slices, prover.cost, prover.order)
        first.tell(second)
        second.tell(first)
        cost = self.improver.cost
        moved = (
            self._first_proof_may_end_soon() or prover.lower_bound > monitor.lower_bound,
            self._in_first_rollout() or cost < monitor.cost,
        )
        for i in range(2):
            self.shares[i] = min(1.0, 2 * self.shares[i]) if moved[i] else max(LEAST_SHARE, self.shares[i] / 2)
        if not any(moved):
            self.shares = [2 * share for share in self.shares] if max(self.shares) <= 0.5 else self.shares
        prover.hear(cost, max(first.lower_bound, second.lower_bound))
        monitor.improved(cost, prover.lower_bound)

    def _first_proof_may_end_soon(self) -> bool:
        """The first pass of the prover moves no bound before its end, so the gap tells whether there is hope."""
        gap = 1.0 - self.prover.lower_bound / self.improver.cost if 0.0 < self.improver.cost < math.inf else 0.0
        return self.prover.in_first_pass and self.prover.worker.tries_all_splits and gap <= SMALL_GAP

    def _in_first_rollout(self) -> bool:
        """Whether the improver has not completed anything yet: its first rollout of a large table takes many rounds."""
        return self.improvers[0].worker.known(self.whole[2])[1] >= self.whole_cost

    def _memory_notes(self, status: Status) -> tuple[str, ...]:
        forgotten = self.counters()["blocks_forgotten"]
        if not forgotten:
            return ()
        note = f"The memory limit was reached: {forgotten:,} remembered blocks were forgotten, which slows the search down."
        return (note + (f" The search ended with {status.value}." if status in LIMITS else ""),)

    def _list_optimal(self, at_most: int) -> None:
        """Count all optimal partitions and list some of them."""
        worker = self.prover.worker
        worker.abandon()
        try:
            groupings = OptimalPartitions(worker, MOST_COUNTED).of(self.whole)
        except TooManyError:
            self.notes.append(f"There are more than {MOST_COUNTED:,} optimal releases; they were not counted.")
            return
        self.optimal_count = len(groupings)
        partitions = [worker.partition_of(grouping) for grouping in groupings]
        self.alternatives = tuple(sorted(partitions, key=lambda partition: str(partition.blocks))[:at_most])

    def _seed(self, partition: Partition) -> None:
        """Start from a given partition if it is feasible; say so if it is not."""
        improver = self.improvers[0]
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
        monitor, improver = self.monitor, self.improver
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
            notes=(*self.notes, *self.prover.worker.notes(), *self._memory_notes(status)),
            optimal_count=self.optimal_count,
            alternatives=self.alternatives,
        )
