"""The optimum by dynamic programming over boxes (THEORY 2.1): exact for every additive cost and any block constraints.

No bound, no pruning, no tight boxes: opt(B) = min(cost(B) if it may be published, min over splits of the sum over children),
opt(empty) = 0. With suppression, opt(B) is the Pareto front of (suppressed rows, cost). Independent of the search code.
"""

from __future__ import annotations

import math

from gensearch_db.domain.region import Block
from gensearch_db.search.result import SearchProblem
from tests.oracles.brute_force import Judge, splits_of

Front = list[tuple[int, float]]
"""Pairs (suppressed rows, cost), rows ascending and cost descending."""


def box_front(problem: SearchProblem) -> Front:
    """The Pareto front of the whole space, up to the problem's suppression limit; empty where nothing is feasible."""
    judge = Judge(problem)
    limit = problem.suppression_limit
    charge = problem.cost.suppression_charge(problem.table) if limit else 0.0
    known: dict[Block, Front] = {}

    def front(block: Block) -> Front:
        if block in known:
            return known[block]
        cells, rows, cost = judge.of(block)
        options: Front = []
        if not cells:
            options.append((0, 0.0))
        elif cost is not None:
            options.append((0, cost))
        elif rows <= limit:
            options.append((rows, rows * charge))
        if cells:
            for children in splits_of(problem.space, block):
                options.extend(_sums([front(child) for child in children], limit))
        known[block] = _pareto(options)
        return known[block]

    return front(problem.space.root)


def _sums(fronts: list[Front], limit: int) -> Front:
    total: Front = [(0, 0.0)]
    for front in fronts:
        total = _pareto([(s + t, a + b) for s, a in total for t, b in front if s + t <= limit])
        if not total:
            break
    return total


def _pareto(options: Front) -> Front:
    kept: Front = []
    for suppressed, cost in sorted(options):
        if not kept or cost < kept[-1][1]:
            kept.append((suppressed, cost))
    return kept


def box_optimum(problem: SearchProblem) -> float:
    """The least cost of any feasible partition within the suppression limit; inf where none is feasible."""
    return min((cost for _, cost in box_front(problem)), default=math.inf)
