"""The door to all searches: one call that runs any strategy on a prepared problem."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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

    ``options``: the strategy's own, by name. ``threads``: how many workers (None: all cores); under a node limit the result
    does not depend on it. ``seed_partition``: a partition to start from. ``statistics``: where the enumeration gets its counts.
    Compiled code is imported here, on the first search, not with the package.
    """
    options = options or {}
    if strategy is Strategy.ENUMERATION:
        from gensearch_db.search.enumeration import enumerate_search

        return enumerate_search(problem, stopping, progress, options, statistics, seed=seed_partition)
    if strategy is Strategy.BLOCK_GRAPH:
        from gensearch_db.search.block_graph import block_graph_search

        return block_graph_search(problem, stopping, progress, options, seed_partition)
    from gensearch_db.search.mondrian import mondrian_search

    return mondrian_search(problem, by_cost=strategy is Strategy.MONDRIAN_STEEPEST)
