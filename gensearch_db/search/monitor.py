"""Watching a search: the clock, the stopping rule, the history of cost and bound, and the user's interrupt."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from gensearch_db.search.result import Moment, Progress, Status, StoppingRule


class Monitor:
    """Keeps the best cost and the proven bound of a running search and says when to stop, and why.

    ``counters`` is asked for the strategy's counts at each look.
    """

    def __init__(self, stopping: StoppingRule, progress: Progress, counters: Callable[[], dict[str, int | float]]) -> None:
        self.stopping = stopping
        self.progress = progress
        self.counters = counters
        self.started = time.monotonic()
        self.cost = math.inf
        self.lower_bound = 0.0
        self.history: list[Moment] = []
        self.asked_to_stop = False

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

    def report(self) -> None:
        """Let the user's callback hear how far the search is. Once it has asked to stop, that holds."""
        moment = Moment(self.seconds, self.cost, self.lower_bound)
        self.asked_to_stop = self.progress(moment, self.counters()) or self.asked_to_stop

    def verdict(self, visited: int) -> Status | None:
        """Why to stop now, or None. The user's callback hears of every look, the last one before a limit included."""
        if self.cost <= self.lower_bound:
            return Status.OPTIMAL
        self.report()
        if self.asked_to_stop:
            return Status.INTERRUPTED
        if self.cost < math.inf and self.cost <= self.stopping.factor * self.lower_bound:
            return Status.WITHIN_FACTOR
        if self.stopping.node_limit is not None and visited >= self.stopping.node_limit:
            return Status.NODE_LIMIT
        return None if self.in_time() else Status.TIME_LIMIT
