"""What is printed of a block: for each attribute the published part of its region, and the label of categories.

Labels of numeric and temporal intervals are put together in SQL from the leaf tables (``sql/release/interval_regions.sql``),
so that no bound makes a round trip through Python; here are the labels made of category names.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gensearch_db.domain.attribute import Attribute, OrderedAttribute, Space, TaxonomyAttribute
from gensearch_db.domain.labels import is_extreme, label_of
from gensearch_db.domain.region import LeafSet, Region
from gensearch_db.search.result import Partition


@dataclass(frozen=True)
class PublishedRegion:
    """The part of one attribute that a block prints.

    ``codes`` are the leaf codes, ascending and without the missing leaf; for an interval only its first and last count.
    ``missing`` tells whether the missing leaf (NULL) belongs to it. ``label`` is None for the missing leaf alone (published
    as SQL NULL) and for numeric and temporal attributes (whose labels SQL makes). ``neighbour`` is set
    where the region is extreme (``domain.labels.is_extreme``): the leaf up to which its interval reaches, or its own leaf.
    """

    codes: tuple[int, ...]
    missing: bool
    label: str | None = None
    neighbour: int | None = None


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
    says for each attribute that its leaf values are all that the user declared, whatever the data (a taxonomy, an order);
    the values of the others come from the data, and those that only suppressed rows have are printed nowhere: not as a
    category, not as the end of an interval. Nobody declares that values are missing, so NULL never is.
    """
    printed = _printed_values if values else _printed_regions
    return tuple(
        _published_attribute(
            attribute,
            printed(attribute, position, partition, codes),
            _suppressed(partition, codes[:, position]),
            listed=declared[position] or publishes_bounds(attribute),
        )
        for position, attribute in enumerate(space.attributes)
    )


def _suppressed(partition: Partition, codes: NDArray[np.int32]) -> set[int]:
    """The leaf codes that occur in suppressed cells only."""
    released = partition.block_of_cell >= 0
    return set() if released.all() else set(np.setdiff1d(codes[~released], codes[released]).tolist())


def _printed_regions(
    attribute: Attribute, position: int, partition: Partition, codes: NDArray[np.int32]
) -> list[tuple[int, ...]]:
    """For each block the leaf codes of its region, the missing one included."""
    hidden = _suppressed(partition, codes[:, position]) if publishes_bounds(attribute) else set()
    by_region: dict[Region, tuple[int, ...]] = {}
    for block in partition.blocks:
        if block[position] not in by_region:
            by_region[block[position]] = _without_hidden_ends(attribute, tuple(block[position].codes()), hidden)
    return [by_region[block[position]] for block in partition.blocks]


def _printed_values(
    attribute: Attribute, position: int, partition: Partition, codes: NDArray[np.int32]
) -> list[tuple[int, ...]]:
    """For each block the leaf codes that occur in it, of numbers and dates those between them too."""
    released = partition.block_of_cell >= 0
    occurring = np.unique(partition.block_of_cell[released] * attribute.leaf_count + codes[released, position])
    starts = np.searchsorted(occurring, np.arange(len(partition.blocks) + 1) * attribute.leaf_count).tolist()
    code_of = occurring % attribute.leaf_count
    missing = missing_code(attribute)
    printed: dict[bytes, tuple[int, ...]] = {}
    found = [code_of[start:end].tobytes() for start, end in pairwise(starts)]
    for key in set(found):
        present = np.frombuffer(key, code_of.dtype).tolist()
        printed[key] = _shortest_interval(present, missing) if publishes_bounds(attribute) else tuple(present)
    return [printed[key] for key in found]


def _without_hidden_ends(attribute: Attribute, codes: tuple[int, ...], hidden: Set[int]) -> tuple[int, ...]:
    """An interval without the single values at its ends that only suppressed rows have; beside others the outermost leaves
    stay, because their ends are printed open or where the user declared them."""
    known = [code for code, leaf in enumerate(attribute.leaves) if not leaf.missing]
    kept = [code for code in codes if not attribute.leaves[code].missing]
    removable = {code for code in hidden if attribute.leaves[code].point}
    if not removable.issuperset(kept):
        removable -= {known[0], known[-1]}
    while kept and kept[-1] in removable:
        kept.pop()
    while kept and kept[0] in removable:
        kept.pop(0)
    return (*kept, *(code for code in codes if attribute.leaves[code].missing))


def _shortest_interval(codes: Iterable[int], missing: int | None) -> tuple[int, ...]:
    known = [code for code in codes if code != missing]
    interval = tuple(range(min(known), max(known) + 1)) if known else ()
    return interval if missing is None or missing not in codes else (*interval, missing)


def _published_attribute(
    attribute: Attribute, printed: Sequence[tuple[int, ...]], suppressed: Set[int], *, listed: bool
) -> PublishedAttribute:
    """The attribute with its regions; ``listed``: values that occur in suppressed rows only stand in its lists too,
    unless the data alone make leaves of them."""
    if missing_code(attribute) in suppressed:
        attribute = _without_missing(attribute)
        printed = [tuple(code for code in codes if code < attribute.leaf_count) for codes in printed]
        suppressed = {code for code in suppressed if code < attribute.leaf_count}
    hidden = {code for code in suppressed if not listed or attribute.leaves[code].inner}
    distinct = sorted(set(printed))
    number = {codes: position for position, codes in enumerate(distinct)}
    regions = tuple(published_region(attribute, codes, suppressed, hidden) for codes in distinct)
    return PublishedAttribute(attribute, regions, tuple(number[codes] for codes in printed))


def published_region(
    attribute: Attribute, codes: tuple[int, ...], suppressed: Set[int] = frozenset(), hidden: Set[int] = frozenset()
) -> PublishedRegion:
    """What is printed of the leaf codes of one region (ascending): ``suppressed`` codes are those that only suppressed rows
    have, ``hidden`` ones those that are named nowhere."""
    missing = missing_code(attribute)
    return PublishedRegion(
        tuple(code for code in codes if code != missing and code not in hidden),
        missing in codes,
        None if publishes_bounds(attribute) else category_label(attribute, codes, hidden),
        _neighbour(attribute, codes, suppressed),
    )


def _neighbour(attribute: Attribute, codes: tuple[int, ...], suppressed: Set[int]) -> int | None:
    """Of an extreme region the leaf beside its own, unless only suppressed rows have that or there is none."""
    if not is_extreme(attribute, codes):
        return None
    beside = codes[0] - 1 if codes[0] > 0 else 1
    return codes[0] if beside in suppressed or beside in codes else beside


def _without_missing(attribute: Attribute) -> Attribute:
    """The attribute as it would be if no row lacked a value: without its last leaf."""
    if isinstance(attribute, TaxonomyAttribute):
        attribute = replace(attribute, taxonomy=attribute.taxonomy.without({attribute.leaf_count - 1}))
    return replace(attribute, leaves=attribute.leaves[:-1])


def category_label(attribute: Attribute, codes: tuple[int, ...], hidden: Set[int] = frozenset()) -> str | None:
    """The label of a set of categories; ``hidden`` codes are not named in it unless a name stands for all of them.

    None stands for the missing leaf alone, which is published as SQL NULL. Hidden leaves of a taxonomy that the data alone made
    change no label: it is that of the taxonomy without them.
    """
    unmade = {code for code in hidden if attribute.leaves[code].inner}
    if unmade and isinstance(attribute, TaxonomyAttribute):
        others = [code for code in range(attribute.leaf_count) if code not in unmade]
        number = {code: position for position, code in enumerate(others)}
        taxonomy = attribute.taxonomy.without(unmade)
        attribute = replace(attribute, leaves=tuple(attribute.leaves[code] for code in others), taxonomy=taxonomy)
        codes = tuple(number[code] for code in codes if code in number)
        hidden = frozenset(number[code] for code in hidden if code in number)
    shown = codes if _has_name(attribute, codes) else [code for code in codes if code not in hidden]
    return label_of(attribute, LeafSet(sum(1 << code for code in shown)), hidden=hidden)


def _has_name(attribute: Attribute, codes: tuple[int, ...]) -> bool:
    """Whether one name says the whole set: it is everything, or a node of the taxonomy."""
    if len(codes) == attribute.leaf_count:
        return True
    if not isinstance(attribute, TaxonomyAttribute):
        return False
    return attribute.taxonomy.lowest_cover(codes).interval.leaf_total() == len(codes)
