"""The door to all searches: one call that runs any strategy on a prepared problem."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gensearch_db.domain.set_limits import beyond_grouping
from gensearch_db.errors import Problems, SpecificationError
from gensearch_db.problem.problem import Strategy
from gensearch_db.search.result import Partition, Progress, SearchProblem, SearchResult, Status, StoppingRule, never_stop


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

    ``options``: the strategy's own, by name. ``threads``: at most so many (None: all cores; block_graph uses two, the others
    one); under a node limit the result does not depend on it. ``seed_partition``: a partition to start from. ``statistics``:
    where the enumeration gets its counts.
    Compiled code is imported here, on the first search, not with the package, and compiled before the clock of ``stopping``
    starts.
    """
    options = options or {}
    if strategy is Strategy.ENUMERATION:
        from gensearch_db.search.enumeration import enumerate_search

        return enumerate_search(problem, stopping, progress, options, statistics, seed=seed_partition)
    check_strategy(problem, strategy)
    uncompiled = _uncompiled(problem)
    if not uncompiled:
        from gensearch_db.search.warm_up import warm_up

        warm_up()
    if strategy is Strategy.BLOCK_GRAPH and (uncompiled or problem.suppression_limit):
        return _beyond_the_kernel(problem, stopping, progress, options, threads, seed_partition, statistics, uncompiled)
    if strategy is Strategy.BLOCK_GRAPH:
        from gensearch_db.search.block_graph import block_graph_search

        return block_graph_search(problem, stopping, progress, options, threads, seed_partition)
    from gensearch_db.search.mondrian import mondrian_search

    return mondrian_search(problem, strategy is Strategy.MONDRIAN_STEEPEST, stopping, progress)


def check_strategy(problem: SearchProblem, strategy: Strategy) -> None:
    """Raise :class:`SpecificationError` where neither the strategy nor what it falls back on can search this problem."""
    uncompiled = _uncompiled(problem)
    if not uncompiled or strategy is Strategy.ENUMERATION:
        return
    if strategy is not Strategy.BLOCK_GRAPH:
        raise SpecificationError(f"{uncompiled} is judged in Python, which {strategy.value} cannot do; use block_graph")
    problems = Problems(SpecificationError)
    for message in _ungrouped(problem):
        problems.add(f"{uncompiled} is judged in Python, which only the enumeration can do; {message}")
    problems.raise_if_any()


def _ungrouped(problem: SearchProblem) -> list[str]:
    """Why the enumeration cannot search the problem; empty where it can."""
    return [message for message in map(beyond_grouping, problem.space.attributes) if message is not None]


def _beyond_the_kernel(
    problem: SearchProblem,
    stopping: StoppingRule,
    progress: Progress,
    options: Mapping[str, Any],
    threads: int | None,
    seed: Partition | None,
    statistics: Any,
    uncompiled: str,
) -> SearchResult:
    """Suppression by prices as far as they prove, the rest by the enumeration, which starts from what they found.

    Where an attribute has too many values for the enumeration, what prices found is the answer, with the bound they prove.
    """
    from gensearch_db.search.enumeration import enumerate_search

    started = time.monotonic()
    first = None
    ungrouped = _ungrouped(problem)
    reason = f"{uncompiled} is not compiled"
    if not uncompiled:
        from gensearch_db.search.suppression import suppression_search

        reason = "prices alone do not prove the optimum with suppressed rows"
        share = 1.0 if ungrouped else 0.8
        first = suppression_search(problem, replace(stopping, seconds=share * stopping.seconds), progress, options, threads)
        if first is not None:
            if first.status in (Status.OPTIMAL, Status.INTERRUPTED) or first.cost <= stopping.factor * first.lower_bound:
                proven = first.status in (Status.OPTIMAL, Status.INTERRUPTED)
                return first if proven else replace(first, status=Status.WITHIN_FACTOR)
            seed = first.partition
    if ungrouped:
        return _by_prices_alone(first, reason, ungrouped)
    rest = replace(stopping, seconds=max(0.05, stopping.seconds - (time.monotonic() - started)))
    result = enumerate_search(problem, rest, progress, {}, statistics, seed=seed)
    if first is not None:
        result = _better_of(first, result)
    return replace(result, notes=(f"The slower strategy enumeration was used: {reason}.", *result.notes))


def _by_prices_alone(first: SearchResult | None, reason: str, ungrouped: list[str]) -> SearchResult:
    """What prices found. Raises :class:`SpecificationError` where that is nothing."""
    if first is None:
        problems = Problems(SpecificationError)
        for message in ungrouped:
            problems.add(f"prices alone found no release that suppresses so few rows; {message}")
        raise problems.together()
    return replace(first, notes=tuple(f"Not proven: {reason}; {message}" for message in ungrouped) + first.notes)


def _better_of(first: SearchResult, second: SearchResult) -> SearchResult:
    """The cheaper release with the higher bound; the second one's status, unless the two together prove more."""
    cost, bound = min(first.cost, second.cost), max(first.lower_bound, second.lower_bound)
    partition = first.partition if first.cost < second.cost else second.partition
    status = Status.OPTIMAL if cost <= bound else second.status
    return replace(second, status=status, partition=partition, cost=cost, lower_bound=min(bound, cost))


def _uncompiled(problem: SearchProblem) -> str:
    """The first constraint or cost that has no compiled form, as the user wrote it; empty where all have one."""
    for constraint in problem.constraints:
        if constraint.compiled(problem.table) is None:
            return constraint.describe()
    return problem.cost.describe() if problem.cost.compiled(problem.table) is None else ""
