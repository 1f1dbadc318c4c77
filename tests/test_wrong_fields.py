"""A wrong problem is refused once, with everything that is wrong with it, in words that say what to write."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from gensearch_db.anonymization import problem_from_fields
from gensearch_db.errors import SpecificationError
from gensearch_db.problem.columns import QuasiIdentifier
from gensearch_db.problem.problem import Problem

GOOD: dict[str, Any] = {"table": "t", "into": "r", "quasi_identifiers": {"age": {}}}


def refused(**fields: Any) -> list[str]:
    """The problems that are told."""
    with pytest.raises(SpecificationError) as caught:
        problem_from_fields(fields)
    return list(caught.value.problems or [str(caught.value)])


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"identifer": ["name"]}, "identifer: there is no such field; did you mean 'identifiers' or 'quasi_identifiers'?"),
        (
            {"quasi_identifiers": {"age": {"splt": "every 5"}}},
            "quasi_identifiers.age.splt: there is no such field; did you mean 'split'?",
        ),
        ({"sensitive": {"s": {"ordre": True}}}, "sensitive.s.ordre: there is no such field; did you mean 'order'?"),
        (
            {"quasi_identifiers": {"age": 3}},
            'quasi_identifiers.age: must be a group of options, as in { split = "every 5" }, or {}, not 3',
        ),
        *(
            (
                {**fields, column: given},
                f'{column}: must be a list, as in ["a", "b"]: a set has no order',
            )
            for column in ("quasi_identifiers", "sensitive", "keep", "identifiers", "subject_to")
            for fields, given in (({}, {"b", "a"}), ({"k": 2}, frozenset({"a"})))
        ),
        ({"keep": "weight"}, 'keep: must be a list, as in ["a", "b"], not \'weight\''),
        ({"suppress_at_most": 200}, "suppress_at_most: must be less than or equal to 100, not 200"),
        ({"suppress_at_most": float("nan")}, "suppress_at_most: must be a finite number, not nan"),
        ({"stop_after": float("inf")}, "stop_after: must be a finite number, not inf"),
        ({"stop_after": "9" * 400}, "stop_after: must be a finite number, not inf"),
        ({"stop_within": float("inf")}, "stop_within: must be a finite number, not inf"),
        ({"options": {"probes": float("inf")}}, "options.probes: must be a text, a number, true or false"),
        (
            {"quasi_identifiers": {"age": {"domain": [float("-inf"), 120]}}},
            "quasi_identifiers.age.domain: the lowest and the highest value must be finite, not -inf",
        ),
        ({"threads": 0}, "threads: must be greater than or equal to 1, not 0"),
        ({"node_limit": "many"}, "node_limit: must be a whole number, not 'many'"),
        ({"typed_columns": "maybe"}, "typed_columns: must be true or false, not 'maybe'"),
        ({"options": {"look_ahead": [1]}}, "options.look_ahead: must be a text, a number, true or false"),
        (
            {"strategy": "fast"},
            "strategy: must be 'block_graph', 'enumeration', 'mondrian' or 'mondrian_steepest', not 'fast'",
        ),
        ({"k": None}, "k must be a whole number of at least 1, not None"),
        ({"k": True}, "k must be a whole number of at least 1, not True"),
        ({"k": 2, "subject_to": "t"}, 'subject_to: must be a list, as in ["a", "b"], not \'t\''),
        ({"stop_after": "soon"}, "stop_after: 'soon' is not a duration; write for example '90 seconds' or '1 minute'"),
    ],
)
def test_a_wrong_field_is_told_in_our_words(fields: dict[str, Any], told: str) -> None:
    assert refused(**{**GOOD, **fields}) == [told]


@pytest.mark.parametrize(
    ("called", "told"),
    [
        (
            lambda: Problem(table="t", quasi_identifiers={"age": {"splt": "every 5", "weight": 0}}, threads=0),  # type: ignore[call-arg,dict-item]
            [
                "'into' is missing: the name of the release",
                "quasi_identifiers.age.weight: must be greater than 0, not 0",
                "quasi_identifiers.age.splt: there is no such field; did you mean 'split'?",
                "threads: must be greater than or equal to 1, not 0",
            ],
        ),
        (
            lambda: QuasiIdentifier(splitt="every 5", weight=-1),  # type: ignore[call-arg]
            ["weight: must be greater than 0, not -1", "splitt: there is no such field; did you mean 'split'?"],
        ),
        (lambda: QuasiIdentifier(relaxed=True), ["relaxed goes with a taxonomy or a prefix"]),
        (
            lambda: Problem.from_json('{"table":"t","into":"r","quasi_identifiers":{"age":{"order":true,"prefix":true}}}'),
            ["quasi_identifiers.age: only one of split, order, taxonomy, prefix, unordered may be given, not order and prefix"],
        ),
        (lambda: Problem.from_fields({1: "t"}), ["fields: must be a group of named values, not {1: 't'}"]),  # type: ignore[dict-item]
    ],
)
def test_who_calls_the_classes_is_told_in_our_words_too(called: Callable[[], object], told: list[str]) -> None:
    with pytest.raises(SpecificationError) as caught:
        called()
    assert list(caught.value.problems or [str(caught.value)]) == told


def test_what_is_accepted_is_read_back_from_the_catalog() -> None:
    """Found 2026-11-28: JSON has no infinite numbers, so a release made with ``stop_after = inf`` could never be read again."""
    widest = {"stop_after": sys.float_info.max, "stop_within": sys.float_info.max, "node_limit": 10**30, "threads": 10**30}
    problem = problem_from_fields({**GOOD, **widest, "quasi_identifiers": {"age": {"domain": [-sys.float_info.max, 1e-320]}}})
    assert Problem.from_json(problem.to_json()) == problem


def test_what_is_missing_is_told_with_its_meaning() -> None:
    assert refused() == [
        "'table' is missing: the table, view, file or query to anonymize",
        "'into' is missing: the name of the release",
        "'quasi_identifiers' is missing: the columns that others could link to a person",
    ]


def test_wrong_fields_constraints_and_costs_are_told_together() -> None:
    told = refused(
        **{**GOOD, "strategy": "fast", "subject_to": ["k_anonimity(2)", "k_anonymity(ten)"], "minimize": "discernability"}
    )
    assert len(told) == 4
    assert [word in line for word, line in zip(("strategy", "k_anonimity", "ten", "discernability"), told, strict=True)] == [
        True
    ] * 4


def test_wrong_fields_and_options_are_told_together() -> None:
    told = refused(**{**GOOD, "thread": 2, "strategy": "enumeration", "options": {"bond": "tight", "probes": 2}})
    assert [word in line for word, line in zip(("thread", "'bond'", "'probes'"), told, strict=True)] == [True] * 3


def test_options_of_an_unknown_strategy_raise_no_complaint() -> None:
    assert len(refused(**{**GOOD, "strategy": "enumration", "options": {"bond": "tight"}})) == 1


def test_all_arguments_without_a_place_are_told_together() -> None:
    told = refused(**{**GOOD, "thread": 2, "subject_to": ["k_anonymity(2, 3, foo = 1, k = 2)"]})
    assert len(told) == 4
    assert [words in line for words, line in zip(("too many numbers", "'foo'", "k is given twice"), told[1:], strict=True)] == [
        True
    ] * 3
