"""What a missing sensitive value is worth: a value of the distribution that never counts as diversity.

Whoever reads a release may know, or guess, what a missing value would have been. The diversity constraints therefore count
missing values with the most frequent known value of the block: the reading that leaves the least diversity. Proof that this
is the worst case and keeps the constraints monotone: docs/constraints.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gensearch_db.domain.cells import Table, ValueDomain

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def worst_case(histogram: tuple[int, ...], missing: int | None) -> tuple[int, ...]:
    """The counts of the known values that occur, in descending order, with missing ones added to the largest.

    >>> worst_case((3, 0, 5, 2), missing=3)
    (7, 3)
    """
    known = sorted((count for code, count in enumerate(histogram) if count and code != missing), reverse=True)
    absent = 0 if missing is None else histogram[missing]
    if absent:
        known = [known[0] + absent, *known[1:]] if known else [absent]
    return tuple(known)


def known_values(domain: ValueDomain) -> int:
    """How many values of the domain can count as diversity."""
    return len(domain.values) - (domain.missing is not None)


def counted_values(domain: ValueDomain) -> int:
    """Over how many values a block's tuples can be divided: the known ones, or where there is none the missing ones as one."""
    return max(1, known_values(domain))


def missing_code(table: Table, column: str | None) -> int:
    """The code of the missing value for the kernel, -1 where the column has none."""
    assert column is not None
    missing = table.sensitive[column].missing
    return -1 if missing is None else missing


def largest_count(histogram: NDArray[np.int64], missing: int) -> int:
    """The largest count of a known value, with the missing ones; compiled into the kernel."""
    largest = 0
    for code in range(len(histogram)):
        if code != missing and histogram[code] > largest:
            largest = histogram[code]
    if missing >= 0:
        largest += histogram[missing]
    return largest
