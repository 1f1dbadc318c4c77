"""Regions: the part of one attribute's leaf values that a block covers.

Leaf values of an attribute carry the codes 0, 1, …, leaf_count - 1. A region is either an :class:`Interval` of codes (ordered
attributes; taxonomy nodes too, because leaves are numbered depth first) or a :class:`LeafSet` (unordered attributes and
relaxed taxonomies; of any attribute where a release is used for new rows, among which its regions may have gaps).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple


class Interval(NamedTuple):
    """The leaf codes ``lower <= code < upper``; never empty."""

    lower: int
    upper: int

    def codes(self) -> Iterator[int]:
        """The leaf codes in the region, ascending."""
        return iter(range(self.lower, self.upper))

    def contains(self, code: int) -> bool:
        """Whether the leaf with this code lies in the region."""
        return self.lower <= code < self.upper

    def leaf_total(self) -> int:
        """How many leaf values the region covers."""
        return self.upper - self.lower

    def sort_key(self) -> tuple[int, int]:
        """Orders regions canonically: by first leaf, then by size."""
        return (self.lower, self.upper)


class LeafSet(NamedTuple):
    """The leaf codes whose bit is set in ``mask``; never empty."""

    mask: int

    def codes(self) -> Iterator[int]:
        """The leaf codes in the region, ascending."""
        mask = self.mask
        while mask:
            low = mask & -mask
            yield low.bit_length() - 1
            mask ^= low

    def contains(self, code: int) -> bool:
        """Whether the leaf with this code lies in the region."""
        return bool(self.mask >> code & 1)

    def leaf_total(self) -> int:
        """How many leaf values the region covers."""
        return self.mask.bit_count()

    def sort_key(self) -> tuple[int, int]:
        """Orders regions canonically: by first leaf, then by the whole set."""
        return ((self.mask & -self.mask).bit_length() - 1, self.mask)


Region = Interval | LeafSet
Block = tuple[Region, ...]
"""One region per attribute, in the order of the space's attributes."""
