"""Boxes as the search sees them: with rows, feasibility, cost and what is known of their lower bound."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from gensearch_db.domain.boxes import Box, BoxesWithCells, CellIndex, Division, OccupiedBoxes
from gensearch_db.domain.cells import BlockStatistics
from gensearch_db.domain.region import Block
from gensearch_db.domain.splits import SplitSet
from gensearch_db.domain.statistics import Statistics
from gensearch_db.privacy.minimum_length import long_enough
from gensearch_db.search.result import SearchProblem

LARGEST_JOIN = 4_000_000
"""Pairs of a block and a cell that one request may look at: about 30 MB in memory."""

MANY_CELLS = 2_000
"""Sets of cells beyond this number are looked through all at once; one by one each takes as long as the set."""


class JudgedBox(Box):
    """A box with its judgement, filled in by :class:`Judge`.

    ``cost``: what publishing it costs, or suppressing it where it violates a constraint; ``suppressed``: the rows that this
    suppresses (0: it may be published). ``least_suppressed``: rows that every partition of it suppresses at least.
    ``bound``: a lower bound of its optimum that looked ``bound_depth`` levels of splits ahead (-1: none yet). ``options``
    and ``completion``: filled in by :class:`BoundRule` and :class:`Expansion`.
    """

    __slots__ = (
        "bound",
        "bound_depth",
        "completion",
        "cost",
        "known",
        "least_suppressed",
        "options",
        "rows",
        "statistics",
        "suppressed",
    )

    def __init__(self, block: Block, cells: int, available: int, crossing: int) -> None:
        super().__init__(block, cells, available, crossing)
        self.known = False
        self.rows = 0
        self.statistics: BlockStatistics | None = None
        self.cost = 0.0
        self.suppressed = 0
        self.least_suppressed = 0
        self.bound = 0.0
        self.bound_depth = -1
        self.options: list[Option] | None = None
        self.completion: Completion | None = None


class Completion(NamedTuple):
    """A good partition of a box, found greedily: its cost, the rows it suppresses, and the division it starts with, if any."""

    cost: float
    suppressed: int
    division: Division[JudgedBox] | None


class Option(NamedTuple):
    """A division of a box with the sums over its children: lower bound, cost, suppressed rows."""

    bound: float
    cost: float
    suppressed: int
    division: Division[JudgedBox]


class Judge:
    """Judges boxes, each once; asks for the statistics of all new boxes of a batch together.

    ``batches`` counts the requests (in SQL, a statement for sizes and one for each column), ``blocks_asked`` the blocks in
    them: what ``EXPLAIN`` shows of a run.
    """

    def __init__(self, problem: SearchProblem, split_set: SplitSet, statistics: Statistics) -> None:
        self.problem = problem
        self.statistics = statistics
        self.lengths_limited = any(attribute.minimum_length > 0 for attribute in problem.space.attributes)
        index = CellIndex(problem.space, problem.cells.codes)
        family = BoxesWithCells if self.lengths_limited else OccupiedBoxes
        self.boxes: BoxesWithCells[JudgedBox] = family(split_set, JudgedBox, index)
        self.batches = 0
        self.blocks_asked = 0
        self.cell_rows: list[int] = problem.cells.counts.tolist()
        self._charge = problem.cost.suppression_charge(problem.table)
        sizes = [constraint.minimum_size(problem.table) for constraint in problem.constraints]
        self.minimum_size = max([1, *sizes])

    def judge(self, boxes: Iterable[JudgedBox]) -> None:
        """Fill in the judgement of every box that has none yet."""
        unknown = {id(box): box for box in boxes if not box.known}
        asked = []
        for box in unknown.values():
            if box.cells:
                asked.append(box)
            else:
                box.known = True
        for box, statistics in zip(asked, self.ask([box.block for box in asked]), strict=True):
            self._fill(box, statistics)
            box.known = True

    def ask(self, blocks: list[Block]) -> list[BlockStatistics]:
        """The statistics of blocks, in requests that join at most ``LARGEST_JOIN`` pairs of a block and a cell."""
        most = max(1, LARGEST_JOIN // len(self.cell_rows))
        found: list[BlockStatistics] = []
        for start in range(0, len(blocks), most):
            self.boxes.watch()
            batch = blocks[start : start + most]
            self.batches += 1
            self.blocks_asked += len(batch)
            with_marginals = self.problem.cost.needs_cells
            found += self.statistics.with_marginals(batch) if with_marginals else self.statistics.of_blocks(batch)
        return found

    def _fill(self, box: JudgedBox, statistics: BlockStatistics) -> None:
        problem = self.problem
        box.statistics = statistics
        box.rows = statistics.rows
        published = self._published(box)
        hopeless = not self._lengths_hold(box.block)
        violated = hopeless
        for constraint in problem.constraints:
            if not constraint.holds(statistics, published, problem.table):
                violated = True
                hopeless = hopeless or constraint.monotone_in(problem.table)
        if statistics.size < self.minimum_size:
            box.least_suppressed = box.rows
        elif hopeless:
            box.least_suppressed = min(self.cell_rows[cell] for cell in members(box.cells))
        if violated:
            box.suppressed = box.rows
            box.cost = self._charge * box.rows
        else:
            box.cost = problem.cost.of_block(statistics, published, problem.table)

    def _published(self, box: JudgedBox) -> Block:
        """What the block's labels stand for: its regions, or with labels = values the categories that occur in it."""
        if not self.problem.values_labels:
            return box.block
        return self.boxes.index.with_values(box.block, box.cells)

    def _lengths_hold(self, block: Block) -> bool:
        return not self.lengths_limited or all(
            attribute.minimum_length <= 0 or long_enough(attribute.length(region), attribute.minimum_length)
            for attribute, region in zip(self.problem.space.attributes, block, strict=True)
        )

    def divisions(self, box: JudgedBox) -> tuple[Division[JudgedBox], ...]:
        """The divisions of a box, their children judged in one batch. An empty box is never divided: it would gain nothing."""
        if box.divisions is None:
            self.divide([box])
        return box.divisions or ()

    def divide(self, boxes: Iterable[JudgedBox]) -> list[JudgedBox]:
        """Work out the divisions of boxes, and judge all their children in one batch. Gives the different children."""
        children: dict[int, JudgedBox] = {}
        for box in boxes:
            if box.cells:
                for division in self.boxes.divisions(box):
                    children.update((id(child), child) for child in division.children)
        self.judge(children.values())
        return list(children.values())


def members(cells: int) -> list[int]:
    """The numbers of the cells in a set of cells."""
    if cells.bit_length() > MANY_CELLS:
        there = np.frombuffer(cells.to_bytes(cells.bit_length() // 8 + 1, "little"), np.uint8)
        numbers: list[int] = np.flatnonzero(np.unpackbits(there, bitorder="little")).tolist()
        return numbers
    found = []
    while cells:
        low = cells & -cells
        found.append(low.bit_length() - 1)
        cells ^= low
    return found
