"""Feasibility first: the whole table is tested as one block before any search.

If a monotone constraint fails there, it fails in some block of every partition, so the request is refused at once, with the
best value that the table reaches. Where leaving rows out would help, the message says how many are needed at least: in a
release without those rows the blocks' union would have to satisfy the constraint too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from gensearch_db.domain.cells import Table
from gensearch_db.errors import InfeasibleError, Problems, SpecificationError
from gensearch_db.privacy.constraint import Constraint


def check_whole_table(table: Table, constraints: Sequence[Constraint], suppress_at_most: float = 0.0) -> None:
    """Refuse what this table cannot meet, all reasons together. ``suppress_at_most`` is the allowed share in percent.

    Raises :class:`SpecificationError` for constraints that do not fit the table (an unknown attribute, no taxonomy) and
    :class:`InfeasibleError` for those that it cannot meet. What passes may still turn out infeasible where constraints that
    are not monotone are among them, or in combination.
    """
    unfit = Problems(SpecificationError)
    for constraint in constraints:
        try:
            constraint.check(table)
        except SpecificationError as error:
            unfit.add(str(error))
    unfit.raise_if_any()
    allowed = math.floor(table.statistics.rows * suppress_at_most / 100)
    unmet = Problems(InfeasibleError)
    for constraint in constraints:
        reason = _shortfall(constraint, table, allowed)
        if reason:
            unmet.add(f"{constraint.describe()} cannot be met: {reason}")
    unmet.raise_if_any()


def _shortfall(constraint: Constraint, table: Table, allowed: int) -> str:
    """Why the constraint cannot be met, or the empty string."""
    if constraint.holds(table.statistics, table.space.root, table) or not constraint.monotone_in(table):
        return ""
    reached = constraint.reached(table.statistics, table.space.root, table)
    best = f"the whole table as one block reaches {constraint.quantity} {_rounded(reached)}"
    needed = constraint.least_suppression(table)
    if needed is None:
        return f"{best}, and no part of it reaches more"
    if needed <= allowed:
        return ""
    rows = table.statistics.rows
    percent = math.ceil(1000 * needed / rows) / 10
    return f"{best}; at least {needed} of {rows} rows ({percent:g} percent) would have to be suppressed, and {allowed} may be"


def _rounded(value: float) -> str:
    return f"{value:.0f}" if math.isinf(value) or value == round(value) else f"{value:.4g}"
