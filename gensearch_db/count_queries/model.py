"""What a count query says, once read: a boolean tree of predicates on single columns, and what is counted.

Three-valued logic as SQL's: a comparison with NULL is unknown, and a row counts only where the condition is true. BETWEEN,
NOT IN and IS DISTINCT FROM are written out in these terms by the reader. Places are character offsets in the script.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Place:
    """Where something stands in the script: ``start`` inclusive, ``end`` exclusive."""

    start: int
    end: int


@dataclass(frozen=True)
class Constant:
    """An expression without columns, as written; DuckDB itself evaluates it. ``literal``: a number, a string or a word."""

    text: str
    place: Place
    literal: bool = False


@dataclass(frozen=True)
class ColumnName:
    """A column of the table behind the query (renames of CTEs and subqueries undone)."""

    name: str
    place: Place


Operator = Literal["=", "<>", "<", "<=", ">", ">="]


@dataclass(frozen=True)
class Comparison:
    """``column operator constant``. ``beside`` is the other bound of a BETWEEN: DuckDB compares all three in one type."""

    column: ColumnName
    operator: Operator
    constant: Constant
    beside: Constant | None = None


@dataclass(frozen=True)
class OneOf:
    """``column IN (constants)``."""

    column: ColumnName
    constants: tuple[Constant, ...]


@dataclass(frozen=True)
class Matches:
    """``column LIKE pattern [ESCAPE escape]``, or ILIKE."""

    column: ColumnName
    operator: Literal["LIKE", "ILIKE"]
    pattern: Constant
    escape: Constant | None = None


@dataclass(frozen=True)
class Missing:
    """``column IS NULL``."""

    column: ColumnName


@dataclass(frozen=True)
class Bare:
    """A column of type BOOLEAN that stands as a condition of its own."""

    column: ColumnName


@dataclass(frozen=True)
class Fixed:
    """A condition without columns: ``1 = 1``, ``NULL``."""

    constant: Constant


@dataclass(frozen=True)
class Both:
    """AND of two or more."""

    parts: tuple[Predicate, ...]


@dataclass(frozen=True)
class Either:
    """OR of two or more."""

    parts: tuple[Predicate, ...]


@dataclass(frozen=True)
class Opposite:
    """NOT."""

    part: Predicate


@dataclass(frozen=True)
class Is:
    """``part IS TRUE``, ``IS FALSE`` or (``value`` None) ``IS UNKNOWN``."""

    part: Predicate
    value: bool | None


Predicate = Comparison | OneOf | Matches | Missing | Bare | Fixed | Both | Either | Opposite | Is


@dataclass(frozen=True)
class Count:
    """One counted column of the answer: the rows that satisfy WHERE and ``condition`` (None: all of them)."""

    label: str
    condition: Predicate | None = None


@dataclass(frozen=True)
class CountQuery:
    """One ``SELECT COUNT(*) … FROM table WHERE … GROUP BY …``.

    ``script`` is the whole text it was read from, ``place`` the query in it, ``table`` the name of the one table behind it.
    ``aliased`` says that the table has an alias. ``groups`` are the GROUP BY columns in order, ``group_labels`` the names of
    the answer's columns for them, ``shown`` for each item of the SELECT list its place among them (None: a count).
    """

    script: str
    place: Place
    table: Place
    counts: tuple[Count, ...]
    where: Predicate | None = None
    groups: tuple[ColumnName, ...] = ()
    group_labels: tuple[str, ...] = ()
    shown: tuple[int | None, ...] = (None,)
    aliased: bool = False

    @property
    def text(self) -> str:
        """The query as written."""
        return self.script[self.place.start : self.place.end]


def conjunction(*parts: Predicate | None) -> Predicate | None:
    """AND of the parts that are there; None where none is."""
    present = tuple(part for part in parts if part is not None)
    if len(present) < 2:
        return present[0] if present else None
    return Both(present)
