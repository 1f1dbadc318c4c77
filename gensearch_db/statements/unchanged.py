"""PUBLISH hands out what was released and nothing else: tables that were changed since, or stand in its place, are refused."""

from __future__ import annotations

from gensearch_db.database.audit.published import consistency_checks
from gensearch_db.database.audit.report import Verdict
from gensearch_db.database.audit.subject import Subject, scratch
from gensearch_db.database.catalog import CatalogEntry
from gensearch_db.database.places import column_types
from gensearch_db.database.session import Session
from gensearch_db.database.stranger_tables import refuse_strangers
from gensearch_db.errors import SpecificationError

_CONSEQUENCE = "it is not handed out: anonymize again, or drop what was added"


def refuse_changed(session: Session, entry: CatalogEntry) -> None:
    """Raise :class:`SpecificationError` where a release has other columns than it was written with, or rows that its blocks do
    not have. Both of its tables must exist."""
    refuse_strangers(session, entry, _CONSEQUENCE)
    dictionary = entry.dictionary
    subject = Subject(
        name=entry.release,
        table=entry.release_name,
        types=column_types(session, entry.release_name),
        quasi_identifiers=tuple(column.label for column in dictionary.quasi_identifiers),
        sensitive=tuple(column.name for column in dictionary.sensitive),
        keep=dictionary.keep,
        blocks=entry.blocks_name,
        dictionary=dictionary,
    )
    with scratch(session) as space:
        failed = [check for check in consistency_checks(space, subject) if check.verdict is Verdict.FAILED]
    if failed:
        found = "; ".join(f"{check.name}: {check.message}" for check in failed)
        raise SpecificationError(
            f"the tables of the release '{entry.release}' were changed since it was written ({found}), so they are not handed"
            " out: anonymize again"
        )
