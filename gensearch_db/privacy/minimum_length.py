"""Minimum edge length: no published region is shorter than a given length (paper section 3: k-anonymity with restrictions).

Lengths are in the attribute's own unit (years, days, currency), for categories the number of leaf values below the label;
outer regions end where the declared or observed domain ends (THEORY 1.2).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Self

from gensearch_db.domain.attribute import Space
from gensearch_db.domain.cells import BlockStatistics, Table, ValueDomain
from gensearch_db.domain.region import Block
from gensearch_db.errors import SpecificationError, near_matches
from gensearch_db.privacy.constraint import AuditMeasure, CompiledConstraint, Constraint
from gensearch_db.problem.arguments import bind, written
from gensearch_db.problem.calls import Call, plain
from gensearch_db.problem.columns import QuasiIdentifier

KIND = 1

SLACK = 1e-9
"""Relative slack of the comparison: grid bounds such as 0.3 - 0.1 are no exact binary fractions."""


@dataclass(frozen=True)
class MinimumLength(Constraint):
    """``minimum_length(age, 5)``: the block's edge along ``age`` is at least 5. Monotone. Not with LABELS VALUES."""

    name: ClassVar[str] = "minimum_length"
    needs_column: ClassVar[bool] = False
    quantity: ClassVar[str] = "edge length"
    attribute: str
    length: Fraction
    column: str | None = None

    @classmethod
    def from_call(cls, call: Call) -> Self:
        """``minimum_length(age, 5)``: a quasi-identifier and a positive length."""
        arguments = bind(call, numbers=("length",), names=("attribute",), usage="minimum_length(age, 5)")
        attribute = arguments.name("attribute")
        if attribute is None:
            raise arguments.fail("the quasi-identifier is missing")
        return cls(attribute, arguments.number("length", above=0))

    @property
    def monotone(self) -> bool:
        """Every child's edge is at most as long as its parent's."""
        return True

    @property
    def monotone_for_persons(self) -> bool:
        """It looks at regions only."""
        return True

    def position(self, space: Space) -> int:
        """The attribute's position in the space. Raises :class:`SpecificationError` where it is no quasi-identifier."""
        names = [attribute.name for attribute in space.attributes]
        folded = [name.casefold() for name in names]
        if self.attribute.casefold() not in folded:
            raise SpecificationError(
                f"'{self.describe()}': '{self.attribute}' is not a quasi-identifier{near_matches(self.attribute, names)}"
            )
        return folded.index(self.attribute.casefold())

    def check(self, table: Table) -> None:
        """The attribute must be a quasi-identifier."""
        self.position(table.space)

    def holds(self, statistics: BlockStatistics, block: Block, table: Table) -> bool:
        """The published edge is long enough."""
        return long_enough(self.reached(statistics, block, table), float(self.length))

    def minimum_size(self, table: Table) -> int:
        """Any non-empty block."""
        return 1

    def reached(self, statistics: BlockStatistics, block: Block, table: Table) -> float:
        """The length of the block's edge."""
        position = self.position(table.space)
        return table.space.attributes[position].length(block[position])

    def describe(self) -> str:
        """``minimum_length(age, 5)``."""
        return f"minimum_length({written(self.attribute)}, {plain(self.length)})"

    def compiled(self, table: Table) -> CompiledConstraint | None:
        """Nothing but the kind: searches test the space's own lengths (:func:`with_minimum_lengths`), which must hold it."""
        attribute = table.space.attributes[self.position(table.space)]
        return CompiledConstraint(KIND, -1) if attribute.minimum_length >= float(self.length) * (1.0 - SLACK) else None

    def audit_measure(self, domain: ValueDomain | None) -> AuditMeasure | None:
        """None: edges stand in the published bounds, which have a check of their own (``audit/lengths.py``)."""
        return None


def declared_lengths(quasi_identifiers: Mapping[str, QuasiIdentifier]) -> tuple[MinimumLength, ...]:
    """The lengths that stand beside the attributes themselves (``age MINIMUM LENGTH 5``), as the constraints that they are."""
    return tuple(
        MinimumLength(name, Fraction(str(given.minimum_length)))
        for name, given in quasi_identifiers.items()
        if given.minimum_length > 0
    )


def refuse_value_labels(constraints: Iterable[Constraint]) -> None:
    """With labels = values a label states the values that occur, which may be fewer than those of a region that is long enough.
    Raises :class:`SpecificationError` where any edge has a least length."""
    lengths = [constraint.describe() for constraint in constraints if isinstance(constraint, MinimumLength)]
    if lengths:
        raise SpecificationError(
            f"labels = 'values' and {', '.join(lengths)} do not go together: the values that occur in a block may span less "
            "than its region; use labels = 'region', or leave out the least length"
        )


def long_enough(length: float, required: float) -> bool:
    """Whether an edge is as long as required."""
    return length >= required * (1.0 - SLACK)


def with_minimum_lengths(space: Space, constraints: Sequence[Constraint]) -> Space:
    """The space whose attributes carry the lengths that ``constraints`` ask for, or their own where that is longer."""
    attributes = list(space.attributes)
    for constraint in constraints:
        if isinstance(constraint, MinimumLength):
            position = constraint.position(space)
            longest = max(attributes[position].minimum_length, float(constraint.length) * (1.0 - SLACK))
            attributes[position] = replace(attributes[position], minimum_length=longest)
    return Space(tuple(attributes))
