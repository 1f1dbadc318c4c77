"""Watching a search: the clock, the stopping rule, the history of cost and bound, and the user's interrupt."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from gensearch_db.search.result import Moment, Progress, Remembered, Status, StoppingRule


class Monitor:
    """Keeps the best cost and the proven bound of a running search and says when to stop, and why.

    ``counters`` is asked for the strategy's counts at each look.
    """

    def __init__(self, stopping: StoppingRule, progress: Progress, counters: Callable[[], dict[str, int | float]]) -> None:
        self.stopping = stopping
        self.progress = Remembered(progress)
        self.counters = counters
        self.started = time.monotonic()
        self.cost = math.inf
        self.lower_bound = 0.0
        self.history: list[Moment] = []

    @property
    def seconds(self) -> float:
        """Since the start of the search."""
        return time.monotonic() - self.started

    def in_time(self) -> bool:
        """Whether the stopping rule leaves time."""
        return self.seconds < self.stopping.seconds

    def improved(self, cost: float | None = None, lower_bound: float | None = None) -> None:
        """Record a cheaper release or a higher bound; anything else is ignored."""
        before = (self.cost, self.lower_bound)
        if cost is not None:
            self.cost = min(self.cost, cost)
        if lower_bound is not None:
            self.lower_bound = max(self.lower_bound, min(lower_bound, self.cost))
        if before != (self.cost, self.lower_bound):
            self.history.append(Moment(self.seconds, self.cost, self.lower_bound))

    def is_stopped(self) -> bool:
        """Let the user's callback hear how far the search is; whether it asks to stop, or did before."""
        return self.progress(Moment(self.seconds, self.cost, self.lower_bound), self.counters())

    def verdict(self, visited: int) -> Status | None:
        """Why to stop now, or None. The user's callback hears of every look, the last one before a limit included."""
        if self.cost <= self.lower_bound:
            return Status.OPTIMAL
        if self.is_stopped():
            return Status.INTERRUPTED
        if self.cost < math.inf and self.cost <= self.stopping.factor * self.lower_bound:
            return Status.WITHIN_FACTOR
        if self.stopping.node_limit is not None and visited >= self.stopping.node_limit:
            return Status.NODE_LIMIT
        return None if self.in_time() else Status.TIME_LIMIT
