"""Before any search: the whole table as one block. What even that cannot meet is refused with the best value reachable."""

from __future__ import annotations

import math

from gensearch_db.domain.cells import Table
from gensearch_db.errors import InfeasibleError, Problems
from gensearch_db.privacy.constraint import Constraint


def check_whole_table(table: Table, constraints: tuple[Constraint, ...], suppress_at_most: float) -> None:
    """Raise :class:`InfeasibleError` that names every constraint no release of this table can meet.

    A monotone constraint that the undivided table violates is violated by a block of every partition; where rows may be
    suppressed only sizes are decided here (a block of more rows than there are is out of reach whatever is left out).
    """
    problems = Problems(InfeasibleError)
    for constraint in constraints:
        if constraint.name == "k_anonymity":
            if constraint.minimum_size(table) > table.statistics.size:
                problems.add(_too_few(constraint, table))
        elif (
            constraint.monotone_in(table)
            and math.floor(table.statistics.rows * suppress_at_most / 100) == 0
            and not constraint.holds(table.statistics, table.space.root, table)
        ):
            reached = constraint.reached(table.statistics, table.space.root, table)
            problems.add(
                f"{constraint.describe()} cannot be met: the whole table as one block reaches {constraint.quantity}"
                f" {reached:.6g}, and blocks within it cannot all do better"
            )
    problems.raise_if_any()


def _too_few(constraint: Constraint, table: Table) -> str:
    unit = "persons" if table.persons else "rows"
    size = table.statistics.size
    return f"{constraint.describe()} cannot be met: the table has {size} {unit}, so the largest k possible is {size}"
