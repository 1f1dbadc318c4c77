"""What a search is given and what it gives back: the problem over cells, options, status, result, monitoring."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from gensearch_db.cost.cost import Cost
from gensearch_db.domain.attribute import Space
from gensearch_db.domain.cells import Cells, Table
from gensearch_db.domain.region import Block
from gensearch_db.privacy.constraint import Constraint


class Status(StrEnum):
    """Why the search ended. Append-only. OPTIMAL is said only when proven, never inferred from the clock."""

    OPTIMAL = "OPTIMAL"
    WITHIN_FACTOR = "WITHIN_FACTOR"
    TIME_LIMIT = "TIME_LIMIT"
    NODE_LIMIT = "NODE_LIMIT"
    MEMORY_LIMIT = "MEMORY_LIMIT"
    INTERRUPTED = "INTERRUPTED"
    INFEASIBLE = "INFEASIBLE"
    HEURISTIC = "HEURISTIC"
    """A greedy strategy (Mondrian) came to its end: a valid release with whatever bound is known."""


@dataclass(frozen=True, eq=False)
class SearchProblem:
    """The problem as a search sees it: no database, no names of files. ``suppression_limit`` is a number of rows.

    ``suppression_price``: if positive, the relaxed problem in which any block may be suppressed at this price a row, without
    limit (``search/suppression.py``).
    """

    space: Space
    cells: Cells
    table: Table
    constraints: tuple[Constraint, ...]
    cost: Cost
    suppression_limit: int = 0
    values_labels: bool = False
    suppression_price: float = 0.0


@dataclass(frozen=True)
class StoppingRule:
    """When to stop: seconds, an accepted factor cost / lower bound, a number of nodes, megabytes of search memory."""

    seconds: float = math.inf
    factor: float = 1.0
    node_limit: int | None = None
    memory_limit: int | None = None


@dataclass(frozen=True, eq=False)
class Partition:
    """The blocks of a release. ``block_of_cell[i]`` is the position of cell i's block in ``blocks``, or -1 if suppressed.

    Blocks hold at least one cell each and stand in canonical order (by their regions' ``sort_key``).
    """

    blocks: tuple[Block, ...]
    block_of_cell: NDArray[np.int64]


@dataclass(frozen=True)
class Moment:
    """One point of a search's history: seconds since its start, best cost (inf: none yet), proven lower bound."""

    seconds: float
    cost: float
    lower_bound: float


@dataclass(frozen=True, eq=False)
class SearchResult:
    """What a search found. ``lower_bound`` is valid for every feasible partition, whatever the status.

    ``counters`` are the strategy's own counts (blocks visited, statements sent, …). ``notes`` are sentences the user must
    see (optimality forfeited, slower evaluator used). ``alternatives`` are further optimal partitions, if asked for.
    """

    status: Status
    partition: Partition | None
    cost: float
    lower_bound: float
    counters: dict[str, int | float] = field(default_factory=dict)
    history: tuple[Moment, ...] = ()
    notes: tuple[str, ...] = ()
    optimal_count: int | None = None
    alternatives: tuple[Partition, ...] = ()

    @property
    def approximation_factor(self) -> float:
        """cost / lower_bound: the release costs at most this many times the optimum. 1 where both are 0."""
        if self.cost == self.lower_bound:
            return 1.0
        return self.cost / self.lower_bound if self.lower_bound > 0 else math.inf

    @property
    def gap(self) -> float:
        """(cost - lower_bound) / cost: the share of the cost that is not proven necessary. 0 where the cost is 0."""
        return (self.cost - self.lower_bound) / self.cost if self.cost else 0.0


Progress = Callable[[Moment, dict[str, int | float]], bool]
"""Called a few times a second with the state and counters so far; returning True asks the search to stop (INTERRUPTED)."""


def never_stop(moment: Moment, counters: dict[str, int | float]) -> bool:
    """A progress callback that watches nothing."""
    return False


class Remembered:
    """A progress callback that remembers: once it has asked to stop, it goes on asking."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._asked = False

    def __call__(self, moment: Moment, counters: dict[str, int | float]) -> bool:
        """Pass the call on."""
        self._asked = self._progress(moment, counters) or self._asked
        return self._asked

    def has_asked_to_stop(self) -> bool:
        """Whether any call was answered so."""
        return self._asked
