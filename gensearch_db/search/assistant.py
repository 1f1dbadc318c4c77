"""A second worker on the prover's question: it tries other splits first, and tells and hears what was learnt of blocks."""

from __future__ import annotations

import math

from gensearch_db.search.memory import news
from gensearch_db.search.prover import Prover
from gensearch_db.search.worker import Worker


class Assistant:
    """Solves the whole beside a prover. Blocks are parts of many others, so what one of them has solved spares the other work,
    wherever it comes upon the same block later; both need the most time for blocks of middle size, of which there are many.
    """

    def __init__(self, worker: Worker, prover: Prover) -> None:
        self.worker = worker
        self.prover = prover
        self._asked = math.nan
        worker.kernel.candidates.aside[0] = 1

    def step(self, allowance: int) -> None:
        """Go on with the prover's question until ``allowance`` effort was made in all, or until stopped or answered."""
        limit = self.prover.limit
        if math.isnan(limit):
            return
        if limit != self._asked:
            self.worker.abandon()
            self.worker.ask(*self.prover.whole, limit)
            self._asked = limit
        self.worker.work(allowance)

    def exchange(self) -> None:
        """Let both know what either has learnt. Not while either is at work."""
        mine, theirs = news(self.worker.kernel.memory), news(self.prover.worker.kernel.memory)
        self.prover.worker.tell(mine)
        self.worker.tell(theirs)
