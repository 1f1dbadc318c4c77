"""The audit: what a release guarantees, recomputed from the written tables by SQL that shares nothing with the search.

Every check is a query for the rows that break it. The tables are read as they are now; nothing is taken from stored numbers
but what the owner required and how many rows he says were suppressed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gensearch_db.argument_kinds import TEXT, TEXTS, refuse_other_kinds
from gensearch_db.database.audit.kept import kept_checks
from gensearch_db.database.audit.lengths import length_checks
from gensearch_db.database.audit.measures import constraint_checks
from gensearch_db.database.audit.published import can_be_placed, consistency_checks, source_checks
from gensearch_db.database.audit.released import form_classes, form_distributions, sensitive_checks, size_check
from gensearch_db.database.audit.report import AuditReport, Check, Verdict
from gensearch_db.database.audit.subject import Subject, scratch
from gensearch_db.database.audit.subjects import find_subject
from gensearch_db.database.audit.together import joined_checks
from gensearch_db.database.hiding_macros import refuse_hiding_macros
from gensearch_db.database.opening import Database, session_for
from gensearch_db.database.session import Session

__all__ = ["AuditReport", "Check", "Subject", "Verdict", "audit", "audit_subject"]


def audit(
    database: Database,
    release: str,
    against: str | None = None,
    *,
    quasi_identifiers: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    subject_to: Sequence[str] = (),
    suppression_marker: str | None = None,
    together_with: str | None = None,
) -> AuditReport:
    """Audit a release of this package, or any table with the given quasi-identifiers.

    ``against`` names the source (default: what the catalog says, if it is still there). ``subject_to`` adds requirements to
    those of the catalog. ``together_with`` names another release of the same people: the classes that both form together are
    then measured too, with a warning where they are too small. A database may be read-only. Raises
    :class:`SpecificationError` for names that do not exist and arguments of another kind (a text in place of a list); a
    release that fails gives a report that says so, no error.
    """
    refuse_other_kinds(
        release=(release, TEXT),
        against=(against, TEXT.or_none()),
        quasi_identifiers=(quasi_identifiers, TEXTS),
        sensitive=(sensitive, TEXTS),
        subject_to=(subject_to, TEXTS),
        suppression_marker=(suppression_marker, TEXT.or_none()),
        together_with=(together_with, TEXT.or_none()),
    )
    with session_for(database, read_only=True) as session:
        refuse_hiding_macros(session)

        def audited() -> AuditReport:
            """The whole audit, in temporary tables of its own."""
            with scratch(session) as space:
                subject = find_subject(
                    session,
                    release,
                    against=against,
                    quasi_identifiers=quasi_identifiers,
                    sensitive=sensitive,
                    subject_to=subject_to,
                    marker=suppression_marker,
                    temporary_tables=space.tables,
                )
                if together_with is None:
                    return audit_subject(session, subject)
                other = find_subject(session, together_with, against=against, temporary_tables=space.tables)
                report = audit_subject(session, subject)
                return replace(report, checks=(*report.checks, *joined_checks(space, subject, other)))

        return session.in_one_state(audited)


def audit_subject(session: Session, subject: Subject) -> AuditReport:
    """Run every check on one table."""
    with scratch(session) as space:
        classes = form_classes(space, subject)
        checks = [size_check(space, subject, classes)]
        distributions = form_distributions(space, subject, classes)
        checks += sensitive_checks(space, classes, distributions)
        if subject.unit == "rows" or not can_be_placed(subject):
            checks += constraint_checks(space, subject, classes.table, distributions)
        checks += kept_checks(session, subject.table, subject.keep, subject.types, subject.required_k)
        checks += length_checks(space, subject)
        checks += consistency_checks(space, subject)
        checks += source_checks(space, subject)
    suppressed = subject.suppressed if subject.marker is None else classes.suppressed_by_marker
    return AuditReport(subject.name, subject.unit, classes.rows, classes.count, suppressed, tuple(checks))
