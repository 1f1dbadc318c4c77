"""How many values the searches can group in sets. ANONYMIZE and EXPLAIN tell it before any cell is counted; the two places
that make the sets ask again, for those who come to them by another way."""

from __future__ import annotations

from gensearch_db.domain.attribute import Attribute, RelaxedTaxonomyAttribute, UnorderedAttribute

MOST_MASKED = 62
"""Compiled searches hold a set of values as the bits of a signed 64-bit integer."""
MOST_GROUPED = 12
"""Groupings of 13 values number 27 million: beyond any enumeration."""


def beyond_masks(attribute: Attribute) -> str | None:
    """Why compiled searches (block_graph, mondrian) cannot group this attribute's values, with what to do; None: they can."""
    if attribute.leaf_count <= MOST_MASKED:
        return None
    if isinstance(attribute, RelaxedTaxonomyAttribute):
        return (
            f"column '{attribute.name}': its relaxed taxonomy has {attribute.leaf_count:,} leaves; at most {MOST_MASKED} can be"
            f" grouped in sets: take it as a plain taxonomy (leave out relaxed)"
        )
    if isinstance(attribute, UnorderedAttribute):
        return (
            f"column '{attribute.name}' has {attribute.leaf_count} values; an unordered attribute can have at most"
            f" {MOST_MASKED}: give it an order or a taxonomy"
        )
    return None


def beyond_grouping(attribute: Attribute) -> str | None:
    """Why the enumeration cannot list the groupings of this attribute's values, with what to do; None: it can."""
    if isinstance(attribute, RelaxedTaxonomyAttribute):
        widest = max(attribute.taxonomy.nodes, key=lambda node: len(node.children))
        parts = len(widest.children)
        what = f"column '{attribute.name}': node '{widest.label}' of its relaxed taxonomy has {parts:,} children"
        otherwise = "take it as a plain taxonomy (leave out relaxed)"
    elif isinstance(attribute, UnorderedAttribute):
        parts = attribute.leaf_count
        what = f"column '{attribute.name}' has {parts:,} values without an order"
        otherwise = "give it an order or a taxonomy"
    else:
        return None
    if parts <= MOST_GROUPED:
        return None
    return f"{what}; the enumeration can group at most {MOST_GROUPED}: {otherwise}"
