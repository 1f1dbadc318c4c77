"""Checks of what was required beyond k: each constraint brings its own measure (:meth:`Constraint.audit_measure`)."""

from __future__ import annotations

from collections.abc import Iterator

from gensearch_db.database.audit.released import Distributions, against_released
from gensearch_db.database.audit.report import Check, Verdict
from gensearch_db.database.audit.subject import Scratch, Subject, listed_value
from gensearch_db.database.rendering import Sql, statement
from gensearch_db.database.session import TableName
from gensearch_db.privacy.constraint import AuditMeasure, Constraint
from gensearch_db.privacy.k_anonymity import KAnonymity
from gensearch_db.privacy.minimum_length import MinimumLength


def constraint_checks(
    scratch: Scratch, subject: Subject, classes: TableName, distributions: dict[str, Distributions], unit: str = "rows"
) -> Iterator[Check]:
    """One check for each required constraint but k-anonymity and minimum lengths, which have checks of their own.

    ``unit`` is what ``classes`` and ``distributions`` count: rows or persons.
    """
    for constraint in subject.constraints:
        if isinstance(constraint, KAnonymity | MinimumLength):
            continue
        measure = constraint.audit_measure(subject.domains.get(constraint.column or ""))
        if measure is None or constraint.column not in distributions:
            yield _skipped(constraint, subject.unknown_domains.get(constraint.column or "", "it has no measure in SQL"))
        elif subject.unit != unit:
            yield _skipped(constraint, f"it counts {subject.unit}, which only the source tells apart")
        else:
            member = listed_value(subject.types[constraint.column])
            tables = distributions[constraint.column]
            released = None
            if unit == "rows" and measure.needs_baseline and tables.compared_with == "the source" and subject.suppressed:
                released = against_released(scratch, tables)
            yield _measured(scratch, constraint, measure, classes, tables, member, released, unit)


def _skipped(constraint: Constraint, reason: str) -> Check:
    message = f"{constraint.describe()} was not recomputed: {reason}"
    return Check(constraint.name, Verdict.SKIPPED, message, required=constraint.describe(), column=constraint.column)


def _measured(
    scratch: Scratch,
    constraint: Constraint,
    measure: AuditMeasure,
    classes: TableName,
    tables: Distributions,
    member: Sql,
    released: Distributions | None,
    unit: str,
) -> Check:
    """The verdict follows the search's reading (the source); where rows were suppressed the other one is told beside it."""
    reached, bad_blocks, bad_rows = _reached(scratch, constraint, measure, classes, tables, member)
    message = f"{constraint.describe()}: the worst block reaches {constraint.quantity} {_text(reached)}"
    if measure.needs_baseline:
        message += f" (compared with {tables.compared_with})"
    if released is not None:
        other, _, _ = _reached(scratch, constraint, measure, classes, released, member)
        message += f", {_text(other)} (compared with {released.compared_with})"
    message += f", counting {unit}"
    if bad_blocks:
        message += f"; {bad_blocks} blocks with {bad_rows} {unit} violate it"
    verdict = Verdict.FAILED if bad_blocks else Verdict.PASSED
    return Check(constraint.name, verdict, message, reached, constraint.describe(), bad_blocks, constraint.column)


def _reached(
    scratch: Scratch, constraint: Constraint, measure: AuditMeasure, classes: TableName, tables: Distributions, member: Sql
) -> tuple[float | None, int, int]:
    """The worst value of any block, and the blocks and rows that break the constraint."""
    rendered = statement(measure.template, classes=classes, histogram=tables.histogram, baseline=tables.baseline, member=member)
    _, smallest, largest, bad_blocks, bad_rows = scratch.session.row(
        statement("audit/measured", measure=rendered, classes=classes), measure.parameters
    )
    return (smallest if constraint.higher_is_safer else largest), bad_blocks, bad_rows


def _text(reached: float | None) -> str:
    return "not defined" if reached is None else f"{reached:.6g}"
