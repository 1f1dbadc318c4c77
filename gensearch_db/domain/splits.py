"""Split sets: every place where a space may be cut, with ids (paper 2.1, Definitions 1 and 2; THEORY 3).

A split is an ``(attribute, value)`` pair, and the splits of one attribute form its *group*. What ``value`` is depends on the
attribute's geometry:

* ordered: the boundary, a leaf code; the split parts the codes below it from the others;
* taxonomy: the node's interval; the split parts all its children at once (paper 4.1);
* unordered: a :class:`LeafSet` without the value of code 0; the split parts it from all other values. Several of these
  divide a *subset* of the values alike; the canonical form takes the one with the lowest id, so each grouping is made once.
  (The paper's replacement by binary attributes makes groupings many times: THEORY 3.4.);
* relaxed taxonomy: a union of some of a node's children, without its first; the split parts it from the node's other children.

Ids are numbered from 0 and may come in any order: a lower id stands nearer to the root (THEORY 3.3, item 4). Sets of splits
are integers with bit ``id`` set, so that a cut is found by two bit operations.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gensearch_db.domain.attribute import (
    Attribute,
    OrderedAttribute,
    RelaxedTaxonomyAttribute,
    Space,
    TaxonomyAttribute,
    UnorderedAttribute,
)
from gensearch_db.domain.region import Interval, LeafSet, Region
from gensearch_db.domain.set_limits import beyond_grouping
from gensearch_db.domain.taxonomy import TaxonomyNode
from gensearch_db.errors import SpecificationError


class Split(NamedTuple):
    """One split: the attribute's position in the space, and where it cuts (see the module's docstring)."""

    attribute: int
    value: int | Interval | LeafSet


class RegionSplit(NamedTuple):
    """A split as it acts on one region: its id, and the parts it makes, from left to right."""

    id: int
    parts: tuple[Region, ...]


class SplitSet:
    """The split set of a space.

    ``splits[id]`` is the split with that id. ``order`` lists the splits in the order of their ids; by default attribute by
    attribute and ascending, as in the paper. Raises :class:`SpecificationError` for an unordered attribute (or a relaxed
    taxonomy node) of more than 12 values, and for an ``order`` that is not a permutation of the space's splits.
    """

    def __init__(self, space: Space, order: Sequence[Split] | None = None) -> None:
        self.space = space
        natural = [Split(j, value) for j, attribute in enumerate(space.attributes) for value in _values(attribute)]
        if order is not None and sorted(map(repr, order)) != sorted(map(repr, natural)):
            raise SpecificationError("the order of split ids must list every split of the space exactly once")
        self.splits: tuple[Split, ...] = tuple(natural if order is None else order)
        self._groups: list[list[int]] = [[] for _ in space.attributes]
        for number, split in enumerate(self.splits):
            self._groups[split.attribute].append(number)
        self._sides = [self._sides_of(j, attribute.leaf_count) for j, attribute in enumerate(space.attributes)]
        self._sets: list[dict[Region, tuple[int, int]]] = [{} for _ in space.attributes]
        self._divisions: list[dict[Region, tuple[RegionSplit, ...]]] = [{} for _ in space.attributes]

    @classmethod
    def shuffled(cls, space: Space, source: random.Random) -> SplitSet:
        """The split set with its ids in random order (the paper's footnote 3: any sequence can be assigned)."""
        order = list(cls(space).splits)
        source.shuffle(order)
        return cls(space, order)

    @classmethod
    def descending(cls, space: Space) -> SplitSet:
        """The split set with its ids in reversed order."""
        return cls(space, cls(space).splits[::-1])

    def group(self, attribute: int) -> tuple[int, ...]:
        """The ids of an attribute's splits (Definition 2), ascending."""
        return tuple(self._groups[attribute])

    def crossing(self, attribute: int, region: Region) -> int:
        """The set of the group's splits that run through ``region``: its block lies on both sides of them."""
        return self._sets_of(attribute, region)[0]

    def available(self, attribute: int, region: Region) -> int:
        """The set of the group's splits that may divide ``region``. Those of a deeper taxonomy node cross, but may not yet."""
        return self._sets_of(attribute, region)[1]

    def divisions(self, attribute: int, region: Region) -> tuple[RegionSplit, ...]:
        """The available splits of ``region`` by ascending id; of those that divide it alike, only the first."""
        known = self._divisions[attribute].get(region)
        if known is None:
            found: dict[frozenset[Region], RegionSplit] = {}
            available = self.available(attribute, region)
            for number in self._groups[attribute]:
                if available >> number & 1:
                    parts = _parts(self.space.attributes[attribute], self.splits[number].value, region)
                    found.setdefault(frozenset(parts), RegionSplit(number, parts))
            known = self._divisions[attribute][region] = tuple(found.values())
        return known

    def _sides_of(self, position: int, leaf_count: int) -> list[tuple[int, int, int]]:
        """For each leaf code, the splits it is on one side of, on the other side of, and outside of altogether."""
        if isinstance(self.space.attributes[position], OrderedAttribute):
            return self._sides_of_boundaries(position, leaf_count)
        sides = [[0, 0, 0] for _ in range(leaf_count)]
        for number in self._groups[position]:
            one, whole = _extent(self.space.attributes[position], self.splits[number].value)
            for code in range(leaf_count):
                side = 0 if one >> code & 1 else 1 if whole >> code & 1 else 2
                sides[code][side] |= 1 << number
        return [(one, other, outside) for one, other, outside in sides]

    def _sides_of_boundaries(self, position: int, leaf_count: int) -> list[tuple[int, int, int]]:
        """The same for an ordered attribute: from each code to the next only the boundary between them changes sides."""
        number_of = {self.splits[number].value: number for number in self._groups[position]}
        below, above = sum(1 << number for number in self._groups[position]), 0
        sides = []
        for code in range(leaf_count):
            if code in number_of:
                below ^= 1 << number_of[code]
                above |= 1 << number_of[code]
            sides.append((below, above, 0))
        return sides

    def _sets_of(self, position: int, region: Region) -> tuple[int, int]:
        known = self._sets[position].get(region)
        if known is None:
            one = other = outside = 0
            for code in region.codes():
                sides = self._sides[position][code]
                one |= sides[0]
                other |= sides[1]
                outside |= sides[2]
            known = self._sets[position][region] = (one & other, one & other & ~outside)
        return known


def _values(attribute: Attribute) -> Iterable[int | Interval | LeafSet]:
    """The values of an attribute's splits, in natural order."""
    too_many = beyond_grouping(attribute)
    if too_many is not None:
        raise SpecificationError(too_many)
    if isinstance(attribute, OrderedAttribute):
        return range(1, attribute.leaf_count)
    if isinstance(attribute, RelaxedTaxonomyAttribute):
        return [part for node in attribute.taxonomy.nodes if node.children for part in _set_off(_child_masks(node))]
    if isinstance(attribute, TaxonomyAttribute):
        return [node.interval for node in attribute.taxonomy.nodes if node.children]
    assert isinstance(attribute, UnorderedAttribute)
    return _set_off([1 << code for code in range(attribute.leaf_count)])


def _set_off(parts: Sequence[int]) -> list[LeafSet]:
    """Every union of ``parts[1:]`` but the empty one."""
    return [
        LeafSet(sum(part for i, part in enumerate(parts[1:]) if choice >> i & 1)) for choice in range(1, 1 << (len(parts) - 1))
    ]


def _child_masks(node: TaxonomyNode) -> list[int]:
    return [(1 << child.interval.upper) - (1 << child.interval.lower) for child in node.children]


def _extent(attribute: Attribute, value: int | Interval | LeafSet) -> tuple[int, int]:
    """The leaf codes on one side of a split, and those on any side of it (bits). A taxonomy node's first child is one side."""
    if isinstance(value, int):
        return (1 << value) - 1, (1 << attribute.leaf_count) - 1
    if isinstance(value, Interval):
        assert isinstance(attribute, TaxonomyAttribute)
        masks = _child_masks(attribute.node(value))
        return masks[0], sum(masks)
    if isinstance(attribute, RelaxedTaxonomyAttribute):
        for masks in map(_child_masks, attribute.taxonomy.nodes):
            if value.mask != sum(masks) and value.mask & ~sum(masks) == 0 and all(value.mask & m in (0, m) for m in masks):
                return value.mask, sum(masks)
    return value.mask, (1 << attribute.leaf_count) - 1


def _parts(attribute: Attribute, value: int | Interval | LeafSet, region: Region) -> tuple[Region, ...]:
    """The parts that an available split makes of a region."""
    if isinstance(value, int):
        assert isinstance(region, Interval)
        return Interval(region.lower, value), Interval(value, region.upper)
    if isinstance(value, Interval):
        return next(iter(attribute.splits(region)))
    assert isinstance(region, LeafSet)
    sides = (region.mask & value.mask, region.mask & ~value.mask)
    first, second = sorted(sides, key=lambda mask: mask & -mask)
    return LeafSet(first), LeafSet(second)
