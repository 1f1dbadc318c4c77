"""The compiled tests of all constraints: one dispatcher that switches on each constraint's kind.

Imports numba, so it is imported only by the search. A constraint adds its kind here, as one small compiled function and one
line in :func:`block_holds`, and gives its numbers through ``compiled()``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from gensearch_db.privacy import k_anonymity
from gensearch_db.privacy.constraint import CompiledConstraint

K_ANONYMITY = k_anonymity.KIND


class ConstraintArrays(NamedTuple):
    """All constraints of a problem, for the kernel. Constraint ``i`` has kind ``kinds[i]``, speaks of the histogram
    ``columns[i]`` (-1: sizes only) and owns ``parameters[parameter_starts[i]:parameter_starts[i + 1]]`` and
    ``integers[integer_starts[i]:integer_starts[i + 1]]``.
    """

    kinds: NDArray[np.int64]
    columns: NDArray[np.int64]
    parameter_starts: NDArray[np.int64]
    parameters: NDArray[np.float64]
    integer_starts: NDArray[np.int64]
    integers: NDArray[np.int64]


def constraint_arrays(constraints: Sequence[CompiledConstraint]) -> ConstraintArrays:
    """Pack compiled constraints. Raises :class:`OverflowError` where an integer does not fit into 64 bits."""
    return ConstraintArrays(
        np.array([constraint.kind for constraint in constraints], dtype=np.int64),
        np.array([constraint.column for constraint in constraints], dtype=np.int64),
        np.cumsum([0, *(len(constraint.parameters) for constraint in constraints)], dtype=np.int64),
        np.array([number for constraint in constraints for number in constraint.parameters], dtype=np.float64),
        np.cumsum([0, *(len(constraint.integers) for constraint in constraints)], dtype=np.int64),
        np.array([number for constraint in constraints for number in constraint.integers], dtype=np.int64),
    )


@njit(cache=True, nogil=True)
def block_holds(constraints: ConstraintArrays, size: int, histograms: NDArray[np.int64]) -> bool:  # pragma: no cover
    """Whether a non-empty block satisfies every constraint.

    ``size`` counts the unit of protection. ``histograms`` has one row per sensitive column, then one per class column; row
    ``c`` holds the block's count of each value code of that column's domain, and zeros beyond the domain.
    """
    for i in range(len(constraints.kinds)):
        kind = constraints.kinds[i]
        first_integer = constraints.integer_starts[i]
        holds = False
        if kind == K_ANONYMITY:
            holds = size >= constraints.integers[first_integer]
        if not holds:
            return False
    return True
