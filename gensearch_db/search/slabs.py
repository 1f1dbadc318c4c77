"""All boxes of a space of ordered attributes, numbered so that parts come before what they are parts of.

Boxes that differ only in the first place's attribute are a *slab*; what a split of any other attribute leads to is found for
all of them at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gensearch_db.compilation import compiled


class Slabs(NamedTuple):
    """``attributes[p]`` is the attribute at place p, that of most intervals at place 0. Place p has ``intervals[p]``
    intervals. Its ``sizes[p]`` ranges from ``lower[p, r]`` to before ``upper[p, r]`` are numbered from narrow to wide,
    ``number[p, lower, upper]`` being r. The number of a slab is the sum of ``r * strides[p]`` over all places but the first,
    where the stride is 0; there are ``strides[-1]`` slabs.
    """

    attributes: NDArray[np.int64]
    intervals: NDArray[np.int64]
    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    number: NDArray[np.int64]
    sizes: NDArray[np.int64]
    strides: NDArray[np.int64]


def lay_slabs(counts: list[int]) -> Slabs:
    """The slabs of a space whose attributes have so many intervals each."""
    attributes = np.argsort([-count for count in counts], kind="stable").astype(np.int64)
    intervals = np.array([counts[j] for j in attributes], np.int64)
    sizes = intervals * (intervals + 1) // 2
    lower, upper = (np.zeros((len(counts), int(sizes.max())), np.int64) for _ in range(2))
    most = int(intervals.max()) + 1
    number = np.zeros((len(counts), most, most), np.int64)
    for p, count in enumerate(intervals):
        ranges = [(first, first + width) for width in range(1, count + 1) for first in range(count + 1 - width)]
        for r, (first, last) in enumerate(ranges):
            lower[p, r], upper[p, r], number[p, first, last] = first, last, r
    strides = np.concatenate([[0, 1], np.cumprod(sizes[1:])]).astype(np.int64)
    return Slabs(attributes, intervals, lower, upper, number, sizes, strides)


@compiled
def count_up(slabs: Slabs, digits: NDArray[np.int64]) -> int:
    """Go from the ranges of a slab, one for each place (that of the first does not count), to those of the next slab. Returns
    the last place whose range changed."""
    for p in range(1, len(digits)):
        digits[p] += 1
        if digits[p] < slabs.sizes[p]:
            return p
        digits[p] = 0
    return len(digits) - 1
