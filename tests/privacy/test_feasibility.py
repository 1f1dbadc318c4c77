"""What the whole table cannot meet is refused with the best value it reaches, and how many rows would have to go."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import product

import pytest

from gensearch_db.errors import InfeasibleError, SpecificationError
from gensearch_db.privacy.feasibility import check_whole_table
from gensearch_db.privacy.registry import constraint_from_text, constraints_from_texts
from tests.privacy.instances import random_table, statistics, table_of

ADULT_INCOME = table_of([22654, 7508])


def refusal(*texts: str, suppress: float = 0.0) -> str:
    with pytest.raises(InfeasibleError) as caught:
        check_whole_table(ADULT_INCOME, constraints_from_texts(texts, ["s"]), suppress)
    return str(caught.value)


def test_adult_cannot_be_entropy_2_diverse() -> None:
    message = refusal("entropy_l_diversity(2)")
    assert "entropy_l_diversity(2, s) cannot be met" in message
    assert "reaches entropy l 1.753" in message
    assert "at least 15146 of 30162 rows (50.3 percent)" in message
    check_whole_table(ADULT_INCOME, constraints_from_texts(["entropy_l_diversity(1.75)"], ["s"]))


def test_all_reasons_come_together() -> None:
    message = refusal("k_anonymity(40000)", "distinct_l_diversity(3)", "alpha_k_anonymity(0.7, 5)", "t_closeness(0)")
    assert "3 problems" in message
    assert "reaches size 30162" in message
    assert "reaches number of distinct values 2" in message
    assert "reaches largest share 0.7511" in message


def test_enough_suppression_is_let_through() -> None:
    assert "8160 of 30162 rows (27.1 percent) would have to be suppressed, and 8143 may be" in refusal(
        "entropy_l_diversity(1.9)", suppress=27
    )
    check_whole_table(ADULT_INCOME, constraints_from_texts(["entropy_l_diversity(1.9)"], ["s"]), 27.1)


def test_what_does_not_fit_the_table() -> None:
    texts = ["minimum_length(agee, 3)", "t_closeness(0.2, distance = hierarchical)"]
    with pytest.raises(SpecificationError, match=r"(?s)2 problems:.*'agee' is not a quasi-identifier.*has no taxonomy"):
        check_whole_table(ADULT_INCOME, constraints_from_texts(texts, ["s"]))


def fewest_by_enumeration(histogram: Sequence[int], constraint, table) -> int | None:  # type: ignore[no-untyped-def]
    rests = product(*(range(count + 1) for count in histogram))
    removed = [sum(histogram) - sum(rest) for rest in rests if sum(rest) and constraint.holds(statistics(rest), (), table)]
    return min(removed, default=None)


@pytest.mark.parametrize(
    "text", ["entropy_l_diversity(2)", "recursive_l_diversity(1, 2)", "alpha_k_anonymity(0.4, 2)", "epsilon_privacy(3, 2, 1)"]
)
def test_the_fewest_rows_to_leave_out(text: str) -> None:
    chance = random.Random(text)
    needed = 0
    for _ in range(60):
        table = random_table(chance)
        histogram = tuple(min(count, 7) for count in table.statistics.sensitive["s"])[:4]
        missing = 3 if len(histogram) == 4 and chance.random() < 0.5 else None
        table = table_of(histogram, missing)
        constraint = constraint_from_text(text, ["s"])
        if constraint.holds(table.statistics, (), table):
            continue
        needed += 1
        assert constraint.least_suppression(table) == fewest_by_enumeration(histogram, constraint, table), (histogram, missing)
    assert needed >= 10
