"""The compiled formula of :mod:`gensearch_db.cost.count_error`, over the numbers that ``count_error.packed`` lays out.

Queries are the innermost loop: whatever they cover of a leaf lies side by side, so that a block costs a few operations per
query and attribute with a condition, however large its regions are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gensearch_db.compilation import compiled
from gensearch_db.cost.count_error import BOUNDS_OF_VALUES, LISTS

HEAD = 4
"""Numbers of an attribute before its queries: their number, leaves, missing leaf, how it is published."""


@compiled
def count_error(
    rows: int,
    lower: NDArray[np.int64],
    upper: NDArray[np.int64],
    leaf_totals: NDArray[np.float64],
    masks: NDArray[np.uint64],
    leaf_starts: NDArray[np.int64],
    marginals: NDArray[np.int64],
    truth: NDArray[np.int64],
    numbers: NDArray[np.float64],
) -> float:
    """The weighted sum over queries of |rows that satisfy it - rows * share of the block|."""
    query_count = int(numbers[0])
    estimates = np.full(query_count, float(rows))
    shares = np.empty(query_count)
    at = 1 + query_count
    for j in range(len(lower)):
        count = int(numbers[at])
        if count == 0:
            at += 1
            continue
        if numbers[at + 3] != LISTS:
            interval_shares(numbers, at, lower[j], upper[j], marginals, leaf_starts[j], shares)
        else:
            whole = leaf_totals[j] == upper[j] - lower[j]
            list_shares(numbers, at, lower[j], upper[j], whole, masks[j], marginals, leaf_starts[j], shares)
        for i in range(count):
            estimates[int(numbers[at + HEAD + i])] *= shares[i]
        leaves = int(numbers[at + 1])
        own = leaves * (1 + 3 * count) if numbers[at + 3] != LISTS else 0
        at += HEAD + count + (leaves + 1) * (1 + count) + own
    total = 0.0
    for query in range(query_count):
        total += numbers[1 + query] * abs(truth[query] - estimates[query])
    return total


@compiled
def interval_shares(
    numbers: NDArray[np.float64],
    at: int,
    lower: int,
    upper: int,
    marginals: NDArray[np.int64],
    leaf_start: int,
    shares: NDArray[np.float64],
) -> None:
    """``AttributeCoverage.shares`` of the leaves lower <= code < upper of an attribute that is published by bounds."""
    count, leaves, missing = int(numbers[at]), int(numbers[at + 1]), int(numbers[at + 2])
    before = at + HEAD + count
    covered_before = before + leaves + 1
    own = covered_before + (leaves + 1) * count
    covered = own + leaves
    last = upper - 1
    with_missing = last == missing and last > lower
    if with_missing:
        last -= 1
        while numbers[at + 3] == BOUNDS_OF_VALUES and last > lower and marginals[leaf_start + last] == 0:
            last -= 1
    if last == lower:
        row = covered + leaves * count * (2 if with_missing else 1) + lower * count
        for i in range(count):
            shares[i] = numbers[row + i]
        return
    whole = numbers[before + last] - numbers[before + lower] + numbers[own + last]
    top, bottom, row = covered_before + last * count, covered_before + lower * count, covered + last * count
    for i in range(count):
        shares[i] = numbers[top + i] - numbers[bottom + i] + numbers[row + i]
    if with_missing:
        whole += numbers[own + missing]
        row = covered + missing * count
        for i in range(count):
            shares[i] += numbers[row + i]
    for i in range(count):
        shares[i] /= whole


@compiled
def list_shares(
    numbers: NDArray[np.float64],
    at: int,
    lower: int,
    upper: int,
    whole: bool,
    mask: int,
    marginals: NDArray[np.int64],
    leaf_start: int,
    shares: NDArray[np.float64],
) -> None:
    """The same for an attribute that is published as lists: all leaves between the bounds where ``whole``, else those of the
    mask, or without one those that have rows."""
    count, leaves = int(numbers[at]), int(numbers[at + 1])
    before = at + HEAD + count
    covered_before = before + leaves + 1
    measure = 0.0
    for i in range(count):
        shares[i] = 0.0
    code = lower
    while code < upper:
        end = upper if whole else code
        while end < upper and (
            (mask >> np.uint64(end)) & np.uint64(1) != np.uint64(0) if mask != np.uint64(0) else marginals[leaf_start + end] > 0
        ):
            end += 1
        top, bottom = covered_before + end * count, covered_before + code * count
        measure += numbers[before + end] - numbers[before + code]
        for i in range(count):
            shares[i] += numbers[top + i] - numbers[bottom + i]
        code = end + 1
    for i in range(count):
        shares[i] /= measure
