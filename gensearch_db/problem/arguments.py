"""Matching the arguments of a call with the parameters of a constraint or a cost, with errors that name what is wrong."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from gensearch_db.errors import Problems, SpecificationError, near_matches
from gensearch_db.problem.calls import Argument, Call, Name

Default = TypeVar("Default")


@dataclass(frozen=True)
class Arguments:
    """The arguments of one call by parameter name; ``usage`` shows in messages how the call is written."""

    call: Call
    values: dict[str, Argument]
    usage: str

    def fail(self, message: str, hint: str = "") -> SpecificationError:
        """An error that quotes the call and shows its usage; the hint comes last."""
        return SpecificationError(f"'{self.call.text or self.call.name}': {message}, as in {self.usage}{hint}")

    def number(
        self,
        name: str,
        *,
        above: Fraction | int | None = None,
        least: Fraction | int | None = None,
        default: Fraction | None = None,
    ) -> Fraction:
        """The number ``name``, greater than ``above`` and not less than ``least``."""
        value = self.values.get(name, default)
        if value is None:
            raise self.fail(f"{name} is missing")
        if not isinstance(value, Fraction):
            raise self.fail(f"{name} must be a number{_instead(value)}")
        if above is not None and value <= above:
            raise self.fail(f"{name} must be greater than {above}")
        if least is not None and value < least:
            raise self.fail(f"{name} must be at least {least}")
        return value

    def whole(self, name: str, *, least: int, default: int | None = None) -> int:
        """The whole number ``name``, not less than ``least``."""
        value = self.values.get(name, None if default is None else Fraction(default))
        if value is None:
            raise self.fail(f"{name} is missing")
        if not isinstance(value, Fraction) or value.denominator != 1 or value < least:
            raise self.fail(f"{name} must be a whole number of at least {least}{_instead(value)}")
        return int(value)

    def name(self, name: str) -> str | None:
        """The column (or other name) given as ``name``, or None."""
        value = self.values.get(name)
        if isinstance(value, Fraction):
            raise self.fail(f"{name} must be a name, not a number")
        return value.text if isinstance(value, Name) else value

    def choice(self, name: str, options: Sequence[str], default: Default) -> str | Default:
        """One of ``options``, or ``default`` where it is not given."""
        if name not in self.values:
            return default
        word = (self.name(name) or "").lower()
        if word not in options:
            raise self.fail(f"{name} must be {' or '.join(options)}, not '{word}'", near_matches(word, options))
        return word


def _instead(value: Argument) -> str:
    """What was written where a number is wanted, if it is none."""
    if isinstance(value, Fraction):
        return ""
    if isinstance(value, Name):
        return f", not the name {value.text}"
    return f", not the text '{value}'" + (": write it without quotes" if _NUMBER.fullmatch(value) else "")


_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")


def bind(call: Call, *, numbers: Sequence[str] = (), names: Sequence[str] = (), usage: str) -> Arguments:
    """Match the arguments: positional numbers fill ``numbers`` in order, positional names fill ``names``; keywords by name.
    A number in quotes counts as a number, and what finds no place of its own kind fills one of the other, so that reading it
    says what is wrong with it.

    Raises one :class:`SpecificationError` for all that find no place: too many arguments, unknown keywords and parameters given
    twice.
    """
    problems = Problems(SpecificationError)
    bound = Arguments(call, {}, usage)
    free = {"numbers": list(numbers), "names": list(names)}
    wanted = len(numbers) - sum(isinstance(argument, Fraction) for argument in call.arguments)
    for argument in call.arguments:
        kind, other = ("numbers", "names") if isinstance(argument, Fraction) else ("names", "numbers")
        quoted = isinstance(argument, str) and wanted > 0 and _NUMBER.fullmatch(argument)
        if quoted or (not free[kind] and free[other]):
            kind = other  # told when it is read: of the wrong kind, not one too many
        if not free[kind]:
            problems.absorb(bound.fail(f"too many {kind} are given"))
        else:
            bound.values[free[kind].pop(0)] = argument
    for keyword, argument in call.keywords.items():
        if keyword not in (*numbers, *names):
            near = near_matches(keyword, (*numbers, *names))
            problems.absorb(bound.fail(f"there is no parameter '{keyword}'", near))
        elif keyword in bound.values:
            problems.absorb(bound.fail(f"{keyword} is given twice"))
        else:
            bound.values[keyword] = argument
    problems.raise_if_any()
    return bound


def written(name: str | None) -> str:
    """A name as a call holds it: bare where it is a plain word, else in double quotes.

    >>> written('post code')
    '"post code"'
    """
    if name is None or re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        return str(name)
    return '"' + name.replace('"', '""') + '"'
