"""epsilon-privacy against the class II adversary: finite stubbornness, any shape of prior (THEORY 1.3; paper section 3).

An adversary with a Dirichlet prior of weight sigma knows b individuals' values. With N = n - b, S = sigma + b and c the
largest count of a value, a block satisfies it if both hold:

* R1: N (epsilon - 1) >= S, a pure minimum size;
* R2: (N - c) D >= S N with D = epsilon (N - 1 + S) - N > 0, c <= N: the paper's condition with its misprinted denominator
  corrected, as a polynomial, so that no division can change its meaning.
"""

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

KIND = 9


@dataclass(frozen=True)
class EpsilonPrivacy(Constraint):
    """``epsilon_privacy(epsilon = 10, sigma = 10000, b = 0, column = income)``. Missing values count with the largest.

    Where persons are the unit of protection, n counts persons and c those who have the value.
    """

    name: ClassVar[str] = "epsilon_privacy"
    quantity: ClassVar[str] = "epsilon"
    higher_is_safer: ClassVar[bool] = False
    epsilon: Fraction
    sigma: Fraction
    b: int = 0
    column: str | None = None

    @classmethod
    def from_call(cls, call: Call) -> Self:
        """epsilon > 1 (a ratio), sigma >= 0 with sigma + b >= 1, b a whole number of at least 0."""
        usage = "epsilon_privacy(epsilon = 10, sigma = 10000, b = 0, column = income)"
        arguments = bind(call, numbers=("epsilon", "sigma", "b"), names=("column",), usage=usage)
        epsilon, sigma = arguments.number("epsilon", above=1), arguments.number("sigma", least=0)
        b = arguments.whole("b", least=0, default=0)
        if sigma + b < 1:
            raise arguments.fail("sigma + b must be at least 1")
        return cls(epsilon, sigma, b, arguments.name("column"))

    @property
    def monotone(self) -> bool:
        """Proved in THEORY 1.3 for the corrected R2."""
        return True

    def holds(self, statistics: BlockStatistics, block: Block, table: Table) -> bool:
        """R1 and R2, in rationals."""
        return self._holds(statistics.size, self._largest(statistics, table))

    def _holds(self, size: int, largest: int) -> bool:
        known, weight = size - self.b, self.sigma + self.b
        return known * (self.epsilon - 1) >= weight and self._diverse(size, largest)

    def _diverse(self, size: int, largest: int) -> bool:
        """R2 alone."""
        known, weight = size - self.b, self.sigma + self.b
        rest = self.epsilon * (known - 1 + weight) - known
        return known > 0 and rest > 0 and (known - largest) * rest >= weight * known

    def _largest(self, statistics: BlockStatistics, table: Table) -> int:
        assert self.column is not None
        counts = worst_case(statistics.sensitive[self.column], table.sensitive[self.column].missing)
        return counts[0] if counts else 0

    def minimum_size(self, table: Table) -> int:
        """R1's size, b + (sigma + b) / (epsilon - 1), raised until some distribution passes R2."""
        assert self.column is not None
        bound = table.statistics.size + 1
        if not table.persons and counted_values(table.sensitive[self.column]) < 2:
            return bound
        size = self.b + math.ceil((self.sigma + self.b) / (self.epsilon - 1))
        return next((n for n in range(size, bound) if self.size_possible(n, table)), bound)

    def size_possible(self, size: int, table: Table) -> bool:
        """Whether the most even division over the known values passes."""
        assert self.column is not None
        if table.persons:
            return self._holds(size, 0)
        values = counted_values(table.sensitive[self.column])
        return self._holds(size, -(-size // values))

    def size_needed(self, cell: BlockStatistics, table: Table) -> int:
        """The smallest size from R1 on that passes R2 with the cell's largest count; as the allowed share only grows
        with size, doubling and halving find it."""
        largest, low = self._largest(cell, table), self.minimum_size(table)
        if low > table.statistics.size or self._holds(low, largest):
            return low
        high = max(low, largest)
        while not self._holds(high, largest):
            if high > table.statistics.size:
                return table.statistics.size + 1
            high *= 2
        while low + 1 < high:
            middle = (low + high) // 2
            low, high = (low, middle) if self._holds(middle, largest) else (middle, high)
        return high

    def groups_at_most(self, statistics: BlockStatistics, smallest: int, table: Table) -> int | None:
        """Each group holds at least b + g(N) tuples without a given value, g(N) = S N / D, and g grows with N for
        S >= 1 (THEORY 2.2, rule 5)."""
        known, weight = smallest - self.b, self.sigma + self.b
        rest = self.epsilon * (known - 1 + weight) - known
        if table.persons or known <= 0 or rest <= 0:
            return None
        others = self.b + math.ceil(weight * known / rest)
        return (statistics.size - self._largest(statistics, table)) // others

    def least_suppression(self, table: Table) -> int | None:
        """The most frequent values are cut until none is too frequent; enough must remain for the minimum size."""
        assert self.column is not None
        counts = worst_case(table.statistics.sensitive[self.column], table.sensitive[self.column].missing)
        if table.persons or not counts:
            return None
        removed = fewest_removed(counts, lambda counts: self._diverse(sum(counts), max(counts)))
        return None if removed is None or table.statistics.size - removed < self.minimum_size(table) else removed

    def reached(self, statistics: BlockStatistics, block: Block, table: Table) -> float:
        """The smallest epsilon that the block satisfies, for this sigma and b; infinite where none is."""
        known, weight = statistics.size - self.b, self.sigma + self.b
        others = known - self._largest(statistics, table)
        if known <= 0 or others <= 0:
            return math.inf
        first = 1 + weight / known
        second = (weight * known / others + known) / (known - 1 + weight)
        return float(max(first, second))

    def describe(self) -> str:
        """``epsilon_privacy(epsilon = 10, sigma = 10000, b = 0, column = income)``."""
        numbers = f"epsilon = {plain(self.epsilon)}, sigma = {plain(self.sigma)}, b = {self.b}"
        return f"{self.name}({numbers}, column = {written(self.column)})"

    def compiled(self, table: Table) -> CompiledConstraint | None:
        """epsilon = p / q and S = u / v as integers, b, and the code of the missing value."""
        weight = self.sigma + self.b
        n = table.statistics.rows
        p, q = self.epsilon.as_integer_ratio()
        if n * p * (weight.denominator * n + weight.numerator) * weight.denominator >= 2**62 or q * n * n >= 2**62:
            return None
        integers = (self.b, p, q, *weight.as_integer_ratio(), missing_code(table, self.column))
        return CompiledConstraint(KIND, self._position(table), integers=integers)

    def _audit_parameters(self) -> dict[str, AuditValue]:
        weight = self.sigma + self.b
        return {
            "b": self.b,
            "epsilon_numerator": self.epsilon.numerator,
            "epsilon_denominator": self.epsilon.denominator,
            "weight_numerator": weight.numerator,
            "weight_denominator": weight.denominator,
        }


def kernel_test(size: int, largest: int, b: int, p: int, q: int, u: int, v: int) -> bool:
    """The test as the kernel compiles it: everything times q v, so that only integers occur."""
    known = size - b
    if known * (p - q) * v < u * q:
        return False
    rest = p * (v * (known - 1) + u) - q * v * known
    return rest > 0 and (known - largest) * rest >= u * q * known
