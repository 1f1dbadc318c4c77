"""Checks of kept columns: whether their values, which are published as they are, are somebody's own.

No constraint speaks of kept columns. A column whose values few rows share (a card number, an exact amount, a free text) leads
whoever knows a person's value to that person's row, whatever the quasi-identifiers hide.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from gensearch_db.database.audit.report import Check, Verdict
from gensearch_db.database.audit.subject import key
from gensearch_db.database.rendering import statement
from gensearch_db.database.session import Session, TableName

LEAST_K = 2
"""Where no k is required: a value that a single row has is somebody's own."""


def kept_checks(
    session: Session, release: TableName, keep: Iterable[str], types: Mapping[str, str], required_k: int
) -> Iterator[Check]:
    """For each kept column the released rows whose value fewer than k of them share; a warning where they are most of those
    that have a value: such a column tells people apart, as an identifier does."""
    k = max(required_k, LEAST_K)
    for column in keep:
        value = key(column, types[column])
        known, rare, values = session.row(statement("audit/kept_values", release=release, value=value), {"k": k})
        message = f"{column}: {rare} of {known} rows have a value that fewer than {k} rows share ({values} different values)"
        warns = 2 * rare > known
        if warns:
            message += ", so who knows a person's value may find the row; leave it out, or make it a quasi-identifier"
        yield Check("kept_values", Verdict.WARNING if warns else Verdict.MEASURED, message, rare, None, values, column)
