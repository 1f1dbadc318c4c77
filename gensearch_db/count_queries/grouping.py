"""GROUP BY: one count per combination of group values, each an ordinary condition more.

The values that a group can have are those that the published lists and intervals hold; a group that no block can hold is
not in the answer, as in SQL.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from gensearch_db.count_queries.expressions import (
    MOMENTS,
    WITH_ZONE,
    decimal_at,
    known,
    moment_at,
    position_of,
    typed_literal,
    upper_of,
)
from gensearch_db.count_queries.formula import Check, Cut, Formula, Holds, MissingValue, Test
from gensearch_db.count_queries.group_values import is_text_in_python, rows_in_python
from gensearch_db.count_queries.model import ColumnName
from gensearch_db.count_queries.release import Family, Kind, PublishedColumn, Release, beyond_128_bits
from gensearch_db.count_queries.resolving import ResolvedQuery
from gensearch_db.database.rendering import Sql, identifier, qualified, statement
from gensearch_db.errors import DataError, GensearchError
from gensearch_db.tokens import error_at

MOST_GROUPS = 10_000


@dataclass(frozen=True)
class Group:
    """One combination of group values, and the condition that a tuple belongs to it."""

    values: tuple[Any, ...]
    tests: tuple[Formula, ...]


def groups_of(release: Release, resolved: ResolvedQuery) -> tuple[Group, ...]:
    """The groups of a query; a single one without values where it has no GROUP BY. Raises :class:`QueryError`."""
    lists: list[Sequence[tuple[Any, Formula]]] = []
    total = 1
    for name, column in zip(resolved.query.groups, resolved.groups, strict=True):
        lists.append(_values(release, resolved, name, column))
        total *= len(lists[-1])
        if total > MOST_GROUPS:
            raise _error(resolved, name, f"GROUP BY makes more than {MOST_GROUPS:,} groups")
    return tuple(Group(tuple(value for value, _ in choice), tuple(test for _, test in choice)) for choice in product(*lists))


def _error(resolved: ResolvedQuery, name: ColumnName, message: str) -> GensearchError:
    return error_at(resolved.query.script, name.place.start, name.place.end, message)


def _values(
    release: Release, resolved: ResolvedQuery, name: ColumnName, column: PublishedColumn
) -> Sequence[tuple[Any, Formula]]:
    try:
        if column.kind is Kind.ORDERED:
            return _positions(release, column)
        return _members(release, column)
    except DataError as error:
        message = beyond_128_bits(f"cannot group by column '{column.name}': {error}", [column])
        raise _error(resolved, name, message) from error
    except GensearchError as error:
        raise _error(resolved, name, f"cannot group by column '{column.name}': {error}") from error


def _members(release: Release, column: PublishedColumn) -> Sequence[tuple[Any, Formula]]:
    member = Sql('member."value"') if column.kind is Kind.SENSITIVE else Sql("member")
    rows = rows_in_python(
        release.session,
        [column.type],
        lambda as_text: statement(
            "estimate/group_members",
            blocks=qualified(release.blocks),
            list=identifier(column.list_name),
            value=known(column.family, member),
            type=column.type,
            as_text=as_text[0],
            limit=MOST_GROUPS + 1,
        ),
    )
    groups: list[tuple[Any, Formula]] = []
    for value, text, read_back in rows:
        if not read_back:
            raise DataError(
                f"values of type {column.type} cannot be told apart by their text, as groups are: anonymize a view in which"
                " the column is text, JSON or a number"
            )
        if value is None:
            groups.append((None, Test(column.number, Holds(MissingValue(), True))))
        else:
            check = Check(Sql(f"value = {typed_literal(text, column.type)}"))
            groups.append((value, Test(column.number, Holds(check, True))))
    return groups


def _positions(release: Release, column: PublishedColumn) -> Sequence[tuple[Any, Formula]]:
    missing = Sql("'no'") if column.missing_name is None else identifier(column.missing_name)
    rows = release.session.rows(
        statement(
            "estimate/group_positions",
            blocks=qualified(release.blocks),
            lower=position_of(column.family, identifier(column.lower_name)),
            upper=upper_of(column.family, identifier(column.lower_name), identifier(column.upper_name)),
            missing=missing,
            counted=column.counted,
            moment=moment_at(column.family, Sql("position")) if column.family in MOMENTS else Sql("NULL"),
            limit=MOST_GROUPS + 1,
        )
    )
    groups: list[tuple[Any, Formula]] = []
    for position, is_missing, text in rows:
        if is_missing:
            groups.append((None, Test(column.number, Holds(MissingValue(), True))))
        else:
            cut = Cut(position, below=False, at=True, above=False)
            groups.append((_value(column, position, text), Test(column.number, Holds(cut, True))))
    return groups


def _value(column: PublishedColumn, position: Any, text: str | None) -> Any:
    """The value at a position, for the answer; ``text`` is that of a date or time, which may be of a year that Python lacks."""
    if is_text_in_python(column.type):
        return text
    try:
        return _value_in_python(column, position)
    except OverflowError:
        return f"{text}+00" if column.type == WITH_ZONE else text  # as DuckDB gives it to Python


def _value_in_python(column: PublishedColumn, position: Any) -> Any:
    if column.family is Family.DATE:
        return datetime.date(1970, 1, 1) + datetime.timedelta(days=position)
    if column.family is Family.DECIMAL:
        return decimal_at(column.type, position)
    if column.family in (Family.TIMESTAMP, Family.MICROSECONDS):
        zone = datetime.UTC if column.type == WITH_ZONE else None
        moment = datetime.datetime(1970, 1, 1, tzinfo=zone) + datetime.timedelta(microseconds=position)
        return moment.time() if column.type == "TIME" else moment
    return position
