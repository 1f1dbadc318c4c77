"""What each strategy can do: the options that it has, and how many values it groups. Told before cells are counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from gensearch_db.domain.attribute import Attribute
from gensearch_db.domain.set_limits import beyond_grouping, beyond_masks
from gensearch_db.errors import Problems, SpecificationError, near_matches
from gensearch_db.problem.problem import Problem, Strategy


def too_many_values(strategy: Strategy, attribute: Attribute) -> str | None:
    """Why the strategy cannot group an attribute's values in sets, with what to do; None where it can."""
    grouping, masks = beyond_grouping(attribute), beyond_masks(attribute)
    enumerated = strategy is Strategy.ENUMERATION
    told, otherwise, other = (grouping, masks, Strategy.BLOCK_GRAPH) if enumerated else (masks, grouping, Strategy.ENUMERATION)
    return told if told is None or otherwise is not None else f"{told}, or search with strategy {other.value}"


def check_options(problem: Problem) -> None:
    """Raise one :class:`SpecificationError` for all options that the problem's strategy lacks or cannot read."""
    if not problem.options:
        return
    if problem.strategy is Strategy.ENUMERATION:
        from gensearch_db.search.enumeration.options import EnumerationOptions

        EnumerationOptions.from_mapping(problem.options, factor=problem.stop_within)
        return
    problems = Problems(SpecificationError)
    if problem.strategy is Strategy.BLOCK_GRAPH:
        _check_block_graph(problem.options, problems)
    else:
        problems.add(f"strategy '{problem.strategy}' has no options: leave out {', '.join(problem.options)}")
    problems.raise_if_any()


def _check_block_graph(options: Mapping[str, Any], problems: Problems) -> None:
    """Switches are true or false; ``list_at_most`` is a number."""
    from gensearch_db.search.building import Switches

    switches = [*(field.name for field in fields(Switches)), "all_boxes", "all_optimal"]
    known = [*switches, "list_at_most"]
    for name, value in options.items():
        if name not in known:
            instead = near_matches(name, known) or f"; it has {', '.join(known)}"
            problems.add(f"strategy 'block_graph' has no option '{name}'{instead}")
        elif name in switches and not isinstance(value, bool):
            problems.add(f"option '{name}' must be true or false, not {value!r}")
        elif name not in switches and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
            problems.add(f"option '{name}' must be a whole number of at least 0, not {value!r}")
    if "list_at_most" in options and options.get("all_optimal") is not True:
        problems.add("option 'list_at_most' goes with all_optimal = true only")
