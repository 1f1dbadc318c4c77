"""A second worker that proves: it tries other splits first than the prover, and tells and hears what was learnt of blocks."""

from __future__ import annotations

import math

from gensearch_db.search.memory import news
from gensearch_db.search.prover import Prover
from gensearch_db.search.worker import Worker


class Assistant:
    """Solves the whole against the best known cost, beside a prover. Blocks are parts of many others, so what one of them has
    solved spares the other work, wherever it comes upon the same block later: together they visit hardly more blocks than one.
    """

    def __init__(self, worker: Worker, prover: Prover) -> None:
        self.worker = worker
        self.prover = prover
        self._asked = math.inf
        worker.kernel.candidates.aside[0] = 1

    def step(self, allowance: int) -> None:
        """Go on with the whole against the best cost known when it was begun, until ``allowance`` effort was made in all, or
        until stopped or answered."""
        known = min(self.prover.best_cost, self.prover.cost)
        if not self.worker.is_asked and known < self._asked:
            self.worker.ask(*self.prover.whole, known)
            self._asked = known
        self.worker.work(allowance)

    def exchange(self) -> None:
        """Let both know what either has learnt. Not while either is at work."""
        mine, theirs = news(self.worker.kernel.memory), news(self.prover.worker.kernel.memory)
        self.prover.worker.tell(mine)
        self.worker.tell(theirs)
