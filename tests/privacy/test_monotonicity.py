"""Monotone: a violating block always leaves a violating child. Tested both ways, with THEORY's counterexamples."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from gensearch_db.privacy.constraint import Constraint
from gensearch_db.privacy.registry import constraint_from_text
from tests.privacy.instances import random_constraints, random_part, random_table, statistics, table_of


def children_of(chance: random.Random, histogram: Sequence[int]) -> list[tuple[int, ...]]:
    """The histogram divided into two to four non-empty parts."""
    parts = [[0] * len(histogram) for _ in range(chance.randint(2, 4))]
    for code, count in enumerate(histogram):
        for _ in range(count):
            chance.choice(parts)[code] += 1
    return [tuple(part) for part in parts if sum(part)]


def breaks_monotonicity(constraint: Constraint, children: list[tuple[int, ...]], table) -> bool:  # type: ignore[no-untyped-def]
    parent = statistics([sum(counts) for counts in zip(*children, strict=True)])
    return not constraint.holds(parent, (), table) and all(constraint.holds(statistics(c), (), table) for c in children)


def test_monotone_constraints_keep_their_word() -> None:
    chance = random.Random(5)
    parent_violations = 0
    for _ in range(1500):
        table = random_table(chance)
        constraints = [constraint for constraint in random_constraints(chance, table) if constraint.monotone]
        for _ in range(3):
            children = children_of(chance, random_part(chance, table.statistics.sensitive["s"]))
            for constraint in constraints:
                assert not breaks_monotonicity(constraint, children, table), (constraint, children, table.statistics)
                parent = statistics([sum(counts) for counts in zip(*children, strict=True)])
                parent_violations += not constraint.holds(parent, (), table)
    assert parent_violations > 10_000


def test_delta_with_zeros_ignored_is_not_monotone() -> None:
    """THEORY 1.1: P = (11, 10) / 21, e^delta = 2; (2, 1) and (2, 0) hold, (4, 1) does not."""
    table = table_of([11, 10])
    ignored = constraint_from_text("delta_disclosure(0.6931471805599453, zeros = ignored)", ["s"])
    violation = constraint_from_text("delta_disclosure(0.6931471805599453)", ["s"])
    assert breaks_monotonicity(ignored, [(2, 1), (2, 0)], table)
    assert not ignored.monotone
    assert violation.monotone
    assert not violation.holds(statistics((2, 0)), (), table)


def test_r2_with_the_corrected_denominator_refuses_what_the_printed_one_accepts() -> None:
    """THEORY 1.1: b = 3, sigma = 5, epsilon = 3: blocks of a single value satisfied the printed R2."""
    constraint = constraint_from_text("epsilon_privacy(3, 5, 3)", ["s"])
    table = table_of([30, 30])
    assert not constraint.holds(statistics((8, 0)), (), table)
    assert not constraint.holds(statistics((15, 0)), (), table)


def test_what_remains_monotone_for_persons() -> None:
    """Pairs of the parts do not mix to those of the union: one person with many values can tip a distribution."""
    table = replace(random_table(random.Random(0)), persons=True)
    verdicts = {c.name: c.monotone_in(table) for c in random_constraints(random.Random(0), table)}
    assert {name for name, monotone in verdicts.items() if monotone} == {"k_anonymity", "distinct_l_diversity"}
    assert all(
        constraint.minimum_size(table) == 1
        for constraint in random_constraints(random.Random(0), table)
        if constraint.name not in ("k_anonymity", "alpha_k_anonymity", "epsilon_privacy", "distinct_l_diversity")
    )
