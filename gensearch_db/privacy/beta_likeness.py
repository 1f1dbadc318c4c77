"""beta-likeness: no value is much more frequent in a block than in the whole table (Cao and Karras 2012; THEORY 1.1).

* basic: c_s <= (1 + beta) P_s n for every value s, in rationals;
* enhanced: c_s <= (1 + min(beta, -ln P_s)) P_s n, so that frequent values are limited too.

Only gains count: a value may be missing from a block. A missing value is a value of both distributions.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import ClassVar, Self

from gensearch_db.domain.cells import BlockStatistics, Table, ValueDomain
from gensearch_db.domain.region import Block
from gensearch_db.privacy import frequency_bounds
from gensearch_db.privacy.constraint import AuditMeasure, AuditValue, CompiledConstraint, Constraint
from gensearch_db.problem.arguments import bind, written
from gensearch_db.problem.calls import Call, plain

SIZES_TRIED = 10_000


@dataclass(frozen=True)
class _BetaLikeness(Constraint):
    quantity: ClassVar[str] = "beta"
    higher_is_safer: ClassVar[bool] = False
    beta: Fraction
    column: str | None = None

    @classmethod
    def from_call(cls, call: Call) -> Self:
        """``basic_beta_likeness(1.5, income)``: beta > 0."""
        arguments = bind(call, numbers=("beta",), names=("column",), usage=f"{cls.name}(1.5, income)")
        return cls(arguments.number("beta", above=0), arguments.name("column"))

    @property
    def monotone(self) -> bool:
        """The bounds are linear in the counts."""
        return True

    @abstractmethod
    def _cap(self, share: Fraction) -> Fraction:
        """The largest share in a block of a value with this share in the table."""

    def _caps(self, table: Table) -> tuple[Fraction, ...]:
        assert self.column is not None
        counts = table.statistics.sensitive[self.column]
        return tuple(self._cap(Fraction(count, sum(counts))) if count else Fraction(0) for count in counts)

    def holds(self, statistics: BlockStatistics, block: Block, table: Table) -> bool:
        """Every value's count is at most its cap times n."""
        assert self.column is not None
        counts = statistics.sensitive[self.column]
        n = sum(counts)
        return all(count <= cap * n for count, cap in zip(counts, self._caps(table), strict=True) if count)

    def minimum_size(self, table: Table) -> int:
        """The smallest size at which whole counts fit under the caps."""
        if table.persons:
            return 1
        sizes = range(1, min(SIZES_TRIED, table.statistics.size) + 1)
        return next((size for size in sizes if self.size_possible(size, table)), len(sizes) + 1)

    def size_possible(self, size: int, table: Table) -> bool:
        """Whether the caps leave room for ``size`` tuples."""
        caps = self._caps(table)
        return table.persons or frequency_bounds.best_size([Fraction(0)] * len(caps), caps, size)

    def size_needed(self, cell: BlockStatistics, table: Table) -> int:
        """n >= count / cap for every value."""
        assert self.column is not None
        if table.persons:
            return 1
        pairs = zip(cell.sensitive[self.column], self._caps(table), strict=True)
        return max([self.minimum_size(table), *(math.ceil(count / cap) for count, cap in pairs if count)])

    def largest_shares(self, table: Table) -> tuple[Fraction, ...]:
        """The caps."""
        return self._caps(table)

    def groups_at_most(self, statistics: BlockStatistics, smallest: int, table: Table) -> int | None:
        """Every group needs (1 - cap) * smallest tuples of other values (THEORY 2.2, rule 5)."""
        assert self.column is not None
        if table.persons:
            return None
        limits = [statistics.size]
        for count, cap in zip(statistics.sensitive[self.column], self._caps(table), strict=True):
            others = math.ceil((1 - cap) * smallest)
            if others > 0:
                limits.append((statistics.size - count) // others)
        return min(limits)

    def reached(self, statistics: BlockStatistics, block: Block, table: Table) -> float:
        """The largest relative gain of a value, q_s / P_s - 1; for enhanced, infinite where a gain is above -ln P_s."""
        assert self.column is not None
        counts, reference = statistics.sensitive[self.column], table.statistics.sensitive[self.column]
        n, total = sum(counts), sum(reference)
        gains = [
            (float(Fraction(count * total, n * table_count)) - 1, Fraction(table_count, total))
            for count, table_count in zip(counts, reference, strict=True)
            if count
        ]
        return max(self._limited(gain, share) for gain, share in gains)

    def _limited(self, gain: float, share: Fraction) -> float:
        return gain

    def describe(self) -> str:
        """``basic_beta_likeness(1.5, income)``."""
        return f"{self.name}({plain(self.beta)}, {written(self.column)})"

    def compiled(self, table: Table) -> CompiledConstraint | None:
        """Upper bounds only; a value may be absent."""
        assert self.column is not None
        caps = self._caps(table)
        sizes = sum(table.statistics.sensitive[self.column])
        integers = frequency_bounds.compiled_bounds([Fraction(0)] * len(caps), caps, True, sizes)
        if integers is None:
            return None
        return CompiledConstraint(frequency_bounds.KIND, self._position(table), integers=integers)

    def audit_measure(self, domain: ValueDomain | None) -> AuditMeasure | None:
        """The measure compares with a baseline."""
        return AuditMeasure(f"audit/{self.name}", self._audit_parameters(), needs_baseline=True)

    def _audit_parameters(self) -> dict[str, AuditValue]:
        return {"beta_numerator": self.beta.numerator, "beta_denominator": self.beta.denominator}


@dataclass(frozen=True)
class BasicBetaLikeness(_BetaLikeness):
    """``basic_beta_likeness(beta, column)``: c_s <= (1 + beta) P_s n."""

    name: ClassVar[str] = "basic_beta_likeness"

    def _cap(self, share: Fraction) -> Fraction:
        return (1 + self.beta) * share


@dataclass(frozen=True)
class EnhancedBetaLikeness(_BetaLikeness):
    """``enhanced_beta_likeness(beta, column)``: c_s <= (1 + min(beta, -ln P_s)) P_s n."""

    name: ClassVar[str] = "enhanced_beta_likeness"

    def _cap(self, share: Fraction) -> Fraction:
        return (1 + min(self.beta, _surprise(share))) * share

    def _limited(self, gain: float, share: Fraction) -> float:
        return gain if gain <= -math.log(share) else math.inf


@cache
def _surprise(share: Fraction) -> Fraction:
    return -frequency_bounds.logarithm(share)
