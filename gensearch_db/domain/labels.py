"""The published label of any region of any attribute, unique among the regions of that attribute.

The release makes labels of numeric and temporal intervals in SQL from the leaf tables; here the same labels are made from the
leaves' own texts, for reports, plans and tests.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence, Set

from gensearch_db.domain.attribute import MISSING_LABEL, Attribute, OrderedAttribute, TaxonomyAttribute
from gensearch_db.domain.region import Region

WHOLE = "*"
"""The label of a whole domain."""


def is_extreme(attribute: Attribute, codes: Collection[int]) -> bool:
    """Whether a region is the least or greatest value of a number or date, and NULL.

    One person may have that value and all others none: it is printed as an interval with an open end, never as itself.
    """
    known = [code for code in codes if not attribute.leaves[code].missing]
    if len(known) != 1 or len(codes) == 1 or not isinstance(attribute, OrderedAttribute) or attribute.categorical:
        return False
    last = attribute.leaf_count - 2  # the missing leaf is behind it
    return known[0] in (0, last) and attribute.leaves[known[0]].point


def label_of(attribute: Attribute, region: Region, neighbour: int | None = None, hidden: Set[int] = frozenset()) -> str | None:
    """What a block prints for one attribute: ``'20'``, ``'[20, 40)'``, ``'< 20'``, ``'Europe'``, ``'{a, b}'``, ``'*'``.

    None stands for the missing leaf alone (published as SQL NULL); where it is in a region with others, the label says so:
    ``'>= 85 or NULL'``, ``'{a, NULL}'``. ``neighbour`` is the leaf up to which an extreme region reaches (None: its own).
    ``hidden`` leaves are named nowhere: ordered categories with one of those between them are called as if it were none, and no
    node is numbered because one has its name.
    """
    codes = list(region.codes())
    missing = next((code for code in codes if attribute.leaves[code].missing), None)
    known = [code for code in codes if code != missing]
    if not known:
        return None
    if len(codes) == 1 and attribute.leaves[codes[0]].point:
        return _unique(attribute, codes[0], hidden)
    if len(codes) == attribute.leaf_count:
        if isinstance(attribute, TaxonomyAttribute) and missing is None:
            return _node_label(attribute, 0, len(codes), attribute.taxonomy.root.label, hidden)
        return WHOLE
    if isinstance(attribute, OrderedAttribute) and (not attribute.categorical or _is_run(known, hidden)):
        if is_extreme(attribute, codes):
            label = _extreme_label(attribute, known[0], known[0] if neighbour is None else neighbour)
        else:
            label = _interval_label(attribute, known[0], known[-1])
        return label if missing is None else f"{label} or {MISSING_LABEL}"
    if isinstance(attribute, TaxonomyAttribute):
        node = attribute.taxonomy.lowest_cover(codes)
        if node.interval.leaf_total() == len(codes):
            return _node_label(attribute, node.interval.lower, len(codes), node.label, hidden)
    return "{" + ", ".join(_member(attribute, code) for code in codes) + "}"


def _is_run(codes: Sequence[int], hidden: Set[int]) -> bool:
    """Whether no leaf lies between these codes (ascending) but hidden ones."""
    return set(range(codes[0], codes[-1])).difference(codes) <= hidden


def _interval_label(attribute: OrderedAttribute, first: int, last: int) -> str:
    low, high = attribute.leaves[first], attribute.leaves[last]
    if first == last:
        return _own_label(attribute, first)
    if attribute.categorical:
        return f"{_own_label(attribute, first)} .. {_own_label(attribute, last)}"
    return _bounds_label(low.lower, high.upper)


def _extreme_label(attribute: OrderedAttribute, code: int, neighbour: int) -> str:
    leaf, beside = attribute.leaves[code], attribute.leaves[neighbour]
    return _bounds_label(beside.upper if neighbour < code else leaf.lower, beside.lower if neighbour > code else leaf.upper)


def _bounds_label(lower: str | None, upper: str | None) -> str:
    if lower is None and upper is None:
        return f"not {MISSING_LABEL}"
    if lower is None:
        return f"< {upper}"
    return f">= {lower}" if upper is None else f"[{lower}, {upper})"


def _unique(attribute: Attribute, code: int, hidden: Set[int]) -> str:
    """A leaf's label, told apart from an inner node of the same name."""
    label = _own_label(attribute, code)
    return _node_label(attribute, code, 1, label, hidden) if isinstance(attribute, TaxonomyAttribute) else label


def _own_label(attribute: Attribute, code: int) -> str:
    """A leaf's label; a value that could be read as another region of an attribute without a tree is quoted."""
    label = attribute.leaves[code].label
    if isinstance(attribute, TaxonomyAttribute) or (isinstance(attribute, OrderedAttribute) and not attribute.categorical):
        return label
    ambiguous = label == WHOLE or label[:1] in ("{", "'") or " .. " in label or label.endswith(f" or {MISSING_LABEL}")
    return _quoted(label) if ambiguous else label


def _quoted(label: str) -> str:
    return "'" + label.replace("'", "''") + "'"


def _node_label(attribute: TaxonomyAttribute, first: int, leaf_total: int, label: str, hidden: Set[int]) -> str:
    """The label of a node; nodes of one name are numbered in depth-first order: ``Other #1``, ``Other #2``. A hidden leaf is
    none of them: a number would tell of it."""
    nodes = [node for node in attribute.taxonomy.nodes if node.children or node.interval.lower not in hidden]
    same = [node.interval for node in nodes if node.label == label]
    whole_is_taken = label == WHOLE and leaf_total < attribute.leaf_count
    if len(same) < 2 and not whole_is_taken:
        return label
    taken = {node.label for node in nodes}
    number = 0
    for interval in same:
        number += 1
        while f"{label} #{number}" in taken:
            number += 1
        if (interval.lower, interval.upper) == (first, first + leaf_total):
            return f"{label} #{number}"
    return label


def _member(attribute: Attribute, code: int) -> str:
    """A value inside ``{…}``; quoted where it could be read as something else."""
    leaf = attribute.leaves[code]
    if leaf.missing:
        return MISSING_LABEL
    if leaf.label in ("", MISSING_LABEL) or any(mark in leaf.label for mark in "{},'") or leaf.label != leaf.label.strip():
        return _quoted(leaf.label)
    return leaf.label
