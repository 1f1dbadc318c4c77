"""Two releases of the same people, read together: whoever has both finds a person in the intersection of two blocks.

The source's rows are placed into the published blocks of both releases. A *class of the join* holds the rows that lie in the
same block of each; a row that one release suppressed forms classes with its like, because its absence can be seen too. Each
release may meet its constraints while these classes do not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gensearch_db.database.audit.placing import number_blocks, place, value_keys
from gensearch_db.database.audit.report import Check, Verdict
from gensearch_db.database.audit.subject import Scratch, Source, Subject, key
from gensearch_db.database.dictionary import ReleaseDictionary
from gensearch_db.database.rendering import Sql, statement
from gensearch_db.database.session import TableName

SMALLEST_K = 2
"""A class of one is a finding even where no k was required."""


@dataclass(frozen=True)
class _Side:
    """One release's part of the join: the keys of its quasi-identifiers, and the blocks of their combinations."""

    values: list[Sql]
    placement: TableName


def joined_checks(scratch: Scratch, subject: Subject, other: Subject) -> Iterator[Check]:
    """The sizes and the diversity of the classes that two releases of the same people form together.

    They are warnings: no release alone is at fault. Without the source, or without a blocks table, nothing can be placed.
    """
    source = subject.source if subject.source is not None else other.source
    dictionaries = [each.dictionary for each in (subject, other) if each.blocks is not None and each.dictionary is not None]
    if source is None or len(dictionaries) < 2:
        lacking = "the source is not at hand" if source is None else "one of them has no blocks table"
        yield Check("join_size", Verdict.SKIPPED, f"the join with {other.name} was not formed: {lacking}")
        return
    sensitive = list(dict.fromkeys((*subject.sensitive, *other.sensitive)))
    needed = [*sensitive, *(column.name for dictionary in dictionaries for column in dictionary.quasi_identifiers)]
    absent = sorted({name for name in needed if name not in source.types})
    if absent:
        reason = f"the source has no column {', '.join(absent)}"
        yield Check("join_size", Verdict.SKIPPED, f"the join with {other.name} was not formed: {reason}")
        return
    joined = _join(scratch, source, (subject, other), dictionaries, sensitive)
    yield _size(scratch, subject, other, source, joined)
    for position, column in enumerate(sensitive):
        yield _diversity(scratch, other, column, position, joined)


def _join(
    scratch: Scratch,
    source: Source,
    subjects: tuple[Subject, Subject],
    dictionaries: list[ReleaseDictionary],
    sensitive: list[str],
) -> TableName:
    sides = []
    for subject, dictionary in zip(subjects, dictionaries, strict=True):
        assert subject.blocks is not None
        placement = place(scratch, source, dictionary, number_blocks(scratch, subject.blocks))
        sides.append(_Side(value_keys(source, dictionary), placement))
    joined = scratch.new("joined")
    scratch.session.execute(
        statement(
            "audit/joined",
            joined=joined,
            source=source.relation,
            sides=sides,
            sensitive=[key(name, source.types[name]) for name in sensitive],
            person=key(source.person, source.types[source.person]) if source.person is not None else None,
        )
    )
    return joined


def _size(scratch: Scratch, subject: Subject, other: Subject, source: Source, joined: TableName) -> Check:
    persons = source.person is not None
    unit = "persons" if persons else "rows"
    required = max(subject.required_k, other.required_k, SMALLEST_K)
    sizes = statement("audit/joined_sizes", joined=joined, persons=persons)
    count, smallest, below, *placed = scratch.session.row(sizes, {"k": required})
    if smallest is None:
        return Check("join_size", Verdict.MEASURED, f"read with {other.name}: no rows: k is not defined")
    message = f"read with {other.name}: the smallest of {count} classes holds {smallest} {unit}"
    if below:
        message += f"; {below} classes are smaller than {required}, so publish only one of the two releases"
    for each, rows in zip((subject, other), placed, strict=True):
        if each.dictionary is not None and rows != each.dictionary.rows:
            message += f"; {rows} rows of the source lie in the blocks of {each.name}, which has {each.dictionary.rows}"
    verdict = Verdict.WARNING if below else Verdict.MEASURED
    return Check("join_size", verdict, message, smallest, required, below)


def _diversity(scratch: Scratch, other: Subject, column: str, position: int, joined: TableName) -> Check:
    homogeneous = scratch.session.value(statement("audit/joined_homogeneous", joined=joined, position=position))
    message = f"{column}: read with {other.name}, {homogeneous} classes hold at most one known value"
    if homogeneous:
        message += ", so everyone in them is known to have it"
    verdict = Verdict.WARNING if homogeneous else Verdict.MEASURED
    return Check("join_diversity", verdict, message, homogeneous, violations=homogeneous, column=column)
