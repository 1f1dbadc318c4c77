"""Bounds on group sizes and numbers of groups against all divisions of a few cells into groups."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from gensearch_db.domain.cells import BlockStatistics, Table
from gensearch_db.privacy.constraint import Constraint
from gensearch_db.privacy.group_bounds import most_groups, size_needed, smallest_group
from tests.privacy.instances import random_constraints, random_table, statistics


def divisions(items: list[int]) -> Iterator[list[list[int]]]:
    """Every set partition of the items."""
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for division in divisions(rest):
        yield [[first], *division]
        for position, group in enumerate(division):
            yield [*division[:position], [first, *group], *division[position + 1 :]]


def total(cells: Sequence[tuple[int, ...]]) -> BlockStatistics:
    return statistics([sum(counts) for counts in zip(*cells, strict=True)])


def split_into_cells(chance: random.Random, histogram: Sequence[int], cell_count: int) -> list[tuple[int, ...]]:
    cells = [[0] * len(histogram) for _ in range(cell_count)]
    for code, count in enumerate(histogram):
        for _ in range(count):
            cells[chance.randrange(cell_count)][code] += 1
    return [tuple(cell) for cell in cells if sum(cell)]


def groups_that_hold(constraints: Sequence[Constraint], cells: list[tuple[int, ...]], table: Table) -> dict[int, bool]:
    """Whether each non-empty subset of cells (as a bit mask) satisfies everything."""
    verdicts = {}
    for mask in range(1, 1 << len(cells)):
        block = total([cell for number, cell in enumerate(cells) if mask >> number & 1])
        verdicts[mask] = all(constraint.holds(block, (), table) for constraint in constraints)
    return verdicts


def test_bounds_never_exclude_a_feasible_division() -> None:
    chance = random.Random(11)
    feasible = tight_groups = tight_sizes = 0
    for _ in range(1200):
        table = random_table(chance)
        cells = split_into_cells(chance, table.statistics.sensitive["s"], chance.randint(2, 6))
        constraints = chance.sample(random_constraints(chance, table), chance.randint(1, 3))
        holds = groups_that_hold(constraints, cells, table)
        possible = [
            division
            for division in divisions(list(range(len(cells))))
            if all(holds[sum(1 << number for number in group)] for group in division)
        ]
        parts = [statistics(cell) for cell in cells]
        smallest = smallest_group(constraints, table)
        limit = most_groups(constraints, parts, table.statistics, table, smallest)
        sizes = {mask: sum(parts[n].size for n in range(len(cells)) if mask >> n & 1) for mask in holds}
        for mask, verdict in holds.items():
            if verdict:
                assert sizes[mask] >= smallest, (constraints, table.statistics)
                for number, part in enumerate(parts):
                    if mask >> number & 1:
                        assert sizes[mask] >= size_needed(constraints, part, table, smallest), (constraints, cells, mask)
        if possible:
            feasible += 1
            most = max(map(len, possible))
            assert most <= limit, (constraints, cells, most, limit)
            tight_groups += most == limit
            tight_sizes += min(sizes[mask] for mask, verdict in holds.items() if verdict) == smallest
    assert feasible > 300
    assert tight_groups > feasible / 2  # the bounds say something
    assert tight_sizes > feasible / 20


def test_sizes_are_not_an_up_set() -> None:
    """k = 4 with entropy l = m = 3 only allows multiples of 3: the smallest group has 6 (THEORY 2.2)."""
    from gensearch_db.privacy.registry import constraint_from_text
    from tests.privacy.instances import table_of

    table = table_of([30, 30, 30])
    constraints = [constraint_from_text(text, ["s"]) for text in ("k_anonymity(4)", "entropy_l_diversity(3)")]
    assert smallest_group(constraints, table) == 6
