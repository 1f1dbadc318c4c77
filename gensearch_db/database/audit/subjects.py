"""Finding what to audit: a release of this package by its catalog row or its dictionary, or any table by its columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gensearch_db.database.audit.domains import read_domains
from gensearch_db.database.audit.subject import Source, Subject
from gensearch_db.database.catalog import CatalogEntry, find_release
from gensearch_db.database.dictionary import ReleaseDictionary
from gensearch_db.database.places import column_types, existing_table, table_comment
from gensearch_db.database.release_plan import blocks_name
from gensearch_db.database.rendering import statement
from gensearch_db.database.session import Session, TableName
from gensearch_db.database.source import Source as OpenedSource
from gensearch_db.database.source import open_source, source_relation
from gensearch_db.database.value_domains import declared_columns
from gensearch_db.errors import DataError, Problems, SpecificationError, near_matches, sentence
from gensearch_db.privacy.minimum_length import declared_lengths
from gensearch_db.privacy.registry import constraints_from_texts
from gensearch_db.problem.problem import Labels


def find_subject(
    session: Session,
    release: str,
    *,
    against: str | None = None,
    quasi_identifiers: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    subject_to: Sequence[str] = (),
    marker: str | None = None,
    temporary_tables: list[TableName],
) -> Subject:
    """The table to audit, with all that is known about it. Raises :class:`SpecificationError` for unknown names.

    With ``quasi_identifiers`` the table is taken as foreign data. Without, it must be a release: its catalog row says what was
    required and where its source is; a published copy has only the dictionary beside it. What has to be read from files goes
    into ``temporary_tables``, which the caller drops.
    """
    table = existing_table(session, release)
    types = column_types(session, table)
    if quasi_identifiers:
        labels, known = _own_spelling(release, types, quasi_identifiers, sensitive)
        constraints = constraints_from_texts(subject_to, known)
        domains = read_domains(session, table, types, None, constraints, [], {}, temporary_tables)
        return Subject(release, table, types, labels, known, (), constraints, domains.known, domains.unknown, marker=marker)
    entry = find_release(session, table)
    dictionary = entry.dictionary if entry is not None else _dictionary_beside(session, table)
    if dictionary is None:
        raise SpecificationError(
            f"'{release}' is not a release of this package: name its quasi-identifiers to audit it as a foreign table"
            " (which has no blocks that could be read WITH another release)"
        )
    columns = tuple(column.name for column in dictionary.sensitive)
    required = (*(entry.problem.subject_to if entry is not None else ()), *subject_to)
    _check_columns(release, dictionary, types)
    constraints = constraints_from_texts(required, columns)
    if entry is not None:
        constraints = (*constraints, *declared_lengths(entry.problem.quasi_identifiers))
    source = _source(session, entry, against, temporary_tables)
    declared = declared_columns(entry.problem) if entry is not None else []
    orders = entry.orders if entry is not None else {}
    domains = read_domains(session, table, types, source, constraints, declared, orders, temporary_tables)
    return Subject(
        name=release,
        table=table,
        types=types,
        quasi_identifiers=tuple(column.label for column in dictionary.quasi_identifiers),
        sensitive=columns,
        keep=dictionary.keep,
        constraints=constraints,
        domains=domains.known,
        unknown_domains=domains.unknown,
        blocks=_existing_blocks(session, table, entry),
        dictionary=dictionary,
        source=source,
        suppressed=None if entry is None else int(entry.result["rows_suppressed"]),
        marker=marker,
        shortened=entry is not None and (entry.problem.labels is Labels.VALUES or int(entry.result["rows_suppressed"]) > 0),
    )


def _own_spelling(
    release: str, types: Mapping[str, str], quasi_identifiers: Sequence[str], sensitive: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The named columns as the table spells them, all unknown ones reported together."""
    by_folded = {name.casefold(): name for name in types}
    problems = Problems(SpecificationError)
    for name in (*quasi_identifiers, *sensitive):
        if name.casefold() not in by_folded:
            problems.add(f"there is no column '{name}' in '{release}'{near_matches(name, types)}")
    problems.raise_if_any()
    labels, known = ([by_folded[name.casefold()] for name in names] for names in (quasi_identifiers, sensitive))
    return tuple(dict.fromkeys(labels)), tuple(dict.fromkeys(known))


def _dictionary_beside(session: Session, table: TableName) -> ReleaseDictionary | None:
    comment = table_comment(session, blocks_name(table))
    if comment is None:
        return None
    try:
        return ReleaseDictionary.from_json(comment)
    except DataError:
        return None


def _existing_blocks(session: Session, table: TableName, entry: CatalogEntry | None) -> TableName | None:
    blocks = entry.blocks_name if entry is not None else blocks_name(table)
    return blocks if column_types(session, blocks) else None


def _check_columns(release: str, dictionary: ReleaseDictionary, types: Mapping[str, str]) -> None:
    """The release must still have the columns that its dictionary names."""
    problems = Problems(DataError)
    names = [column.label for column in dictionary.quasi_identifiers]
    for name in (*names, *(column.name for column in dictionary.sensitive), *dictionary.keep):
        if name not in types:
            problems.add(f"release '{release}' has lost its column '{name}'")
    problems.raise_if_any()


def _source(
    session: Session, entry: CatalogEntry | None, against: str | None, temporary_tables: list[TableName]
) -> Source | None:
    """The source that the caller names, or the one in the catalog if it is still there."""
    if against is not None:
        source = open_source(session, against, temporary_tables)
    else:
        recorded = None if entry is None else _recorded_source(session, entry.problem.table, temporary_tables)
        if recorded is None:
            return None
        source = recorded
    person = source.find(entry.problem.person) if entry is not None and entry.problem.person is not None else None
    types = {column.name: column.type for column in source.columns}
    return Source(source.relation, types, None if person is None else person.name)


def _recorded_source(session: Session, written: str, temporary_tables: list[TableName]) -> OpenedSource | None:
    """The source in the catalog, or None where it can no longer be read.

    It is looked at before it is read: the audit may stand in the user's transaction, which a failing statement would abort.
    Rows that fail in there (a cast in the recorded query, or in a view) have aborted it, so that is an error.
    """
    inside = session.in_transaction
    try:
        relation = source_relation(session, written)
    except SpecificationError:
        return None
    if not session.is_readable(statement("source/row_count", relation=relation)):
        return None
    try:
        source = open_source(session, written, temporary_tables)
        session.execute(statement("source/every_value", relation=source.relation))
    except (SpecificationError, DataError) as error:
        if not inside:
            return None
        raise type(error)(
            f"the recorded source {written} cannot be read: {sentence(str(error))} This aborted your transaction: ROLLBACK it,"
            " then audit outside of a transaction, where checks of the source are skipped, or name another source with AGAINST"
        ) from error
    return source
