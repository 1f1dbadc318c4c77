"""Attributes: a quasi-identifier with its leaf values, the regions it can take and the splits between them.

Four geometries cover every kind a user can write (numeric, temporal, ordered, taxonomy, prefix, unordered):

====================  ==========================  ==========================================================
class                 region                      available splits of a region
====================  ==========================  ==========================================================
OrderedAttribute      interval of codes           two parts at any inner boundary
TaxonomyAttribute     a taxonomy node             all children at once
RelaxedTaxonomy       some children of one node   those children into any two parts; one child into its own
UnorderedAttribute    any set of values           any two parts
====================  ==========================  ==========================================================

Nothing here knows a database: labels and bounds of leaves were resolved before (``database/attributes``).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from gensearch_db.domain.region import Interval, LeafSet, Region
from gensearch_db.domain.taxonomy import Taxonomy, TaxonomyNode

MISSING_LABEL = "NULL"


@dataclass(frozen=True)
class Leaf:
    """One leaf value: the finest interval or category that the split set can tell apart.

    ``lower`` and ``upper`` are the half-open bounds as DuckDB prints them (``None`` = open end); both are the value itself for
    categories. ``start`` and ``end`` place the leaf on a line, in the attribute's own unit (years, days for dates and
    timestamps, currency, …; measured from the first leaf's start, clipped to the declared or observed domain), for costs that
    measure lengths: THEORY 2.0. For a
    category they are its code and its code + 1. ``point`` says that the leaf holds a single value, so that a block of this
    leaf alone loses nothing. ``occurs`` is False for taxonomy or ENUM entries that no row has. ``inner``
    says that the user's taxonomy has the value as an inner node only: it is a leaf because some row has it.
    """

    label: str
    lower: Any = None
    upper: Any = None
    start: float = 0.0
    end: float = 1.0
    point: bool = False
    occurs: bool = True
    missing: bool = False
    inner: bool = False


@dataclass(frozen=True)
class Attribute(ABC):
    """A quasi-identifier. ``name`` is the source column's own spelling; ``weight`` scales its share of NCP.

    ``minimum_length`` is the shortest published edge allowed (paper section 3, k-anonymity with length restrictions), in
    the attribute's own unit, or leaf values for categories; 0 = no restriction.
    """

    name: str
    leaves: tuple[Leaf, ...]
    weight: float = 1.0
    minimum_length: float = 0.0

    @property
    def leaf_count(self) -> int:
        """The number of leaf values, absent taxonomy leaves included."""
        return len(self.leaves)

    @cached_property
    def occurring_leaves(self) -> tuple[Leaf, ...]:
        """The leaf values that occur in the table, in order."""
        return tuple(leaf for leaf in self.leaves if leaf.occurs)

    @property
    @abstractmethod
    def root(self) -> Region:
        """The region that covers every leaf value."""

    @abstractmethod
    def splits(self, region: Region) -> Iterator[tuple[Region, ...]]:
        """Every available split of ``region`` as the tuple of its children, in a fixed order, each once."""

    @abstractmethod
    def tight(self, codes: Iterable[int]) -> Region:
        """The smallest region of this attribute that covers the given leaf codes (at least one)."""

    def length(self, region: Region) -> float:
        """The length of ``region`` in the attribute's own unit; the number of leaf values for categories."""
        if isinstance(region, Interval):
            return self.leaves[region.upper - 1].end - self.leaves[region.lower].start
        return float(region.leaf_total())

    def loss(self, region: Region) -> float:
        """Normalized certainty penalty of one tuple, in [0, 1]: length / length of the domain (THEORY 2.0).

        A region that holds a single value loses nothing.
        """
        if region.leaf_total() == 1 and self.leaves[next(region.codes())].point:
            return 0.0
        whole = self.length(self.root)
        return self.length(region) / whole if whole > 0 else 0.0

    def occurring(self, region: Region) -> int:
        """How many leaf values of ``region`` occur in the table: its edge in unit cells for the volume metric."""
        return sum(self.leaves[code].occurs for code in region.codes())


@dataclass(frozen=True)
class OrderedAttribute(Attribute):
    """Numeric, temporal and ordered categorical attributes: regions are intervals, split in two at any inner boundary."""

    categorical: bool = False

    @property
    def root(self) -> Interval:
        """The interval of all leaf codes."""
        return Interval(0, self.leaf_count)

    def splits(self, region: Region) -> Iterator[tuple[Region, ...]]:
        """Two intervals for each inner boundary, ascending."""
        assert isinstance(region, Interval)
        for boundary in range(region.lower + 1, region.upper):
            yield Interval(region.lower, boundary), Interval(boundary, region.upper)

    def length(self, region: Region) -> float:
        """As of every attribute; of a set (:class:`LeafSet`) the lengths of its leaves together."""
        if isinstance(region, Interval):
            return super().length(region)
        return sum(self.leaves[code].end - self.leaves[code].start for code in region.codes())

    def tight(self, codes: Iterable[int]) -> Interval:
        """The interval from the smallest to the largest code."""
        present = list(codes)
        return Interval(min(present), max(present) + 1)


@dataclass(frozen=True)
class TaxonomyAttribute(Attribute):
    """Taxonomies and prefix codes: regions are nodes, and a node splits into all its children at once (paper 4.1)."""

    taxonomy: Taxonomy = field(kw_only=True)

    @property
    def root(self) -> Interval:
        """The interval of all leaf codes: the taxonomy's root."""
        return Interval(0, self.leaf_count)

    def node(self, region: Region) -> TaxonomyNode:
        """The taxonomy node whose leaves are ``region``."""
        assert isinstance(region, Interval)
        return self.taxonomy.node_of(region)

    def splits(self, region: Region) -> Iterator[tuple[Region, ...]]:
        """At most one: the node's children."""
        children = self.node(region).children
        if children:
            yield tuple(child.interval for child in children)

    def tight(self, codes: Iterable[int]) -> Interval:
        """The lowest node that covers all the codes (their lowest common ancestor)."""
        return self.taxonomy.lowest_cover(codes).interval


@dataclass(frozen=True)
class RelaxedTaxonomyAttribute(TaxonomyAttribute):
    """A taxonomy whose nodes may split any subset of their children from the rest.

    Regions are :class:`LeafSet` unions of some children of one node. A region of several children splits into any two
    parts; a region that is one whole node is taken as the set of that node's children.
    """

    @property
    def root(self) -> LeafSet:  # type: ignore[override]
        """All leaf values."""
        return LeafSet((1 << self.leaf_count) - 1)

    def parts(self, region: Region) -> tuple[int, ...]:
        """The masks of the sibling nodes that ``region`` is made of, ascending; a single node gives its children."""
        assert isinstance(region, LeafSet)
        node = self.taxonomy.lowest_cover(region.codes())
        if not node.children:
            return (region.mask,)
        masks = (_mask(child.interval) for child in node.children)
        return tuple(mask for mask in masks if mask & region.mask)

    def splits(self, region: Region) -> Iterator[tuple[Region, ...]]:
        """Every division of the region's siblings into two parts, each once."""
        yield from _divisions(self.parts(region))

    def tight(self, codes: Iterable[int]) -> LeafSet:  # type: ignore[override]
        """The union of the lowest common ancestor's children that hold a code."""
        wanted = sum(1 << code for code in set(codes))
        node = self.taxonomy.lowest_cover(LeafSet(wanted).codes())
        if not node.children:
            return LeafSet(wanted)
        return LeafSet(sum(mask for child in node.children if (mask := _mask(child.interval)) & wanted))


@dataclass(frozen=True)
class UnorderedAttribute(Attribute):
    """Categories without order (paper 4.1, item 1): regions are sets of values, a split makes any two parts of a set."""

    @property
    def root(self) -> LeafSet:
        """All values."""
        return LeafSet((1 << self.leaf_count) - 1)

    def splits(self, region: Region) -> Iterator[tuple[Region, ...]]:
        """Every division of the set into two parts, each once; the part with the smallest code comes first."""
        yield from _divisions(tuple(1 << code for code in region.codes()))

    def tight(self, codes: Iterable[int]) -> LeafSet:
        """The set of the codes."""
        return LeafSet(sum(1 << code for code in set(codes)))


def _mask(interval: Interval) -> int:
    return (1 << interval.upper) - (1 << interval.lower)


def _divisions(parts: tuple[int, ...]) -> Iterator[tuple[Region, ...]]:
    whole = sum(parts)
    for choice in range(2 ** max(0, len(parts) - 1) - 1):
        first = parts[0] + sum(part for i, part in enumerate(parts[1:]) if choice >> i & 1)
        yield LeafSet(first), LeafSet(whole - first)


@dataclass(frozen=True)
class Space:
    """The attributes of a problem, in order: what a block has one region for each of."""

    attributes: tuple[Attribute, ...]

    @cached_property
    def root(self) -> tuple[Region, ...]:
        """The undivided space."""
        return tuple(attribute.root for attribute in self.attributes)
