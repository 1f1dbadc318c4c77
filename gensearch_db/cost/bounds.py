"""Lower bounds of sums over groups of a given least size, in plain Python (THEORY 2.3); the search compiles its own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction


def balanced_squares(total: int, groups: int) -> int:
    """The least sum of squares of ``groups`` whole sizes that add up to ``total``."""
    size, larger = divmod(total, groups)
    return larger * (size + 1) ** 2 + (groups - larger) * size**2


def water_filled_squares(sizes: Sequence[int], smallest: int) -> int:
    """Bound C: bins are the cells of at least ``smallest`` and as many empty ones as the others' tuples could fill; those
    tuples go one by one into the least loaded bin. Blocks without a big cell consist of small ones only, and a block with
    several big cells costs at least as much as one for each."""
    small = sum(size for size in sizes if size < smallest)
    loads = sorted([size for size in sizes if size >= smallest] + [0] * (small // smallest))
    if not loads:
        return sum(sizes) ** 2
    filled, level_sum = 0, 0
    for filled in range(1, len(loads) + 1):
        level_sum += loads[filled - 1]
        if filled == len(loads) or loads[filled] * filled >= level_sum + small:
            break
    return balanced_squares(level_sum + small, filled) + sum(load**2 for load in loads[filled:])


def harmonic_squares(sizes: Sequence[int], needs: Sequence[int], groups: int) -> int:
    """Bound D: the tuples of cell c pay x_c >= ``needs[c]`` each, and as a block of n tuples that pay n contributes 1 to the
    sum of 1 / x, that sum is at most the number of groups. The least total is x_c = max(needs_c, level)."""
    if sum(Fraction(size, need) for size, need in zip(sizes, needs, strict=True)) <= groups:
        return sum(size * need for size, need in zip(sizes, needs, strict=True))
    by_need = sorted(zip(needs, sizes, strict=True))
    below, above = 0, sum(Fraction(size, need) for need, size in by_need)
    paid_above = sum(size * need for need, size in by_need)
    for position, (need, size) in enumerate(by_need):
        below += size
        above -= Fraction(size, need)
        paid_above -= size * need
        level = Fraction(below) / (groups - above) if groups > above else None
        following = by_need[position + 1][0] if position + 1 < len(by_need) else math.inf
        if level is not None and level <= following:
            return math.ceil(below * level + paid_above)
    raise AssertionError("the level lies between two needs")


def least_squares(sizes: Sequence[int], needs: Sequence[int], smallest: int, groups: int) -> int:
    """The best of bounds A to E on the sum of squared block sizes (E: a single group is the whole block).

    ``needs``: per cell the least size of a feasible block that holds it (at least its own size and ``smallest``).
    """
    total = sum(sizes)
    if groups <= 1:
        return total**2
    return max(
        sum(size * need for size, need in zip(sizes, needs, strict=True)),
        balanced_squares(total, groups),
        water_filled_squares(sizes, smallest),
        harmonic_squares(sizes, needs, groups),
    )
