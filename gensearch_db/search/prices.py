"""What each cell tells of the blocks that hold it: the least rows that they need, and a price that its rows pay in any of them.

All of it holds for every feasible block, so sums over cells bound the cost of every partition from below (THEORY 2.2 to 2.5).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gensearch_db.cost.classification import Classification
from gensearch_db.cost.cost import Cost
from gensearch_db.cost.discernibility import Discernibility
from gensearch_db.cost.weighted_sum import WeightedSum
from gensearch_db.domain.cells import Cells
from gensearch_db.domain.statistics import cell_statistics
from gensearch_db.privacy.constraint import Constraint
from gensearch_db.privacy.group_bounds import largest_shares, size_needed, smallest_group
from gensearch_db.search.result import SearchProblem

MOST_HISTOGRAMS = 2_000
"""Cells with the same histograms need the same; of more different ones than this only the most frequent are looked at."""


def least_rows(problem: SearchProblem) -> int:
    """The least rows of a feasible block, all constraints taken together; 1 where blocks may be suppressed at a price."""
    return 1 if problem.suppression_price else max(1, smallest_group(problem.constraints, problem.table))


def needed_rows(problem: SearchProblem, smallest: int) -> NDArray[np.int64]:
    """For each cell the least rows of a feasible block that holds it: need(c) of THEORY 2.2, at least ``smallest``; one more
    than it has where it is no feasible block itself."""
    needed = np.full(problem.cells.cell_count, smallest, np.int64)
    constraints = [constraint for constraint in problem.constraints if constraint.column is not None]
    if not constraints or problem.suppression_price:
        return needed
    groups = sorted(_alike(problem.cells).values(), key=lambda members: (-len(members), members[0]))
    for members in groups[:MOST_HISTOGRAMS]:
        needed[members] = _needed(problem, constraints, members[0], smallest)
    return needed


def _needed(problem: SearchProblem, constraints: Sequence[Constraint], cell: int, smallest: int) -> int:
    statistics = cell_statistics(problem.cells, np.array([cell]))
    needed = size_needed(constraints, statistics, problem.table, smallest)
    if all(constraint.holds(statistics, problem.space.root, problem.table) for constraint in constraints):
        return needed
    return max(needed, statistics.rows + 1)


def _alike(cells: Cells) -> dict[tuple[bytes | int, ...], list[int]]:
    """The cells by what constraints see of them: their rows and histograms, and where persons count their number."""
    found: dict[tuple[bytes | int, ...], list[int]] = {}
    persons = np.diff(cells.persons.starts) if cells.persons is not None else np.zeros(cells.cell_count, np.int64)
    for cell in range(cells.cell_count):
        key: list[bytes | int] = [int(cells.counts[cell]), int(persons[cell])]
        for distribution in cells.sensitive:
            first, last = distribution.starts[cell], distribution.starts[cell + 1]
            key += [distribution.codes[first:last].tobytes(), distribution.counts[first:last].tobytes()]
        found.setdefault(tuple(key), []).append(cell)
    return found


def terms_of(cost: Cost) -> Sequence[tuple[Fraction, Cost]]:
    """The summands of a cost with their weights."""
    return cost.terms if isinstance(cost, WeightedSum) else ((Fraction(1), cost),)


def cell_prices(problem: SearchProblem, needed: NDArray[np.int64], *, labels: bool) -> NDArray[np.float64]:
    """The prices that the costs know themselves (:meth:`Cost.prices`); squared sizes have features of their own. ``labels``:
    leave out the class values that no feasible block can have as its majority."""
    total = np.zeros(problem.cells.cell_count)
    for weight, term in terms_of(problem.cost):
        if isinstance(term, Discernibility):
            continue
        prices = term.prices(problem.cells, problem.table, needed, problem.values_labels)
        if labels and isinstance(term, Classification) and not problem.suppression_price:
            shares = largest_shares(problem.constraints, term.column, problem.table)
            prices = np.maximum(prices, term.label_prices(problem.cells, problem.table, shares))
        total += float(weight) * prices
    return total
