"""Checks of what was required beyond k: each constraint brings its own statement (``sql/audit/<constraint>.sql``).

A statement gets the tables ``classes`` (class, size), ``histogram`` (class, value, count) and ``baseline`` (value, count) of
the constraint's column and its parameters, and answers one row: how many classes violate it, and the worst value reached.
"""

from __future__ import annotations

from collections.abc import Iterator

from gensearch_db.database.audit.released import Classes, Distributions
from gensearch_db.database.audit.report import Check, Verdict
from gensearch_db.database.audit.subject import Scratch, Subject
from gensearch_db.database.rendering import statement
from gensearch_db.privacy.constraint import Constraint


def constraint_checks(
    scratch: Scratch, subject: Subject, classes: Classes, distributions: dict[str, Distributions]
) -> Iterator[Check]:
    """One check for each required constraint but k-anonymity, which every audit measures anyway."""
    for constraint in subject.constraints:
        if constraint.name == "k_anonymity":
            continue
        if subject.unit == "persons":
            yield _skipped(constraint, "it counts persons, and a release holds none")
        elif constraint.audit_statement is None or constraint.column not in distributions:
            yield _skipped(constraint, "the constraint has no audit statement of its own")
        else:
            yield _measured(scratch, constraint, constraint.audit_statement, classes, distributions[constraint.column])


def _skipped(constraint: Constraint, reason: str) -> Check:
    return Check(
        constraint.name, Verdict.SKIPPED, f"{constraint.describe()} was not recomputed: {reason}", column=constraint.column
    )


def _measured(scratch: Scratch, constraint: Constraint, template: str, classes: Classes, tables: Distributions) -> Check:
    violations, reached = scratch.session.row(
        statement(template, classes=classes.table, histogram=tables.histogram, baseline=tables.baseline),
        constraint.audit_parameters(),
    )
    value = "not defined" if reached is None else f"{reached:.6g}"
    message = f"{constraint.describe()}: the worst block reaches {constraint.quantity} {value}"
    if violations:
        message += f"; {violations} blocks violate it"
    verdict = Verdict.FAILED if violations else Verdict.PASSED
    return Check(constraint.name, verdict, message, reached, constraint.describe(), violations, constraint.column)
