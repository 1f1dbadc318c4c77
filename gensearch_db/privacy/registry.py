"""All privacy constraints by name, and reading what a user wrote. One line per constraint; users may add their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from gensearch_db.errors import Problems, SpecificationError, near_matches
from gensearch_db.privacy.alpha_k_anonymity import AlphaKAnonymity
from gensearch_db.privacy.beta_likeness import BasicBetaLikeness, EnhancedBetaLikeness
from gensearch_db.privacy.constraint import Constraint
from gensearch_db.privacy.delta_disclosure import DeltaDisclosure
from gensearch_db.privacy.distinct_l_diversity import DistinctLDiversity
from gensearch_db.privacy.entropy_l_diversity import EntropyLDiversity
from gensearch_db.privacy.epsilon_privacy import EpsilonPrivacy
from gensearch_db.privacy.k_anonymity import KAnonymity
from gensearch_db.privacy.minimum_length import MinimumLength
from gensearch_db.privacy.recursive_l_diversity import RecursiveLDiversity
from gensearch_db.privacy.t_closeness import TCloseness
from gensearch_db.problem.calls import parse_call
from gensearch_db.problem.registry import Registry

CONSTRAINTS: Registry[Constraint] = Registry(
    "privacy constraint",
    "constraints",
    (
        KAnonymity,
        MinimumLength,
        DistinctLDiversity,
        EntropyLDiversity,
        RecursiveLDiversity,
        AlphaKAnonymity,
        TCloseness,
        EpsilonPrivacy,
        BasicBetaLikeness,
        EnhancedBetaLikeness,
        DeltaDisclosure,
    ),
)

Registered = TypeVar("Registered", bound=type[Constraint])


def register(constraint: Registered) -> Registered:
    """Add a user's own constraint under its ``name``; usable as a class decorator.

    Its ``compiled()`` may return None: search then judges blocks in Python, slower, and says so. Raises
    :class:`SpecificationError` where the name belongs to another constraint.
    """
    CONSTRAINTS.add(constraint)
    return constraint


def constraint_from_text(text: str, sensitive: Sequence[str]) -> Constraint:
    """Read ``t_closeness(0.2, income)``. ``sensitive``: the columns declared sensitive, in their own spelling.

    A constraint that speaks of a column and names none gets the only sensitive column. Raises :class:`SpecificationError`
    for unknown names, wrong arguments and columns that are not declared sensitive.
    """
    constraint = CONSTRAINTS.read(parse_call(text))
    if not constraint.needs_column:
        return constraint
    return _with_column(constraint, text, sensitive)


def _with_column(constraint: Constraint, text: str, sensitive: Sequence[str]) -> Constraint:
    if constraint.column is None:
        if len(sensitive) != 1:
            choice = f"name one of {', '.join(sensitive)}" if sensitive else "declare a sensitive column"
            raise SpecificationError(f"'{text}': which sensitive column is meant? {choice}")
        return replace(constraint, column=sensitive[0])  # type: ignore[type-var]
    by_folded = {name.casefold(): name for name in sensitive}
    own_spelling = by_folded.get(constraint.column.casefold())
    if own_spelling is None:
        raise SpecificationError(
            f"'{text}': column '{constraint.column}' is not declared sensitive{near_matches(constraint.column, sensitive)}"
        )
    return replace(constraint, column=own_spelling)  # type: ignore[type-var]


def constraints_from_texts(texts: Sequence[str], sensitive: Sequence[str]) -> tuple[Constraint, ...]:
    """Read several constraints, reporting all that is wrong with them in one :class:`SpecificationError`.

    Constraints that come twice are kept once.
    """
    problems = Problems(SpecificationError)
    constraints: list[Constraint] = []
    for text in texts:
        try:
            constraint = constraint_from_text(text, sensitive)
        except SpecificationError as error:
            problems.absorb(error)
        else:
            if constraint not in constraints:
                constraints.append(constraint)
    problems.raise_if_any()
    return tuple(constraints)
