"""Statistics of batches of blocks from the cells in memory, where rows are the unit of protection: one matrix product each.

Tests hold it to :class:`gensearch_db.domain.statistics.MemoryStatistics`, the slower reference, which also counts persons.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gensearch_db.domain.attribute import Space
from gensearch_db.domain.cells import BlockStatistics, Cells, Distribution
from gensearch_db.domain.region import Block, Region
from gensearch_db.domain.statistics import MemoryStatistics, Statistics, membership


def statistics_in_memory(space: Space, cells: Cells) -> Statistics:
    """The fastest source in memory: persons do not add up over cells, so they take the reference."""
    return CellStatistics(space, cells) if cells.persons is None else MemoryStatistics(space, cells)


class CellStatistics:
    """Sums over cells (floats, exact below 2^53), whole batches at once."""

    def __init__(self, space: Space, cells: Cells) -> None:
        self._cells = cells
        self._inside: list[dict[Region, NDArray[np.bool_]]] = [{} for _ in space.attributes]
        rows = cells.counts[:, None].astype(np.float64)
        by_leaf = [np.eye(a.leaf_count)[cells.codes[:, j]] * rows for j, a in enumerate(space.attributes)]
        histograms = [_by_cell(distribution, cells.cell_count) for distribution in (*cells.sensitive, *cells.classes)]
        self._features = np.concatenate([rows, rows**2, *by_leaf, *histograms], axis=1)
        widths = [part.shape[1] for part in (*by_leaf, *histograms)]
        self._starts = np.cumsum([2, *widths]).tolist()
        self._dimensions = len(space.attributes)

    def of_blocks(self, blocks: Sequence[Block]) -> list[BlockStatistics]:
        """The statistics of each block, in the same order."""
        return [replace(statistics, marginals=None) for statistics in self.with_marginals(blocks)]

    def with_marginals(self, blocks: Sequence[Block]) -> list[BlockStatistics]:
        """The same with the rows of every leaf."""
        if not blocks:
            return []
        inside = np.stack([self._cells_in(block) for block in blocks])
        return [self._statistics(sums) for sums in np.rint(inside @ self._features).astype(np.int64).tolist()]

    def _cells_in(self, block: Block) -> NDArray[np.bool_]:
        mask = np.ones(self._cells.cell_count, dtype=np.bool_)
        for position, region in enumerate(block):
            known = self._inside[position].get(region)
            if known is None:
                known = self._inside[position][region] = membership(region, self._cells.codes[:, position])
            mask &= known
        return mask

    def _statistics(self, sums: list[int]) -> BlockStatistics:
        parts = [tuple(sums[start:end]) for start, end in zip(self._starts, self._starts[1:], strict=False)]
        histograms = iter(parts[self._dimensions :])
        return BlockStatistics(
            size=sums[0],
            rows=sums[0],
            sensitive={distribution.domain.name: next(histograms) for distribution in self._cells.sensitive},
            classes={distribution.domain.name: next(histograms) for distribution in self._cells.classes},
            cell_squares=sums[1],
            marginals=tuple(parts[: self._dimensions]),
        )


def _by_cell(distribution: Distribution, cell_count: int) -> NDArray[np.float64]:
    table = np.zeros((cell_count, len(distribution.domain.values)))
    cells = np.repeat(np.arange(cell_count), np.diff(distribution.starts))
    np.add.at(table, (cells, distribution.codes), distribution.counts)
    return table
