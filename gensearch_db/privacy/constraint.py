"""What a privacy constraint is: its exact test on a block, its bound on group size, its place in the kernel and its audit.

Add a constraint: one module in this folder with a subclass of :class:`Constraint`, one line in ``registry.py``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

from gensearch_db.domain.cells import BlockStatistics, Table, ValueDomain
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


AuditValue = int | float | str | list[int] | list[str | None]


@dataclass(frozen=True)
class AuditMeasure:
    """The template below ``sql/`` that measures a constraint, and the values of its ``$parameters``.

    It reads the tables ``classes`` (class, size, suppressed, keys), ``histogram`` (class, value, count) and ``baseline``
    (value, count) that an audit made, and gives one row per class: ``class``, ``reached`` (DOUBLE), ``holds`` (BOOLEAN).
    ``needs_baseline``: the outcome depends on the baseline, so that both readings are reported where rows were suppressed.
    """

    template: str
    parameters: dict[str, AuditValue]
    needs_baseline: bool = False


class Constraint(ABC):
    """A privacy constraint on the blocks of a release. Instances are frozen dataclasses: parameters and a column."""

    name: ClassVar[str]
    """The name a user writes, e.g. ``k_anonymity``."""
    needs_column: ClassVar[bool] = True
    """Whether it speaks of a sensitive column; the only declared one is then the default (``registry.py``)."""
    quantity: ClassVar[str] = "value"
    """What :meth:`reached` measures, in the words of a message: ``entropy l``."""
    higher_is_safer: ClassVar[bool] = True
    """Whether more of the quantity protects better (k, l) or worse (t, alpha)."""
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

    @property
    def monotone_for_persons(self) -> bool:
        """Whether that still holds where several rows may belong to one person. Sizes and sets of values only grow in a
        union; distributions of pairs need not mix, so it is claimed only where proven (docs/constraints.md)."""
        return False

    def monotone_in(self, table: Table) -> bool:
        """Whether search may prune a violating block of this table."""
        return self.monotone_for_persons if table.persons else self.monotone

    def check(self, table: Table) -> None:  # noqa: B027 -- most constraints fit every table
        """Raise :class:`SpecificationError` where the table lacks what the constraint needs, e.g. a taxonomy."""

    @abstractmethod
    def holds(self, statistics: BlockStatistics, block: Block, table: Table) -> bool:
        """The exact test on a non-empty block (integers or rationals where ties matter: THEORY 1.2)."""

    @abstractmethod
    def minimum_size(self, table: Table) -> int:
        """A lower bound on the size of any block that satisfies it (THEORY 2.2, k_eff of this constraint alone);
        the table's size + 1 where no block can."""

    def size_possible(self, size: int, table: Table) -> bool:
        """False only if no block of exactly this size can satisfy it (sizes need not be an up-set: THEORY 2.2)."""
        return size >= self.minimum_size(table)

    def size_needed(self, cell: BlockStatistics, table: Table) -> int:
        """A lower bound on the size of any satisfying block that contains all tuples of ``cell`` (THEORY 2.2, need(c))."""
        return self.minimum_size(table)

    def largest_shares(self, table: Table) -> tuple[Fraction, ...]:
        """By code of the constraint's column, an upper bound on the share of the value in any satisfying block; empty where
        none is known. Not asked where persons are the unit of protection."""
        return ()

    def groups_at_most(self, statistics: BlockStatistics, smallest: int, table: Table) -> int | None:
        """An upper bound on the number of satisfying blocks of at least ``smallest`` tuples that the tuples of
        ``statistics`` can be divided into (THEORY 2.2, rules 4 to 6), or None where the constraint gives none."""
        return None

    def least_suppression(self, table: Table) -> int | None:
        """How many rows must be left out at least before the rest of the table could satisfy it as one block, or None where
        that is not known or does not help. Asked only where the whole table violates it."""
        return None

    @abstractmethod
    def reached(self, statistics: BlockStatistics, block: Block, table: Table) -> float:
        """The value that the block reaches of what the constraint limits, e.g. its size for k, its l, its t."""

    @abstractmethod
    def describe(self) -> str:
        """As the user would write it, in canonical form: ``k_anonymity(10)``."""

    @abstractmethod
    def compiled(self, table: Table) -> CompiledConstraint | None:
        """The form for the kernel, or None for a user's own constraint (search then uses the slower evaluator)."""

    def audit_measure(self, domain: ValueDomain | None) -> AuditMeasure | None:
        """How SQL measures every block of a release (docs/constraints.md), or None for a user's own constraint without it.

        ``domain``: that of the constraint's column. Without one the result is None for measures that depend on it: on the order
        of the values, or their taxonomy.
        """
        return AuditMeasure(f"audit/{self.name}", self._audit_parameters())

    def _audit_parameters(self) -> dict[str, AuditValue]:
        return {}

    def _position(self, table: Table) -> int:
        """The position of the constraint's column in ``Cells.sensitive``, which has the order of ``Table.sensitive``."""
        return list(table.sensitive).index(self.column) if self.column is not None else -1
