"""What is told of a release that was written: where it is, how good it is, and which others would be as good."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gensearch_db.database.audit import AuditReport
from gensearch_db.database.listed_release import ListedRelease
from gensearch_db.printable import printable
from gensearch_db.problem.problem import Problem, Strategy
from gensearch_db.search.result import Partition, SearchResult, Status


@dataclass(frozen=True)
class Release:
    """A release that was written: where it is, and its certificate.

    ``name`` is its full name as SQL and the functions of this package read it, quoted where needed: ``memory.main."my rel"``.
    ``approximation_factor`` = cost / lower bound (infinite where nothing is known), ``gap`` = (cost - bound) / cost.
    ``seconds`` is the whole time. ``counters`` are the search's own. ``optimal_count``: how many optimal releases there are,
    this one among them, where ``all_optimal`` was asked for (None: not counted; a note says why). ``alternatives`` are the
    others, at most ``list_at_most - 1`` of them.
    """

    name: str
    problem: Problem
    status: Status
    cost: float
    lower_bound: float
    approximation_factor: float
    gap: float
    blocks: int
    rows_released: int
    rows_suppressed: int
    seconds: float
    counters: Mapping[str, int | float]
    notes: tuple[str, ...]
    audit: AuditReport
    optimal_count: int | None = None
    alternatives: tuple[ListedRelease, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The certificate as plain values for JSON; an infinite factor is None."""
        factor = self.approximation_factor
        return {
            "release": self.name,
            "status": self.status.value,
            "cost": self.cost,
            "lower_bound": self.lower_bound,
            "approximation_factor": factor if math.isfinite(factor) else None,
            "gap": self.gap,
            "blocks": self.blocks,
            "rows_released": self.rows_released,
            "rows_suppressed": self.rows_suppressed,
            "seconds": self.seconds,
            "counters": dict(self.counters),
            "optimal_count": self.optimal_count,
            "alternatives": [each.to_dict() for each in self.alternatives],
            "notes": list(self.notes),
            "audit": self.audit.to_dict(),
        }

    def to_text(self) -> str:
        """The certificate as lines of text."""
        cost = f"{self.problem.minimize} {self.cost:,.10g}"
        if self.status is Status.OPTIMAL or self.cost <= self.lower_bound:
            proof = f"{cost}: no release that meets the constraints costs less"
        elif math.isfinite(self.approximation_factor):
            proof = f"{cost}, at most {self.approximation_factor:.4g} times the optimum (at least {self.lower_bound:,.10g})"
        else:
            proof = f"{cost}; no lower bound is known"
        lines = [
            f"Release {self.name}: {self.status.value}",
            f"  {proof}",
            f"  {self.rows_released:,} rows in {self.blocks:,} blocks, {self.rows_suppressed:,} suppressed,"
            f" {self.seconds:.1f} s",
            *self._others(),
            *(f"  note: {note}" for note in self.notes),
            self.audit.to_text(),
        ]
        return printable("\n".join(lines))

    def _others(self) -> list[str]:
        """How many releases are optimal, and the blocks of those listed."""
        if self.optimal_count is None:
            return []
        lines = [f"  optimal releases: {self.optimal_count:,}, of which others listed here: {len(self.alternatives):,}"]
        for number, other in enumerate(self.alternatives, start=1):
            lines.append(f"  as good, number {number}: {len(other.blocks):,} blocks, {other.rows_suppressed:,} rows suppressed")
            lines += [f"    {block.to_text()}" for block in other.blocks]
        return lines


def why_not_counted(problem: Problem, result: SearchResult, suppression_limit: int) -> tuple[str, ...]:
    """The note that says why optimal releases were asked for and not counted, unless the search itself says so."""
    if problem.options.get("all_optimal") is not True or result.optimal_count is not None:
        return ()
    if suppression_limit and problem.strategy is Strategy.BLOCK_GRAPH:
        reason = "block_graph cannot where rows may be suppressed; the strategy enumeration can"
    elif result.status is not Status.OPTIMAL:
        reason = f"the search ended with {result.status.value} before it had proven what is optimal"
    elif any("optimal releases" in note for note in result.notes):
        return ()
    else:
        reason = "block_graph cannot with a constraint or cost that is not compiled; the strategy enumeration can"
    return (f"The optimal releases were not counted: {reason}.",)


def others_listed(problem: Problem, result: SearchResult) -> list[Partition]:
    """The optimal partitions besides the one released, as many as were to be listed with it."""
    if result.partition is None:
        return []
    own = _grouping(result.partition)
    others = [each for each in result.alternatives if not np.array_equal(_grouping(each), own)]
    return others[: max(0, int(problem.options.get("list_at_most", 100)) - 1)]


def _grouping(partition: Partition) -> NDArray[np.int64]:
    """For each cell the first cell of its block (-1: suppressed): the same for partitions that publish the same groups."""
    _, first, numbers = np.unique(partition.block_of_cell, return_index=True, return_inverse=True)
    return np.where(partition.block_of_cell < 0, -1, first[numbers])
