"""Statistics of blocks: the interface behind which SQL and memory are interchangeable, and the plain in-memory reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gensearch_db.domain.attribute import Space
from gensearch_db.domain.cells import BlockStatistics, Cells, Distribution, Table
from gensearch_db.domain.region import Block, Interval, Region


class Statistics(Protocol):
    """Whatever computes the statistics of blocks from the cells of a table."""

    def of_blocks(self, blocks: Sequence[Block]) -> list[BlockStatistics]:
        """The statistics of each block, in the order given; blocks may overlap, repeat, or be empty of cells."""

    def with_marginals(self, blocks: Sequence[Block]) -> list[BlockStatistics]:
        """The same with ``marginals``: the rows of each block in every leaf of every attribute, hence the sizes of all its
        candidate splits at once."""


class MemoryStatistics:
    """Statistics in plain numpy over the cells in memory: the reference for everything faster."""

    def __init__(self, space: Space, cells: Cells) -> None:
        self._space = space
        self._cells = cells

    def of_blocks(self, blocks: Sequence[Block]) -> list[BlockStatistics]:
        """See :class:`Statistics`."""
        return [cell_statistics(self._cells, self._selected(block)) for block in blocks]

    def with_marginals(self, blocks: Sequence[Block]) -> list[BlockStatistics]:
        """See :class:`Statistics`."""
        found: list[BlockStatistics] = []
        for block in blocks:
            selected = self._selected(block)
            found.append(
                replace(cell_statistics(self._cells, selected), marginals=leaf_rows(self._space, self._cells, selected))
            )
        return found

    def _selected(self, block: Block) -> NDArray[np.int64]:
        """The numbers of the cells in a block, ascending."""
        inside = np.ones(self._cells.cell_count, bool)
        for position, region in enumerate(block):
            inside &= membership(region, self._cells.codes[:, position])
        return np.flatnonzero(inside)


def membership(region: Region, codes: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Which of the codes lie in a region."""
    if isinstance(region, Interval):
        return (codes >= region.lower) & (codes < region.upper)
    return np.isin(codes, np.fromiter(region.codes(), np.int32))


def cell_statistics(cells: Cells, selected: NDArray[np.int64]) -> BlockStatistics:
    """The statistics of the given cells (numbers, each once) taken together."""
    rows = int(cells.counts[selected].sum())
    size = rows
    if cells.persons is not None:
        size = len(np.unique(cells.persons.persons[_entries(cells.persons.starts, selected)]))
    return BlockStatistics(
        size,
        rows,
        {distribution.domain.name: _histogram(distribution, selected) for distribution in cells.sensitive},
        {distribution.domain.name: _histogram(distribution, selected) for distribution in cells.classes},
        cell_squares=_squares(cells.counts[selected], rows),
    )


def _squares(counts: NDArray[np.int64], rows: int) -> int:
    """The sum of squares, exact: it is at most rows squared, which may not fit into 64 bits."""
    wide = counts if rows < 2**31 else counts.astype(object)
    return int((wide * wide).sum())


def leaf_rows(space: Space, cells: Cells, selected: NDArray[np.int64]) -> tuple[tuple[int, ...], ...]:
    """For each attribute the rows that the given cells have in every leaf."""
    found: list[tuple[int, ...]] = []
    for position, attribute in enumerate(space.attributes):
        rows = np.zeros(attribute.leaf_count, np.int64)
        np.add.at(rows, cells.codes[selected, position], cells.counts[selected])
        found.append(tuple(rows.tolist()))
    return tuple(found)


def _entries(starts: NDArray[np.int64], selected: NDArray[np.int64]) -> NDArray[np.int64]:
    """The places of the given cells' entries, one cell after the other."""
    lengths = starts[selected + 1] - starts[selected]
    before = np.cumsum(lengths) - lengths
    first_of_each: NDArray[np.int64] = np.repeat(starts[selected] - before, lengths)
    return first_of_each + np.arange(len(first_of_each))


def _histogram(distribution: Distribution, selected: NDArray[np.int64]) -> tuple[int, ...]:
    entries = _entries(distribution.starts, selected)
    if distribution.pairs is not None:
        _, first = np.unique(distribution.pairs[entries], return_index=True)
        entries = entries[first]
    histogram = np.zeros(len(distribution.domain.values), np.int64)
    np.add.at(histogram, distribution.codes[entries], distribution.counts[entries])
    return tuple(int(count) for count in histogram)


def whole_table(space: Space, cells: Cells) -> Table:
    """The whole table as a block, with the domains of its sensitive and class columns."""
    everything = np.arange(cells.cell_count)
    return Table(
        space,
        replace(cell_statistics(cells, everything), marginals=leaf_rows(space, cells, everything)),
        {distribution.domain.name: distribution.domain for distribution in cells.sensitive},
        {distribution.domain.name: distribution.domain for distribution in cells.classes},
        persons=cells.persons is not None,
    )
