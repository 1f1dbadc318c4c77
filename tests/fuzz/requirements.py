"""Every constraint and every cost of the registries with random arguments; and constraints recomputed from a release.

What a release reaches is worked out here from the definitions in the papers, in fractions and plain logarithms: neither the
search nor the audit has a part in it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from .distances import Counts, Distance, between_equals

ARGUMENTS: dict[str, tuple[tuple[str, ...], ...]] = {
    "distinct_l_diversity({}, {column})": (("1", "2", "3"),),
    "entropy_l_diversity({}, {column})": (("1", "1.5", "2", "2.7"),),
    "recursive_l_diversity({}, {}, {column})": (("0.5", "2", "3"), ("1", "2", "3")),
    "alpha_k_anonymity({}, {}, {column})": (("0.2", "0.5", "0.75", "0.9", "1"), ("1", "4")),
    "t_closeness({}, {column}{})": (("0.2", "0.5", "0.75", "0.9", "1"), ("", "", ", equal")),
    "basic_beta_likeness({}, {column})": (("0.5", "1", "4"),),
    "enhanced_beta_likeness({}, {column})": (("0.5", "1", "4"),),
    "delta_disclosure({}, {column}{})": (("0.7", "2"), ("", ", ignored")),
    "epsilon_privacy({}, {}, 0, {column})": (("2", "10"), ("1", "20")),
}
"""Every constraint but ``k_anonymity`` (asked for always) and ``minimum_length`` (an option of a column), with arguments."""


@st.composite
def constraints(draw: st.DrawFn, columns: Sequence[str]) -> list[str]:
    """One or two further constraints, each on one of the sensitive columns."""
    found = []
    for _ in range(draw(st.integers(1, 2))):
        written = draw(st.sampled_from(sorted(ARGUMENTS)))
        given = [draw(st.sampled_from(choices)) for choices in ARGUMENTS[written]]
        found.append(written.format(*given, column=draw(st.sampled_from(columns))))
    return found


def column_of(constraint: str, columns: Sequence[str]) -> str | None:
    """The sensitive column that a constraint speaks of."""
    return next((name for name in columns if re.search(rf"\b{name}\b", constraint)), None)


PLAIN = (
    "discernibility", "ncp", "gcp", "classification(illness)", "classification(who)", "class_entropy(illness)", "volume",
    "volume(real)", "non_uniform_entropy", "v_optimal", "marginal_nonuniformity", "average_class_size",
    "discernibility_entropy", "count_error(9)", "count_error(queries = 5, predicates = '1 to 2', selectivity = 0.3, seed = 2)",
)  # fmt: skip


def costs() -> st.SearchStrategy[str]:
    """A cost, or a weighted sum of two."""
    one = st.sampled_from(PLAIN)
    return st.one_of(one, st.builds(lambda a, w, b: f"{a} + {w} * {b}", one, st.sampled_from(["0.5", "3"]), one))


SLACK = 1e-9


def broken(text: str, block: Counts, table: Counts, distance: Distance) -> str | None:
    """What is wrong with a block under a constraint (None: nothing), given how often each value occurs there and in the table.

    ``distance``: t-closeness measures with it, unless it asks for equal distances. ``k_anonymity`` is not looked at. Where a
    bound is irrational, nearly equal counts as met.
    """
    name, _, rest = text.rstrip(")").partition("(")
    first, *others = [argument.strip() for argument in rest.split(",")]
    rows, total = sum(block.values()), sum(table.values())
    known = sorted((count for value, count in block.items() if value is not None), reverse=True)
    worst = [known[0] + block[None], *known[1:]] if known else [block[None]]
    reached: Any
    match name:
        case "distinct_l_diversity":
            reached = len(known)
            met = reached >= int(first)
        case "entropy_l_diversity":
            reached = math.exp(-sum(c / rows * math.log(c / rows) for c in worst)) if worst else 0
            met = reached >= float(first) * (1 - SLACK) or float(first) <= 1
        case "recursive_l_diversity":
            tail = sum(worst[int(others[0]) - 1 :])
            reached = (worst, tail)
            met = bool(worst) and worst[0] < Fraction(first) * tail
        case "alpha_k_anonymity":
            reached = Fraction(worst[0] if worst else rows, rows)
            met = reached <= Fraction(first) and rows >= int(others[0])
        case "t_closeness":
            reached = (between_equals if "equal" in text else distance)(block, table)
            met = reached <= Fraction(first)
        case "basic_beta_likeness":
            reached = max(Fraction(block[v] * total, rows * table[v]) - 1 for v in block)
            met = reached <= Fraction(first)
        case "enhanced_beta_likeness":
            bounds = {v: min(float(first), -math.log(table[v] / total)) for v in block}
            reached = {v: block[v] * total / (rows * table[v]) - 1 for v in block}
            met = all(reached[v] <= bounds[v] + SLACK for v in block)
        case "delta_disclosure":
            looked_at = block if "ignored" in text else table
            reached = {v: block[v] * total / (rows * table[v]) for v in looked_at}
            met = all(ratio > 0 and abs(math.log(ratio)) < float(first) + SLACK for ratio in reached.values())
        case "epsilon_privacy":
            return _epsilon_broken(Fraction(first), Fraction(others[0]), rows, worst[0] if worst else rows)
        case _:
            return None
    return None if met else f"{text} is not met: {reached} in a block of {rows}: {dict(block)}"


def _epsilon_broken(epsilon: Fraction, sigma: Fraction, rows: int, largest: int) -> str | None:
    """R1 and R2 of docs/constraints.md with b = 0."""
    factor = epsilon * (rows - 1 + sigma) - rows
    met = rows * (epsilon - 1) >= sigma and factor > 0 and (rows - largest) * factor >= sigma * rows
    return None if met else f"epsilon privacy is not met by {largest} of {rows} rows"
