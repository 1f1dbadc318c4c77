"""The compiled tests against the exact ones in Python, on thousands of random histograms."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from gensearch_db.privacy.entropy_l_diversity import entropy_at_least
from gensearch_db.privacy.frequency_bounds import fraction_above, fraction_below
from gensearch_db.privacy.kernel import block_holds, constraint_arrays
from gensearch_db.privacy.registry import CONSTRAINTS, constraint_from_text
from tests.privacy.instances import random_constraints, random_part, random_table, statistics, table_of

VERDICTS_WANTED = 60


def test_compiled_and_exact_tests_agree() -> None:
    chance = random.Random(7)
    verdicts: dict[tuple[str, bool], int] = {}
    for _ in range(400):
        table = random_table(chance)
        compiled = []
        for constraint in random_constraints(chance, table):
            form = constraint.compiled(table)
            assert form is not None
            compiled.append((constraint, constraint_arrays([form])))
        for _ in range(4):
            part = random_part(chance, table.statistics.sensitive["s"])
            histograms = np.zeros((1, 8), dtype=np.int64)  # wider than the domain, as beside a larger column
            histograms[0, : len(part)] = part
            for constraint, arrays in compiled:
                exact = constraint.holds(statistics(part), (), table)
                assert block_holds(arrays, sum(part), histograms) == exact, (constraint.describe(), part, table.statistics)
                key = (constraint.describe().split("(")[0], exact)
                verdicts[key] = verdicts.get(key, 0) + 1
    kinds = {name for name, _ in verdicts}
    assert kinds == set(CONSTRAINTS) - {"minimum_length"}
    assert all(verdicts.get((name, verdict), 0) >= VERDICTS_WANTED for name in kinds for verdict in (True, False))


@pytest.mark.parametrize(
    ("histogram", "l"), [((3, 3, 3), "3"), ((7, 7), "2"), ((1, 1, 1, 1, 1), "5"), ((1000, 1000, 1000), "3")]
)
def test_uniform_blocks_are_ties_that_hold(histogram: tuple[int, ...], l: str) -> None:  # noqa: E741
    table = table_of([count * 2 for count in histogram])
    constraint = constraint_from_text(f"entropy_l_diversity({l})", ["s"])
    form = constraint.compiled(table)
    assert form is not None
    assert constraint.holds(statistics(histogram), (), table)
    assert block_holds(constraint_arrays([form]), sum(histogram), np.array([histogram], dtype=np.int64))


def test_a_tie_of_uneven_counts() -> None:
    """(4, 2, 2) of 8: 8^8 = (l^8)(4^4 2^2 2^2) gives l^8 = 2^12, l = 2^1.5; at 2^1.5 rounded up and down it is no tie."""
    above, below = Fraction(2**1.5) + Fraction(1, 10**15), Fraction(2**1.5) - Fraction(1, 10**15)
    assert entropy_at_least([4, 2, 2], below)
    assert not entropy_at_least([4, 2, 2], above)


def test_fractions_below_and_above_decide_like_the_bound() -> None:
    chance = random.Random(3)
    for _ in range(300):
        bound, sizes = Fraction(chance.random()), chance.randint(1, 60)
        below, above = fraction_below(bound, sizes), fraction_above(bound, sizes)
        assert below.denominator <= sizes
        assert above.denominator <= sizes
        for n in range(1, sizes + 1):
            for count in range(n + 1):
                assert (count <= bound * n) == (count <= below * n)
                assert (count >= bound * n) == (count >= above * n)


def test_numbers_beyond_64_bits_are_left_to_python() -> None:
    table = table_of([10**9, 10**9])
    constraint = constraint_from_text("t_closeness(0.123456789, distance = ordered)", ["s"])
    assert constraint.compiled(table_of([10**10, 10**10])) is None
    assert constraint.compiled(table) is None or constraint.compiled(table).integers[2] == 10**9  # type: ignore[union-attr]
    assert constraint.holds(statistics((10**9, 10**9 - 1)), (), table)
