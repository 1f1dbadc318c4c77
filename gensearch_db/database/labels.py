"""What is printed of a block: for each attribute the published part of its region, and the label of categories.

Labels of numeric and temporal intervals are put together in SQL from the leaf tables (``sql/release/interval_regions.sql``),
so that no bound makes a round trip through Python; here are the labels made of category names.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gensearch_db.domain.attribute import Attribute, OrderedAttribute, Space, TaxonomyAttribute
from gensearch_db.domain.region import Region
from gensearch_db.search.result import Partition

WHOLE = "*"
"""The label of a whole domain."""


@dataclass(frozen=True)
class PublishedRegion:
    """The part of one attribute that a block prints.

    ``codes`` are the leaf codes, ascending and without the missing leaf; for an interval only its first and last count.
    ``missing`` tells whether the missing leaf (NULL) belongs to it. ``label`` is None for the missing leaf alone (published
    as SQL NULL) and for numeric and temporal attributes (whose labels SQL makes).
    """

    codes: tuple[int, ...]
    missing: bool
    label: str | None = None


@dataclass(frozen=True)
class PublishedAttribute:
    """All regions that an attribute prints in a release, and for each block the position of its own."""

    attribute: Attribute
    regions: tuple[PublishedRegion, ...]
    region_of_block: tuple[int, ...]

    @property
    def interval(self) -> bool:
        """Whether bounds are published (numeric, temporal) rather than lists of values (categories)."""
        return publishes_bounds(self.attribute)

    @property
    def has_missing(self) -> bool:
        """Whether the column has missing values at all."""
        return missing_code(self.attribute) is not None


def publishes_bounds(attribute: Attribute) -> bool:
    """True for numeric and temporal attributes, False for categories, ordered ones included."""
    return isinstance(attribute, OrderedAttribute) and not attribute.categorical


def missing_code(attribute: Attribute) -> int | None:
    """The code of the missing leaf, if the column has missing values."""
    return next((code for code, leaf in enumerate(attribute.leaves) if leaf.missing), None)


def published_attributes(
    space: Space, partition: Partition, codes: NDArray[np.int32], *, values: bool, declared: Sequence[bool]
) -> tuple[PublishedAttribute, ...]:
    """What each attribute of each block prints.

    ``codes`` are the leaf codes of the cells, shape (cell count, attribute count). With ``values`` a block prints the values
    that occur in it instead of its region: a set of categories, or the shortest interval on the leaf grid. ``declared``
    says for each attribute that the user gave its values (a taxonomy, an order); the values of the others come from the
    data, and those that only suppressed rows have are printed nowhere.
    """
    return tuple(
        _published_attribute(
            attribute,
            _printed_codes(attribute, position, partition, codes, values=values),
            set() if declared[position] or publishes_bounds(attribute) else _suppressed(partition, codes[:, position]),
        )
        for position, attribute in enumerate(space.attributes)
    )


def _suppressed(partition: Partition, codes: NDArray[np.int32]) -> set[int]:
    """The leaf codes that occur in suppressed cells only."""
    released = partition.block_of_cell >= 0
    return set(codes[~released].tolist()) - set(codes[released].tolist())


def _printed_codes(
    attribute: Attribute, position: int, partition: Partition, codes: NDArray[np.int32], *, values: bool
) -> list[tuple[int, ...]]:
    """For each block the leaf codes that it prints, the missing one included."""
    if not values:
        by_region: dict[Region, tuple[int, ...]] = {}
        for block in partition.blocks:
            if block[position] not in by_region:
                by_region[block[position]] = tuple(block[position].codes())
        return [by_region[block[position]] for block in partition.blocks]
    missing = missing_code(attribute)
    present: list[set[int]] = [set() for _ in partition.blocks]
    released = partition.block_of_cell >= 0
    pairs = np.unique(np.column_stack([partition.block_of_cell[released], codes[released, position]]), axis=0)
    for block_number, code in pairs.tolist():
        present[block_number].add(code)
    if isinstance(attribute, OrderedAttribute):
        return [_shortest_interval(found, missing) for found in present]
    return [tuple(sorted(found)) for found in present]


def _shortest_interval(codes: Iterable[int], missing: int | None) -> tuple[int, ...]:
    known = [code for code in codes if code != missing]
    interval = tuple(range(min(known), max(known) + 1)) if known else ()
    return interval if missing is None or missing not in codes else (*interval, missing)


def _published_attribute(attribute: Attribute, printed: Sequence[tuple[int, ...]], hidden: set[int]) -> PublishedAttribute:
    distinct = sorted(set(printed))
    number = {codes: position for position, codes in enumerate(distinct)}
    missing = missing_code(attribute)
    labels: list[str | None] = [None] * len(distinct)
    if not publishes_bounds(attribute):
        labels = _distinguished([category_label(attribute, codes, hidden) for codes in distinct])
    regions = tuple(
        PublishedRegion(
            tuple(code for code in codes if code != missing and code not in hidden),
            missing in codes and missing not in hidden,
            label,
        )
        for codes, label in zip(distinct, labels, strict=True)
    )
    return PublishedAttribute(attribute, regions, tuple(number[codes] for codes in printed))


def category_label(attribute: Attribute, codes: tuple[int, ...], hidden: set[int] | frozenset[int] = frozenset()) -> str | None:
    """The label of a set of categories: ``*``, a value, a taxonomy node's name, ``low .. high`` or ``{a, b}``.

    ``hidden`` codes are not named in it. None stands for the missing leaf alone, which is published as SQL NULL.
    """
    missing = missing_code(attribute)
    if len(codes) == attribute.leaf_count and len(codes) > 1:
        return WHOLE
    if isinstance(attribute, TaxonomyAttribute) and len(codes) > 1:
        node = attribute.taxonomy.lowest_cover(codes)
        if node.interval.leaf_total() == len(codes):
            return node.label
    codes = tuple(code for code in codes if code not in hidden)
    if codes == (missing,):
        return None
    if len(codes) == 1:
        return attribute.leaves[codes[0]].label
    if isinstance(attribute, OrderedAttribute):
        known = [code for code in codes if code != missing]
        first, last = attribute.leaves[known[0]].label, attribute.leaves[known[-1]].label
        interval = first if len(known) == 1 else f"{first} .. {last}"
        return interval if missing not in codes else f"{interval} or NULL"
    return "{" + ", ".join(_member(attribute, code) for code in codes) + "}"


def _member(attribute: Attribute, code: int) -> str:
    """A value inside ``{…}``; quoted where it could be read as something else."""
    leaf = attribute.leaves[code]
    if leaf.missing:
        return "NULL"
    if leaf.label in ("", "NULL") or any(mark in leaf.label for mark in "{},'") or leaf.label != leaf.label.strip():
        return "'" + leaf.label.replace("'", "''") + "'"
    return leaf.label


def _distinguished(labels: Sequence[str | None]) -> list[str | None]:
    """Labels made unique: two nodes of one name (``Other`` under two parents) become ``Other #1`` and ``Other #2``.

    Rows are grouped by their labels when a release is audited, so two regions must never share one.
    """
    places: dict[str, list[int]] = defaultdict(list)
    for position, label in enumerate(labels):
        if label is not None:
            places[label].append(position)
    unique = list(labels)
    taken = set(places)
    for label, positions in places.items():
        if len(positions) == 1:
            continue
        number = 0
        for position in positions:
            number += 1
            while (candidate := f"{label} #{number}") in taken:
                number += 1
            taken.add(candidate)
            unique[position] = candidate
    return unique
