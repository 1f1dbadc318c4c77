"""Prioritized-Enumerate (paper 4.2, Fig 13), corrected by THEORY 2.7 and 3.3 (item 9).

Departures from Fig 13: only feasible partitions become the incumbent, which is never replaced by a worse one; entries whose
bound reaches the incumbent's cost are dropped (as printed, only those above it); the probing loop ends, by dropping entries,
where probes find nothing; in c-approximate mode a node is pruned if c * LB >= the best feasible cost (the printed rule, on
the node's own ratio LB / Cost, is unsafe for infeasible nodes). What was cut off below the incumbent's cost is remembered
through its bounds, so the result's lower bound is valid in every mode.
"""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Callable

from gensearch_db.search.enumeration.bounds import BoundRule
from gensearch_db.search.enumeration.frontier import Candidate, Expansion, Place
from gensearch_db.search.enumeration.incumbent import Incumbent
from gensearch_db.search.enumeration.judged_box import JudgedBox
from gensearch_db.search.enumeration.options import EnumerationOptions, Priority
from gensearch_db.search.result import Moment, Progress, Status, StoppingRule

CANDIDATE_BYTES = 400
"""Measured in CPython 3.12: a candidate with its queue entry and its share of the parent's tree."""
BOX_BYTES = 3000
"""A judged box with its divisions, options and statistics."""
RELEASE_BYTES = 2000
"""An optimal release that is kept or only counted."""
PROGRESS_SECONDS = 0.25

Entry = tuple[float, float, int, Candidate]
"""Key, then the node's cost, then age (younger first): what the queue is ordered by."""


class Stop(Exception):  # noqa: N818 -- not an error: the search ends with this status
    """Raised inside the search where the stopping rule ends it."""

    def __init__(self, status: Status) -> None:
        super().__init__(status)
        self.status = status


class PrioritizedSearch:
    """One run over the partition enumeration tree. ``run`` returns why it ended; the rest is read off its attributes."""

    def __init__(
        self, rule: BoundRule, incumbent: Incumbent, options: EnumerationOptions, stopping: StoppingRule, progress: Progress
    ) -> None:
        self.rule = rule
        self.incumbent = incumbent
        self.options = options
        self.stopping = stopping
        self.progress = progress
        self.expansion = Expansion(rule)
        self.queue: list[Entry] = []
        self.queue_peak = self.expanded = self.probes = self.dropped = 0
        self.history: list[Moment] = []
        self._pruned_bound = [math.inf]
        self._dropped_bound = math.inf
        self._in_hand = 0.0
        self._age = 0
        self._started = time.monotonic()
        self._next_report = self._started + PROGRESS_SECONDS
        self._key: Callable[[Candidate], float] = _KEYS[options.priority]

    def run(self) -> Status:
        """Search until the queue is empty or the stopping rule ends it."""
        try:
            self._begin()
            while self.queue and not self._good_enough():
                self._shorten()
                if self.queue:
                    self._expand_next()
            self._in_hand = math.inf
        except Stop as stop:
            proven = self.incumbent.found and self.lower_bound >= self.incumbent.cost
            return Status.OPTIMAL if proven and not self.options.all_optimal else stop.status
        except MemoryError:
            return Status.MEMORY_LIMIT
        except KeyboardInterrupt:
            return Status.INTERRUPTED
        return self._verdict()

    def _begin(self) -> None:
        """Put the root on the queue. It is a release before its bound is worked out, which may take long."""
        root = self.expansion.root()
        self._in_hand = root.bound
        if root.bound < math.inf:
            self._consider(root)
            self.rule.judge.boxes.watch = self._check
            if self.options.complete:
                self._offer(self.expansion.quick_release())
            self._push(self.expansion.bounded(root))

    @property
    def lower_bound(self) -> float:
        """A bound of every allowed partition: of those waiting, cut off or dropped, and at most the incumbent's cost."""
        waiting = min((entry[3].bound for entry in self.queue), default=math.inf)
        bound = min(waiting, self._in_hand, self._pruned_bound[0], self._dropped_bound)
        if self.incumbent.found and bound >= self.incumbent.cutoff(1.0):
            return self.incumbent.cost
        return min(bound, self.incumbent.cost)

    @property
    def elapsed(self) -> float:
        """Seconds since the search was made."""
        return time.monotonic() - self._started

    @property
    def counters(self) -> dict[str, int | float]:
        """What the run did so far."""
        judge = self.rule.judge
        return {
            "nodes_generated": self.expansion.generated,
            "nodes_expanded": self.expanded,
            "nodes_pruned": self.expansion.pruned,
            "splits_out_of_sequence": self.expansion.out_of_sequence,
            "queue_size": len(self.queue),
            "queue_peak": self.queue_peak,
            "probes": self.probes,
            "entries_dropped": self.dropped,
            "boxes": judge.boxes.count,
            "batches_asked": judge.batches,
            "blocks_asked": judge.blocks_asked,
        }

    def _verdict(self) -> Status:
        if not self.incumbent.found:
            return Status.INFEASIBLE if self._dropped_bound == math.inf else Status.MEMORY_LIMIT
        if self.lower_bound >= self.incumbent.cost:
            return Status.OPTIMAL
        if self.incumbent.cost <= self.stopping.factor * self.lower_bound:
            return Status.WITHIN_FACTOR
        return Status.HEURISTIC

    def _good_enough(self) -> bool:
        """Whether the best key proves the wanted factor; only the key LB bounds the whole queue."""
        if self.options.priority is not Priority.LOWER_BOUND:
            return False
        if self.queue[0][3].bound >= self.incumbent.cutoff(self.stopping.factor):
            self._pruned_bound[0] = min(self._pruned_bound[0], self.queue[0][3].bound)
            self.queue.clear()
            return True
        return False

    def _expand_next(self) -> None:
        """Take the best entry off the queue and put its children on it."""
        self._in_hand = self.queue[0][3].bound
        node = heapq.heappop(self.queue)[3]
        for child in self._children(node):
            if child.bound < self.incumbent.cutoff(self.stopping.factor):
                self._push(child)
            else:
                self._prune(child.bound)
        self._in_hand = math.inf

    def _children(self, node: Candidate) -> list[Candidate]:
        """The children of a node, each considered as a release; looks at the stopping rule first."""
        if node.bound >= self.incumbent.cutoff(self.stopping.factor):
            self._prune(node.bound)
            return []
        self._check()
        self.expanded += 1
        place = self.expansion.place(node)
        if self.options.complete:
            self._complete(place)
        cutoff = self.incumbent.cutoff(self.stopping.factor)
        if place.bound >= cutoff:
            self._prune(place.bound)
            return []
        found = list(self.expansion.children(place, cutoff, self._pruned_bound))
        for child in found:
            self._consider(child)
        return found

    def _complete(self, place: Place) -> None:
        cost, suppressed = self.expansion.completed(place.node, place.leaves)
        wanted = suppressed <= self.rule.limit and self.incumbent.welcomes(cost)
        if wanted:
            self._offer(self.expansion.completed_leaves(place.tree, place.leaves))

    def _offer(self, leaves: list[JudgedBox]) -> None:
        """Keep a partition if it suppresses no more than allowed and is better than the best."""
        if sum(box.suppressed for box in leaves) <= self.rule.limit and self.incumbent.offer(leaves):
            self._record()

    def _consider(self, node: Candidate) -> None:
        if node.suppressed <= self.rule.limit and self.incumbent.welcomes(node.cost):
            leaves = [box for box in node.tree().leaves() if isinstance(box, JudgedBox)]
            if self.incumbent.offer(leaves):
                self._record()

    def _prune(self, bound: float) -> None:
        self.expansion.pruned += 1
        self._pruned_bound[0] = min(self._pruned_bound[0], bound)

    def _push(self, node: Candidate) -> None:
        self._age -= 1
        heapq.heappush(self.queue, (self._key(node), node.cost, self._age, node))
        self.queue_peak = max(self.queue_peak, len(self.queue))

    def _shorten(self) -> None:
        """MAXSIZE: where the queue is full, probe for a better incumbent that empties it; failing that, drop the rest."""
        full = self.options.max_size
        if full is None or len(self.queue) < full:
            return
        fruitless = 0
        while len(self.queue) > full // 2 and fruitless < self.options.probes:
            before = self.incumbent.cost
            probed = heapq.nsmallest(fruitless + 1, self.queue)[-1][3]
            self._probe(probed)
            fruitless = 0 if self.incumbent.cost < before else fruitless + 1
            self._sweep()
        if len(self.queue) > full // 2:
            kept = heapq.nsmallest(full // 2, self.queue)
            gone = set(map(id, self.queue)) - set(map(id, kept))
            self._dropped_bound = min(self._dropped_bound, *(e[3].bound for e in self.queue if id(e) in gone))
            self.dropped += len(gone)
            self.queue = kept
            heapq.heapify(self.queue)

    def _probe(self, node: Candidate | None) -> None:
        """Go down from a node to its best child, again and again: a good partition beneath it (Fig 13, line 10).

        What a probe looks at stays on the queue under the node, so a probe cuts nothing off.
        """
        self.probes += 1
        pruned_before = self._pruned_bound[0]
        while node is not None:
            node = min(self._children(node), key=lambda child: (child.cost, child.bound), default=None)
        self._pruned_bound[0] = pruned_before

    def _sweep(self) -> None:
        """Drop entries that the incumbent has made useless (Fig 13, line 12)."""
        cutoff = self.incumbent.cutoff(self.stopping.factor)
        for entry in self.queue:
            if entry[3].bound >= cutoff:
                self._prune(entry[3].bound)
        self.queue = [entry for entry in self.queue if entry[3].bound < cutoff]
        heapq.heapify(self.queue)

    def _record(self) -> None:
        self.history.append(Moment(self.elapsed, self.incumbent.cost, self.lower_bound))

    def _check(self) -> None:
        """Raise :class:`Stop` where the stopping rule or the caller ends the search; report a few times a second."""
        now = time.monotonic()
        stopping = self.stopping
        if now - self._started >= stopping.seconds:
            raise Stop(Status.TIME_LIMIT)
        if stopping.node_limit is not None and self.expansion.generated >= stopping.node_limit:
            raise Stop(Status.NODE_LIMIT)
        used = len(self.queue) * CANDIDATE_BYTES + self.rule.judge.boxes.count * BOX_BYTES
        used += self.incumbent.count * RELEASE_BYTES
        if stopping.memory_limit is not None and used > stopping.memory_limit * 1_000_000:
            raise Stop(Status.MEMORY_LIMIT)
        if now >= self._next_report:
            self._next_report = now + PROGRESS_SECONDS
            self._record()
            if self.progress(self.history[-1], self.counters):
                raise Stop(Status.INTERRUPTED)


_KEYS: dict[Priority, Callable[[Candidate], float]] = {
    Priority.LOWER_BOUND: lambda node: node.bound,
    Priority.COST: lambda node: node.cost,
    Priority.RATIO: lambda node: node.bound / node.cost if node.cost else 0.0,
}
