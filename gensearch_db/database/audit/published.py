"""Checks of a release against its blocks table and against its source.

The source is placed into the published blocks by their typed bounds and value lists alone, so that a wrong label, a lost row
or a row under a stranger's label is found whatever the search and the writing of the release did.
"""

from __future__ import annotations

from collections.abc import Iterator

from gensearch_db.database.audit.persons import person_checks
from gensearch_db.database.audit.placing import number_blocks, place, value_keys
from gensearch_db.database.audit.report import Check, Verdict
from gensearch_db.database.audit.subject import Scratch, Source, Subject, key
from gensearch_db.database.dictionary import ReleaseDictionary
from gensearch_db.database.rendering import Sql, statement
from gensearch_db.database.session import TableName
from gensearch_db.database.stranger_tables import columns_of_release


def consistency_checks(scratch: Scratch, subject: Subject) -> Iterator[Check]:
    """The release has no columns but its own, and its blocks table says the same: the same labels, counts, typed columns and
    distributions."""
    dictionary = subject.dictionary
    if dictionary is None:
        return
    own = {name.casefold() for name in columns_of_release(dictionary) if name is not None}
    added = [name for name in subject.types if name.casefold() not in own]
    if added:
        message = f"columns that were not released were added: {', '.join(added)}"
        yield Check("columns_agree", Verdict.FAILED, message, violations=len(added))
    if subject.blocks is None:
        return
    tables = {"release": subject.table, "blocks": subject.blocks, "labels": subject.quasi_identifiers}
    bad = _count(scratch, statement("audit/blocks_differing", **tables, count=dictionary.count))
    yield _verdict(
        "blocks_agree", bad, "every class of the release is one published block of the same size", "classes or blocks"
    )
    typed = [name for name in _typed(dictionary) if name in subject.types]
    if typed:
        bad = _count(scratch, statement("audit/typed_differing", **tables, typed=typed))
        yield _verdict("typed_columns_agree", bad, "typed columns are those of the row's block", "classes")
    for column in dictionary.sensitive:
        differing = statement(
            "audit/distributions_differing",
            **tables,
            distribution=column.distribution,
            value=key(column.name, subject.types[column.name]),
            member=key("member", column.type),
        )
        yield _verdict(
            "distributions_agree",
            _count(scratch, differing),
            f"{column.name}: published distributions are those of the rows",
            "values of blocks",
            column.name,
        )


def source_checks(scratch: Scratch, subject: Subject) -> Iterator[Check]:
    """Each source row lies in one published block or is suppressed, and each block's rows are its source rows."""
    source, dictionary = subject.source, subject.dictionary
    if source is None:
        yield Check("source", Verdict.SKIPPED, "the source was not at hand, so rows were not compared with it")
        return
    if subject.blocks is None or dictionary is None:
        yield Check("source", Verdict.SKIPPED, "only releases with a blocks table can be compared with their source")
        return
    payload = [*subject.sensitive, *subject.keep]
    absent = [name for name in (*subject.quasi_identifiers, *payload) if name not in source.types]
    if absent:
        yield Check("source", Verdict.FAILED, f"the source has no column {', '.join(absent)}", violations=len(absent))
        return
    numbered = number_blocks(scratch, subject.blocks)
    placed = _placed(scratch, source, dictionary, payload, numbered)
    yield from _placement(scratch, subject, placed)
    unbalanced = statement(
        "audit/rows_unbalanced",
        placed=placed,
        release=subject.table,
        numbered=numbered,
        labels=subject.quasi_identifiers,
        label_keys=subject.keys(),
        payload=[key(name, subject.types[name]) for name in payload],
    )
    yield _verdict(
        "rows_balance",
        _count(scratch, unbalanced),
        "each block holds its source rows with their sensitive and kept values, each once",
        "combinations of block and values",
    )
    if source.person is not None:
        yield from person_checks(scratch, subject, placed)


def can_be_placed(subject: Subject) -> bool:
    """Whether the source's rows can be placed into the published blocks."""
    source = subject.source
    if source is None or subject.blocks is None or subject.dictionary is None or source.person is None:
        return False
    return all(name in source.types for name in (*subject.quasi_identifiers, *subject.sensitive, *subject.keep))


def _placed(
    scratch: Scratch, source: Source, dictionary: ReleaseDictionary, payload: list[str], numbered: TableName
) -> TableName:
    placed = scratch.new("placed")
    scratch.session.execute(
        statement(
            "audit/placed",
            placed=placed,
            source=source.relation,
            values=value_keys(source, dictionary),
            placement=place(scratch, source, dictionary, numbered),
            payload=[key(name, source.types[name]) for name in payload],
            person=key(source.person, source.types[source.person]) if source.person is not None else None,
        )
    )
    return placed


def _placement(scratch: Scratch, subject: Subject, placed: TableName) -> Iterator[Check]:
    inside, outside, several = scratch.session.row(statement("audit/placement", placed=placed))
    yield _verdict("one_block_each", several, "no source row lies in two published blocks", "source rows")
    message = f"{inside} source rows lie in a published block, {outside} in none"
    if subject.suppressed is None:
        yield Check("rows_covered", Verdict.MEASURED, message, outside)
        return
    message += f"; {subject.suppressed} were suppressed"
    verdict = Verdict.PASSED if outside == subject.suppressed else Verdict.FAILED
    yield Check("rows_covered", verdict, message, outside, subject.suppressed, abs(outside - subject.suppressed))


def _typed(dictionary: ReleaseDictionary) -> Iterator[str]:
    for column in dictionary.quasi_identifiers:
        yield from (name for name in (column.lower, column.upper, column.values) if name is not None)


def _count(scratch: Scratch, query: Sql) -> int:
    return int(scratch.session.value(query))


def _verdict(name: str, bad: int, claim: str, unit: str, column: str | None = None) -> Check:
    verdict = Verdict.FAILED if bad else Verdict.PASSED
    message = f"{bad} {unit} break this: {claim}" if bad else claim
    return Check(name, verdict, message, violations=bad, column=column)
