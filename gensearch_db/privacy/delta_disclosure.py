"""delta-disclosure privacy: in every block, |ln(q_s / P_s)| < delta for each value s (Brickell and Shmatikov 2008; THEORY 1.1).

Two readings of a value that a block lacks (its logarithm is minus infinity):

* ``zeros = violation``: as defined; every block must hold every value of the table. Monotone.
* ``zeros = ignored``: only values that occur are compared, as ARX and pycanon compute it. NOT monotone: with P = (11, 10) / 21
  and e^delta = 2 the parts (2, 1) and (2, 0) satisfy it and their union (4, 1) does not; search never prunes on it.
"""

from __future__ import annotations

import math
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

LARGEST_POWER = Fraction(10_000)
"""e to this power is more than any ratio of counts, so that larger deltas ask for no less."""

SIZES_TRIED = 10_000


@dataclass(frozen=True)
class DeltaDisclosure(Constraint):
    """``delta_disclosure(delta, column, zeros = violation | ignored)``: e^-delta P_s n < c_s < e^delta P_s n."""

    name: ClassVar[str] = "delta_disclosure"
    quantity: ClassVar[str] = "delta"
    higher_is_safer: ClassVar[bool] = False
    delta: Fraction
    column: str | None = None
    zeros: str = "violation"

    @classmethod
    def from_call(cls, call: Call) -> Self:
        """``delta_disclosure(1.5, income, zeros = ignored)``: delta > 0."""
        usage = "delta_disclosure(1.5, income, zeros = violation)"
        arguments = bind(call, numbers=("delta",), names=("column", "zeros"), usage=usage)
        zeros = arguments.choice("zeros", ("violation", "ignored"), "violation")
        return cls(arguments.number("delta", above=0), arguments.name("column"), zeros)

    @property
    def monotone(self) -> bool:
        """Only where a missing value is a violation: the bounds are then linear in the counts."""
        return self.zeros == "violation"

    def _bounds(self, table: Table) -> tuple[list[Fraction], list[Fraction]]:
        assert self.column is not None
        counts = table.statistics.sensitive[self.column]
        total, factor = sum(counts), _exponential(self.delta)
        return [count / factor / total for count in counts], [count * factor / total for count in counts]

    def holds(self, statistics: BlockStatistics, block: Block, table: Table) -> bool:
        """The bounds are irrational, so that equality cannot occur (except 0 = 0, for values no row has)."""
        assert self.column is not None
        counts = statistics.sensitive[self.column]
        n = sum(counts)
        lower, upper = self._bounds(table)
        return all(
            low * n <= count <= high * n
            for count, low, high in zip(counts, lower, upper, strict=True)
            if count or self.zeros == "violation"
        )

    def minimum_size(self, table: Table) -> int:
        """The smallest size at which whole counts fit between the bounds."""
        if table.persons:
            return 1
        sizes = range(1, min(SIZES_TRIED, table.statistics.size) + 1)
        return next((size for size in sizes if self.size_possible(size, table)), len(sizes) + 1)

    def size_possible(self, size: int, table: Table) -> bool:
        """Whether whole counts between the bounds can add up to ``size``; absent values may stay away where ignored."""
        lower, upper = self._bounds(table)
        if table.persons:
            return True
        if self.zeros == "ignored":
            upper = [
                high if math.floor(min(high, Fraction(1)) * size) >= low * size else Fraction(0)
                for low, high in zip(lower, upper, strict=True)
            ]
            lower = [Fraction(0)] * len(lower)
        return frequency_bounds.best_size(lower, upper, size)

    def size_needed(self, cell: BlockStatistics, table: Table) -> int:
        """n > count / (e^delta P_s) for every value."""
        assert self.column is not None
        if table.persons:
            return 1
        pairs = zip(cell.sensitive[self.column], self._bounds(table)[1], strict=True)
        return max([self.minimum_size(table), *(math.ceil(count / cap) for count, cap in pairs if count)])

    def largest_shares(self, table: Table) -> tuple[Fraction, ...]:
        """e^delta P_s."""
        return tuple(self._bounds(table)[1])

    def groups_at_most(self, statistics: BlockStatistics, smallest: int, table: Table) -> int | None:
        """Every group needs e^-delta P_s * smallest tuples of each value (THEORY 2.2, rule 6) where none may lack, and
        (1 - e^delta P_s) * smallest of the others (rule 5)."""
        assert self.column is not None
        if table.persons:
            return None
        limits = [statistics.size]
        for count, low, high in zip(statistics.sensitive[self.column], *self._bounds(table), strict=True):
            least, others = math.ceil(low * smallest), math.ceil((1 - high) * smallest)
            if least > 0 and self.zeros == "violation":
                limits.append(count // least)
            if others > 0:
                limits.append((statistics.size - count) // others)
        return min(limits)

    def reached(self, statistics: BlockStatistics, block: Block, table: Table) -> float:
        """The largest |ln(q_s / P_s)|; infinite where a value lacks and that is a violation."""
        assert self.column is not None
        counts, reference = statistics.sensitive[self.column], table.statistics.sensitive[self.column]
        n, total = sum(counts), sum(reference)
        largest = 0.0
        for count, table_count in zip(counts, reference, strict=True):
            if count:
                largest = max(largest, abs(math.log(count / n) - math.log(table_count / total)))
            elif table_count and self.zeros == "violation":
                return math.inf
        return largest

    def describe(self) -> str:
        """``delta_disclosure(1.5, income, zeros = violation)``."""
        return f"{self.name}({plain(self.delta)}, {written(self.column)}, zeros = {self.zeros})"

    def compiled(self, table: Table) -> CompiledConstraint | None:
        """Lower and upper bounds, and whether a count of 0 passes."""
        assert self.column is not None
        lower, upper = self._bounds(table)
        sizes = sum(table.statistics.sensitive[self.column])
        integers = frequency_bounds.compiled_bounds(lower, upper, self.zeros == "ignored", sizes)
        if integers is None:
            return None
        return CompiledConstraint(frequency_bounds.KIND, self._position(table), integers=integers)

    def audit_measure(self, domain: ValueDomain | None) -> AuditMeasure | None:
        """The measure compares with a baseline."""
        return AuditMeasure(f"audit/{self.name}", self._audit_parameters(), needs_baseline=True)

    def _audit_parameters(self) -> dict[str, AuditValue]:
        return {"delta": float(self.delta), "zeros": self.zeros}


@cache
def _exponential(power: Fraction) -> Fraction:
    return frequency_bounds.exponential(min(power, LARGEST_POWER))
