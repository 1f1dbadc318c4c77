"""Conditions in two-valued logic: formulas over columns, made of tests that each look at one column.

SQL's three-valued conditions become pairs of two-valued ones (is it true? is it false?), so that "unknown" needs no care
later. Tests of the same column are merged as far as possible; what is left over mixes columns and is expanded by
``diagram.py`` into cases that exclude each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from gensearch_db.count_queries.expressions import Position
from gensearch_db.database.rendering import Sql


@dataclass(frozen=True)
class Cut:
    """A comparison on an ordered column: its truth below, at and above ``position``; unknown where the value is missing."""

    position: Position
    below: bool
    at: bool
    above: bool


@dataclass(frozen=True)
class Points:
    """An IN list on an ordered column: true at these positions, false elsewhere; unknown where the value is missing."""

    positions: frozenset[Position]


@dataclass(frozen=True)
class Known:
    """True for every value that is not missing, unknown for the missing one."""


@dataclass(frozen=True)
class MissingValue:
    """True for the missing value, false for all others."""


@dataclass(frozen=True)
class Check:
    """A condition in SQL on ``value``, one of a category list or a sensitive distribution."""

    sql: Sql


Atom = Cut | Points | Known | MissingValue | Check


@dataclass(frozen=True)
class Holds:
    """Whether an atom is true (``value``) or is false (not ``value``); no where it is unknown."""

    atom: Atom
    value: bool


@dataclass(frozen=True)
class Every:
    """All parts hold."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class Some:
    """At least one part holds."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class No:
    """The part does not hold."""

    part: Condition


Condition = Holds | Every | Some | No


@dataclass(frozen=True)
class Test:
    """A condition on the column of this number."""

    column: int
    condition: Condition


@dataclass(frozen=True)
class AllOf:
    """All parts hold; they look at different columns, or mix columns."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True)
class AnyOf:
    """At least one part holds."""

    parts: tuple[Formula, ...]


Formula = bool | Test | AllOf | AnyOf


def all_of(parts: Iterable[Formula]) -> Formula:
    """The conjunction, with the tests of one column merged into one."""
    return _joined(parts, AllOf, Every, neutral=True)


def any_of(parts: Iterable[Formula]) -> Formula:
    """The disjunction, with the tests of one column merged into one."""
    return _joined(parts, AnyOf, Some, neutral=False)


def _joined(
    parts: Iterable[Formula], kind: type[AllOf] | type[AnyOf], merged: type[Every] | type[Some], *, neutral: bool
) -> Formula:
    tests: dict[int, dict[Condition, None]] = {}
    mixed: dict[Formula, None] = {}
    pending = list(parts)[::-1]
    while pending:
        part = pending.pop()
        if isinstance(part, bool):
            if part is not neutral:
                return part
        elif isinstance(part, kind):
            pending.extend(reversed(part.parts))
        elif isinstance(part, Test):
            inner = part.condition.parts if isinstance(part.condition, merged) else (part.condition,)
            tests.setdefault(part.column, {}).update(dict.fromkeys(inner))
        else:
            mixed[part] = None
    joined: list[Formula] = []
    for column, conditions in tests.items():
        joined.append(Test(column, next(iter(conditions)) if len(conditions) == 1 else merged(tuple(conditions))))
    joined.extend(mixed)
    if not joined:
        return neutral
    return joined[0] if len(joined) == 1 else kind(tuple(joined))


def negation(formula: Formula) -> Formula:
    """The formula that holds exactly where this one does not."""
    if isinstance(formula, bool):
        return not formula
    if isinstance(formula, Test):
        condition = formula.condition
        return Test(formula.column, condition.part if isinstance(condition, No) else No(condition))
    opposite = any_of if isinstance(formula, AllOf) else all_of
    return opposite(negation(part) for part in formula.parts)


def tests_of(formula: Formula) -> dict[int, dict[Condition, None]]:
    """The conditions of each column, in the order of their appearance."""
    found: dict[int, dict[Condition, None]] = {}
    pending = [formula]
    while pending:
        part = pending.pop()
        if isinstance(part, Test):
            found.setdefault(part.column, {})[part.condition] = None
        elif isinstance(part, AllOf | AnyOf):
            pending.extend(reversed(part.parts))
    return found


def atoms_of(condition: Condition) -> Iterable[Atom]:
    """The atoms of a condition, in the order of their appearance."""
    if isinstance(condition, Holds):
        yield condition.atom
    elif isinstance(condition, No):
        yield from atoms_of(condition.part)
    else:
        for part in condition.parts:
            yield from atoms_of(part)


def decided(formula: Formula, column: int, answers: Mapping[Condition, bool]) -> Formula:
    """What is left of the formula once the conditions of one column are known."""
    if isinstance(formula, bool):
        return formula
    if isinstance(formula, Test):
        return answers[formula.condition] if formula.column == column else formula
    join = all_of if isinstance(formula, AllOf) else any_of
    return join(decided(part, column, answers) for part in formula.parts)


def holds(condition: Condition, truth: Callable[[Atom], bool | None]) -> bool:
    """Whether a condition holds where the atoms have these truth values (None: unknown)."""
    if isinstance(condition, Holds):
        return truth(condition.atom) is condition.value
    if isinstance(condition, No):
        return not holds(condition.part, truth)
    if isinstance(condition, Every):
        return all(holds(part, truth) for part in condition.parts)
    return any(holds(part, truth) for part in condition.parts)


def condition_sql(condition: Condition) -> Sql:
    """A condition on ``value`` as SQL that is true or false, never NULL."""
    if isinstance(condition, No):
        return Sql(f"NOT {condition_sql(condition.part)}")
    if isinstance(condition, Every | Some):
        word = " AND " if isinstance(condition, Every) else " OR "
        return Sql("(" + word.join(condition_sql(part) for part in condition.parts) + ")")
    atom = condition.atom
    if isinstance(atom, MissingValue):
        return Sql("(value IS NULL)" if condition.value else "(value IS NOT NULL)")
    if isinstance(atom, Known):
        return Sql("(value IS NOT NULL)" if condition.value else "FALSE")
    assert isinstance(atom, Check)
    return Sql(f"(({atom.sql}) IS {'TRUE' if condition.value else 'FALSE'})")
