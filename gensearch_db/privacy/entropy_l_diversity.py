"""Entropy l-diversity: the entropy of every block's distribution is at least ln l (Machanavajjhala et al. 2007, THEORY 1.1).

Written without division as n ln n - sum c ln c >= n ln l. Ties are frequent (uniform blocks) and floats decide them wrongly,
so they are decided exactly: equality means n^n = l^n * product of c^c, which holds if and only if every prime divides both
sides equally often.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
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

KIND = 3

MOST_COMPILED = 10**12
"""Fractions l with larger terms are left to exact arithmetic."""

NEAR = 1e-9
"""Margins below this, per tuple, are decided exactly; floats are good to about 1e-14."""


@dataclass(frozen=True)
class EntropyLDiversity(Constraint):
    """``entropy_l_diversity(l, column)``, l any number of at least 1. Missing values count with the most frequent one."""

    name: ClassVar[str] = "entropy_l_diversity"
    quantity: ClassVar[str] = "entropy l"
    l: Fraction  # noqa: E741 -- the field's own letter
    column: str | None = None

    @classmethod
    def from_call(cls, call: Call) -> Self:
        """``entropy_l_diversity(2, income)``; l is a number of at least 1."""
        arguments = bind(call, numbers=("l",), names=("column",), usage="entropy_l_diversity(2, income)")
        return cls(arguments.number("l", least=1), arguments.name("column"))

    @property
    def monotone(self) -> bool:
        """n * entropy is concave and homogeneous, hence superadditive; missing values: docs/constraints.md."""
        return True

    def holds(self, statistics: BlockStatistics, block: Block, table: Table) -> bool:
        """Exact."""
        return entropy_at_least(self._counts(statistics, table), self.l)

    def _counts(self, statistics: BlockStatistics, table: Table) -> tuple[int, ...]:
        assert self.column is not None
        return worst_case(statistics.sensitive[self.column], table.sensitive[self.column].missing)

    def minimum_size(self, table: Table) -> int:
        """The smallest size whose most even division over the known values passes."""
        assert self.column is not None
        values = counted_values(table.sensitive[self.column])
        if self.l > values:
            return table.statistics.size + 1
        if table.persons:
            return 1
        size = math.ceil(self.l)
        while not self.size_possible(size, table):
            size += 1
        return size

    def size_possible(self, size: int, table: Table) -> bool:
        """Whether the most even division of ``size`` tuples passes: the entropy of all others is smaller."""
        assert self.column is not None
        if table.persons:
            return True
        values = counted_values(table.sensitive[self.column])
        if self.l > values:
            return False
        each, more = divmod(size, values)
        return entropy_at_least([each + 1] * more + [each] * (values - more), self.l)

    def size_needed(self, cell: BlockStatistics, table: Table) -> int:
        """A value's share is at most alpha, the largest p with h(p) + (1 - p) ln(m - 1) >= ln l: n >= c / alpha."""
        counts = self._counts(cell, table)
        if table.persons or not counts:
            return self.minimum_size(table)
        return max(self.minimum_size(table), math.ceil(counts[0] / self.largest_share(table)))

    def largest_share(self, table: Table) -> float:
        """An upper bound on the share that one value can have in a satisfying block (THEORY 2.2), rounded up."""
        assert self.column is not None
        others = counted_values(table.sensitive[self.column]) - 1
        if others < 1 or self.l <= 1:
            return 1.0
        low, high = 1.0 / (others + 1), 1.0
        for _ in range(60):
            middle = (low + high) / 2
            if _entropy_of_share(middle, others) >= math.log(self.l):
                low = middle
            else:
                high = middle
        return min(1.0, high * (1 + 1e-12))

    def groups_at_most(self, statistics: BlockStatistics, smallest: int, table: Table) -> int | None:
        """Each group needs (1 - alpha) * smallest tuples of other values (THEORY 2.2, rule 5)."""
        counts = self._counts(statistics, table)
        if table.persons or not counts:
            return None
        others = math.ceil((1 - self.largest_share(table)) * smallest - 1e-9)
        return None if others < 1 else (sum(counts) - counts[0]) // others

    def least_suppression(self, table: Table) -> int | None:
        """The most frequent values are cut until the rest is even enough."""
        if table.persons:
            return None
        return fewest_removed(self._counts(table.statistics, table), lambda counts: entropy_at_least(counts, self.l))

    def reached(self, statistics: BlockStatistics, block: Block, table: Table) -> float:
        """The l that the block reaches: e to the power of its entropy; 0 where only missing values occur."""
        assert self.column is not None
        counts = self._counts(statistics, table)
        missing = table.sensitive[self.column].missing
        if missing is not None and sum(counts) == statistics.sensitive[self.column][missing]:
            return 0.0
        n = sum(counts)
        return math.exp(math.log(n) - math.fsum(c * math.log(c) for c in counts) / n)

    def describe(self) -> str:
        """``entropy_l_diversity(2, income)``."""
        return f"{self.name}({plain(self.l)}, {written(self.column)})"

    def compiled(self, table: Table) -> CompiledConstraint | None:
        """ln l, l as a fraction, and the code of the missing value.

        An l of more digits may lie closer to a tie than floats tell.
        """
        if max(self.l.as_integer_ratio()) >= MOST_COMPILED:
            return None
        return CompiledConstraint(
            KIND,
            self._position(table),
            parameters=(math.log(self.l),),
            integers=(self.l.numerator, self.l.denominator, missing_code(table, self.column)),
        )

    def _audit_parameters(self) -> dict[str, AuditValue]:
        return {"l": float(self.l)}


def _entropy_of_share(share: float, others: int) -> float:
    rest = 1 - share
    if rest <= 0:
        return 0.0
    return -share * math.log(share) - rest * math.log(rest) + rest * math.log(others)


def entropy_at_least(counts: Sequence[int], l: Fraction) -> bool:  # noqa: E741
    """Whether the entropy of ``counts`` is at least ln l, decided exactly."""
    counts = [count for count in counts if count]
    n = sum(counts)
    margin = n * math.log(n) - math.fsum(c * math.log(c) for c in counts) - n * math.log(l)
    if abs(margin) > NEAR * n:
        return margin > 0
    if _is_tie(counts, l):
        return True
    digits = 40
    while True:  # the two sides differ, so some precision tells them apart
        with localcontext() as context:
            context.prec = digits
            exact = n * Decimal(n).ln() - sum(c * Decimal(c).ln() for c in counts)
            exact -= n * (Decimal(l.numerator).ln() - Decimal(l.denominator).ln())
        if abs(exact) > n * Decimal(10) ** (8 - digits):
            return exact > 0
        digits *= 2


def _is_tie(counts: Sequence[int], l: Fraction) -> bool:  # noqa: E741
    n = sum(counts)
    numerator, denominator = l.numerator, l.denominator
    for prime in {prime for base in (n, *counts) for prime in _prime_factors(base)}:
        exponent = n * _times(prime, n) - sum(count * _times(prime, count) for count in counts)
        while numerator % prime == 0:
            numerator //= prime
            exponent -= n
        while denominator % prime == 0:
            denominator //= prime
            exponent += n
        if exponent:
            return False
    return numerator == 1 and denominator == 1


def _prime_factors(number: int) -> set[int]:
    factors = set()
    prime = 2
    while prime * prime <= number:
        while number % prime == 0:
            number //= prime
            factors.add(prime)
        prime += 1
    return factors | {number} if number > 1 else factors


def _times(prime: int, number: int) -> int:
    times = 0
    while number % prime == 0:
        number //= prime
        times += 1
    return times


def kernel_margin(histogram: NDArray[np.int64], log_l: float, missing: int) -> float:
    """The margin per tuple, compiled into the kernel: positive if met, negative if not, tiny where :func:`is_tie` decides."""
    n = 0
    largest = 0
    terms = 0.0
    for code in range(len(histogram)):
        count = histogram[code]
        n += count
        if count > 0 and code != missing:
            terms += count * math.log(count)
            largest = max(largest, count)
    if missing >= 0 and histogram[missing] > 0:
        if largest > 0:
            terms -= largest * math.log(largest)
        largest += histogram[missing]
        terms += largest * math.log(largest)
    return math.log(n) - terms / n - log_l


def is_tie(histogram: NDArray[np.int64], numerator: int, denominator: int, missing: int) -> bool:
    """Whether n^n * denominator^n = numerator^n * product of c^c, by the exponents of primes; compiled into the kernel."""
    bases = [numerator, denominator]
    powers = [0, 0]
    n = 0
    place = -1
    for code in range(len(histogram)):
        count = histogram[code]
        n += count
        if count > 0 and code != missing:
            bases.append(count)
            if place < 0 or count > bases[place]:
                place = len(bases) - 1
    if missing >= 0 and histogram[missing] > 0:
        if place < 0:
            bases.append(0)
            place = 2
        bases[place] += histogram[missing]
    for i in range(2, len(bases)):
        powers.append(-bases[i])
    bases.append(n)
    powers.append(n)
    powers[0], powers[1] = -n, n
    for i in range(2, len(bases)):
        divisor = 2
        while bases[i] > 1:
            prime = divisor if divisor * divisor <= bases[i] else bases[i]
            exponent = 0
            if bases[i] % prime == 0:
                for j in range(len(bases)):
                    while bases[j] % prime == 0:
                        bases[j] //= prime
                        exponent += powers[j]
            if exponent != 0:
                return False
            divisor += 1
    return bases[0] == 1 and bases[1] == 1
