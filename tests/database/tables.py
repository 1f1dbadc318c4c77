"""Help for tests of room `database`: a session in memory, and a problem prepared from SQL."""

from __future__ import annotations

from typing import Any

from gensearch_db.database.prepared import PreparedTable, prepare
from gensearch_db.database.session import Session
from gensearch_db.problem.problem import Problem


def prepared_from(session: Session, setup: str, quasi_identifiers: dict[str, Any], **fields: Any) -> PreparedTable:
    """Run ``setup`` (which makes table ``t``) and prepare a problem on it."""
    if setup:
        session.connection.execute(setup)
    problem = Problem.from_fields(
        {"table": "t", "into": "rel", "quasi_identifiers": quasi_identifiers, "subject_to": ["k_anonymity(1)"], **fields}
    )
    return prepare(session, problem)


def leaf_counts(prepared: PreparedTable, position: int = 0) -> dict[str, int]:
    """Rows per leaf label of one attribute, from the cells; leaves that no row has are left out."""
    labels = [leaf.label for leaf in prepared.space.attributes[position].leaves]
    counts: dict[str, int] = {}
    for code, rows in zip(prepared.cells.codes[:, position].tolist(), prepared.cells.counts.tolist(), strict=True):
        counts[labels[code]] = counts.get(labels[code], 0) + rows
    return counts
