"""The options of strategy ``enumeration``, and which of them go together."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum

from gensearch_db.domain.attribute import Space
from gensearch_db.domain.splits import SplitSet
from gensearch_db.errors import Problems, SpecificationError, near_matches


class Priority(StrEnum):
    """The key of the priority queue, smallest first (paper 4.2). Append-only."""

    LOWER_BOUND = "lb"
    COST = "cost"
    RATIO = "lb/cost"


class Bound(StrEnum):
    """The lower bound of a leaf that may still be split. Append-only."""

    PAPER = "paper"
    """Fig 4's MinCost: what each tuple pays in the finest partition, and at least k for discernibility."""
    TIGHT = "tight"
    """The bounds of THEORY 2.2 to 2.5."""
    EXACT = "exact"
    """The optimum of the leaf's box by dynamic programming over boxes (THEORY 2.1, use iii), where that is small enough."""


class SplitIds(StrEnum):
    """In which order splits get their ids. Append-only."""

    ASCENDING = "ascending"
    DESCENDING = "descending"
    SHUFFLED = "shuffled"


@dataclass(frozen=True)
class EnumerationOptions:
    """The options, checked.

    ``look_ahead``: how many levels of splits a bound looks down (THEORY 2.3 G; None: 1, and 0 for the paper's bound).
    ``exact_below``: with ``bound = exact``, leaves of at most this many boxes get their exact optimum, larger ones the tight
    bound (None: 25,000 where the whole space is that small, else 1,000). ``complete``: finish the partition of every expanded
    node greedily, which gives good releases from the start (False: as printed, only the nodes themselves and probes give
    releases). ``max_size``: the paper's MAXSIZE, the longest queue allowed (None: no limit); ``probes``: how many fruitless
    probes it takes before entries are dropped. ``all_optimal``: count all optimal releases, and list up to ``list_at_most``.
    ``shuffle_seed`` goes with shuffled ids.
    """

    priority: Priority = Priority.LOWER_BOUND
    bound: Bound = Bound.EXACT
    look_ahead: int | None = None
    exact_below: int | None = None
    max_size: int | None = None
    probes: int = 3
    complete: bool = True
    all_optimal: bool = False
    list_at_most: int = 100
    split_ids: SplitIds = SplitIds.ASCENDING
    shuffle_seed: int = 0

    @property
    def levels(self) -> int:
        """The look-ahead in levels of splits."""
        return (0 if self.bound is Bound.PAPER else 1) if self.look_ahead is None else self.look_ahead

    def split_set(self, space: Space) -> SplitSet:
        """The space's split set, with ids as asked for."""
        if self.split_ids is SplitIds.DESCENDING:
            return SplitSet.descending(space)
        if self.split_ids is SplitIds.SHUFFLED:
            return SplitSet.shuffled(space, random.Random(self.shuffle_seed))
        return SplitSet(space)

    @classmethod
    def from_mapping(cls, options: Mapping[str, str | int | float | bool], *, factor: float = 1.0) -> EnumerationOptions:
        """Read a problem's options; ``factor`` is the stopping rule's.

        Raises one :class:`SpecificationError` for everything that is wrong with them.
        """
        problems = Problems(SpecificationError)
        known = [field.name for field in fields(cls)]
        for name in options:
            if name not in known:
                instead = near_matches(name, known) or f"; it has {', '.join(known)}"
                problems.add(f"strategy 'enumeration' has no option '{name}'{instead}")
        given = {name: value for name, value in options.items() if name in known}
        values = _read(given, problems)
        _check_together(given, values, factor, problems)
        problems.raise_if_any()
        return cls(**values)  # type: ignore[arg-type]


_CHOICES: dict[str, type[StrEnum]] = {"priority": Priority, "bound": Bound, "split_ids": SplitIds}
_SMALLEST = {"look_ahead": 0, "exact_below": 1, "max_size": 2, "probes": 0, "list_at_most": 0, "shuffle_seed": 0}


def _read(given: Mapping[str, str | int | float | bool], problems: Problems) -> dict[str, object]:
    values: dict[str, object] = {}
    for name, value in given.items():
        if name in _CHOICES:
            words = [choice.value for choice in _CHOICES[name]]
            if str(value).lower() in words:
                values[name] = _CHOICES[name](str(value).lower())
            else:
                problems.add(f"option '{name}' must be one of {', '.join(words)}, not {value!r}")
        elif name in ("all_optimal", "complete"):
            if isinstance(value, bool):
                values[name] = value
            else:
                problems.add(f"option '{name}' must be true or false, not {value!r}")
        elif isinstance(value, bool) or not isinstance(value, int) or value < _SMALLEST[name]:
            problems.add(f"option '{name}' must be a whole number of at least {_SMALLEST[name]}, not {value!r}")
        else:
            values[name] = value
    return values


def _check_together(given: Mapping[str, object], values: Mapping[str, object], factor: float, problems: Problems) -> None:
    """Each rule says what goes together with what."""
    bound = values.get("bound", EnumerationOptions.bound)
    if "exact_below" in given and bound is not Bound.EXACT:
        problems.add("option 'exact_below' goes with bound = exact only")
    if "probes" in given and "max_size" not in given:
        problems.add("option 'probes' goes with 'max_size' only")
    if "shuffle_seed" in given and values.get("split_ids") is not SplitIds.SHUFFLED:
        problems.add("option 'shuffle_seed' goes with split_ids = shuffled only")
    if "list_at_most" in given and not values.get("all_optimal"):
        problems.add("option 'list_at_most' goes with all_optimal = true only")
    if values.get("all_optimal") and "max_size" in given:
        problems.add("option 'all_optimal' goes with an unlimited queue only: 'max_size' may drop optimal releases")
    if values.get("all_optimal") and factor > 1:
        problems.add(
            "option 'all_optimal' goes with an exact search only: a stopping factor above 1 leaves optimal releases out"
        )
