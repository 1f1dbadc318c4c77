"""Reading constraints: names, columns, numbers, and all problems at once."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import pytest

from gensearch_db.errors import SpecificationError
from gensearch_db.privacy.epsilon_privacy import EpsilonPrivacy
from gensearch_db.privacy.k_anonymity import KAnonymity
from gensearch_db.privacy.registry import CONSTRAINTS, constraint_from_text, constraints_from_texts, register
from gensearch_db.privacy.t_closeness import TCloseness


def test_numbers_stay_exact_and_the_only_sensitive_column_is_the_default() -> None:
    assert constraint_from_text("t_closeness(0.2)", ["Income"]) == TCloseness(Fraction(1, 5), "Income")
    assert constraint_from_text("t_closeness(0.2, INCOME, equal)", ["Income", "x"]) == TCloseness(
        Fraction(1, 5), "Income", "equal"
    )
    named = "epsilon_privacy(sigma = 10000, epsilon = 10, b = 0, column = income)"
    assert constraint_from_text(named, ["income"]) == EpsilonPrivacy(Fraction(10), Fraction(10000), 0, "income")
    assert constraint_from_text("K_Anonymity(10)", []) == KAnonymity(10)


@pytest.mark.parametrize(
    "text",
    [
        "k_anonymity(10)",
        "minimum_length(age, 2.5)",
        "distinct_l_diversity(3, income)",
        "entropy_l_diversity(1.5, income)",
        "recursive_l_diversity(0.5, 2, income)",
        "alpha_k_anonymity(0.4, 5, income)",
        "t_closeness(0.2, income)",
        "t_closeness(0.2, income, distance = hierarchical)",
        "epsilon_privacy(epsilon = 10, sigma = 0.5, b = 1, column = income)",
        "basic_beta_likeness(0.7, income)",
        "enhanced_beta_likeness(0.7, income)",
        "delta_disclosure(1, income, zeros = ignored)",
        't_closeness(0.2, "post code")',
        'minimum_length("post code", 3)',
        'minimum_length("a""b", 3)',
    ],
)
def test_what_is_written_back_reads_the_same(text: str) -> None:
    constraint = constraint_from_text(text, ["income", "post code"])
    assert constraint.describe() == text
    assert constraint_from_text(constraint.describe(), ["income", "post code"]) == constraint


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("k_anonimity(3)", "did you mean 'k_anonymity'"),
        ("xyzzy", "constraints are k_anonymity, "),
        ("k_anonymity(0)", "k must be a whole number of at least 1, as in k_anonymity"),
        ("k_anonymity(2.5)", "k must be a whole number"),
        ("k_anonymity('3')", "write it without quotes"),
        ("k_anonymity()", "k is missing"),
        ("k_anonymity(3, 4)", "too many numbers"),
        ("k_anonymity(3, k = 4)", "k is given twice"),
        ("k_anonymity(kk = 4)", "no parameter 'kk', as in .*; did you mean 'k'"),
        ("t_closeness(2)", "between 0 and 1"),
        (
            "t_closeness(0.1, distance = eqal)",
            "must be ordered or equal or hierarchical, not 'eqal', as in .*; did you mean 'equal'",
        ),
        ("alpha_k_anonymity(2, 3)", "at most 1"),
        ("alpha_k_anonymity(0, 3)", "greater than 0"),
        ("entropy_l_diversity(0.5)", "at least 1"),
        ("entropy_l_diversity(2, incom)", "'incom' is not declared sensitive; did you mean 'income'"),
        ("epsilon_privacy(1, 100, 0)", "epsilon must be greater than 1"),
        ("epsilon_privacy(2, 0, 0)", "sigma \\+ b must be at least 1"),
        ("minimum_length(3)", "the quasi-identifier is missing"),
        ("entropy_l_diversity(2, income = 3)", "no parameter 'income'"),
        ("entropy_l_diversity(column = 3, l = 2)", "column must be a name"),
    ],
)
def test_errors_say_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(SpecificationError, match=message):
        constraint_from_text(text, ["income"])


def test_a_column_must_be_named_unless_there_is_just_one() -> None:
    with pytest.raises(SpecificationError, match="which sensitive column is meant\\? name one of income, disease"):
        constraint_from_text("distinct_l_diversity(2)", ["income", "disease"])
    with pytest.raises(SpecificationError, match="declare a sensitive column"):
        constraint_from_text("distinct_l_diversity(2)", [])


def test_all_problems_come_together_and_repetitions_once() -> None:
    with pytest.raises(SpecificationError, match=r"(?s)2 problems:.*'k_anonimity'.*between 0 and 1"):
        constraints_from_texts(["k_anonimity(3)", "k_anonymity(3)", "t_closeness(7)"], ["income"])
    assert constraints_from_texts(["k_anonymity(3)", "k_anonymity(3)"], []) == (KAnonymity(3),)


@dataclass(frozen=True)
class OddSizes(KAnonymity):
    """A user's own constraint: blocks of odd size."""

    name: ClassVar[str] = "odd_sizes"


def test_users_may_add_constraints_but_not_take_names() -> None:
    register(OddSizes)
    try:
        assert constraint_from_text("odd_sizes(3)", []) == OddSizes(3)
        with pytest.raises(SpecificationError, match="is taken"):
            register(type("Other", (KAnonymity,), {"name": "odd_sizes"}))
    finally:
        del CONSTRAINTS["odd_sizes"]
