"""(alpha,k)-anonymity: at least k tuples, and no sensitive value has a share above alpha (Wong et al. 2006; THEORY 1.1)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

from gensearch_db.domain.cells import BlockStatistics, Table
from gensearch_db.domain.region import Block
from gensearch_db.privacy.constraint import AuditValue, CompiledConstraint, Constraint
from gensearch_db.privacy.missing import counted_values, missing_code, worst_case
from gensearch_db.privacy.trimming import fewest_removed
from gensearch_db.problem.arguments import bind, written
from gensearch_db.problem.calls import Call, plain

KIND = 5


@dataclass(frozen=True)
class AlphaKAnonymity(Constraint):
    """``alpha_k_anonymity(alpha, k, column)``. Missing values count with the most frequent one.

    Where persons are the unit of protection, the share is of persons: those who have the value among all of the block.
    """

    name: ClassVar[str] = "alpha_k_anonymity"
    quantity: ClassVar[str] = "largest share"
    higher_is_safer: ClassVar[bool] = False
    alpha: Fraction
    k: int
    column: str | None = None

    @classmethod
    def from_call(cls, call: Call) -> Self:
        """``alpha_k_anonymity(0.5, 10, income)``: 0 < alpha <= 1 and a whole number k of at least 1."""
        arguments = bind(call, numbers=("alpha", "k"), names=("column",), usage="alpha_k_anonymity(0.5, 10, income)")
        alpha = arguments.number("alpha", above=0)
        if alpha > 1:
            raise arguments.fail("alpha is a share and must be at most 1")
        return cls(alpha, arguments.whole("k", least=1), arguments.name("column"))

    @property
    def monotone(self) -> bool:
        """Size and share are linear in the counts."""
        return True

    def holds(self, statistics: BlockStatistics, block: Block, table: Table) -> bool:
        """n >= k and the largest count <= alpha * n."""
        return statistics.size >= self.k and self._largest(statistics, table) <= self.alpha * statistics.size

    def _largest(self, statistics: BlockStatistics, table: Table) -> int:
        assert self.column is not None
        counts = worst_case(statistics.sensitive[self.column], table.sensitive[self.column].missing)
        return counts[0] if counts else 0

    def minimum_size(self, table: Table) -> int:
        """The smallest size of at least k that can be divided with no share above alpha."""
        assert self.column is not None
        bound = table.statistics.size + 1
        if self.alpha * counted_values(table.sensitive[self.column]) < 1 and not table.persons:
            return bound
        return next((size for size in range(self.k, bound) if self.size_possible(size, table)), bound)

    def size_possible(self, size: int, table: Table) -> bool:
        """Whether the most even division over the known values has no share above alpha."""
        assert self.column is not None
        values = counted_values(table.sensitive[self.column])
        return size >= self.k and (table.persons or -(-size // values) <= self.alpha * size)

    def size_needed(self, cell: BlockStatistics, table: Table) -> int:
        """n >= c / alpha for the cell's largest count."""
        return max(self.minimum_size(table), math.ceil(self._largest(cell, table) / self.alpha))

    def largest_shares(self, table: Table) -> tuple[Fraction, ...]:
        """alpha for every value; the missing ones count with another."""
        assert self.column is not None
        return (self.alpha,) * len(table.sensitive[self.column].values)

    def groups_at_most(self, statistics: BlockStatistics, smallest: int, table: Table) -> int | None:
        """Each group needs (1 - alpha) * smallest tuples of other values (THEORY 2.2, rule 5)."""
        others = math.ceil((1 - self.alpha) * smallest)
        if table.persons or others < 1:
            return None
        return (statistics.size - self._largest(statistics, table)) // others

    def least_suppression(self, table: Table) -> int | None:
        """The most frequent values are cut until none is too frequent; enough must remain for the minimum size."""
        assert self.column is not None
        counts = worst_case(table.statistics.sensitive[self.column], table.sensitive[self.column].missing)
        if table.persons or not counts:
            return None
        removed = fewest_removed(counts, lambda counts: max(counts) <= self.alpha * sum(counts))
        return None if removed is None or table.statistics.size - removed < self.minimum_size(table) else removed

    def reached(self, statistics: BlockStatistics, block: Block, table: Table) -> float:
        """The largest share."""
        return self._largest(statistics, table) / statistics.size

    def describe(self) -> str:
        """``alpha_k_anonymity(0.5, 10, income)``."""
        return f"{self.name}({plain(self.alpha)}, {self.k}, {written(self.column)})"

    def compiled(self, table: Table) -> CompiledConstraint | None:
        """k, alpha as a fraction, and the code of the missing value."""
        if self.alpha.denominator * table.statistics.rows >= 2**61:
            return None
        return CompiledConstraint(
            KIND,
            self._position(table),
            integers=(self.k, self.alpha.numerator, self.alpha.denominator, missing_code(table, self.column)),
        )

    def _audit_parameters(self) -> dict[str, AuditValue]:
        return {"k": self.k, "alpha_numerator": self.alpha.numerator, "alpha_denominator": self.alpha.denominator}


def kernel_test(size: int, largest: int, k: int, numerator: int, denominator: int) -> bool:
    """The test as the kernel compiles it; ``largest`` from :func:`missing.largest_count`."""
    return size >= k and largest * denominator <= numerator * size
