"""The door to all searches: one call that runs any strategy on a prepared problem."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gensearch_db.errors import SpecificationError
from gensearch_db.problem.problem import Strategy
from gensearch_db.search.result import Partition, Progress, SearchProblem, SearchResult, StoppingRule, never_stop


def search(
    problem: SearchProblem,
    strategy: Strategy,
    stopping: StoppingRule,
    progress: Progress = never_stop,
    options: Mapping[str, Any] | None = None,
    threads: int | None = None,
    seed_partition: Partition | None = None,
    statistics: Any = None,
) -> SearchResult:
    """Search for the cheapest partition that meets every constraint.

    What the compiled kernel cannot judge (a user's own constraint or cost, numbers beyond 64 bits) or do (suppress) is left
    to the enumeration, which is as exact but slower; a note says so.

    ``options``: the strategy's own, by name. ``threads``: how many workers (None: all cores); under a node limit the result
    does not depend on it. ``seed_partition``: a partition to start from. ``statistics``: where the enumeration gets its counts.
    Compiled code is imported here, on the first search, not with the package.
    """
    options = options or {}
    if strategy is Strategy.ENUMERATION:
        from gensearch_db.search.enumeration import enumerate_search

        return enumerate_search(problem, stopping, progress, options, statistics, seed=seed_partition)
    uncompiled = _uncompiled(problem)
    if strategy is Strategy.BLOCK_GRAPH and (uncompiled or problem.suppression_limit):
        from gensearch_db.search.enumeration import enumerate_search

        reason = f"{uncompiled} is not compiled" if uncompiled else "block_graph does not suppress rows"
        result = enumerate_search(problem, stopping, progress, {}, statistics, seed=seed_partition)
        return replace(result, notes=(f"The slower strategy enumeration was used: {reason}.", *result.notes))
    if uncompiled:
        raise SpecificationError(f"{uncompiled} is judged in Python, which {strategy.value} cannot do; use block_graph")
    if strategy is Strategy.BLOCK_GRAPH:
        from gensearch_db.search.block_graph import block_graph_search

        return block_graph_search(problem, stopping, progress, options, threads, seed_partition)
    from gensearch_db.search.mondrian import mondrian_search

    return mondrian_search(problem, by_cost=strategy is Strategy.MONDRIAN_STEEPEST)


def _uncompiled(problem: SearchProblem) -> str:
    """The first constraint or cost that has no compiled form, as the user wrote it; empty where all have one."""
    for constraint in problem.constraints:
        if constraint.compiled(problem.table) is None:
            return constraint.describe()
    return problem.cost.describe() if problem.cost.compiled(problem.table) is None else ""
