"""Small search problems to test on: spaces in the notation of THEORY 3.2, and random tables over them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import prod

import numpy as np
from numpy.typing import NDArray

from gensearch_db.cost.cost import Cost
from gensearch_db.domain.attribute import (
    Attribute,
    Leaf,
    OrderedAttribute,
    RelaxedTaxonomyAttribute,
    Space,
    TaxonomyAttribute,
    UnorderedAttribute,
)
from gensearch_db.domain.cells import Cells, Distribution, PersonLists, Table, ValueDomain
from gensearch_db.domain.coverage import AttributeCoverage, WorkloadCoverage
from gensearch_db.domain.taxonomy import Nested, Taxonomy
from gensearch_db.domain.workloads import with_workload
from gensearch_db.privacy.constraint import Constraint
from gensearch_db.search.result import SearchProblem
from tests.oracles.plain_statistics import statistics_of

TAXONOMIES: dict[str, Nested] = {
    "2 leaves": [("a", []), ("b", [])],
    "3 leaves": [("a", []), ("b", []), ("c", [])],
    "4 leaves": [("a", []), ("b", []), ("c", []), ("d", [])],
    "((a,b),c)": [("ab", [("a", []), ("b", [])]), ("c", [])],
    "((a,b),(c,d))": [("ab", [("a", []), ("b", [])]), ("cd", [("c", []), ("d", [])])],
    "((a,b,c),(d,e))": [("abc", [("a", []), ("b", []), ("c", [])]), ("de", [("d", []), ("e", [])])],
    "(((a,b),c),d)": [("abc", [("ab", [("a", []), ("b", [])]), ("c", [])]), ("d", [])],
    "root4": [
        ("x", [("a", []), ("b", []), ("c", [])]),
        ("y", [("d", []), ("e", []), ("f", [])]),
        ("g", []),
        ("h", []),
    ],
}


def ordered(name: str, splits: int, **fields: float) -> OrderedAttribute:
    """An ordered attribute with this many splits; leaf i is the number i."""
    leaves = tuple(Leaf(str(i), i, i + 1, float(i), float(i + 1), True) for i in range(splits + 1))
    return OrderedAttribute(name, leaves, **fields)


def _categories(names: Sequence[str]) -> tuple[Leaf, ...]:
    return tuple(Leaf(name, name, name, float(i), float(i + 1), True) for i, name in enumerate(names))


def taxonomy(name: str, nested: Nested, *, relaxed: bool = False, **fields: float) -> TaxonomyAttribute:
    """A taxonomy attribute with these children under its root."""
    tree = Taxonomy.from_nested("*", nested)
    kind = RelaxedTaxonomyAttribute if relaxed else TaxonomyAttribute
    return kind(name, _categories([leaf.label for leaf in tree.leaves]), taxonomy=tree, **fields)


def unordered(name: str, values: int, **fields: float) -> UnorderedAttribute:
    """An unordered attribute with this many values."""
    return UnorderedAttribute(name, _categories([f"v{i}" for i in range(values)]), **fields)


def space_of(*shape: int | str) -> Space:
    """A space in THEORY's notation: a number is an ordered attribute's splits, a text one of ``TAXONOMIES``."""
    attributes: list[Attribute] = []
    for position, part in enumerate(shape):
        if isinstance(part, int):
            attributes.append(ordered(f"q{position}", part))
        else:
            attributes.append(taxonomy(f"q{position}", TAXONOMIES[part]))
    return Space(tuple(attributes))


Row = tuple[tuple[int, ...], int, int, int]
"""Leaf codes, sensitive code, class code, person."""


def problem_of(
    space: Space,
    rows: Sequence[Row],
    constraints: Sequence[Constraint],
    cost: Cost,
    *,
    suppression_limit: int = 0,
    sensitive_values: int = 3,
    class_values: int = 2,
    persons: bool = False,
    values_labels: bool = False,
) -> SearchProblem:
    """The search problem of explicit rows, with a sensitive column ``s`` and a class column ``c``."""
    cells = sorted({row[0] for row in rows})
    number = {codes: i for i, codes in enumerate(cells)}
    sensitive = ValueDomain("s", tuple(range(sensitive_values)))
    classes = ValueDomain("c", tuple(range(class_values)))
    by_cell: list[list[Row]] = [[] for _ in cells]
    for row in rows:
        by_cell[number[row[0]]].append(row)
    built = Cells(
        np.array(cells, dtype=np.int32).reshape(len(cells), len(space.attributes)),
        np.array([len(group) for group in by_cell], dtype=np.int64),
        (_distribution(sensitive, [[(row[1], row[3]) for row in group] for group in by_cell], persons),),
        (_distribution(classes, [[(row[2], row[3]) for row in group] for group in by_cell], False),),
        _persons([[row[3] for row in group] for group in by_cell]) if persons else None,
    )
    empty = Table(space, statistics=None, sensitive={}, classes={})  # type: ignore[arg-type]
    whole = statistics_of(SearchProblem(space, built, empty, (), cost), list(range(len(cells))))
    table = Table(space, whole, {"s": sensitive}, {"c": classes}, persons)
    for workload in cost.workloads:
        coverage = replace(random_coverage(random.Random(len(rows)), space, 4), values_labels=values_labels)
        built, table = with_workload(built, table, workload.describe(), coverage, satisfying_rows(coverage, built))
    return SearchProblem(space, built, table, tuple(constraints), cost, suppression_limit, values_labels)


def random_coverage(random_source: random.Random, space: Space, queries: int) -> WorkloadCoverage:
    """Queries with conditions on random leaf values of one attribute or more. Ordered attributes are published by bounds, with
    gaps between the leaves, single values and sometimes a last leaf for the missing value; others as lists."""
    attributes: list[AttributeCoverage | None] = []
    for attribute in space.attributes:
        chosen = [query for query in range(queries) if random_source.random() < 0.7]
        shape = (attribute.leaf_count, len(chosen))
        draw = np.random.default_rng(random_source.randrange(2**32))
        measures = draw.integers(1, 4, attribute.leaf_count).astype(np.float64)
        covered = draw.integers(0, 2, shape) * measures[:, None]
        numbers = np.array(chosen, dtype=np.int64)
        if not chosen:
            attributes.append(None)
        elif isinstance(attribute, OrderedAttribute):
            gaps = draw.integers(0, 3, attribute.leaf_count).astype(np.float64)
            attributes.append(
                AttributeCoverage(
                    numbers,
                    measures,
                    covered,
                    attribute.leaf_count - 1 if random_source.random() < 0.5 else None,
                    measures + gaps,
                    covered + draw.integers(0, 2, shape) * gaps[:, None],
                    (covered > 0).astype(np.float64),
                    draw.integers(0, 2, shape) / 2,
                )
            )
        else:
            attributes.append(AttributeCoverage(numbers, measures, covered))
    return WorkloadCoverage(tuple(attributes), draw.integers(1, 4, queries) / 2)


def satisfying_rows(coverage: WorkloadCoverage, cells: Cells) -> dict[int, tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """For each query the cells whose leaf values it covers, with all their rows."""
    found = {}
    for query in range(coverage.query_count):
        inside = np.ones(cells.cell_count, dtype=bool)
        for position, attribute in enumerate(coverage.attributes):
            if attribute is not None and query in attribute.queries:
                column = attribute.queries.tolist().index(query)
                inside &= attribute.covered[cells.codes[:, position], column] > 0
        found[query] = (np.flatnonzero(inside), cells.counts[inside])
    return found


def _distribution(domain: ValueDomain, cells: list[list[tuple[int, int]]], persons: bool) -> Distribution:
    starts, codes, counts, pairs = [0], [], [], []
    numbers: dict[tuple[int, int], int] = {}
    for entries in cells:
        if persons:
            for value, person in sorted(set(entries)):
                codes.append(value)
                counts.append(1)
                pairs.append(numbers.setdefault((person, value), len(numbers)))
        else:
            for value, count in sorted(Counter(value for value, _ in entries).items()):
                codes.append(value)
                counts.append(count)
        starts.append(len(codes))
    return Distribution(
        domain,
        np.array(starts, dtype=np.int64),
        np.array(codes, dtype=np.int32),
        np.array(counts, dtype=np.int64),
        np.array(pairs, dtype=np.int64) if persons else None,
    )


def _persons(cells: list[list[int]]) -> PersonLists:
    lists = [sorted(set(people)) for people in cells]
    starts = np.cumsum([0, *map(len, lists)]).astype(np.int64)
    flat = [person for people in lists for person in people]
    return PersonLists(starts, np.array(flat, dtype=np.int64), max(flat, default=-1) + 1)


def random_space(random_source: random.Random, *, most_cells: int = 12, lengths: bool = False) -> Space:
    """One to three attributes of any geometry with at most this many finest cells (12: brute force takes milliseconds).

    ``lengths``: some attributes get a minimum edge length.
    """
    while True:
        space = _any_space(random_source)
        if lengths:
            minimum = random_source.choice([1.0, 2.0, 2.0])
            first, *others = space.attributes
            space = Space((replace(first, minimum_length=minimum), *others))
        if prod(attribute.leaf_count for attribute in space.attributes) <= most_cells:
            return space


def _any_space(random_source: random.Random) -> Space:
    attributes: list[Attribute] = []
    for position in range(random_source.choice([1, 2, 2, 3])):
        name = f"q{position}"
        kind = random_source.choice(["ordered", "ordered", "taxonomy", "relaxed", "unordered"])
        if kind == "ordered":
            attributes.append(ordered(name, random_source.randint(0, 3)))
        elif kind == "unordered":
            attributes.append(unordered(name, random_source.randint(1, 3)))
        else:
            nested = TAXONOMIES[random_source.choice(["2 leaves", "3 leaves", "((a,b),c)", "((a,b),(c,d))"])]
            attributes.append(taxonomy(name, nested, relaxed=kind == "relaxed"))
    return Space(tuple(attributes))


def random_rows(random_source: random.Random, space: Space, count: int, *, people: int = 10**9) -> list[Row]:
    """``count`` rows with skewed codes; ``people`` bounds the number of distinct persons."""

    def code(leaves: int) -> int:
        return min(random_source.randrange(leaves), random_source.randrange(leaves))

    return [
        (
            tuple(code(attribute.leaf_count) for attribute in space.attributes),
            random_source.randrange(3),
            random_source.randrange(2),
            random_source.randrange(min(people, count)) if people < count else number,
        )
        for number in range(count)
    ]
