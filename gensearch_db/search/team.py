"""The workers of the block graph, in rounds of fixed effort, side by side on threads.

Two improvers find better partitions, the prover raises the lower bound, its assistant helps with proofs that may end soon. They
hear of each other between rounds only, so the result does not depend on threads or on the clock, but for where a time limit
cuts it off.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress

from gensearch_db.search.assistant import Assistant
from gensearch_db.search.block_kernel import quick_bound
from gensearch_db.search.building import Switches
from gensearch_db.search.improver import Improver
from gensearch_db.search.prover import Prover
from gensearch_db.search.result import SearchProblem, Status
from gensearch_db.search.worker import Slice, Worker

LEAST_SHARE = 0.125
"""Of a round, for the prover while it makes no progress, or the improvers while only the prover does."""
SMALL_GAP = 0.4
"""Up to this gap the first proof may end soon, and is given its full share."""
MOST_BESIDE_PROOF = 0.5
"""Of a round, for the improver while the first proof may end soon; the rest of its thread's time is the assistant's."""
STANDSTILL, STANDSTILL_ROUNDS = 1e-4, 30
"""Where the best cost falls by no more than such a share in so many rounds, the prover has its full share for as many, then the
improvers have theirs again, in turn."""
SECONDS_BETWEEN_LOOKS = 0.1
MEMBERS = 4
"""Workers, among which limits of memory and blocks are shared out."""


class Team:
    """Improvers, prover and assistant. ``memory_limit``: of all of them together, in megabytes."""

    def __init__(self, problem: SearchProblem, switches: Switches, memory_limit: int | None, threads: int | None) -> None:
        limit = None if memory_limit is None else max(1, memory_limit // MEMBERS)
        first = Worker(problem, switches, limit)
        second, third, fourth = (Worker(problem, switches, limit, first.kernel) for _ in range(3))
        self.whole: Slice = (0, first.cell_count, first.root_words)
        rows, _, self.feasible, cost = first.evaluate(*self.whole)
        self.whole_cost = cost if self.feasible else math.inf
        self.improvers = (Improver(first, 0, 2), Improver(second, 1, 2))
        self.prover = Prover(third, float(quick_bound(first.compiled, rows)), fourth)
        self.assistant = Assistant(fourth, self.prover)
        self.workers = (third, fourth, first, second)
        self.threads = min(3, threads or os.cpu_count() or 1)
        self._assisted = switches.assistant
        self._proving = self._improving = 1.0
        self._cost_before = math.inf
        self._rounds_since = 0

    @property
    def visited(self) -> int:
        """Blocks looked at by all workers."""
        return sum(worker.visited for worker in self.workers)

    @property
    def remembered(self) -> int:
        """Entries in the memories of all workers."""
        return sum(int(worker.kernel.memory.entries[0]) for worker in self.workers)

    @property
    def forgotten(self) -> int:
        """Entries that were forgotten for lack of memory."""
        return sum(worker.forgotten for worker in self.workers)

    @property
    def improver(self) -> Improver:
        """The one with the best partition."""
        return min(self.improvers, key=lambda improver: improver.cost)

    def visit_at_most(self, blocks: int) -> None:
        """Each worker may visit its part of so many blocks."""
        for worker in self.workers:
            worker.visit_at_most(max(1, (blocks + 1) // MEMBERS))

    def round(self, effort: float, verdict_now: Callable[[], Status | None]) -> Status | None:
        """Let the workers make their shares of ``effort``. Returns why the search must stop, if ``verdict_now`` finds so.

        The assistant works while the prover has much hope, the second improver while it has little.
        """
        pool = ThreadPoolExecutor(self.threads, thread_name_prefix="gensearch")
        verdict = None
        running: set[Future[None]] = {
            pool.submit(task.step, task.worker.effort + max(1, int(effort * share))) for task, share in self._tasks()
        }
        try:
            while running:
                done, running = wait(running, timeout=SECONDS_BETWEEN_LOOKS)
                for future in done:
                    if not future.cancelled():
                        future.result()
                if running and verdict is None:
                    verdict = verdict_now()
                if verdict is not None:
                    self._halt(running)
        finally:
            self._await_all(running)
            pool.shutdown(wait=True)
        return verdict

    def _tasks(self) -> list[tuple[Prover | Assistant | Improver, float]]:
        """Who works in the next round, and for what share of it: two threads end about together."""
        proving, improving = self._proving, self._improving
        tasks: list[tuple[Prover | Assistant | Improver, float]] = [(self.prover, proving)]
        if self._assisted and self._first_proof_may_end_soon():
            improving = min(improving, MOST_BESIDE_PROOF)
            tasks.append((self.assistant, proving - improving))
        tasks.append((self.improvers[0], improving))
        if proving <= LEAST_SHARE:
            tasks.append((self.improvers[1], improving))
        return tasks

    def _await_all(self, running: set[Future[None]]) -> None:
        """Halt the workers and wait for them, whatever is pressed meanwhile: what they have found is read afterwards."""
        while running:
            with suppress(KeyboardInterrupt):
                self._halt(running)
                _, running = wait(running)

    def _halt(self, running: set[Future[None]]) -> None:
        for future in running:
            future.cancel()
        for worker in self.workers:
            worker.stop()

    def exchange(self, known_cost: float, known_bound: float) -> None:
        """Between rounds: the prover hears of the best cost; the improvers of each other's trees and of a partition that the
        prover found; prover and assistant of what the other learnt. A prover that made no progress since cost and bound were
        the given ones gets less of the next round, but for its turns at a standstill, and improvers that made none while the
        prover did."""
        prover, (first, second) = self.prover, self.improvers
        if self._assisted:
            self.assistant.exchange()
        if prover.cost < self.improver.cost:
            first.offer(prover.slices, prover.cost, prover.order)
        first.tell(second)
        second.tell(first)
        cost = self.improver.cost
        raised = prover.lower_bound > known_bound
        self._count_rounds_since(cost)
        prover.has_its_turn = self._rounds_since // STANDSTILL_ROUNDS % 2 == 1
        busy = self._first_proof_may_end_soon() or prover.in_blurred_space
        proving = raised or busy or prover.has_its_turn
        resting = raised and cost >= known_cost and not self._in_first_rollout()
        self._proving = min(1.0, 2 * self._proving) if proving else max(LEAST_SHARE, self._proving / 2)
        self._improving = max(LEAST_SHARE, self._improving / 2) if resting else min(1.0, 2 * self._improving)
        prover.hear(cost, max(first.lower_bound, second.lower_bound))

    def _count_rounds_since(self, cost: float) -> None:
        """Count the rounds since the best cost fell by more than rounds at a standstill see."""
        self._rounds_since += 1
        if cost < (1.0 - STANDSTILL) * self._cost_before:
            self._cost_before, self._rounds_since = cost, 0

    def _first_proof_may_end_soon(self) -> bool:
        """The first pass of the prover moves no bound before its end, so the gap tells whether there is hope."""
        gap = 1.0 - self.prover.lower_bound / self.improver.cost if 0.0 < self.improver.cost < math.inf else 0.0
        return self.prover.in_first_pass and self.prover.worker.tries_all_splits and gap <= SMALL_GAP

    def _in_first_rollout(self) -> bool:
        """Whether the improver has not completed anything yet: its first rollout of a large table takes many rounds."""
        return self.improvers[0].worker.known(self.whole[2])[1] >= self.whole_cost
