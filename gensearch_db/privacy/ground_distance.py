"""The three ground distances of t-closeness, as exact integers (Li et al. 2007; THEORY 1.1).

Each function returns S with distance = S / (scale * n * N), where n and N are the sums of the block's and the table's counts:
``ordered``: scale = m - 1, ``equal``: scale = 2, ``hierarchical``: scale = the height of the taxonomy.
"""

from __future__ import annotations

from collections.abc import Sequence

from gensearch_db.domain.cells import ValueDomain
from gensearch_db.domain.region import Interval
from gensearch_db.domain.taxonomy import Taxonomy, TaxonomyNode

Node = tuple[int, tuple[Interval, ...]]
"""An inner node of a taxonomy: its height (longest way down to a leaf) and its children's leaves."""


def ordered(counts: Sequence[int], table_counts: Sequence[int]) -> int:
    """Sum over prefixes of |N * A_i - n * G_i|: neighbouring values are 1 / (m - 1) apart."""
    n, total = sum(counts), sum(table_counts)
    distance = below = table_below = 0
    for count, table_count in zip(counts, table_counts, strict=True):
        below += count
        table_below += table_count
        distance += abs(total * below - n * table_below)
    return distance


def equal(counts: Sequence[int], table_counts: Sequence[int]) -> int:
    """Sum over values of |N * c_s - n * G_s|: any two values are 1 apart."""
    n, total = sum(counts), sum(table_counts)
    return sum(abs(total * count - n * table_count) for count, table_count in zip(counts, table_counts, strict=True))


def hierarchical(counts: Sequence[int], table_counts: Sequence[int], nodes: Sequence[Node]) -> int:
    """Sum over inner nodes of height * min(surplus, deficit) of their children: two values are as far apart as the height
    of their lowest common node."""
    n, total = sum(counts), sum(table_counts)
    below = [0]
    for count, table_count in zip(counts, table_counts, strict=True):
        below.append(below[-1] + n * table_count - total * count)
    distance = 0
    for height, children in nodes:
        extras = [below[child.upper] - below[child.lower] for child in children]
        surplus = sum(extra for extra in extras if extra > 0)
        deficit = -sum(extra for extra in extras if extra < 0)
        distance += height * min(surplus, deficit)
    return distance


def inner_nodes(domain: ValueDomain) -> tuple[Node, ...]:
    """The inner nodes of the domain's taxonomy, the root first. A missing value without a leaf of its own becomes one more
    child of the root."""
    assert domain.taxonomy is not None
    root = domain.taxonomy.root
    nodes = [(_height(node), tuple(child.interval for child in node.children)) for node in _inner(domain.taxonomy)]
    if len(domain.values) > root.interval.upper:
        height, children = nodes[0] if nodes else (1, (root.interval,))
        extra = tuple(Interval(code, code + 1) for code in range(root.interval.upper, len(domain.values)))
        nodes = [(height, children + extra), *nodes[1:]]
    return tuple(nodes)


def _inner(taxonomy: Taxonomy) -> list[TaxonomyNode]:
    return [node for node in taxonomy.root.walk() if node.children]


def _height(node: TaxonomyNode) -> int:
    return 1 + max(map(_height, node.children)) if node.children else 0
