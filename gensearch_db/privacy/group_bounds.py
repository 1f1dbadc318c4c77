"""Bounds that all constraints together put on the size and the number of groups (THEORY 2.2).

A *group* is a non-empty block of a feasible partition. Every bound is valid whatever the splits: it holds for any division of
the tuples into groups that do not cut cells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from gensearch_db.domain.cells import BlockStatistics, Table
from gensearch_db.privacy.constraint import Constraint

SIZES_TRIED = 10_000


def smallest_group(constraints: Sequence[Constraint], table: Table) -> int:
    """k_eff: no group is smaller. The smallest size that each constraint allows for some distribution; sizes need not be an
    up-set, so the constraints' own minima are not enough (k = 4 with l = m = 3 gives 6). Table size + 1: none."""
    size = max([1, *(constraint.minimum_size(table) for constraint in constraints)])
    for candidate in range(size, min(size + SIZES_TRIED, table.statistics.size + 1)):
        if all(constraint.size_possible(candidate, table) for constraint in constraints):
            return candidate
    return min(size + SIZES_TRIED, table.statistics.size + 1)


def size_needed(constraints: Sequence[Constraint], cell: BlockStatistics, table: Table, smallest: int) -> int:
    """need(c): no group that contains the cell is smaller than this."""
    return max([smallest, cell.size, *(constraint.size_needed(cell, table) for constraint in constraints)])


def largest_shares(constraints: Sequence[Constraint], column: str, table: Table) -> Mapping[Any, Fraction]:
    """By value of a sensitive column the largest share that it can have in any feasible block; values without a limit lack.
    Empty for a column that is not sensitive and where persons are the unit of protection."""
    found: dict[Any, Fraction] = {}
    for constraint in constraints:
        if constraint.column is None or constraint.column.casefold() != column.casefold() or table.persons:
            continue
        shares = constraint.largest_shares(table)
        for value, share in zip(table.sensitive[constraint.column].values, shares, strict=bool(shares)):
            found[value] = min(share, found.get(value, share))
    return found


def most_groups(
    constraints: Sequence[Constraint], cells: Sequence[BlockStatistics], block: BlockStatistics, table: Table, smallest: int
) -> int:
    """M(B): no feasible partition of the block has more groups.

    ``cells``: the block's finest cells, of which the sizes are read; where persons are the unit of protection, their sum is
    taken for the block's size, as one person may be in several groups. 0: there is no feasible partition.
    """
    sizes = [cell.size for cell in cells]
    big = sum(size >= smallest for size in sizes)
    small_tuples = sum(size for size in sizes if size < smallest)
    limits = [len(cells), sum(sizes) // smallest, big + small_tuples // smallest]
    for constraint in constraints:
        limit = constraint.groups_at_most(block, smallest, table)
        if limit is not None:
            limits.append(limit)
    return min(limits)
