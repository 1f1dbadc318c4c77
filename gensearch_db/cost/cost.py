"""What a cost is: its value on a block, its lower bound, its place in the kernel.

Costs add up over the blocks of a partition; an empty block costs 0. Add a cost: one module in this folder with a subclass of
:class:`Cost`, one line in ``registry.py``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Self

from gensearch_db.domain.cells import BlockStatistics, Table
from gensearch_db.domain.region import Block
from gensearch_db.problem.calls import Call


@dataclass(frozen=True)
class CompiledCost:
    """One summand of a cost in the form the kernel reads: which formula (``kind``), how often it counts (``weight``).

    ``column`` is the row of the block's histograms that it reads (sensitive columns first, then class columns; -1: none).
    ``parameters`` are floats of the formula's own (e.g. a table with one entry per leaf value, attributes one after another).
    """

    kind: int
    weight: float = 1.0
    column: int = -1
    parameters: tuple[float, ...] = ()


class Cost(ABC):
    """An information loss, summed over blocks. Instances are frozen dataclasses."""

    name: ClassVar[str]

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

    @abstractmethod
    def compiled(self, table: Table) -> tuple[CompiledCost, ...] | None:
        """The summands for the kernel, or None for a user's own cost (search then uses the slower evaluator)."""
