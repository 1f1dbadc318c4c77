"""Arguments of public functions that are of another kind than asked for: told by name, all those of one call together.

A type checker tells them too, but most callers have none, and Python's own complaint (``'int' object has no attribute
'lstrip'``) speaks of a line of ours.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from dataclasses import dataclass
from numbers import Integral, Real
from os import PathLike
from types import FunctionType, MethodType

from gensearch_db.errors import Problems, SpecificationError


@dataclass(frozen=True)
class Kind:
    """What an argument may be: in words, and as a test."""

    wanted: str
    fits: Callable[[object], bool]

    def or_none(self) -> Kind:
        """The same where nothing needs to be given."""
        return Kind(self.wanted, lambda given: given is None or self.fits(given))


IN_ORDER = 'must be a list, as in ["a", "b"]: a set has no order'
"""What is wrong with a set in place of a list."""


def has_no_order(given: object) -> bool:
    """Whether what is given as a list is a set: the order of columns, and with it the release, would be left to chance."""
    return isinstance(given, set | frozenset)


def _is_list(given: object, of: type) -> bool:
    if not isinstance(given, Collection) or isinstance(given, str | bytes) or has_no_order(given):
        return False
    return all(_is(each, of) for each in given)


def _is(given: object, kind: type) -> bool:
    """Whether something is of a kind; true and false are no numbers, though Python counts them as 1 and 0."""
    return isinstance(given, kind) and not isinstance(given, bool)


TEXT = Kind("a text", lambda given: _is(given, str))
PATH = Kind("a path", lambda given: isinstance(given, str | PathLike))
TEXTS = Kind("a list of texts", lambda given: _is_list(given, str))
WHOLE_NUMBER = Kind("a whole number", lambda given: _is(given, Integral))
WHOLE_NUMBERS = Kind("a list of whole numbers", lambda given: _is_list(given, Integral))
NUMBER = Kind("a number", lambda given: _is(given, Real))
TRUTH = Kind("true or false", lambda given: isinstance(given, bool))


def _is_progress(given: object) -> bool:
    """Whether something can be called with two values. What has no signature (some built-in functions) is given the benefit.

    What awaits or yields would never run, and its answer, which is true, would end the search at its first look.
    """
    if not callable(given) or inspect.iscoroutinefunction(given) or inspect.isgeneratorfunction(given):
        return False
    if inspect.isasyncgenfunction(given):
        return False
    try:
        inspect.signature(given).bind(None, None)
    except ValueError:
        return True
    except TypeError:
        return False
    return True


PROGRESS = Kind("a function that takes a moment of the search and its counters, as progress(moment, counters)", _is_progress)
"""A callback of :data:`gensearch_db.search.result.Progress`: refused before a table is read, not at the search's first look."""


def refuse_other_kinds(**arguments: tuple[object, Kind]) -> None:
    """Raise one :class:`SpecificationError` for all arguments, by name, that are not of their kind."""
    problems = Problems(SpecificationError)
    for name, (given, kind) in arguments.items():
        if kind.fits(given):
            continue
        if kind is TEXTS and isinstance(given, str):
            problems.add(f"{name}: must be a list, as in [{given!r}], not {given!r}")
        else:
            problems.add(f"{name}: must be {kind.wanted}, not {shown(given)}")
    problems.raise_if_any()


def shown(given: object) -> str:
    """What was given: itself where it is short, else what it is."""
    text = f"{given.__name__}{inspect.signature(given)}" if isinstance(given, FunctionType | MethodType) else repr(given)
    return text if len(text) <= 40 and "\n" not in text else f"a {type(given).__name__}"
