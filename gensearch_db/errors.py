"""Every error a user can meet, in one hierarchy.

Each class inherits the builtin that a Python caller would expect beside our own base, so that both ``except GensearchError``
and ``except ValueError`` work. An error is one message that says what is wrong, where, and what to do; several problems of
one request are collected (``Problems``) and raised together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from textwrap import indent
from typing import Self, TypeVar

from gensearch_db.printable import printable

Result = TypeVar("Result")


class GensearchError(Exception):
    """Base of every error of this package. ``exit_code`` is what the command line exits with."""

    exit_code = 1
    problems: tuple[str, ...] = ()
    """The single problems, where several of one request were reported together."""

    def __init__(self, message: str = "") -> None:
        """``message`` may quote values of the data: their control characters are written out."""
        super().__init__(printable(message))


class SpecificationError(GensearchError, ValueError):
    """The request itself is wrong: an unknown column, k < 1, options that do not go together."""

    exit_code = 2


class DataError(GensearchError, ValueError):
    """The data cannot be handled as asked: a value without a taxonomy entry, infinite values, a nested type."""

    exit_code = 3


class InfeasibleError(GensearchError):
    """No release can meet the constraints; names the requirement and the best value the table reaches."""

    exit_code = 4


class QueryError(GensearchError, ValueError):
    """A count query or statement cannot be read or answered; names the construct and its position."""

    exit_code = 5


class LockError(GensearchError, OSError):
    """The database file is locked by another process or opened with another configuration."""

    exit_code = 6


class ReadOnlyError(GensearchError, OSError):
    """The database is read-only, so nothing can be written to it."""

    exit_code = 6


class ResourceError(GensearchError, MemoryError):
    """Memory or disk ran out; names the limit."""

    exit_code = 7


class SourceChangedError(GensearchError, RuntimeError):
    """The source table changed between reading its cells and writing the release; nothing was written."""

    exit_code = 8


class AuditError(GensearchError, AssertionError):
    """A release failed its audit and was rolled back."""

    exit_code = 9


class SearchInterruptedError(GensearchError):
    """The user ended the search and had not asked to release the best partition so far; nothing was written."""

    exit_code = 130

    @classmethod
    def after(cls, cost: float, lower_bound: float) -> Self:
        """The error that tells how far the search had come. ``cost``: infinite where it had found no release yet."""
        if math.isinf(cost):
            return cls("interrupted before any release was found; nothing was written")
        return cls(
            f"interrupted; the best release so far costs {cost:,.10g}, at least {lower_bound:,.10g} is needed;"
            " nothing was written (ask for release_on_interrupt to release the best so far)"
        )


class Problems:
    """Collects the problems of one request, so that they are reported together and not one at a time.

    >>> problems = Problems(SpecificationError)
    >>> problems.add("k must be at least 1, not 0")
    >>> problems.add("column 'agee' does not exist; did you mean 'age'?")
    >>> problems.raise_if_any()
    Traceback (most recent call last):
    gensearch_db.errors.SpecificationError: 2 problems:
      - k must be at least 1, not 0
      - column 'agee' does not exist; did you mean 'age'?
    """

    def __init__(self, error: type[GensearchError]) -> None:
        self._error = error
        self._messages: list[str] = []

    def add(self, message: str) -> None:
        """Remember one problem; the same message is kept once."""
        if message not in self._messages:
            self._messages.append(message)

    def absorb(self, error: GensearchError) -> None:
        """Remember the problem, or each of the problems, that an error reports.

        One wrong line in the request makes the whole a :class:`SpecificationError`, whatever is wrong with the data besides.
        """
        if isinstance(error, SpecificationError):
            self._error = SpecificationError
        for message in error.problems or (str(error),):
            self.add(message)

    def result_of(self, step: Callable[[], Result]) -> Result | None:
        """The step's result, or None after what is wrong with the request or its data was remembered."""
        try:
            return step()
        except (SpecificationError, DataError, QueryError) as error:
            self.absorb(error)
            return None

    def __len__(self) -> int:
        return len(self._messages)

    def raise_if_any(self) -> None:
        """Raise the collected problems as one error, if there are any."""
        if self._messages:
            raise self.together()

    def together(self) -> GensearchError:
        """The collected problems, of which there is at least one, as one error."""
        if len(self._messages) == 1:
            return self._error(self._messages[0])
        lines = "\n".join("  - " + indent(message, "    ")[4:] for message in self._messages)
        error = self._error(f"{len(self._messages)} problems:\n{lines}")
        error.problems = tuple(self._messages)
        return error


def reason(error: Exception) -> str:
    """Why a file cannot be read or written, as the system says it, without the file's name, which our message has already."""
    return (isinstance(error, OSError) and error.strerror) or str(error)


def sentence(message: str) -> str:
    """A message to say more after: with a full stop, unless it ends with a mark of its own, as some of DuckDB's do.

    >>> sentence("no such table"), sentence("There is none! Did you mean 'x'?")
    ('no such table.', "There is none! Did you mean 'x'?")
    """
    return message if message.endswith((".", "!", "?")) else f"{message}."


def near_matches(word: str, known: Iterable[str]) -> str:
    """``"; did you mean 'age'?"`` for the names in ``known`` that resemble ``word``, or the empty string."""
    by_folded = {name.casefold(): name for name in known}
    found = [by_folded[name] for name in get_close_matches(word.casefold(), by_folded, n=3, cutoff=0.6)]
    if not found:
        return ""
    return "; did you mean " + " or ".join(f"'{name}'" for name in found) + "?"
