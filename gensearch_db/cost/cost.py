"""What a cost is: its value on a block, its lower bound, its place in the kernel.

Costs add up over the blocks of a partition; an empty block costs 0. Add a cost: one module in this folder with a subclass of
:class:`Cost` (:class:`PlainCost` where nothing stands in parentheses behind its name, ``class_cost.ClassCost`` where the class
column does), one line in ``registry.py``.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gensearch_db.domain.cells import BlockStatistics, Cells, Table
from gensearch_db.domain.region import Block
from gensearch_db.errors import SpecificationError
from gensearch_db.problem.calls import Call

if TYPE_CHECKING:
    from gensearch_db.cost.count_error import CountError
    from gensearch_db.cost.small_cells import Measure

Rows = int | NDArray[np.int64]
"""A number of rows, or one for each cell."""

LARGEST_EXACT = 2**53
"""Costs are float64: integers from here on are no longer told apart."""


@dataclass(frozen=True)
class CompiledCost:
    """One summand of a cost in the form the kernel reads: which formula (``kind``), how often it counts (``weight``).

    ``column`` is the row of the block's histograms that it reads (sensitive columns first, then class columns; -1: none).
    ``parameters`` are floats of the formula's own (e.g. a table with one entry per leaf value, attributes one after another).
    """

    kind: int
    weight: float = 1.0
    column: int = -1
    parameters: tuple[float, ...] | NDArray[np.float64] = ()


class Cost(ABC):
    """An information loss, summed over blocks. Instances are frozen dataclasses."""

    name: ClassVar[str]
    needs_cells: ClassVar[bool] = False
    """Whether it reads ``BlockStatistics.cell_squares`` or ``marginals``."""

    @property
    def class_columns(self) -> tuple[str, ...]:
        """The class columns whose histograms it reads, as the user wrote them."""
        return ()

    @property
    def workloads(self) -> tuple[CountError, ...]:
        """The costs in it that need the queries of a workload laid over the table (``Table.workloads``)."""
        return ()

    @classmethod
    @abstractmethod
    def from_call(cls, call: Call) -> Self:
        """Read ``name(arguments)``. Raises :class:`SpecificationError` that names the wrong argument."""

    @property
    @abstractmethod
    def integral(self) -> bool:
        """Whether every value is an integer, so that bounds may be rounded up."""

    @property
    @abstractmethod
    def monotone(self) -> bool:
        """Whether a split never increases it."""

    @abstractmethod
    def of_block(self, statistics: BlockStatistics, block: Block, table: Table) -> float:
        """The cost of publishing this non-empty block (exact for integral costs)."""

    @abstractmethod
    def suppression_charge(self, table: Table) -> float:
        """What one suppressed tuple costs: |T| for DM, the documented maximum per tuple for the others."""

    @abstractmethod
    def describe(self) -> str:
        """As the user would write it, in canonical form."""

    def prices(self, cells: Cells, table: Table, smallest: Rows, values_labels: bool) -> NDArray[np.float64]:
        """A price for each cell such that every block of at least ``smallest`` rows costs at least the sum of the prices of
        its cells, hence a lower bound of every partition's cost (THEORY 2.3 to 2.5). ``values_labels``: labels stand for
        the values that occur in a block, not for its region. ``smallest`` may differ by cell: no feasible block that holds the
        cell has fewer rows."""
        return np.zeros(cells.cell_count)

    def region_measure(self, table: Table) -> Measure | None:
        """Where every block costs its rows times the sum over attributes of a measure of their regions: that measure. Search
        then knows the cheapest box around a cell."""
        return None

    def lower_bound(self, sizes: Sequence[int], prices: float, smallest: int, groups: int) -> float:
        """A lower bound of the cost of every partition of cells of these ``sizes`` into at most ``groups`` blocks of at
        least ``smallest`` rows; ``prices`` is the sum of the cells' :meth:`prices`."""
        return prices

    def check(self, table: Table) -> None:
        """Raise :class:`SpecificationError` where the cost cannot be computed on this table: no silent overflow."""
        most = table.statistics.rows * self.suppression_charge(table)
        if not math.isfinite(most) or (self.integral and most >= LARGEST_EXACT):
            raise SpecificationError(
                f"'{self.describe()}' can reach {most:.3g} on this table, too much to be counted exactly (2^53); "
                "use fewer leaf values, or another cost such as ncp"
            )

    @abstractmethod
    def compiled(self, table: Table) -> tuple[CompiledCost, ...] | None:
        """The summands for the kernel, or None for a user's own cost (search then uses the slower evaluator)."""


class PlainCost(Cost):
    """A cost that is written as its name alone and compiled as one summand."""

    kind: ClassVar[int]
    """The kernel's number of its formula."""
    instead: ClassVar[str] = ""
    """What to do instead of giving it an argument, for the message."""

    @classmethod
    def from_call(cls, call: Call) -> Self:
        """Read the name. Raises :class:`SpecificationError` for arguments."""
        if call.arguments or call.keywords:
            raise SpecificationError(f"'{call.text}': {cls.name} takes no arguments{cls.instead}")
        return cls()

    def describe(self) -> str:
        """The name."""
        return self.name

    def parameters(self, table: Table) -> tuple[float, ...]:
        """The numbers that its compiled formula reads; none unless the cost says otherwise."""
        return ()

    def compiled(self, table: Table) -> tuple[CompiledCost, ...] | None:
        """One summand."""
        return (CompiledCost(self.kind, parameters=self.parameters(table)),)
