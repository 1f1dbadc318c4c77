"""What a privacy constraint is: its exact test on a block, its bound on group size, its place in the kernel and its audit.

Add a constraint: one module in this folder with a subclass of :class:`Constraint`, one line in ``registry.py``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Self

from gensearch_db.domain.cells import BlockStatistics, Table
from gensearch_db.domain.region import Block
from gensearch_db.problem.calls import Call


@dataclass(frozen=True)
class CompiledConstraint:
    """A constraint in the form the kernel reads: which test (``kind``), on which sensitive column, with which numbers.

    ``column`` is the position in ``Cells.sensitive`` (-1: sizes only). ``parameters`` are floats, ``integers`` exact
    integers (e.g. the table's own histogram, a rational bound as numerator and denominator).
    """

    kind: int
    column: int
    parameters: tuple[float, ...] = ()
    integers: tuple[int, ...] = ()


class Constraint(ABC):
    """A privacy constraint on the blocks of a release. Instances are frozen dataclasses: parameters and a column."""

    name: ClassVar[str]
    """The name a user writes, e.g. ``k_anonymity``."""
    column: str | None
    """The sensitive column that it speaks of, or None."""

    @classmethod
    @abstractmethod
    def from_call(cls, call: Call) -> Self:
        """Read ``name(arguments)``. Raises :class:`SpecificationError` that names the wrong argument."""

    @property
    @abstractmethod
    def monotone(self) -> bool:
        """Whether a block that violates it always leaves a non-empty child that violates it, whatever the split
        (THEORY, notation). Search may then prune a violating block; otherwise it must go on splitting it."""

    @abstractmethod
    def holds(self, statistics: BlockStatistics, block: Block, table: Table) -> bool:
        """The exact test on a non-empty block (integers or rationals where ties matter: THEORY 1.2)."""

    @abstractmethod
    def minimum_size(self, table: Table) -> int:
        """A lower bound on the size of any block that satisfies it (THEORY 2.2, k_eff of this constraint alone)."""

    @abstractmethod
    def reached(self, statistics: BlockStatistics, block: Block, table: Table) -> float:
        """The value that the block reaches of what the constraint limits, e.g. its size for k, its l, its t."""

    @abstractmethod
    def describe(self) -> str:
        """As the user would write it, in canonical form: ``k_anonymity(10)``."""

    @abstractmethod
    def compiled(self, table: Table) -> CompiledConstraint | None:
        """The form for the kernel, or None for a user's own constraint (search then uses the slower evaluator)."""
