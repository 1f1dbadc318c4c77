"""All costs by name, and reading them from what a user wrote. One line per cost; users may add their own."""

from __future__ import annotations

from fractions import Fraction
from typing import TypeVar

from gensearch_db.cost.average_class_size import AverageClassSize
from gensearch_db.cost.class_entropy import ClassEntropy
from gensearch_db.cost.classification import Classification
from gensearch_db.cost.cost import Cost
from gensearch_db.cost.count_error import CountError
from gensearch_db.cost.discernibility import Discernibility
from gensearch_db.cost.discernibility_entropy import DiscernibilityEntropy
from gensearch_db.cost.gcp import GlobalCertaintyPenalty
from gensearch_db.cost.marginal_nonuniformity import MarginalNonuniformity
from gensearch_db.cost.ncp import NormalizedCertaintyPenalty
from gensearch_db.cost.non_uniform_entropy import NonUniformEntropy
from gensearch_db.cost.v_optimal import VOptimal
from gensearch_db.cost.volume import Volume
from gensearch_db.cost.weighted_sum import WeightedSum
from gensearch_db.errors import Problems, SpecificationError
from gensearch_db.problem.calls import parse_sum, plain
from gensearch_db.problem.registry import Registry

COSTS: Registry[Cost] = Registry(
    "cost",
    "costs",
    (
        Discernibility,
        NormalizedCertaintyPenalty,
        GlobalCertaintyPenalty,
        Classification,
        ClassEntropy,
        Volume,
        NonUniformEntropy,
        VOptimal,
        MarginalNonuniformity,
        AverageClassSize,
        DiscernibilityEntropy,
        CountError,
    ),
)

Registered = TypeVar("Registered", bound=type[Cost])


def register(cost: Registered) -> Registered:
    """Add a user's own cost under its ``name``; usable as a class decorator.

    Its ``compiled()`` may return None: search then evaluates blocks in Python, slower, and says so. Raises
    :class:`SpecificationError` where the name belongs to another cost.
    """
    COSTS.add(cost)
    return cost


def cost_from_text(text: str) -> Cost:
    """Read ``ncp`` or ``ncp + 0.5 * classification(income)``, reporting all that is wrong in one :class:`SpecificationError`.

    Weights are positive; the same cost written twice is added up.
    """
    problems = Problems(SpecificationError)
    weights: dict[Cost, Fraction] = {}
    for term in parse_sum(text):
        if term.weight <= 0:
            problems.add(f"'{text}': the weight of {term.call.name} must be greater than 0, not {plain(term.weight)}")
        try:
            cost = COSTS.read(term.call)
        except SpecificationError as error:
            problems.absorb(error)
        else:
            weights[cost] = weights.get(cost, Fraction(0)) + term.weight
    problems.raise_if_any()
    terms = tuple((weight, cost) for cost, weight in weights.items())
    if len(terms) == 1 and terms[0][0] == 1:
        return terms[0][1]
    return WeightedSum(terms)
