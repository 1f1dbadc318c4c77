"""Statistics of blocks from the cells in memory, behind the same interface as grouped SQL."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gensearch_db.domain.attribute import Space
from gensearch_db.domain.cells import BlockStatistics, Cells, Distribution
from gensearch_db.domain.region import Block, Region


class CellStatistics:
    """Sums over cells. Rows add up, so a whole batch is one matrix product; persons are counted block by block.

    Sums are exact: they stay below 2^53.
    """

    def __init__(self, space: Space, cells: Cells) -> None:
        self._space = space
        self._cells = cells
        self._inside: list[dict[Region, NDArray[np.bool_]]] = [{} for _ in space.attributes]
        leaf_codes = [np.eye(a.leaf_count)[cells.codes[:, j]] * cells.counts[:, None] for j, a in enumerate(space.attributes)]
        histograms = [_by_cell(distribution, cells.cell_count) for distribution in (*cells.sensitive, *cells.classes)]
        sizes = np.stack([cells.counts, cells.counts**2], axis=1).astype(np.float64)
        self._features = np.concatenate([sizes, *leaf_codes, *histograms], axis=1)
        widths = [2, *(a.leaf_count for a in space.attributes), *(h.shape[1] for h in histograms)]
        self._starts = np.cumsum([0, *widths]).tolist()

    def of_blocks(self, blocks: list[Block]) -> list[BlockStatistics]:
        """The statistics of each block, in the same order."""
        inside = np.stack([self._cells_in(block) for block in blocks])
        sums = np.rint(inside @ self._features).astype(np.int64).tolist()
        return [self._statistics(row, mask) for row, mask in zip(sums, inside, strict=True)]

    def _cells_in(self, block: Block) -> NDArray[np.bool_]:
        mask = np.ones(self._cells.cell_count, dtype=np.bool_)
        for position, region in enumerate(block):
            known = self._inside[position].get(region)
            if known is None:
                contained = np.zeros(self._space.attributes[position].leaf_count, dtype=np.bool_)
                contained[list(region.codes())] = True
                known = self._inside[position][region] = contained[self._cells.codes[:, position]]
            mask &= known
        return mask

    def _statistics(self, sums: list[int], inside: NDArray[np.bool_]) -> BlockStatistics:
        parts = [tuple(sums[start:end]) for start, end in zip(self._starts, self._starts[1:], strict=False)]
        dimensions = len(self._space.attributes)
        histograms = iter(parts[1 + dimensions :])
        return BlockStatistics(
            size=parts[0][0] if self._cells.persons is None else self._persons_in(inside),
            rows=parts[0][0],
            sensitive={d.domain.name: _exact(d, next(histograms), inside) for d in self._cells.sensitive},
            classes={d.domain.name: _exact(d, next(histograms), inside) for d in self._cells.classes},
            cell_squares=parts[0][1],
            marginals=tuple(parts[1 : 1 + dimensions]),
        )

    def _persons_in(self, inside: NDArray[np.bool_]) -> int:
        lists = self._cells.persons
        assert lists is not None
        return len(np.unique(lists.persons[np.repeat(inside, np.diff(lists.starts))]))


def _by_cell(distribution: Distribution, cell_count: int) -> NDArray[np.float64]:
    table = np.zeros((cell_count, len(distribution.domain.values)))
    cells = np.repeat(np.arange(cell_count), np.diff(distribution.starts))
    np.add.at(table, (cells, distribution.codes), distribution.counts)
    return table


def _exact(distribution: Distribution, added_up: tuple[int, ...], inside: NDArray[np.bool_]) -> tuple[int, ...]:
    """The histogram, where each (person, value) pair counts once however many cells it is in."""
    if distribution.pairs is None:
        return added_up
    there = np.repeat(inside, np.diff(distribution.starts))
    _, first = np.unique(distribution.pairs[there], return_index=True)
    return tuple(np.bincount(distribution.codes[there][first], minlength=len(added_up)).tolist())
