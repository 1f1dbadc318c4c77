"""The half of the search that proves: it solves the root against the best known cost, or thresholds below it.

Problems whose bound is close to the optimum are proven soon by thresholds just above the bound, the others by one pass against
the best known cost. Which kind it is shows only later, so both have their turn, with growing effort. A pass against a threshold
ends with the optimum, or with the proof that no partition costs less than the threshold. Passes share the memory, so a later
one soon gets to where the earlier one stopped.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from gensearch_db.search.block_kernel import quick_bound
from gensearch_db.search.blurred_spaces import BlurredSpaces
from gensearch_db.search.bounds import PRICE_REST
from gensearch_db.search.box_prices import BoxPrices
from gensearch_db.search.building import set_prices
from gensearch_db.search.coarse_spaces import can_solve
from gensearch_db.search.prices import needed_rows
from gensearch_db.search.worker import Slice, Worker

FIRST_STEP, LARGEST_STEP, SMALLEST_STEP = 0.05, 0.5, 0.01
"""How far a threshold lies on the way from the proven bound to the best known cost: shorter after a pass that was given up."""
STEP_GROWTH = 1.5
LEAST_STEP = 1e-6
"""Of the very first threshold, as a part of the bound: what the splits of the whole tell at once."""

FIRST_CLIMB = 1_000_000_000
"""Effort (values of cells read) of the first passes against thresholds, which prove what has a bound close to its optimum."""
FIRST_DIRECT = 20_000_000_000
"""Then the effort of one pass against the best known cost: it proves most problems that can be proven soon, and to break it
off earlier makes those slower than they need be."""
FIRST_EFFORT = 100_000_000
"""Then the effort of passes against thresholds, and ``DIRECT_SHARE`` times as much of one against the best cost; doubled in
turn."""
BEFORE_VERDICT, OUT_OF_SIGHT = 500_000_000, 500_000
"""After so much effort a pass is given up if its forecast is so many times all effort made so far. Forecasts of what is proven
in a minute are up to thirty thousand times that, of what is not a million times and more; earlier ones tell nothing."""
DIRECT_SHARE = 3
BEFORE_PRICES = 20_000_000
"""Effort before cells are priced by the cheapest boxes around them: easy problems need no better prices."""
SMALL_BLURRED, LARGEST_BLURRED = 1e9, 1e10
"""Most boxes of the blurred spaces that are bounded after the first pass, and of those that wait until the improvers are at a
standstill: seconds, and minutes."""
PASS_EFFORT = 10_000
"""What a pass takes even where the memory answers it at once."""
PASSES = 10
"""Thresholds that may be given up within such an effort."""

ROUNDING = 1e-9
"""Relative difference of two sums of the same costs in another order."""


class Prover:
    """Raises the global lower bound. ``best_cost`` is what the best partition known elsewhere costs."""

    def __init__(self, worker: Worker, lower_bound: float, idle: Worker | None = None) -> None:
        """``idle``: a worker that has nothing to do after the first pass, and lends the memory that it does not take."""
        self.worker = worker
        self._lenders = (worker,) if idle is None else (worker, idle)
        self.whole: Slice = (0, worker.cell_count, worker.root_words)
        self.lower_bound = lower_bound
        self.best_cost = math.inf
        self.cost = math.inf
        self.finished = False
        self.in_first_pass = True
        """The first pass against the best known cost moves no bound before its end, so it must not be judged by that."""
        self.in_blurred_space = False
        """Nor does it while it bounds the boxes of a blurred space."""
        self.has_its_turn = False
        """Whether the improvers are at a standstill, and leave the prover a turn."""
        self.slices: list[Slice] = []
        """The partition that costs ``cost``, as slices of ``order``, once a pass has found one."""
        self.order = worker.kernel.order
        self._allowance = 0
        self._step = FIRST_STEP
        self._blurred = BlurredSpaces(worker) if worker.switches.blurred_spaces and can_solve(worker) else None
        self._work = self._prove()

    @property
    def _known(self) -> float:
        """The cost of the best partition known."""
        return min(self.best_cost, self.cost)

    def step(self, allowance: int) -> None:
        """Go on until ``allowance`` effort was made in all, or until stopped or finished."""
        self._allowance = allowance
        self.worker.kernel.counters.last_effort[0] = allowance
        next(self._work, None)

    def hear(self, best_cost: float, lower_bound: float) -> None:
        """Take in what is known elsewhere, or here by now."""
        self.best_cost = min(self.best_cost, best_cost)
        self.lower_bound = max(self.lower_bound, lower_bound)
        known = self._known
        slack = 0.0 if math.isinf(known) or self.worker.kernel.bounds.integral else ROUNDING * abs(known)
        self.finished = self.lower_bound >= known - slack

    def _prove(self) -> Iterator[None]:
        yield from self._price()
        yield from self._pass(self.lower_bound * (1 + LEAST_STEP), self.worker.effort + FIRST_EFFORT)
        yield from self._climb(FIRST_CLIMB)
        yield from self._direct(FIRST_DIRECT)
        self.in_first_pass = False
        yield from self._bound_blurred_spaces(SMALL_BLURRED)
        effort = FIRST_EFFORT
        while not self.finished:
            if self.has_its_turn:
                yield from self._bound_blurred_spaces(LARGEST_BLURRED)
            yield from self._climb(effort)
            yield from self._direct(DIRECT_SHARE * effort)
            effort *= 2

    def _price(self) -> Iterator[None]:
        """Raise the prices of cells to what the cheapest box around each tells; as many cells in a step as
        its effort allows."""
        worker, kernel = self.worker, self.worker.kernel
        if not (worker.switches.cheapest_boxes and worker.switches.prices):
            return
        needed = np.full(worker.cell_count, kernel.bounds.minimum_rows)
        if worker.switches.needs:
            needed = needed_rows(worker.problem, kernel.bounds.minimum_rows)
        boxes = BoxPrices(worker.problem, needed)
        if not boxes.pays:
            return
        yield from self._direct(BEFORE_PRICES)
        for effort in boxes.run():
            kernel.counters.effort[0] += effort
            if worker.effort >= self._allowance or worker.stopped:
                yield
        set_prices(kernel.cells, np.maximum(kernel.cells.features[:, PRICE_REST], boxes.prices))
        worker.abandon()
        rows, *_ = worker.evaluate(*self.whole)
        self.hear(self.best_cost, float(quick_bound(worker.compiled, rows)))

    def _bound_blurred_spaces(self, largest: float) -> Iterator[None]:
        """Bound all boxes of ever larger blurred spaces, up to so many and as far as there is memory for them."""
        worker, spaces = self.worker, self._blurred
        self.in_blurred_space = True
        while spaces is not None and not self.finished:
            room = sum(each.spare_bytes for each in self._lenders)
            boxes = spaces.next_boxes(largest, room)
            if boxes is None:
                break
            for _ in spaces.bound(boxes, room, self._known):
                if worker.effort >= self._allowance or worker.stopped:
                    yield
            self.hear(self.best_cost, spaces.lower_bound)
        self.in_blurred_space = False

    def _climb(self, effort: int) -> Iterator[None]:
        """Passes against thresholds, farther ones after a success and nearer ones after a failure."""
        last = self.worker.effort + effort
        self._step = max(self._step, 2 * SMALLEST_STEP)
        while not self.finished and self.worker.effort < last and self._step >= SMALLEST_STEP:
            bound = self.lower_bound
            yield from self._pass(self._threshold(), min(last, self.worker.effort + effort // PASSES))
            longer = self.lower_bound > bound
            self._step = min(LARGEST_STEP, STEP_GROWTH * self._step) if longer else self._step / 2

    def _direct(self, effort: int) -> Iterator[None]:
        last = self.worker.effort + effort
        while not self.finished and self.worker.effort < last:
            before = self.lower_bound, self.cost
            yield from self._pass(self._known, last)
            if before == (self.lower_bound, self.cost):
                return

    def _out_of_sight(self, began: int) -> bool:
        """Whether the pass that began at some effort has come so little way that there is no hope for its end."""
        spent = self.worker.effort - began
        return spent >= BEFORE_VERDICT and spent > OUT_OF_SIGHT * self.worker.share_done() * self.worker.effort

    def _pass(self, limit: float, last: int) -> Iterator[None]:
        """One pass against the best known cost or a threshold below it; given up once ``last`` effort was made in all, or where
        its end is out of sight."""
        self.worker.kernel.counters.effort[0] += PASS_EFFORT
        began = self.worker.effort
        self.worker.ask(*self.whole, limit)
        while not self.worker.work(min(last, self._allowance)):
            if self.worker.effort >= last or self._out_of_sight(began):
                self.worker.abandon()
                return
            yield
        lower, cost = self.worker.answer
        if cost < self._known:
            yield from self._rebuild()
            self.cost = self.worker.cost_of(self.slices)
            self.order = self.worker.kernel.order.copy()
        self.hear(self.best_cost, lower)
        if self.worker.effort >= self._allowance:
            yield

    def _rebuild(self) -> Iterator[None]:
        """List the blocks of the best partition known; parts that the memory has forgotten are solved again."""
        found, forgotten = self.worker.pieces(*self.whole)
        while forgotten:
            part = forgotten.pop()
            self.worker.ask(*part, math.inf)
            while not self.worker.work(self._allowance):
                yield
            more, again = self.worker.pieces(*part)
            found.extend(more)
            forgotten.extend(again)
        self.slices = sorted(found, key=lambda part: part[0])

    def _threshold(self) -> float:
        known = self._known
        if math.isinf(known):
            return known
        threshold = self.lower_bound + self._step * (known - self.lower_bound)
        if self.worker.kernel.bounds.integral:
            return min(known, math.ceil(threshold) + 1.0)
        return known if threshold > known * (1 - 1e-4) else threshold
