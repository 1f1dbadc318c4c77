"""Categories with a tree over them: taxonomies, prefix codes, and the flat tree of a column with one or two values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gensearch_db.database.attributes.categories import category_plan, report_missing_entries
from gensearch_db.database.attributes.leaves import Plan
from gensearch_db.database.attributes.values import DistinctValues
from gensearch_db.database.taxonomies import ROOT, TaxonomyTree
from gensearch_db.domain.attribute import MISSING_LABEL
from gensearch_db.domain.taxonomy import Nested, Taxonomy
from gensearch_db.errors import DataError, Problems

WILDCARD = "*"


def from_tree(values: DistinctValues, tree: TaxonomyTree, name: str, problems: Problems) -> tuple[Plan, Taxonomy]:
    """Leaves in the tree's order. Values of the column without an entry are added to ``problems``."""
    report_missing_entries(values, set(tree.leaves), f"taxonomy '{name}'", problems)
    plan, taxonomy = _planned(values, tree)
    leaves = tuple(replace(leaf, inner=leaf.label in tree.inner) for leaf in plan.leaves)
    return replace(plan, leaves=leaves), taxonomy


def flat(values: DistinctValues) -> tuple[Plan, Taxonomy]:
    """All values directly below the root: either one value or all of them."""
    return _planned(values, TaxonomyTree(ROOT, [(text, []) for text in values.texts], tuple(values.texts)))


def prefixes(values: DistinctValues) -> tuple[Plan, Taxonomy]:
    """The tree of common prefixes of the values. Raises :class:`DataError` for a column that is not text.

    Every node is a prefix that at least two values share and at which they part. Siblings show the same number of characters:
    as many as the shortest of their common prefixes has. Hidden characters are stars where all values below have one length,
    else one star: ``021**``, ``EC*``.
    """
    if values.family.numeric or values.family.temporal:
        raise DataError(
            f"column '{values.column.name}' is of type {values.column.type}; prefixes need text: cast it to VARCHAR"
        )
    if not values.texts:
        return _planned(values, TaxonomyTree(ROOT, [], ()))
    leaves: list[str] = []
    children = _branches(list(values.texts), len(_common_prefix(values.texts)), leaves)
    return _planned(values, TaxonomyTree(ROOT, children, tuple(leaves)))


def _planned(values: DistinctValues, tree: TaxonomyTree) -> tuple[Plan, Taxonomy]:
    ordinal_of = {text: ordinal for ordinal, text in enumerate(values.texts)}
    plan = category_plan(values, [(leaf, ordinal_of.get(leaf)) for leaf in tree.leaves])
    children: Nested = [*tree.children, (MISSING_LABEL, [])] if values.missing_count else tree.children
    return plan, Taxonomy.from_nested(tree.label, children)


def _branches(texts: Sequence[str], depth: int, leaves: list[str]) -> Nested:
    """The subtrees of sorted ``texts`` that share their first ``depth`` characters; appends their leaves in order."""
    groups: dict[str, list[str]] = {}
    for text in texts:
        groups.setdefault(text[depth : depth + 1], []).append(text)
    shared = {key: len(_common_prefix(group)) for key, group in groups.items() if len(group) > 1}
    shown = min(shared.values(), default=0)
    nested: Nested = []
    for key, group in groups.items():
        if len(group) == 1:
            leaves.append(group[0])
            nested.append((group[0], []))
        else:
            nested.append((_masked(group, shown), _branches(group, shared[key], leaves)))
    return nested


def _masked(texts: Sequence[str], shown: int) -> str:
    lengths = {len(text) for text in texts}
    hidden = lengths.pop() - shown if len(lengths) == 1 else 1
    return texts[0][:shown] + WILDCARD * max(hidden, 1)


def _common_prefix(texts: Sequence[str]) -> str:
    first, last = min(texts), max(texts)
    length = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    return first[:length]
