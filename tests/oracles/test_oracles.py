"""The oracles agree with the exact counts of THEORY 3.2 and with each other."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from math import inf, isclose
from typing import ClassVar, Self

import pytest

from gensearch_db.cost.cost import Cost
from gensearch_db.domain.cells import BlockStatistics, Table
from gensearch_db.domain.region import Block
from gensearch_db.privacy.k_anonymity import KAnonymity
from gensearch_db.problem.calls import Call
from tests.oracles.box_dynamic_programming import box_optimum
from tests.oracles.brute_force import all_partitions, optimum
from tests.oracles.problems import problem_of, random_rows, random_space, space_of, unordered


@dataclass(frozen=True)
class SquaredSizes(Cost):
    """DM, written here so that the oracles are tested without the package's own costs."""

    name: ClassVar[str] = "squared_sizes"
    integral = True
    monotone = True

    @classmethod
    def from_call(cls, call: Call) -> Self:
        return cls()

    def of_block(self, statistics: BlockStatistics, block: Block, table: Table) -> float:
        return statistics.rows**2

    def suppression_charge(self, table: Table) -> float:
        return table.statistics.rows

    def describe(self) -> str:
        return self.name

    def compiled(self, table: Table) -> None:
        return None


@pytest.mark.parametrize(
    ("shape", "by_blocks"),
    [
        ((1, 1), [1, 2, 4, 1]),
        ((2, 1), [1, 3, 9, 13, 7, 1]),
        ((2, 2), [1, 4, 18, 48, 90, 96, 50, 12, 1]),
        ((1, 1, 1), [1, 3, 12, 33, 42, 42, 12, 1]),
        ((2, "((a,b),c)"), [1, 3, 10, 27, 50, 54, 31, 9, 1]),
        ((1, "((a,b),(c,d))"), [1, 2, 6, 16, 20, 20, 8, 1]),
    ],
)
def test_every_partition_once_by_number_of_blocks(shape: tuple[int | str, ...], by_blocks: list[int]) -> None:
    counted = Counter(len(blocks) for blocks in all_partitions(space_of(*shape)))
    assert counted == dict(enumerate(by_blocks, start=1))


def test_unordered_groupings_are_bell_numbers() -> None:
    for values, bell in [(1, 1), (2, 2), (3, 5), (4, 15), (5, 52)]:
        space = space_of()
        space = type(space)((unordered("q", values),))
        assert len(all_partitions(space)) == bell


@pytest.mark.parametrize("seed", range(60))
def test_dynamic_programming_equals_brute_force(seed: int) -> None:
    source = random.Random(seed)
    space = random_space(source)
    rows = random_rows(source, space, source.randint(1, 14))
    limit = source.choice([0, 0, 1, 3])
    problem = problem_of(space, rows, [KAnonymity(source.randint(1, 4))], SquaredSizes(), suppression_limit=limit)
    cost, releases = optimum(problem)
    assert isclose(box_optimum(problem), cost) or cost == box_optimum(problem) == inf
    assert bool(releases) == (cost < inf)
