"""The harmonic lower bound of the sum of squared group sizes, fast enough for every box (THEORY 2.3, bound D)."""

from __future__ import annotations

from collections.abc import Sequence


def harmonic(needs: Sequence[tuple[int, int]], groups: int) -> float:
    """The least sum of x over tuples, where each tuple's x is at least the smallest group that can hold its cell, and 1/x
    adds up to the number of groups, at most ``groups``: x = max(own need, a common level).

    ``needs``: for each cell (smallest group that can hold it, its size). Dominates Fig 4's MinCost and n^2 / groups.
    """
    least = sorted(needs)
    above = sum(size / need for need, size in least)
    if above <= groups:
        return float(sum(size * need for need, size in least))
    raised = 0
    for position, (need, size) in enumerate(least, start=1):
        above -= size / need
        raised += size
        level = raised / (groups - above) if groups > above else float("inf")
        if position == len(least) or level <= least[position][0]:
            return raised * level + sum(rest * other for other, rest in least[position:])
    raise AssertionError("the last cell always ends the loop")
