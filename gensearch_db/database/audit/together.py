"""Two releases of the same people, read together: whoever has both finds a person in the intersection of two blocks.

The source's rows are placed into the published blocks of both releases. A *class of the join* holds the rows that lie in the
same block of each; a row that one release suppressed forms classes with its like, because its absence can be seen too. A column
that one release generalizes may go out as it is with the other (kept there, or sensitive): who is looked for by it is found by
its very value, so rows of a class share that too. Each release may meet its constraints while these classes do not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gensearch_db.database.audit.placing import number_blocks, place, value_keys
from gensearch_db.database.audit.report import Check, Verdict
from gensearch_db.database.audit.subject import Scratch, Source, Subject, key
from gensearch_db.database.rendering import Sql, statement
from gensearch_db.database.session import TableName

SMALLEST_K = 2
"""A class of one is a finding even where no k was required."""


@dataclass(frozen=True)
class _Side:
    """One release's part of the join: the keys of its quasi-identifiers, the blocks of their combinations, and the keys of
    those of the other release's that it shows as they are."""

    values: list[Sql]
    placement: TableName
    shown: list[Sql]


@dataclass(frozen=True)
class _People:
    """Whose classes are formed: the source's rows, and its column that tells persons apart (None: each row is a person)."""

    source: Source
    person: str | None


def joined_checks(scratch: Scratch, subject: Subject, other: Subject) -> Iterator[Check]:
    """The sizes and the diversity of the classes that two releases of the same people form together.

    They are warnings: no release alone is at fault. Without the source, or without a blocks table, nothing can be placed.
    """
    people = _people(subject, other)
    if isinstance(people, str):
        yield Check("join_size", Verdict.SKIPPED, f"the join with {other.name} was not formed: {people}")
        return
    generalized = {name for each in (subject, other) for name in _generalized(each)}
    sensitive = [name for name in dict.fromkeys((*subject.sensitive, *other.sensitive)) if name not in generalized]
    joined = _join(scratch, people, (subject, other), sensitive)
    yield _size(scratch, subject, other, people, joined)
    for position, column in enumerate(sensitive):
        yield _diversity(scratch, other, column, position, joined)


def _people(subject: Subject, other: Subject) -> _People | str:
    """Whose classes the two releases form; where that cannot be told, why."""
    source = subject.source if subject.source is not None else other.source
    if source is None:
        return "the source is not at hand"
    if any(each.blocks is None or each.dictionary is None for each in (subject, other)):
        return "one of them has no blocks table"
    person = next((each.source.person for each in (subject, other) if each.source is not None and each.source.person), None)
    if person is None and "persons" in (subject.unit, other.unit):
        return "the column that tells persons apart is not known"
    needed = [name for each in (subject, other) for name in (*each.sensitive, *_generalized(each))]
    absent = sorted({name for name in (*needed, person) if name is not None and name not in source.types})
    if absent:
        return f"the source has no column {', '.join(absent)}"
    return _People(source, person)


def _generalized(subject: Subject) -> list[str]:
    """The columns of the source that a release generalizes."""
    return [] if subject.dictionary is None else [column.name for column in subject.dictionary.quasi_identifiers]


def _shown(subject: Subject, other: Subject) -> list[str]:
    """The columns that the other release generalizes and this one shows as they are."""
    return [name for name in _generalized(other) if name in (*subject.sensitive, *subject.keep)]


def _join(scratch: Scratch, people: _People, subjects: tuple[Subject, Subject], sensitive: list[str]) -> TableName:
    source, sides = people.source, []
    for subject, other in (subjects, subjects[::-1]):
        assert subject.blocks is not None
        assert subject.dictionary is not None
        placement = place(scratch, source, subject.dictionary, number_blocks(scratch, subject.blocks))
        shown = [key(name, source.types[name]) for name in _shown(subject, other)]
        sides.append(_Side(value_keys(source, subject.dictionary), placement, shown))
    joined = scratch.new("joined")
    scratch.session.execute(
        statement(
            "audit/joined",
            joined=joined,
            source=source.relation,
            sides=sides,
            sensitive=[key(name, source.types[name]) for name in sensitive],
            person=key(people.person, source.types[people.person]) if people.person is not None else None,
        )
    )
    return joined


def _size(scratch: Scratch, subject: Subject, other: Subject, people: _People, joined: TableName) -> Check:
    persons = people.person is not None
    unit = "persons" if persons else "rows"
    required = max(subject.required_k, other.required_k, SMALLEST_K)
    sizes = statement("audit/joined_sizes", joined=joined, persons=persons)
    count, smallest, below, *placed = scratch.session.row(sizes, {"k": required})
    if smallest is None:
        return Check("join_size", Verdict.MEASURED, f"read with {other.name}: no rows: k is not defined")
    message = f"read with {other.name}: the smallest of {count} classes holds {smallest} {unit}"
    if below:
        message += f"; {below} classes are smaller than {required}, so publish only one of the two releases"
    for showing, generalizing in ((subject, other), (other, subject)):
        shown = _shown(showing, generalizing)
        if shown:
            message += f"; {showing.name} shows {', '.join(shown)} as it is, which {generalizing.name} generalizes"
    others = False
    for each, rows in zip((subject, other), placed, strict=True):
        if each.dictionary is not None and rows != each.dictionary.rows:
            others = True
            message += f"; {rows} rows of the source lie in the blocks of {each.name}, which has {each.dictionary.rows}"
    if others:
        message += ", so these are not the classes of what was released: name the source of both with AGAINST"
    verdict = Verdict.WARNING if below or others else Verdict.MEASURED
    return Check("join_size", verdict, message, smallest, required, below)


def _diversity(scratch: Scratch, other: Subject, column: str, position: int, joined: TableName) -> Check:
    homogeneous = scratch.session.value(statement("audit/joined_homogeneous", joined=joined, position=position))
    message = f"{column}: read with {other.name}, {homogeneous} classes hold at most one known value"
    if homogeneous:
        message += ", so everyone in them is known to have it"
    verdict = Verdict.WARNING if homogeneous else Verdict.MEASURED
    return Check("join_diversity", verdict, message, homogeneous, violations=homogeneous, column=column)
