"""How many rows must be left out before a distribution is diverse enough.

For a given number of rows left out, the most even distribution results from taking them from the largest counts: every other
choice majorizes it. Diversity constraints look only at that, so the fewest rows are found by lowering the level of the top.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence


def fewest_removed(counts: Sequence[int], passes: Callable[[Sequence[int]], bool]) -> int | None:
    """The least number of tuples to take from ``counts`` so that the rest ``passes``; None where no level does.

    ``passes`` must be a test that more even distributions pass more easily.
    """
    low, high = 0, max(counts)
    while low < high:  # the highest level that passes
        level = (low + high + 1) // 2
        low, high = (level, high) if passes(_cut(counts, level)) else (low, level - 1)
    if low == 0:
        return None
    removed = sum(max(0, count - low) for count in counts)
    at_top = sum(count > low for count in counts)
    for kept in range(at_top - 1, 0, -1):  # some of the top may keep one more
        if passes(_cut_partly(counts, low, kept)):
            return removed - kept
    return removed


def _cut(counts: Sequence[int], level: int) -> list[int]:
    return [min(count, level) for count in counts]


def _cut_partly(counts: Sequence[int], level: int, kept: int) -> list[int]:
    higher = [position for position, count in enumerate(counts) if count > level][:kept]
    return [min(count, level) + (position in higher) for position, count in enumerate(counts)]
