"""k-anonymity: every block holds at least k tuples (persons, where they are the unit of protection). Paper section 3."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from gensearch_db.domain.cells import BlockStatistics, Table
from gensearch_db.domain.region import Block
from gensearch_db.privacy.constraint import AuditValue, CompiledConstraint, Constraint
from gensearch_db.problem.arguments import bind
from gensearch_db.problem.calls import Call

KIND = 0


@dataclass(frozen=True)
class KAnonymity(Constraint):
    """``k_anonymity(k)``: n >= k. Monotone (THEORY 1.1)."""

    name: ClassVar[str] = "k_anonymity"
    needs_column: ClassVar[bool] = False
    quantity: ClassVar[str] = "size"
    k: int
    column: str | None = None

    @classmethod
    def from_call(cls, call: Call) -> Self:
        """``k_anonymity(10)``; k is a whole number of at least 1."""
        return cls(bind(call, numbers=("k",), usage="k_anonymity(10)").whole("k", least=1))

    @property
    def monotone(self) -> bool:
        """Sizes add up."""
        return True

    @property
    def monotone_for_persons(self) -> bool:
        """A block holds at least the persons of each of its parts."""
        return True

    def holds(self, statistics: BlockStatistics, block: Block, table: Table) -> bool:
        """n >= k."""
        return statistics.size >= self.k

    def minimum_size(self, table: Table) -> int:
        """k."""
        return self.k

    def reached(self, statistics: BlockStatistics, block: Block, table: Table) -> float:
        """The block's size."""
        return statistics.size

    def describe(self) -> str:
        """``k_anonymity(10)``."""
        return f"k_anonymity({self.k})"

    def compiled(self, table: Table) -> CompiledConstraint | None:
        """Only the size is looked at."""
        return CompiledConstraint(KIND, -1, integers=(self.k,))

    def _audit_parameters(self) -> dict[str, AuditValue]:
        return {"k": self.k}
