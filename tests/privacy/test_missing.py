"""A missing sensitive value never counts as diversity: whatever it hides, a block that passes would pass too."""

from __future__ import annotations

import random
from itertools import combinations_with_replacement

import pytest

from gensearch_db.privacy.missing import worst_case
from gensearch_db.privacy.registry import constraint_from_text
from tests.privacy.instances import random_part, statistics, table_of

DIVERSITY = (
    "entropy_l_diversity(1.5)",
    "entropy_l_diversity(2)",
    "recursive_l_diversity(2, 2)",
    "recursive_l_diversity(0.6, 1)",
    "alpha_k_anonymity(0.6, 2)",
    "epsilon_privacy(2, 4, 0)",
    "epsilon_privacy(4, 2, 1)",
)


@pytest.mark.parametrize("text", DIVERSITY)
def test_a_block_passes_if_and_only_if_it_passes_whatever_the_missing_values_are(text: str) -> None:
    chance = random.Random(text)
    constraint = constraint_from_text(text, ["s"])
    passed = failed_only_for_missing = 0
    for _ in range(300):
        part = random_part(chance, [9, 6, 4, 4])
        with_missing, without = table_of([9, 6, 4, 4], missing=3), table_of([9, 6, 4])
        known, missing = part[:3], part[3]
        verdicts = []
        for hidden in combinations_with_replacement([code for code in range(3) if known[code]] or [0], missing):
            revealed = tuple(known[code] + hidden.count(code) for code in range(3))
            verdicts.append(constraint.holds(statistics(revealed), (), without))
        holds = constraint.holds(statistics(part), (), with_missing)
        assert holds == all(verdicts), (part, verdicts)
        passed += holds
        failed_only_for_missing += any(verdicts) and not holds
    assert passed >= 10
    assert failed_only_for_missing >= 10


def test_distinct_l_counts_known_values_only() -> None:
    """N04: 'hiv' and two missing values have l = 1; two missing values alone have l = 0."""
    table = table_of([3, 3, 3], missing=2)
    constraint = constraint_from_text("distinct_l_diversity(2)", ["s"])
    assert constraint.reached(statistics((1, 0, 2)), (), table) == 1
    assert constraint.reached(statistics((0, 0, 2)), (), table) == 0
    assert not constraint.holds(statistics((1, 0, 2)), (), table)
    assert constraint.holds(statistics((1, 1, 1)), (), table)


def test_a_block_of_missing_values_has_no_diversity() -> None:
    table = table_of([3, 3, 6], missing=2)
    for text in DIVERSITY[:3]:
        assert not constraint_from_text(text, ["s"]).holds(statistics((0, 0, 6)), (), table)
    assert worst_case((0, 0, 6), 2) == (6,)
    assert worst_case((3, 0, 5, 2), 3) == (7, 3)
