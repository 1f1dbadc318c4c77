"""Bounds on the frequency of single values, exact although they may be irrational.

beta-likeness and delta-disclosure say count <= r * n with a real number r such as e^delta * P_s. For sizes up to N that is the
same as count * q <= p * n, where p / q is the largest fraction not above r whose denominator is at most N: floor(r * n) / n is
itself such a fraction. So one integer comparison decides what no float could.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DIGITS = 60
"""Precision of irrational bounds. They differ from every fraction with a denominator below 10^18 by far more than that."""

KIND = 10


def exponential(power: Fraction) -> Fraction:
    """e^power to :data:`DIGITS` digits."""
    with localcontext() as context:
        context.prec = DIGITS
        return Fraction((Decimal(power.numerator) / Decimal(power.denominator)).exp())


def logarithm(number: Fraction) -> Fraction:
    """ln(number) to :data:`DIGITS` digits."""
    with localcontext() as context:
        context.prec = DIGITS
        return Fraction((Decimal(number.numerator) / Decimal(number.denominator)).ln())


def fraction_below(bound: Fraction, largest_denominator: int) -> Fraction:
    """The largest fraction <= ``bound`` with a denominator of at most ``largest_denominator``.

    >>> fraction_below(Fraction(2, 3), 2)
    Fraction(1, 2)
    """
    nearest = bound.limit_denominator(largest_denominator)
    if nearest <= bound:
        return nearest
    # the left neighbour of p / q among these fractions: p * d - q * c = 1 with the largest such d
    p, q = nearest.numerator, nearest.denominator
    d = pow(p, -1, q) if q > 1 else 1
    d += (largest_denominator - d) // q * q
    return Fraction((p * d - 1) // q, d)


def fraction_above(bound: Fraction, largest_denominator: int) -> Fraction:
    """The smallest fraction >= ``bound`` with a denominator of at most ``largest_denominator``."""
    return -fraction_below(-bound, largest_denominator)


def compiled_bounds(
    lower: Sequence[Fraction], upper: Sequence[Fraction], zeros_allowed: bool, sizes: int
) -> tuple[int, ...] | None:
    """The integers for :func:`kernel_test`: whether a count of 0 passes, then per value the lower and the upper bound.

    None where the products could leave 64 bits: block sizes are at most ``sizes``.
    """
    integers = [int(zeros_allowed)]
    for low, high in zip(lower, upper, strict=True):
        low, high = fraction_above(low, sizes), fraction_below(min(high, Fraction(1)), sizes)
        integers += [low.numerator, low.denominator, high.numerator, high.denominator]
    return tuple(integers) if max(integers) * sizes < 2**62 else None


def best_size(lower: Sequence[Fraction], upper: Sequence[Fraction], size: int) -> bool:
    """Whether whole counts within the bounds can add up to ``size``."""
    least = [math.ceil(low * size) for low in lower]
    most = [math.floor(min(high, Fraction(1)) * size) for high in upper]
    return all(a <= b for a, b in zip(least, most, strict=True)) and sum(least) <= size <= sum(most)


def kernel_test(histogram: NDArray[np.int64], integers: NDArray[np.int64]) -> bool:
    """The test as the kernel compiles it."""
    values = len(integers) // 4
    n = histogram[:values].sum()
    for code in range(values):
        count = histogram[code]
        if count == 0 and integers[0] == 1:
            continue
        place = 1 + 4 * code
        if count * integers[place + 1] < integers[place] * n or count * integers[place + 3] > integers[place + 2] * n:
            return False
    return True
