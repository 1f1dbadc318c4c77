"""All optimal partitions of a block, each once: for problems small enough to list them.

Different trees may cut the same groups of cells, so partitions are compared as sets of groups, not counted by trees. Every
split whose parts' optima add up to the block's optimum leads to some of them, and no other split does.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from itertools import product

import numpy as np

from gensearch_db.search.arrays import ORDERED, TAXONOMY
from gensearch_db.search.division import divide, gather_part
from gensearch_db.search.prover import ROUNDING
from gensearch_db.search.set_divisions import set_parts
from gensearch_db.search.structures import structure
from gensearch_db.search.words import code_range, lowest_cover
from gensearch_db.search.worker import Slice, Worker

EFFORT_BETWEEN_LOOKS = 5_000_000
"""Values of cells read: some hundredths of a second."""
SECONDS_BETWEEN_LOOKS = 0.1

Group = tuple[bytes, bytes]
"""A block: its cell numbers, ascending, and its words."""
Grouping = frozenset[Group]


class TooManyError(Exception):
    """There are more optimal partitions than were to be listed."""


class StoppedError(Exception):
    """The time was over, or the caller broke off, before all were listed."""


class OptimalPartitions:
    """Lists the optimal partitions of a problem that a worker can solve to the end. ``most``: give up beyond so many.
    ``may_go_on`` is asked a few times a second."""

    def __init__(self, worker: Worker, most: int, may_go_on: Callable[[], bool] = lambda: True) -> None:
        self.worker = worker
        self.space = structure(worker.kernel.space)
        self.most = most
        self._may_go_on = may_go_on
        self._looked = time.monotonic()
        self._known: dict[bytes, frozenset[Grouping]] = {}

    def of(self, part: Slice) -> frozenset[Grouping]:
        """Every optimal partition of a block. Raises :class:`TooManyError` and :class:`StoppedError`."""
        start, end, words = part
        key = words.tobytes()
        if key not in self._known:
            best = self._optimum(part)
            found: set[Grouping] = set()
            _, _, feasible, cost = self.worker.evaluate(start, end, words)
            if feasible and _equal(cost, best):
                found.add(frozenset([(np.sort(self.worker.kernel.order[start:end]).tobytes(), key)]))
            for j, position in self._splits(part):
                found.update(self._through(part, j, position, best))
                if len(found) > self.most:
                    raise TooManyError
            self._known[key] = frozenset(found)
        return self._known[key]

    def _through(self, part: Slice, j: int, position: int, best: float) -> Iterator[Grouping]:
        parts = self._parts(part, j, position)
        total = 0.0
        for child in parts:
            total += self._optimum(child)
            if math.isinf(total) or (total > best and not _equal(total, best)):
                return
        if _equal(total, best):
            for choice in product(*(self.of(child) for child in parts)):
                self._look()
                yield frozenset().union(*choice)

    def _optimum(self, part: Slice) -> float:
        self._look()
        lower, upper = self.worker.known(part[2])
        if lower < upper:
            self.worker.ask(*part, math.inf)
            while not self.worker.work(self.worker.effort + EFFORT_BETWEEN_LOOKS):
                self._look()
            _, upper = self.worker.answer
        return upper

    def _look(self) -> None:
        if time.monotonic() - self._looked > SECONDS_BETWEEN_LOOKS:
            if not self._may_go_on():
                raise StoppedError
            self._looked = time.monotonic()

    def _parts(self, part: Slice, j: int, position: int) -> list[Slice]:
        start, end, words = part
        worker = self.worker
        boundaries = np.zeros(worker.most_parts + 2, np.int64)
        count = divide(worker.compiled, start, end, j, position, boundaries)
        found = []
        for number in range(count):
            first, last = int(boundaries[number]), int(boundaries[number + 1])
            if first < last:
                below = np.zeros_like(words)
                gather_part(worker.compiled, words, j, position, number, first, last, below)
                found.append((first, last, below))
        return found

    def _splits(self, part: Slice) -> Iterator[tuple[int, int]]:
        space, words = self.worker.kernel.space, part[2]
        for j in range(len(space.kinds)):
            lower, upper = (int(code) for code in code_range(self.space, words, j))
            if upper - lower < 2:
                continue
            if space.kinds[j] == ORDERED:
                yield from ((j, boundary) for boundary in range(lower + 1, upper))
            elif space.kinds[j] == TAXONOMY:
                yield j, int(lowest_cover(self.space, j, lower, upper))
            else:
                masks = np.zeros(64, np.uint64)
                parts = [int(m) for m in masks[: set_parts(self.space, words, j, lower, upper, masks)]]
                for choice in range(2 ** (len(parts) - 1) - 1):
                    yield j, parts[0] + sum(m for i, m in enumerate(parts[1:]) if choice >> i & 1)


def _equal(one: float, other: float) -> bool:
    return one == other or math.isclose(one, other, rel_tol=ROUNDING, abs_tol=ROUNDING)
