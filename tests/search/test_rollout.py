"""Rollouts heed a stop wherever they may be for long."""

from __future__ import annotations

import pytest

from gensearch_db.cost.registry import cost_from_text
from gensearch_db.search.rollout import most_promising
from gensearch_db.search.solver import DONE, PAUSED
from gensearch_db.search.state import UNLIMITED
from gensearch_db.search.sweeps import push_sweeps
from gensearch_db.search.worker import Worker
from tests.search.test_block_graph import hard_problem


@pytest.mark.parametrize("cost", ["discernibility", "ncp"])
def test_a_stop_is_heeded_between_two_splits_whose_parts_are_priced(cost: str) -> None:
    problem = hard_problem()
    worker = Worker(type(problem)(problem.space, problem.cells, problem.table, problem.constraints, cost_from_text(cost)))
    kernel, whole = worker.compiled, (0, worker.cell_count, worker.root_words)
    rows, *_ = worker.evaluate(*whole)
    push_sweeps(kernel, *whole, rows, False)
    laid = int(worker.kernel.candidates.top[0])
    worker.stop()
    assert most_promising(kernel, *whole, 0, worker.most_parts) == (-1, 0)
    assert (worker.kernel.guide.halted[0], worker.kernel.candidates.top[0]) == (PAUSED, laid)
    worker.kernel.guide.halted[0] = DONE
    worker.kernel.counters.last_effort[0] = UNLIMITED
    attribute, _ = most_promising(kernel, *whole, 0, worker.most_parts)
    assert attribute >= 0
    assert (worker.kernel.guide.halted[0], worker.kernel.candidates.top[0] < laid) == (DONE, True)
