"""How large a space is: the number of hierarchical partitions and of boxes (THEORY 3.2).

Inclusion and exclusion over cuts: exactly one partition of a box has no cut at all, the undivided one. The sets of cuts form
one lattice per attribute (subsets of boundaries, set partitions of unordered values, a node's children), so with its Moebius
function mu: 1 = sum over ways to cut, of the product of mu, times the product of the counts of the boxes that the cuts leave.
Boxes are counted by *shape*, so that equal ones are counted once.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate, count, islice, product

from gensearch_db.argument_kinds import Kind, refuse_other_kinds
from gensearch_db.domain.attribute import (
    Attribute,
    OrderedAttribute,
    RelaxedTaxonomyAttribute,
    Space,
    TaxonomyAttribute,
    UnorderedAttribute,
)
from gensearch_db.domain.taxonomy import TaxonomyNode
from gensearch_db.errors import SpecificationError

Shape = tuple[str, tuple["Shape", ...] | int]
"""The form of one attribute's region: ``("ordered", leaf values)``, ``("node", children's shapes)``,
``("set", members' shapes)``; shapes of a node or a set are sorted."""

POINT: Shape = ("ordered", 1)
MOST_TERMS = 1_000_000
"""Factors of the recursion's terms that are worked out (in a few seconds) before it is given up."""


def count_partitions(space: Space, *, most_terms: int = MOST_TERMS) -> int:
    """The number of hierarchical partitions of the space, exactly.

    The work grows with the number of integer partitions of each attribute's leaf count. Raises :class:`SpecificationError`
    beyond ``most_terms`` factors of its terms; :func:`count_boxes` always works.

    >>> from gensearch_db.domain.attribute import Leaf, OrderedAttribute
    >>> two_splits = OrderedAttribute("age", tuple(Leaf(str(i)) for i in range(3)))
    >>> count_partitions(Space((two_splits, two_splits)))
    320
    """
    _refuse_other_than_a_space(space)
    return _Counting(most_terms).count(tuple(sorted(_shape(attribute) for attribute in space.attributes)))


def count_boxes(space: Space) -> int:
    """The number of boxes (possible blocks) of the space: the size of the block graph."""
    _refuse_other_than_a_space(space)
    return math.prod(_regions(attribute) for attribute in space.attributes)


def _refuse_other_than_a_space(space: object) -> None:
    refuse_other_kinds(space=(space, Kind("a Space of attributes", lambda given: isinstance(given, Space))))


def _regions(attribute: Attribute) -> int:
    if isinstance(attribute, OrderedAttribute):
        return attribute.leaf_count * (attribute.leaf_count + 1) // 2
    if isinstance(attribute, RelaxedTaxonomyAttribute):
        inner = [len(node.children) for node in attribute.taxonomy.nodes if node.children]
        return 1 + sum((1 << children) - 2 for children in inner)
    if isinstance(attribute, TaxonomyAttribute):
        return len(attribute.taxonomy.nodes)
    return (1 << attribute.leaf_count) - 1


def _shape(attribute: Attribute) -> Shape:
    if isinstance(attribute, OrderedAttribute):
        return ("ordered", attribute.leaf_count)
    if isinstance(attribute, UnorderedAttribute):
        return _collection("set", [POINT] * attribute.leaf_count)
    assert isinstance(attribute, TaxonomyAttribute)
    kind = "set" if isinstance(attribute, RelaxedTaxonomyAttribute) else "node"
    return _node_shape(attribute.taxonomy.root, kind)


def _node_shape(node: TaxonomyNode, kind: str) -> Shape:
    return _collection(kind, [_node_shape(child, kind) for child in node.children])


def _collection(kind: str, members: list[Shape]) -> Shape:
    if not members:
        return POINT
    return members[0] if len(members) == 1 else (kind, tuple(sorted(members)))


class _Counting:
    def __init__(self, most_terms: int) -> None:
        self.terms_left = most_terms
        self.counts: dict[tuple[Shape, ...], int] = {}
        self.ways: dict[Shape, list[tuple[int, tuple[tuple[Shape, int], ...]]]] = {}

    def count(self, box: tuple[Shape, ...]) -> int:
        """The partitions of a box of this shape."""
        box = tuple(shape for shape in box if shape != POINT)
        if box not in self.counts:
            self.counts[box] = self._count(box)
        return self.counts[box]

    def _count(self, box: tuple[Shape, ...]) -> int:
        total = 1
        for ways in product(*(self._ways(shape) for shape in box)):
            self._spend(math.prod(len(parts) for _, parts in ways))
            if all(sum(copies for _, copies in parts) == 1 for _, parts in ways):
                continue
            term = math.prod(coefficient for coefficient, _ in ways)
            for parts in product(*(parts for _, parts in ways)):
                cells = self.count(tuple(sorted(shape for shape, _ in parts)))
                term *= cells ** math.prod(copies for _, copies in parts)
            total -= term
        return total

    def _spend(self, factors: int) -> None:
        self.terms_left -= factors
        if self.terms_left < 0:
            raise SpecificationError(
                "the space has too many partitions to count exactly; count_boxes gives the number of its possible blocks"
            )

    def _ways(self, shape: Shape) -> list[tuple[int, tuple[tuple[Shape, int], ...]]]:
        """The ways to cut a region: (mu times how often, the parts with their numbers of copies)."""
        if shape not in self.ways:
            self._spend(_cutting_count(shape, self.terms_left))
            gathered: Counter[tuple[tuple[Shape, int], ...]] = Counter()
            for coefficient, parts in _cuttings(shape):
                gathered[tuple(sorted(Counter(parts).items()))] += coefficient
            self.ways[shape] = [(coefficient, parts) for parts, coefficient in gathered.items() if coefficient]
        return self.ways[shape]


def _cuttings(shape: Shape) -> Iterator[tuple[int, list[Shape]]]:
    """Every way to cut a region, with the Moebius function's value times the number of ways that look alike."""
    kind, members = shape
    if isinstance(members, int):
        for sizes in _integer_partitions(members, members):
            arrangements = math.factorial(len(sizes))
            for repeated in Counter(sizes).values():
                arrangements //= math.factorial(repeated)
            yield (-1) ** (len(sizes) - 1) * arrangements, [("ordered", size) for size in sizes]
    elif kind == "node":
        yield 1, [shape]
        yield -1, list(members)
    elif len(set(members)) == 1:
        for sizes in _integer_partitions(len(members), len(members)):
            arrangements = math.factorial(len(members))
            for size, repeated in Counter(sizes).items():
                arrangements //= math.factorial(size) ** repeated * math.factorial(repeated)
            sign = (-1) ** (len(sizes) - 1) * math.factorial(len(sizes) - 1)
            yield sign * arrangements, [_collection("set", [members[0]] * size) for size in sizes]
    else:
        for groups in _set_partitions(members):
            sign = (-1) ** (len(groups) - 1) * math.factorial(len(groups) - 1)
            yield sign, [_collection("set", group) for group in groups]


def _cutting_count(shape: Shape, most: int) -> int:
    """How many ways :func:`_cuttings` gives; where they are more than ``most``, any number beyond it."""
    kind, members = shape
    if kind == "node":
        return 2
    alike = isinstance(members, int) or len(set(members)) == 1
    size = members if isinstance(members, int) else len(members)
    counts = islice(_integer_partition_counts() if alike else _set_partition_counts(), size)
    last = 0
    while last <= most and (following := next(counts, None)) is not None:
        last = following
    return last


def _integer_partition_counts() -> Iterator[int]:
    """Of 1, 2, 3, …: 1, 2, 3, 5, 7, … (Euler's recurrence over the pentagonal numbers)."""
    known = [1]
    for total in count(1):
        known.append(0)
        for i in range(1, total + 1):
            for pentagonal in (i * (3 * i - 1) // 2, i * (3 * i + 1) // 2):
                if pentagonal <= total:
                    known[total] -= (-1) ** i * known[total - pentagonal]
        yield known[total]


def _set_partition_counts() -> Iterator[int]:
    """Of sets of 1, 2, 3, … members: 1, 2, 5, 15, … (Bell's triangle)."""
    row = [1]
    while True:
        yield row[-1]
        row = list(accumulate([row[-1], *row]))


def _integer_partitions(total: int, largest: int) -> Iterator[list[int]]:
    if total == 0:
        yield []
    for first in range(min(total, largest), 0, -1):
        for rest in _integer_partitions(total - first, first):
            yield [first, *rest]


def _set_partitions(members: tuple[Shape, ...]) -> Iterator[list[list[Shape]]]:
    if not members:
        yield []
        return
    for groups in _set_partitions(members[1:]):
        yield [[members[0]], *groups]
        for i in range(len(groups)):
            yield [*groups[:i], [members[0], *groups[i]], *groups[i + 1 :]]
