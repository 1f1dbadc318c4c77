"""The optimum by looking at every hierarchical partition. Independent of the search code; small spaces only.

An empty block costs 0 and satisfies everything. A block that violates a constraint is suppressed: its rows are charged by the
cost and count against ``suppression_limit``. Two partitions are the same release where they publish the same groups of cells.
"""

from __future__ import annotations

import math
from itertools import product

from gensearch_db.domain.attribute import Space
from gensearch_db.domain.region import Block
from gensearch_db.search.result import SearchProblem
from tests.oracles.plain_statistics import cells_in, may_be_published, published, statistics_of

Blocks = frozenset[Block]
Grouping = frozenset[frozenset[int]]
"""The published groups of cell numbers; a cell in no group is suppressed."""

TOLERANCE = 1e-9


def splits_of(space: Space, block: Block) -> list[tuple[Block, ...]]:
    """Every available split of the block, as the tuple of its children."""
    found = []
    for position, attribute in enumerate(space.attributes):
        for regions in attribute.splits(block[position]):
            found.append(tuple((*block[:position], region, *block[position + 1 :]) for region in regions))
    return found


def all_partitions(space: Space, root: Block | None = None) -> set[Blocks]:
    """Every hierarchical partition of ``root`` (default: the whole space), each once, as its set of blocks."""
    known: dict[Block, set[Blocks]] = {}

    def partitions(block: Block) -> set[Blocks]:
        if block not in known:
            found: set[Blocks] = {frozenset([block])}
            for children in splits_of(space, block):
                for parts in product(*(partitions(child) for child in children)):
                    found.add(frozenset().union(*parts))
            known[block] = found
        return known[block]

    return partitions(space.root if root is None else root)


class Judge:
    """Costs and feasibility of blocks, each worked out once."""

    def __init__(self, problem: SearchProblem) -> None:
        self.problem = problem
        self._known: dict[Block, tuple[frozenset[int], int, float | None]] = {}

    def of(self, block: Block) -> tuple[frozenset[int], int, float | None]:
        """The block's cells, its rows, and its cost (None: it may not be published)."""
        if block not in self._known:
            cells = cells_in(self.problem, block)
            statistics = statistics_of(self.problem, cells)
            cost: float | None = 0.0
            if cells:
                allowed = may_be_published(self.problem, block, cells, statistics)
                shown = published(self.problem, block, cells)
                cost = self.problem.cost.of_block(statistics, shown, self.problem.table) if allowed else None
            self._known[block] = (frozenset(cells), statistics.rows, cost)
        return self._known[block]

    def of_partition(self, blocks: Blocks) -> tuple[float, Grouping]:
        """The partition's cost (inf where it suppresses too much) and the groups it publishes."""
        total, suppressed = 0.0, 0
        groups = []
        for block in blocks:
            cells, rows, cost = self.of(block)
            if cost is None:
                suppressed += rows
            elif cells:
                total += cost
                groups.append(cells)
        if suppressed > self.problem.suppression_limit:
            return math.inf, frozenset()
        if suppressed:
            total += suppressed * self.problem.cost.suppression_charge(self.problem.table)
        return total, frozenset(groups)


def optimum(problem: SearchProblem) -> tuple[float, list[Grouping]]:
    """The least cost of any feasible partition (inf: none is), and every release that reaches it, each once."""
    judge = Judge(problem)
    best: dict[Grouping, float] = {}
    for blocks in all_partitions(problem.space):
        cost, grouping = judge.of_partition(blocks)
        if cost < best.get(grouping, math.inf):
            best[grouping] = cost
    if not best:
        return math.inf, []
    least = min(best.values())
    return least, [grouping for grouping, cost in best.items() if cost <= least + TOLERANCE * max(1.0, abs(least))]
