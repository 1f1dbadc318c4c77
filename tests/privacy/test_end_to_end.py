"""The whole way against dynamic programming on the raw rows: persons, suppression and both, by every kind of constraint."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import duckdb
import pytest

import gensearch_db
from gensearch_db.cost.registry import cost_from_text
from gensearch_db.domain.attribute import Space
from gensearch_db.errors import InfeasibleError
from gensearch_db.privacy.registry import constraint_from_text
from tests.oracles.box_dynamic_programming import box_optimum
from tests.oracles.problems import ordered, problem_of

CONSTRAINTS = (
    "k_anonymity(2)",
    "k_anonymity(3)",
    "distinct_l_diversity(2, s)",
    "entropy_l_diversity(1.6, s)",
    "recursive_l_diversity(1.5, 2, s)",
    "alpha_k_anonymity(0.6, 2, s)",
    "t_closeness(0.3, s, distance = equal)",
    "t_closeness(0.25, s, distance = ordered)",
    "epsilon_privacy(3, 3, 0, s)",
    "basic_beta_likeness(1, s)",
    "delta_disclosure(0.9, s, zeros = ignored)",
)
COSTS = ("discernibility", "volume", "classification(c)")


@pytest.mark.parametrize("seed", range(36))
def test_hospital_visits(seed: int) -> None:
    """Visits of few patients: the optimum is that of the oracle, which counts persons, values and rows by itself."""
    chance = random.Random(seed)
    persons, limit_percent = chance.random() < 0.7, chance.choice([0, 0, 10, 25, 40, 100])
    rows = visits(chance)
    space = Space((ordered("a", 3), ordered("b", 2)))
    texts = chance.sample(CONSTRAINTS, chance.choice([1, 2]))
    cost = chance.choice(COSTS)
    limit = math.floor(Fraction(limit_percent, 100) * len(rows))
    problem = problem_of(
        space,
        rows,
        [constraint_from_text(text, ["s"]) for text in texts],
        cost_from_text(cost),
        suppression_limit=limit,
        persons=persons,
    )
    optimum = box_optimum(problem)
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE visits (a INTEGER, b INTEGER, s INTEGER, c INTEGER, patient INTEGER)")
        connection.executemany("INSERT INTO visits VALUES (?, ?, ?, ?, ?)", [(*codes, s, c, who) for codes, s, c, who in rows])

        def release() -> gensearch_db.Release:
            return gensearch_db.anonymize(
                connection,
                "visits",
                into="r",
                quasi_identifiers={"a": {"split": "at 1, 2, 3"}, "b": {"split": "at 1, 2"}},
                sensitive=["s"],
                person="patient" if persons else None,
                subject_to=texts,
                minimize=cost,
                suppress_at_most=limit_percent,
            )

        if math.isinf(optimum):
            with pytest.raises(InfeasibleError):
                release()
            return
        found = release()
        assert found.status == "OPTIMAL", (texts, cost)
        assert math.isclose(found.cost, optimum, abs_tol=1e-9), (texts, cost, persons, limit)
        assert found.audit.passed
        assert found.rows_suppressed <= limit
        assert connection.execute("SELECT count(*) FROM r").fetchone() == (len(rows) - found.rows_suppressed,)


def visits(chance: random.Random) -> list[tuple[tuple[int, int], int, int, int]]:
    """Up to eighteen visits of three to eight patients; every value of ``s`` and leaf occurs, so that domains agree."""
    patients = chance.randint(3, 8)
    corners = [(0, 0), (1, 1), (2, 2), (3, 0)]
    drawn = [(chance.randint(0, 3), chance.randint(0, 2)) for _ in range(chance.randint(4, 14))]
    return [
        (place, number if number < 3 else chance.randint(0, 2), number % 2, chance.randrange(patients))
        for number, place in enumerate([*corners, *drawn])
    ]
