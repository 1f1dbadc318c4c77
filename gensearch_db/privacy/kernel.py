"""The compiled tests of all constraints: one dispatcher that switches on each constraint's kind.

Imports numba, so it is imported only by the search. Each constraint's module holds its test as a plain function in numba's part
of Python (``kernel_test``; those of t-closeness stand beside it), compiled here; :func:`block_holds` only switches. Its numbers
come from ``compiled()``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gensearch_db.compilation import compiled
from gensearch_db.privacy import (
    alpha_k_anonymity,
    distinct_l_diversity,
    entropy_l_diversity,
    epsilon_privacy,
    frequency_bounds,
    k_anonymity,
    minimum_length,
    missing,
    recursive_l_diversity,
    t_closeness,
    t_closeness_kernel,
)
from gensearch_db.privacy.constraint import CompiledConstraint

K_ANONYMITY = k_anonymity.KIND
MINIMUM_LENGTH = minimum_length.KIND
DISTINCT_L = distinct_l_diversity.KIND
ENTROPY_L = entropy_l_diversity.KIND
RECURSIVE_L = recursive_l_diversity.KIND
ALPHA_K = alpha_k_anonymity.KIND
T_ORDERED, T_EQUAL, T_HIERARCHICAL = t_closeness.ORDERED, t_closeness.EQUAL, t_closeness.HIERARCHICAL
EPSILON = epsilon_privacy.KIND
FREQUENCY_BOUNDS = frequency_bounds.KIND

NEAR = entropy_l_diversity.NEAR

_largest_count = compiled(missing.largest_count)
_distinct_l = compiled(distinct_l_diversity.kernel_test)
_entropy_margin = compiled(entropy_l_diversity.kernel_margin)
_entropy_tie = compiled(entropy_l_diversity.is_tie)
_recursive_l = compiled(recursive_l_diversity.kernel_test)
_alpha_k = compiled(alpha_k_anonymity.kernel_test)
_t_ordered = compiled(t_closeness_kernel.ordered)
_t_equal = compiled(t_closeness_kernel.equal)
_t_hierarchical = compiled(t_closeness_kernel.hierarchical)
_epsilon = compiled(epsilon_privacy.kernel_test)
_frequency_bounds = compiled(frequency_bounds.kernel_test)


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


@compiled
def block_holds(constraints: ConstraintArrays, size: int, histograms: NDArray[np.int64]) -> bool:
    """Whether a non-empty block satisfies every constraint on its size and its histograms.

    ``size`` counts the unit of protection. ``histograms`` has one row per sensitive column, then one per class column; row
    ``c`` holds the block's count of each value code of that column's domain, and zeros beyond the domain. Minimum lengths
    speak of regions: the search tests them by the space's own ``minimum_length``.
    """
    for i in range(len(constraints.kinds)):
        numbers = constraints.integers[constraints.integer_starts[i] : constraints.integer_starts[i + 1]]
        if constraints.columns[i] < 0:
            if constraints.kinds[i] == K_ANONYMITY and size < numbers[0]:
                return False
        else:
            parameters = constraints.parameters[constraints.parameter_starts[i] : constraints.parameter_starts[i + 1]]
            if not _holds(constraints.kinds[i], size, histograms[constraints.columns[i]], parameters, numbers):
                return False
    return True


@compiled
def _holds(
    kind: int, size: int, histogram: NDArray[np.int64], parameters: NDArray[np.float64], numbers: NDArray[np.int64]
) -> bool:
    holds = False
    if kind == DISTINCT_L:
        holds = _distinct_l(histogram, numbers[0], numbers[1])
    elif kind == ENTROPY_L:
        margin = _entropy_margin(histogram, parameters[0], numbers[2])
        holds = margin > 0 or (margin > -NEAR and _entropy_tie(histogram, numbers[0], numbers[1], numbers[2]))
    elif kind == RECURSIVE_L:
        holds = _recursive_l(histogram, numbers[0], numbers[1], numbers[2], numbers[3])
    elif kind == ALPHA_K:
        holds = _alpha_k(size, _largest_count(histogram, numbers[3]), numbers[0], numbers[1], numbers[2])
    elif kind == T_ORDERED:
        holds = _t_ordered(histogram, int(parameters[0]), numbers)
    elif kind == T_EQUAL:
        holds = _t_equal(histogram, int(parameters[0]), numbers)
    elif kind == T_HIERARCHICAL:
        holds = _t_hierarchical(histogram, int(parameters[0]), numbers)
    elif kind == EPSILON:
        largest = _largest_count(histogram, numbers[5])
        holds = _epsilon(size, largest, numbers[0], numbers[1], numbers[2], numbers[3], numbers[4])
    elif kind == FREQUENCY_BOUNDS:
        holds = _frequency_bounds(histogram, numbers)
    return holds
