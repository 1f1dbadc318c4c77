"""Finest cells and the statistics of blocks: all that a search ever sees of the data.

A cell is one combination of leaf values that occurs in the table. Cells are made by one grouped statement
(``sql/finest_cells.sql``) and sorted by their codes, so that the order of rows leaves no trace.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gensearch_db.domain.attribute import Space
from gensearch_db.domain.coverage import WorkloadCoverage
from gensearch_db.domain.taxonomy import Taxonomy


@dataclass(frozen=True)
class ValueDomain:
    """The domain of a sensitive or class column: ``values`` in order (the column's own, or a declared one), those of text
    and of declarations as text, others as numbers from 0.

    ``missing`` is the code of NULL (and NaN) if it occurs: a value of the distribution that never counts as diversity.
    ``taxonomy`` gives the hierarchical ground distance where one was declared; its leaves are then the values.
    ``order_declared``: the user said that the order of the values means something, so that it is a distance also for text.
    ``nominal``: the order of the column's type says nothing (text, UUID, lists), and is no distance unless it is declared.
    """

    name: str
    values: tuple[Any, ...]
    missing: int | None = None
    taxonomy: Taxonomy | None = None
    order_declared: bool = False
    nominal: bool = False


@dataclass(frozen=True, eq=False)
class Distribution:
    """The values of one column over the cells, as a compressed sparse row structure.

    Cell ``i`` holds ``counts[j]`` rows of value code ``codes[j]`` for ``starts[i] <= j < starts[i + 1]``, ascending by code.
    Where persons are the unit of protection, ``pairs[j]`` is the number of the (person, value) pair, each entry stands for
    one pair in one cell (``counts`` are 1) and a block counts each pair once; otherwise, and for class columns, whose costs
    speak of rows, ``pairs`` is None and counts add up.
    """

    domain: ValueDomain
    starts: NDArray[np.int64]
    codes: NDArray[np.int32]
    counts: NDArray[np.int64]
    pairs: NDArray[np.int64] | None = None


@dataclass(frozen=True, eq=False)
class PersonLists:
    """The distinct persons of each cell: cell ``i`` holds ``persons[starts[i]:starts[i + 1]]`` (numbers from 0)."""

    starts: NDArray[np.int64]
    persons: NDArray[np.int64]
    person_count: int


@dataclass(frozen=True, eq=False)
class Cells:
    """The finest cells of a table.

    ``codes``: int32, shape (cell count, attribute count), rows ascending in lexicographic order. ``counts``: rows per cell.
    ``sensitive`` and ``classes``: the distributions that constraints and costs need, by column. ``persons`` is None unless
    ``PERSON (column)`` makes persons the unit of protection.
    """

    codes: NDArray[np.int32]
    counts: NDArray[np.int64]
    sensitive: tuple[Distribution, ...] = ()
    classes: tuple[Distribution, ...] = ()
    persons: PersonLists | None = None

    @property
    def cell_count(self) -> int:
        """The number of cells."""
        return len(self.counts)

    @property
    def row_count(self) -> int:
        """The number of rows of the table."""
        return int(self.counts.sum())


@dataclass(frozen=True)
class BlockStatistics:
    """What constraints and costs look at: sizes and histograms of one block.

    ``size`` counts the unit of protection (persons if declared, else rows); ``rows`` counts rows. ``sensitive[name]`` and
    ``classes[name]`` are histograms over the codes of that column's :class:`ValueDomain`, as plain Python integers.

    ``cell_squares`` (the sum of squared row counts of the block's cells) and ``marginals`` (per attribute the rows by leaf
    code) are read by a few costs only (``Cost.needs_cells``); a source that was not asked for them leaves None.
    """

    size: int
    rows: int
    sensitive: Mapping[str, tuple[int, ...]]
    classes: Mapping[str, tuple[int, ...]]
    cell_squares: int | None = None
    marginals: tuple[tuple[int, ...], ...] | None = None


@dataclass(frozen=True)
class Table:
    """The whole table as a block, with the domains: the context every constraint and cost is evaluated in.

    ``sensitive`` and ``classes`` have the order of ``Cells.sensitive`` and ``Cells.classes``. ``persons`` says that
    ``PERSON (column)`` makes persons the unit of protection: histograms then count pairs and do not add up over blocks.
    ``workloads``: the count queries that a cost speaks of. How many rows satisfy each stands under the same name in
    ``classes``, as if queries were class values (but a row may have several, or none).
    """

    space: Space
    statistics: BlockStatistics
    sensitive: Mapping[str, ValueDomain]
    classes: Mapping[str, ValueDomain]
    persons: bool = False
    workloads: Mapping[str, WorkloadCoverage] = field(default_factory=dict)
