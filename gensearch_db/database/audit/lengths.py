"""Minimum edge lengths, recomputed from the bounds and lists of values that were published with a release."""

from __future__ import annotations

from collections.abc import Iterator

from gensearch_db.database.audit.report import Check, Verdict
from gensearch_db.database.audit.subject import Scratch, Subject, key
from gensearch_db.database.dictionary import QuasiIdentifierColumns
from gensearch_db.database.rendering import Sql, statement
from gensearch_db.privacy.minimum_length import SLACK, MinimumLength


def length_checks(scratch: Scratch, subject: Subject) -> Iterator[Check]:
    """One check for each ``minimum_length``. Open ends reach as far as the source's values."""
    for constraint in subject.constraints:
        if isinstance(constraint, MinimumLength):
            yield _length(scratch, subject, constraint)


def _length(scratch: Scratch, subject: Subject, constraint: MinimumLength) -> Check:
    column = _column(subject, constraint)
    if column is None or subject.blocks is None:
        message = (
            f"{constraint.describe()} was not recomputed: there is no blocks table with bounds of '{constraint.attribute}'"
        )
        return Check(constraint.name, Verdict.SKIPPED, message, required=constraint.describe())
    required = float(constraint.length) * (1.0 - SLACK)
    query = _intervals(subject, column) if column.kind == "ordered" else _values(subject, column)
    shortest, shorter, unmeasured = scratch.session.row(query, {"required": required})
    reached = "no block has a length" if shortest is None else f"the shortest published edge is {shortest:.6g}"
    message = f"{constraint.describe()}: {reached}"
    verdict = Verdict.PASSED
    if unmeasured:
        message += f"; {unmeasured} blocks have none (open ends without a source, or NULL)"
    if shorter and subject.shortened:
        # The search judged the regions as they were chosen; less of them is printed.
        verdict, message = Verdict.SKIPPED, f"{message}; regions are printed shorter than they were chosen, so nothing follows"
    elif shorter:
        verdict, message = Verdict.FAILED, f"{message}; {shorter} blocks are shorter than required"
    elif shortest is None:
        verdict = Verdict.SKIPPED
    violations = shorter if verdict is Verdict.FAILED else 0
    return Check(constraint.name, verdict, message, shortest, constraint.describe(), violations)


def _column(subject: Subject, constraint: MinimumLength) -> QuasiIdentifierColumns | None:
    columns = subject.dictionary.quasi_identifiers if subject.dictionary is not None else ()
    return next((column for column in columns if column.name.casefold() == constraint.attribute.casefold()), None)


def _intervals(subject: Subject, column: QuasiIdentifierColumns) -> Sql:
    source = subject.source if subject.source is not None and column.name in subject.source.types else None
    return statement(
        "audit/interval_lengths",
        blocks=subject.blocks,
        lower=column.lower,
        upper=column.upper,
        missing=column.missing,
        source=None if source is None else source.relation,
        value=None if source is None else key(column.name, source.types[column.name]),
        unit=_unit(column.type),
        integral=column.integral,
    )


def _unit(type_: str) -> str:
    """How the statement measures lengths of a type."""
    if type_ == "DATE":
        return "date"
    if type_ == "TIMESTAMP WITH TIME ZONE":
        return "instant"
    return "timestamp" if type_.startswith("TIMESTAMP") else "number"


def _values(subject: Subject, column: QuasiIdentifierColumns) -> Sql:
    return statement("audit/value_lengths", blocks=subject.blocks, values=column.values)
