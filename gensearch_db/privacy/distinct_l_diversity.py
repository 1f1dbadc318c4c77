"""Distinct l-diversity: every block holds at least l different values (Machanavajjhala et al. 2007; THEORY 1.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

from gensearch_db.domain.cells import BlockStatistics, Table
from gensearch_db.domain.region import Block
from gensearch_db.privacy.constraint import AuditValue, CompiledConstraint, Constraint
from gensearch_db.privacy.missing import known_values, missing_code
from gensearch_db.problem.arguments import bind, written
from gensearch_db.problem.calls import Call

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

KIND = 2


@dataclass(frozen=True)
class DistinctLDiversity(Constraint):
    """``distinct_l_diversity(l, column)``: at least l values occur; a missing value is none.

    Monotone, for persons too: the values of a union are the union of the values.
    """

    name: ClassVar[str] = "distinct_l_diversity"
    quantity: ClassVar[str] = "number of distinct values"
    l: int  # noqa: E741 -- the field's own letter
    column: str | None = None

    @classmethod
    def from_call(cls, call: Call) -> Self:
        """``distinct_l_diversity(3, income)``; l is a whole number of at least 1."""
        arguments = bind(call, numbers=("l",), names=("column",), usage="distinct_l_diversity(3, income)")
        return cls(arguments.whole("l", least=1), arguments.name("column"))

    @property
    def monotone(self) -> bool:
        """A child has no value that its parent lacks."""
        return True

    @property
    def monotone_for_persons(self) -> bool:
        """The same argument: it counts values, not rows."""
        return True

    def holds(self, statistics: BlockStatistics, block: Block, table: Table) -> bool:
        """The number of known values >= l."""
        return self.reached(statistics, block, table) >= self.l

    def minimum_size(self, table: Table) -> int:
        """l tuples for l values; a single person may have them all."""
        assert self.column is not None
        if known_values(table.sensitive[self.column]) < self.l:
            return table.statistics.size + 1
        return 1 if table.persons else self.l

    def groups_at_most(self, statistics: BlockStatistics, smallest: int, table: Table) -> int | None:
        """The largest M with sum over values of min(count, M) >= l * M (THEORY 2.2, rule 4); as each group uses l of
        them, it is found by halving."""
        if table.persons:
            return None
        assert self.column is not None
        missing = table.sensitive[self.column].missing
        counts = [count for code, count in enumerate(statistics.sensitive[self.column]) if code != missing]
        low, high = 0, statistics.size // self.l
        while low < high:
            middle = (low + high + 1) // 2
            if sum(min(count, middle) for count in counts) >= self.l * middle:
                low = middle
            else:
                high = middle - 1
        return low

    def reached(self, statistics: BlockStatistics, block: Block, table: Table) -> float:
        """The number of different known values."""
        assert self.column is not None
        missing = table.sensitive[self.column].missing
        return sum(count > 0 for code, count in enumerate(statistics.sensitive[self.column]) if code != missing)

    def describe(self) -> str:
        """``distinct_l_diversity(3, income)``."""
        return f"{self.name}({self.l}, {written(self.column)})"

    def compiled(self, table: Table) -> CompiledConstraint | None:
        """l and the code of the missing value."""
        return CompiledConstraint(KIND, self._position(table), integers=(self.l, missing_code(table, self.column)))

    def _audit_parameters(self) -> dict[str, AuditValue]:
        return {"l": self.l}


def kernel_test(histogram: NDArray[np.int64], l: int, missing: int) -> bool:  # noqa: E741
    """The test as the kernel compiles it."""
    different = 0
    for code in range(len(histogram)):
        if histogram[code] > 0 and code != missing:
            different += 1
    return different >= l
