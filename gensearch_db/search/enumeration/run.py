"""Strategy ``enumeration``: the paper's search, from a search problem to a result."""

from __future__ import annotations

import math
from collections.abc import Mapping

from gensearch_db.domain.statistics import Statistics
from gensearch_db.search.enumeration.bounds import BoundRule
from gensearch_db.search.enumeration.cell_statistics import statistics_in_memory
from gensearch_db.search.enumeration.incumbent import Incumbent, leaves_of_seed
from gensearch_db.search.enumeration.judged_box import Judge
from gensearch_db.search.enumeration.options import EnumerationOptions
from gensearch_db.search.enumeration.prioritized import PrioritizedSearch
from gensearch_db.search.result import Moment, Partition, Progress, SearchProblem, SearchResult, Status, StoppingRule


def enumerate_search(
    problem: SearchProblem,
    stopping: StoppingRule,
    progress: Progress,
    options: Mapping[str, str | int | float | bool],
    statistics: Statistics | None = None,
    *,
    seed: Partition | None = None,
) -> SearchResult:
    """Search the partition enumeration tree for the cheapest partition that meets every constraint.

    ``statistics`` answers batches of blocks (None: from the cells in memory); each distinct block is asked for once. ``seed``
    is a partition to start from (Mondrian's, an earlier release's); one that these splits cannot make or that violates the
    constraints is left aside with a note. Raises :class:`SpecificationError` for options that are unknown or do not go
    together.
    """
    chosen = EnumerationOptions.from_mapping(options, factor=stopping.factor)
    source = statistics_in_memory(problem.space, problem.cells) if statistics is None else statistics
    judge = Judge(problem, chosen.split_set(problem.space), source)
    incumbent = Incumbent(judge, keep_all=chosen.all_optimal, list_at_most=chosen.list_at_most)
    notes = []
    if seed is not None:
        leaves = leaves_of_seed(judge, seed)
        if leaves is None:
            notes.append("the partition to start from does not fit this problem's splits and constraints; it was left aside")
        else:
            incumbent.offer(leaves)
    search = PrioritizedSearch(BoundRule(judge, chosen), incumbent, chosen, stopping, progress)
    status = search.run()
    if search.dropped:
        forfeited = "" if status is Status.OPTIMAL else "optimality was forfeited, but "
        notes.append(
            f"the queue reached max_size = {chosen.max_size} and {search.dropped} entries were dropped:"
            f" {forfeited}the lower bound covers them and is valid"
        )
    return _result(status, search, incumbent, chosen, notes)


def _result(
    status: Status, search: PrioritizedSearch, incumbent: Incumbent, chosen: EnumerationOptions, notes: list[str]
) -> SearchResult:
    bound = search.lower_bound if status is not Status.INFEASIBLE else math.inf
    seconds = search.elapsed
    partitions = incumbent.partitions()
    return SearchResult(
        status=status,
        partition=partitions[0] if partitions else None,
        cost=incumbent.cost,
        lower_bound=bound,
        counters=search.counters,
        history=(*search.history, Moment(seconds, incumbent.cost, bound)),
        notes=tuple(notes),
        optimal_count=incumbent.count if chosen.all_optimal and status is Status.OPTIMAL else None,
        alternatives=tuple(partitions[1:]) if chosen.all_optimal and status is Status.OPTIMAL else (),
    )
