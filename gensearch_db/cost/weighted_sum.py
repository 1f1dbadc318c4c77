"""Weighted sums of costs, as in ``ncp + 0.5 * classification(income)``: additive, and monotone if all terms are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gensearch_db.cost.cost import CompiledCost, Cost, Rows
from gensearch_db.cost.count_error import CountError
from gensearch_db.domain.cells import BlockStatistics, Cells, Table
from gensearch_db.domain.region import Block
from gensearch_db.errors import SpecificationError
from gensearch_db.problem.calls import Call, plain


@dataclass(frozen=True)
class WeightedSum(Cost):
    """The sum of ``weight * cost`` over ``terms``; weights are positive."""

    name: ClassVar[str] = "weighted_sum"
    terms: tuple[tuple[Fraction, Cost], ...]

    @classmethod
    def from_call(cls, call: Call) -> Self:
        """Sums are written with ``+``, not as a call."""
        raise SpecificationError(f"'{call.text}': write a sum of costs as ncp + 0.5 * discernibility")

    @property
    def needs_cells(self) -> bool:  # type: ignore[override]
        """Whether a term does."""
        return any(cost.needs_cells for _, cost in self.terms)

    @property
    def class_columns(self) -> tuple[str, ...]:
        """Those of all terms, each once."""
        return tuple(dict.fromkeys(column for _, cost in self.terms for column in cost.class_columns))

    @property
    def workloads(self) -> tuple[CountError, ...]:
        """Those of all terms, each once."""
        return tuple(dict.fromkeys(workload for _, cost in self.terms for workload in cost.workloads))

    @property
    def integral(self) -> bool:
        """Whether all weights are whole and all costs integral."""
        return all(weight.denominator == 1 and cost.integral for weight, cost in self.terms)

    @property
    def monotone(self) -> bool:
        """Whether all terms are."""
        return all(cost.monotone for _, cost in self.terms)

    def of_block(self, statistics: BlockStatistics, block: Block, table: Table) -> float:
        """The weighted sum; exact where it is integral."""
        if self.integral:
            return sum(int(weight) * cost.of_block(statistics, block, table) for weight, cost in self.terms)
        return sum(float(weight) * cost.of_block(statistics, block, table) for weight, cost in self.terms)

    def suppression_charge(self, table: Table) -> float:
        """The weighted sum of the charges."""
        return float(sum(float(weight) * cost.suppression_charge(table) for weight, cost in self.terms))

    def describe(self) -> str:
        """``ncp + 0.5 * classification(income)``."""
        parts = (cost.describe() if weight == 1 else f"{plain(weight)} * {cost.describe()}" for weight, cost in self.terms)
        return " + ".join(parts)

    def prices(self, cells: Cells, table: Table, smallest: Rows, values_labels: bool) -> NDArray[np.float64]:
        """The weighted sum of the prices."""
        total = np.zeros(cells.cell_count)
        for weight, cost in self.terms:
            total += float(weight) * cost.prices(cells, table, smallest, values_labels)
        return total

    def lower_bound(self, sizes: Sequence[int], prices: float, smallest: int, groups: int) -> float:
        """Only the prices: they do not tell how much each term has of them."""
        return prices

    def check(self, table: Table) -> None:
        """Every term, and the sum."""
        for _, cost in self.terms:
            cost.check(table)
        super().check(table)

    def compiled(self, table: Table) -> tuple[CompiledCost, ...] | None:
        """The summands of all terms, or None if one has none."""
        summands: list[CompiledCost] = []
        for weight, cost in self.terms:
            compiled = cost.compiled(table)
            if compiled is None:
                return None
            summands += [replace(summand, weight=float(weight) * summand.weight) for summand in compiled]
        return tuple(summands)
