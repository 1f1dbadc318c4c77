"""Small spaces are solved to the end by dynamic programming over all their boxes, bounds or no bounds (THEORY 2.1).

The work does not depend on the cost, the constraints or the number of cells, only on the number of boxes and their splits: a
million boxes take about a second. The block graph visits fewer blocks, but each visit reads the block's cells.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from gensearch_db.cost.kernel import COUNT_ERROR, MARGINAL_NONUNIFORMITY, NON_UNIFORM_ENTROPY
from gensearch_db.domain.attribute import Attribute, OrderedAttribute, RelaxedTaxonomyAttribute, Space, TaxonomyAttribute
from gensearch_db.domain.counting import count_boxes
from gensearch_db.domain.region import Block, Region
from gensearch_db.search.box_kernel import WHOLE, BoxTable, place_cells, solve_boxes
from gensearch_db.search.box_regions import box_regions, regions_of
from gensearch_db.search.partitions import add_region
from gensearch_db.search.result import SearchProblem
from gensearch_db.search.structures import structure
from gensearch_db.search.worker import Slice, Worker

MOST_BOXES = 4_000_000
MOST_STEPS = 400_000_000
"""Boxes, times the splits that are tried and the numbers that are kept for each: some seconds."""
MOST_SETS = 1_100
"""Of a set attribute with more regions (more than ten values) there are too many divisions to list."""
BOXES_AT_ONCE = 50_000
"""Between two looks at the clock."""


def is_small(problem: SearchProblem, megabytes: float) -> bool:
    """Whether all boxes of the problem's space can be solved within seconds and the memory. Distinct persons do not add up,
    so problems that count them are left to the block graph."""
    boxes = count_boxes(problem.space)
    if problem.table.persons or boxes > MOST_BOXES:
        return False
    tried = sum(_splits_tried(attribute) for attribute in problem.space.attributes)
    columns = (*problem.cells.sensitive, *problem.cells.classes)
    entries = 6 + len(problem.space.attributes) + sum(len(column.domain.values) for column in columns)
    return boxes * (tried + entries) <= MOST_STEPS and 8 * boxes * entries <= megabytes * 2**20


def _splits_tried(attribute: Attribute) -> float:
    """The mean number of splits of an attribute's regions."""
    if isinstance(attribute, OrderedAttribute):
        return attribute.leaf_count / 3
    if isinstance(attribute, TaxonomyAttribute) and not isinstance(attribute, RelaxedTaxonomyAttribute):
        return 1.0
    regions = count_boxes(Space((attribute,)))
    return regions / 4 if regions <= MOST_SETS else math.inf


class BoxProgram:
    """The dynamic program of one problem. It borrows a worker's arrays of the problem; the worker must be idle meanwhile."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.regions: list[list[Region]] = [regions_of(attribute) for attribute in worker.problem.space.attributes]
        self.table = self._table()
        self.boxes = len(self.table.rows)
        self.solved = 0

    def run(self) -> Iterator[None]:
        """Solve all boxes, a batch at each step."""
        kernel, table = self.worker.compiled, structure(self.table)
        place_cells(kernel, table)
        while self.solved < self.boxes:
            last = min(self.boxes, self.solved + BOXES_AT_ONCE)
            solve_boxes(kernel, table, self.solved, last)
            self.solved = last
            yield

    @property
    def cost(self) -> float:
        """The optimum; infinite where nothing is feasible."""
        return float(self.table.optimum[-1])

    def slices(self) -> list[Slice]:
        """The optimal partition, as slices of the worker's ``order``, which is sorted accordingly."""
        regions, table, codes = self.table.regions, self.table, self.worker.problem.cells.codes
        found: list[tuple[Block, NDArray[np.int64]]] = []
        waiting = [(self.boxes - 1, np.arange(len(codes), dtype=np.int64))]
        while waiting:
            box, cells = waiting.pop()
            if not len(cells):
                continue
            choice = int(table.choice[box])
            if choice == WHOLE:
                found.append((self._block(box), cells))
                continue
            j = int(np.searchsorted(self._first_splits, choice, side="right")) - 1
            digit = self._digit(box, j)
            for part in regions.parts[regions.part_starts[choice] : regions.part_starts[choice + 1]]:
                inside = np.isin(codes[cells, j], list(self.regions[j][part].codes()))
                waiting.append((box + int((part - digit) * regions.strides[j]), cells[inside]))
        return self._as_slices(found)

    def _as_slices(self, groups: list[tuple[Block, NDArray[np.int64]]]) -> list[Slice]:
        self.worker.kernel.order[:] = np.concatenate([cells for _, cells in groups])
        slices: list[Slice] = []
        start = 0
        for block, cells in groups:
            end = start + len(cells)
            slices.append((start, end, self.worker.words_of_block(block, start, end)))
            start = end
        return slices

    @property
    def _first_splits(self) -> NDArray[np.int64]:
        """The number of each attribute's first split."""
        regions = self.table.regions
        return np.asarray(regions.split_starts[regions.starts[:-1]])

    def _digit(self, box: int, j: int) -> int:
        return int(box // self.table.regions.strides[j] % self.table.regions.sizes[j])

    def _block(self, box: int) -> Block:
        return tuple(each[self._digit(box, j)] for j, each in enumerate(self.regions))

    def _table(self) -> BoxTable:
        problem, kernel = self.worker.problem, self.worker.kernel
        regions = box_regions(problem.space, self.regions)
        boxes, words = int(regions.strides[-1]), len(kernel.space.empty_words)
        columns = (*problem.cells.sensitive, *problem.cells.classes)
        histogram_starts = np.cumsum([0, *(len(column.domain.values) for column in columns)], dtype=np.int64)
        marginal = (COUNT_ERROR, MARGINAL_NONUNIFORMITY, NON_UNIFORM_ENTROPY)
        wide_sets = kernel.space.values_labels and bool(kernel.space.wide.any())
        return BoxTable(
            regions=regions,
            rows=np.zeros(boxes, np.int64),
            squares=np.zeros(boxes),
            histograms=np.zeros((boxes, int(histogram_starts[-1])), np.int64),
            histogram_starts=histogram_starts,
            words=np.zeros((boxes, words), np.uint64),
            region_words=self._region_words(),
            optimum=np.zeros(boxes),
            choice=np.zeros(boxes, np.int32),
            reads_marginals=int(wide_sets or any(kind in marginal for kind in kernel.costs.kinds)),
        )

    def _region_words(self) -> NDArray[np.uint64]:
        space = self.worker.kernel.space
        rows = np.tile(space.empty_words, (sum(map(len, self.regions)), 1))
        places = ((j, region) for j, each in enumerate(self.regions) for region in each)
        for row, (j, region) in zip(rows, places, strict=True):
            add_region(space, row, j, region)
        return rows
