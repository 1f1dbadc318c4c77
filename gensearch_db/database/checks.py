"""Checks of a problem against its source, all at once: names, types, infinite values."""

from __future__ import annotations

from collections.abc import Sequence

from gensearch_db.database.attributes.families import Family, family_of
from gensearch_db.database.rendering import statement
from gensearch_db.database.session import Session
from gensearch_db.database.source import Column, Source
from gensearch_db.errors import DataError, Problems, SpecificationError, near_matches
from gensearch_db.problem.problem import Problem


def check_columns(source: Source, problem: Problem, further: Sequence[str]) -> None:
    """Raise :class:`SpecificationError` for every column that the source lacks, with near matches; then
    :class:`DataError` for every quasi-identifier whose type cannot be generalized."""
    unknown = Problems(SpecificationError)
    known = [column.name for column in source.columns]
    named = [
        *problem.identifiers,
        *([problem.person] if problem.person else []),
        *problem.quasi_identifiers,
        *problem.sensitive,
        *problem.keep,
        *further,
    ]
    for name in named:
        if source.find(name) is None:
            unknown.add(f"column '{name}' does not exist in {source.name}{near_matches(name, known)}")
    unknown.raise_if_any()
    unsuitable = Problems(DataError)
    for name in problem.quasi_identifiers:
        column = source.column(name)
        if family_of(column.type) is Family.OTHER:
            unsuitable.add(
                f"column '{column.name}' is of type {column.type}, which cannot be generalized:"
                " use a number, date, timestamp, text, ENUM or BOOLEAN made from it"
            )
    unsuitable.raise_if_any()


def named_columns(source: Source, problem: Problem) -> list[Column]:
    """The quasi-identifiers as columns of the source."""
    return [source.column(name) for name in problem.quasi_identifiers]


def check_finite(session: Session, source: Source, columns: Sequence[Column], problems: Problems) -> None:
    """Add a problem for each column that holds infinite numbers or dates, with their count."""
    unbounded = [column for column in columns if family_of(column.type) is Family.FLOAT or family_of(column.type).temporal]
    if not unbounded:
        return
    counts = session.row(statement("source/infinite", relation=source.relation, columns=[column.name for column in unbounded]))
    for column, count in zip(unbounded, counts, strict=True):
        if count:
            problems.add(
                f"column '{column.name}' holds {count} infinite {'value' if count == 1 else 'values'}:"
                " replace them (NULL is a value of its own) or leave the rows out"
            )
