"""Recursive (c,l)-diversity: the most frequent value is not too frequent even when l - 2 others are ruled out.

With the counts in descending order r_1 >= r_2 >= ... a block satisfies it if r_1 < c (r_l + r_(l+1) + ...). Source:
Machanavajjhala et al. 2007; THEORY 1.1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Self

from gensearch_db.domain.cells import BlockStatistics, Table
from gensearch_db.domain.region import Block
from gensearch_db.privacy.constraint import AuditValue, CompiledConstraint, Constraint
from gensearch_db.privacy.missing import counted_values, missing_code, worst_case
from gensearch_db.privacy.trimming import fewest_removed
from gensearch_db.problem.arguments import bind, written
from gensearch_db.problem.calls import Call, plain

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

KIND = 4


@dataclass(frozen=True)
class RecursiveLDiversity(Constraint):
    """``recursive_l_diversity(c, l, column)``. Missing values count with the most frequent one."""

    name: ClassVar[str] = "recursive_l_diversity"
    quantity: ClassVar[str] = "smallest c"
    higher_is_safer: ClassVar[bool] = False
    c: Fraction
    l: int  # noqa: E741 -- the field's own letter
    column: str | None = None

    @classmethod
    def from_call(cls, call: Call) -> Self:
        """``recursive_l_diversity(3, 2, income)``: c > 0 and a whole number l of at least 1."""
        arguments = bind(call, numbers=("c", "l"), names=("column",), usage="recursive_l_diversity(3, 2, income)")
        return cls(arguments.number("c", above=0), arguments.whole("l", least=1), arguments.name("column"))

    @property
    def monotone(self) -> bool:
        """Sums of the largest counts are subadditive, of the others superadditive."""
        return True

    def holds(self, statistics: BlockStatistics, block: Block, table: Table) -> bool:
        """r_1 < c * (r_l + ... + r_m), in integers; fewer than l values never satisfy it."""
        return self._passes(self._counts(statistics, table))

    def _passes(self, counts: Sequence[int]) -> bool:
        ordered = sorted(counts, reverse=True)
        return ordered[0] < self.c * sum(ordered[self.l - 1 :])

    def _counts(self, statistics: BlockStatistics, table: Table) -> tuple[int, ...]:
        assert self.column is not None
        return worst_case(statistics.sensitive[self.column], table.sensitive[self.column].missing)

    def minimum_size(self, table: Table) -> int:
        """The smallest size whose most even division over the known values passes."""
        assert self.column is not None
        values = counted_values(table.sensitive[self.column])
        bound = table.statistics.size + 1
        if values < self.l or self.c * (values - self.l + 1) <= 1:
            return bound
        if table.persons:
            return 1
        return next((size for size in range(self.l, bound) if self.size_possible(size, table)), bound)

    def size_possible(self, size: int, table: Table) -> bool:
        """Whether the most even division passes: it has the smallest r_1 and the largest tail."""
        assert self.column is not None
        if table.persons:
            return True
        values = counted_values(table.sensitive[self.column])
        each, more = divmod(size, values)
        return values >= self.l and self._passes([each + 1] * more + [each] * (values - more))

    def size_needed(self, cell: BlockStatistics, table: Table) -> int:
        """The tail lies among the other values where l >= 2: c_1 < c (n - c_1), so n > c_1 (1 + c) / c."""
        counts = self._counts(cell, table)
        if table.persons or self.l < 2 or not counts:
            return self.minimum_size(table)
        return max(self.minimum_size(table), math.floor(counts[0] * (1 + self.c) / self.c) + 1)

    def groups_at_most(self, statistics: BlockStatistics, smallest: int, table: Table) -> int | None:
        """Each group of n holds more than n / (1 + c) tuples of values other than a given one (THEORY 2.2, rule 5)."""
        counts = self._counts(statistics, table)
        if table.persons or self.l < 2 or not counts:
            return None
        return (sum(counts) - counts[0]) // max(1, math.floor(smallest / (1 + self.c)) + 1)

    def least_suppression(self, table: Table) -> int | None:
        """The most frequent values are cut until the rest is even enough."""
        return None if table.persons else fewest_removed(self._counts(table.statistics, table), self._passes)

    def reached(self, statistics: BlockStatistics, block: Block, table: Table) -> float:
        """r_1 / (r_l + ... + r_m): satisfied by any larger c; infinite with fewer than l values."""
        counts = self._counts(statistics, table)
        tail = sum(counts[self.l - 1 :])
        return counts[0] / tail if tail else math.inf

    def describe(self) -> str:
        """``recursive_l_diversity(3, 2, income)``."""
        return f"{self.name}({plain(self.c)}, {self.l}, {written(self.column)})"

    def compiled(self, table: Table) -> CompiledConstraint | None:
        """l, c as a fraction, and the code of the missing value."""
        if max(self.c.numerator, self.c.denominator) * table.statistics.rows >= 2**62:
            return None
        return CompiledConstraint(
            KIND,
            self._position(table),
            integers=(self.l, self.c.numerator, self.c.denominator, missing_code(table, self.column)),
        )

    def _audit_parameters(self) -> dict[str, AuditValue]:
        return {"l": self.l, "c_numerator": self.c.numerator, "c_denominator": self.c.denominator}


def kernel_test(histogram: NDArray[np.int64], l: int, numerator: int, denominator: int, missing: int) -> bool:  # noqa: E741
    """The test as the kernel compiles it: top counts are taken out one by one."""
    counts = histogram.copy()
    if missing >= 0:
        absent = counts[missing]
        counts[missing] = 0
        counts[counts.argmax()] += absent
    tail = counts.sum()
    first = counts.max()
    for _ in range(l - 1):
        largest = counts.argmax()
        tail -= counts[largest]
        counts[largest] = 0
    return bool(first * denominator < numerator * tail)
