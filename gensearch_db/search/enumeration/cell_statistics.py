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
    """Sums over cells, whole batches at once: in whole numbers, which also keeps the product off the threads of a BLAS."""

    def __init__(self, space: Space, cells: Cells) -> None:
        self._cells = cells
        self._inside: list[dict[Region, NDArray[np.bool_]]] = [{} for _ in space.attributes]
        rows = cells.counts[:, None]
        histograms = [_by_cell(distribution, cells.cell_count) for distribution in (*cells.sensitive, *cells.classes)]
        self._sums = np.concatenate([rows, rows**2, *histograms], axis=1)
        self._starts = np.cumsum([2, *(histogram.shape[1] for histogram in histograms)]).tolist()
        self._leaf_counts = [attribute.leaf_count for attribute in space.attributes]

    def of_blocks(self, blocks: Sequence[Block]) -> list[BlockStatistics]:
        """The statistics of each block, in the same order."""
        if not blocks:
            return []
        inside = np.stack([self._cells_in(block) for block in blocks])
        return [self._statistics(sums) for sums in (inside.astype(np.int64) @ self._sums).tolist()]

    def with_marginals(self, blocks: Sequence[Block]) -> list[BlockStatistics]:
        """The same with the rows of every leaf."""
        marginals = [self._marginals(self._cells_in(block)) for block in blocks]
        return [replace(statistics, marginals=m) for statistics, m in zip(self.of_blocks(blocks), marginals, strict=True)]

    def _marginals(self, inside: NDArray[np.bool_]) -> tuple[tuple[int, ...], ...]:
        rows, codes = self._cells.counts[inside], self._cells.codes[inside]
        return tuple(
            tuple(np.bincount(codes[:, position], rows, leaves).astype(np.int64).tolist())
            for position, leaves in enumerate(self._leaf_counts)
        )

    def _cells_in(self, block: Block) -> NDArray[np.bool_]:
        mask = np.ones(self._cells.cell_count, dtype=np.bool_)
        for position, region in enumerate(block):
            known = self._inside[position].get(region)
            if known is None:
                known = self._inside[position][region] = membership(region, self._cells.codes[:, position])
            mask &= known
        return mask

    def _statistics(self, sums: list[int]) -> BlockStatistics:
        histograms = iter([tuple(sums[start:end]) for start, end in zip(self._starts, self._starts[1:], strict=False)])
        return BlockStatistics(
            size=sums[0],
            rows=sums[0],
            sensitive={distribution.domain.name: next(histograms) for distribution in self._cells.sensitive},
            classes={distribution.domain.name: next(histograms) for distribution in self._cells.classes},
            cell_squares=sums[1],
        )


def _by_cell(distribution: Distribution, cell_count: int) -> NDArray[np.int64]:
    table = np.zeros((cell_count, len(distribution.domain.values)), dtype=np.int64)
    cells = np.repeat(np.arange(cell_count), np.diff(distribution.starts))
    np.add.at(table, (cells, distribution.codes), distribution.counts)
    return table
