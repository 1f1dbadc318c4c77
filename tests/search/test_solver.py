"""The exact search ends, whatever rounding makes of sums."""

from __future__ import annotations

from dataclasses import replace

from gensearch_db.cost.registry import cost_from_text
from gensearch_db.search.memory import UNKNOWN, remember
from gensearch_db.search.solver import CHOOSE, ENTER, advance_split, choose, enter, is_answered
from gensearch_db.search.worker import Worker
from tests.search.test_block_graph import hard_problem


def test_a_part_that_is_refuted_within_rounding_is_not_asked_again() -> None:
    """The first part of a split is known to cost what it is asked against, but for rounding: the sum stays below the limit."""
    worker = Worker(replace(hard_problem(), cost=cost_from_text("ncp")))
    kernel, frames, depth = worker.compiled, worker.kernel.frames, worker.kernel.counters.depth
    worker.ask(0, worker.cell_count, worker.root_words, 1e6)
    enter(kernel)
    while depth[0] == 0:
        choose(kernel)
        while depth[0] == 0 and frames.phase[0] != CHOOSE:
            advance_split(kernel)
    asked = float(frames.limit[1])
    remember(worker.kernel.memory, frames.words[1].copy(), asked * (1 - 5e-11), 2 * asked, UNKNOWN, 0, 1)
    assert frames.phase[1] == ENTER
    assert is_answered(kernel, 1)
    advance_split(kernel)
    assert (depth[0], frames.phase[0]) == (0, CHOOSE)
