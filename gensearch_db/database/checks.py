"""Checks of a problem against its source, all at once: names, types, infinite values."""

from __future__ import annotations

from collections.abc import Sequence

from gensearch_db.database.attributes.families import Family, family_of
from gensearch_db.database.rendering import statement
from gensearch_db.database.repeated_names import numbered_twin
from gensearch_db.database.session import Session
from gensearch_db.database.source import Column, Source
from gensearch_db.database.type_names import without_entries
from gensearch_db.errors import Problems, SpecificationError, near_matches
from gensearch_db.problem.problem import Problem


def check_columns(source: Source, problem: Problem, further: Sequence[str], problems: Problems) -> list[Column]:
    """The quasi-identifiers that can be looked at further. Every column that the source lacks (with near matches) or may have
    twice, and every quasi-identifier whose type cannot be generalized is added to ``problems``."""
    unknown = Problems(SpecificationError)
    named = [
        *problem.identifiers,
        *([problem.person] if problem.person else []),
        *problem.quasi_identifiers,
        *problem.sensitive,
        *problem.keep,
        *further,
    ]
    for name in named:
        complaint = _wrong_name(source, name)
        if complaint is not None:
            unknown.add(complaint)
    try:
        unknown.raise_if_any()
    except SpecificationError as error:
        problems.absorb(error)
    suitable: list[Column] = []
    for column in filter(None, map(source.find, problem.quasi_identifiers)):
        if family_of(column.type) is not Family.OTHER:
            suitable.append(column)
        else:
            problems.add(
                f"column '{column.name}' is of type {without_entries(column.type)}, which cannot be generalized:"
                " use a number, date, timestamp, text, ENUM or BOOLEAN made from it"
            )
    return suitable


def _wrong_name(source: Source, name: str) -> str | None:
    """Why no column, or more than one, can be meant by a name; None where it means one."""
    known = [column.name for column in source.columns]
    found = source.find(name)
    if found is None:
        return f"column '{name}' does not exist in {source.name}{near_matches(name, known)}"
    spellings = source.repeated.get(name.lower())
    if spellings is not None:
        what = "the query" if source.name.lstrip().startswith("(") else source.name
        listed = ", ".join(f"'{spelling}'" for spelling in spellings)
        return f"{what} has several columns called '{name}': {listed} (upper and lower case are one): give them other names"
    twin = numbered_twin(known, found.name, name)
    if twin is None:
        return None
    return (
        f"column '{name}' may be '{found.name}' or '{twin}' of {source.name}, as DuckDB numbers names that differ in upper and"
        " lower case alone: write the one you mean as it stands here"
    )


def finite_columns(session: Session, source: Source, columns: Sequence[Column], problems: Problems) -> list[Column]:
    """The columns without infinite numbers or dates; a problem is added for each of the others, with their count."""
    unbounded = [column for column in columns if family_of(column.type) is Family.FLOAT or family_of(column.type).temporal]
    if not unbounded:
        return list(columns)
    infinite = set()
    counts = session.row(statement("source/infinite", relation=source.relation, columns=[column.name for column in unbounded]))
    for column, count in zip(unbounded, counts, strict=True):
        if count:
            infinite.add(column)
            problems.add(
                f"column '{column.name}' holds {count} infinite {'value' if count == 1 else 'values'}:"
                " replace them (NULL is a value of its own) or leave the rows out"
            )
    return [column for column in columns if column not in infinite]
