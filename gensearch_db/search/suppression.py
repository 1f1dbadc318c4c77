"""Suppression by price: the block graph with a hard limit on suppressed rows, by Lagrangian relaxation.

If any block may be suppressed at a price a row, however many, the optimum adds up over blocks again and the block graph finds
it. A price p above the cost's own charge c gives a bound for the limited problem: every release with at most ``limit``
suppressed rows costs at least opt(p) - (p - c) * limit. A higher price suppresses less; the price moves until the limit is
kept, along the lower hull of (suppressed rows, cost). What no price can prove is left to the enumeration.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gensearch_db.domain.attribute import OrderedAttribute
from gensearch_db.domain.region import Block, LeafSet
from gensearch_db.domain.statistics import MemoryStatistics
from gensearch_db.search.block_graph import block_graph_search
from gensearch_db.search.result import Partition, Progress, Remembered, SearchProblem, SearchResult, Status, StoppingRule

MOST_PRICES = 20
TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Priced:
    """A release found at some price: its cost at the cost's own charge, its suppressed rows, its blocks."""

    cost: float
    suppressed: int
    partition: Partition


def suppression_search(
    problem: SearchProblem,
    stopping: StoppingRule,
    progress: Progress,
    options: Mapping[str, Any],
    threads: int | None = None,
) -> SearchResult | None:
    """The best release within the limit that prices find, with the bound they prove; None where all prices were tried and
    none was found."""
    charge = float(problem.cost.suppression_charge(problem.table))
    started = time.monotonic()
    heard = Remembered(progress)
    start = _without_suppression(problem, replace(stopping, seconds=stopping.seconds / 3), heard, options, threads)
    if start.status is Status.INTERRUPTED or heard.has_asked_to_stop():
        return replace(start, status=Status.INTERRUPTED, lower_bound=0.0, history=(), counters={"prices_tried": 0})
    best = None if start.partition is None else Priced(start.cost, 0, start.partition)
    over: Priced | None = None
    bound, status = 0.0, Status.HEURISTIC
    price = charge or 1.0  # a price of 0 would ask for no suppression at all
    tried: set[float] = set()
    while len(tried) < MOST_PRICES and price not in tried:
        tried.add(price)
        share = replace(stopping, seconds=max(0.05, (stopping.seconds - (time.monotonic() - started)) / 3), factor=1.0)
        relaxed = replace(problem, suppression_limit=0, suppression_price=price)
        result = block_graph_search(relaxed, share, heard, options, threads)
        bound = max(bound, result.lower_bound - (price - charge) * problem.suppression_limit)
        if result.status in (Status.INTERRUPTED, Status.MEMORY_LIMIT):
            status = result.status
        if heard.has_asked_to_stop():
            status = Status.INTERRUPTED
        found = None if result.partition is None else _priced(problem, result.partition, charge)
        if found is not None and found.suppressed <= problem.suppression_limit:
            best = found if best is None or found.cost < best.cost else best
        elif found is not None:
            over = found
        if status is Status.INTERRUPTED or _proven(problem, best, bound):
            break
        price = _next_price(problem, charge, price, best, over)
    if best is None:
        interrupted = SearchResult(status, None, math.inf, max(0.0, bound), {"prices_tried": len(tried)})
        return interrupted if status is Status.INTERRUPTED else None
    if _proven(problem, best, bound):
        status, bound = Status.OPTIMAL, best.cost
    return SearchResult(status, best.partition, best.cost, min(bound, best.cost), {"prices_tried": len(tried)})


def _without_suppression(
    problem: SearchProblem, stopping: StoppingRule, progress: Progress, options: Mapping[str, Any], threads: int | None
) -> SearchResult:
    """The best release that suppresses nothing: a start. Its bound says nothing of those that do."""
    return block_graph_search(replace(problem, suppression_limit=0), stopping, progress, options, threads)


def _proven(problem: SearchProblem, best: Priced | None, bound: float) -> bool:
    if best is None:
        return False
    if problem.cost.integral:
        bound = math.ceil(bound - 1e-6)
    return best.cost <= bound + TOLERANCE * max(1.0, abs(best.cost))


def _next_price(problem: SearchProblem, charge: float, price: float, best: Priced | None, over: Priced | None) -> float:
    """Where the lines of the two neighbouring releases cross; without one that keeps the limit, twice as much."""
    if best is None:
        return price + 2 * (price if price == charge else price - charge)
    if over is None or over.suppressed <= best.suppressed:
        return price
    crossing = charge + max(0.0, (best.cost - over.cost) / (over.suppressed - best.suppressed))
    return float(math.ceil(crossing)) if problem.cost.integral else crossing


def _published(problem: SearchProblem, block: Block, cells: NDArray[np.bool_]) -> Block:
    """What the block's labels stand for: its region, or of categories the values that occur in it."""
    if not problem.values_labels:
        return block
    return tuple(
        region
        if isinstance(attribute, OrderedAttribute) and not attribute.categorical
        else LeafSet(sum(1 << int(code) for code in np.unique(problem.cells.codes[cells, position])))
        for position, (attribute, region) in enumerate(zip(problem.space.attributes, block, strict=True))
    )


def _priced(problem: SearchProblem, partition: Partition, charge: float) -> Priced:
    """Tell published from suppressed blocks by the exact tests, and count at the cost's own charge."""
    statistics = MemoryStatistics(problem.space, problem.cells).with_marginals(partition.blocks)
    kept, total, suppressed = [], 0.0, 0
    for position, (block, found) in enumerate(zip(partition.blocks, statistics, strict=True)):
        cells = partition.block_of_cell == position
        shown = _published(problem, block, cells)
        long_enough = all(
            a.length(region) >= a.minimum_length for a, region in zip(problem.space.attributes, block, strict=True)
        )
        if long_enough and all(constraint.holds(found, shown, problem.table) for constraint in problem.constraints):
            kept.append(position)
            total += problem.cost.of_block(found, shown, problem.table)
        else:
            suppressed += found.rows
    renumbered = np.full(len(partition.blocks) + 1, -1, dtype=np.int64)
    renumbered[kept] = np.arange(len(kept))
    blocks = tuple(partition.blocks[position] for position in kept)
    return Priced(total + charge * suppressed, suppressed, Partition(blocks, renumbered[partition.block_of_cell]))
