"""Checks in persons, where several rows may belong to one: sizes and distributions are counted from the source's rows."""

from __future__ import annotations

from collections.abc import Iterator

from gensearch_db.database.audit.measures import constraint_checks
from gensearch_db.database.audit.released import Distributions
from gensearch_db.database.audit.report import Check, Verdict
from gensearch_db.database.audit.subject import Scratch, Subject
from gensearch_db.database.rendering import statement
from gensearch_db.database.session import TableName


def person_checks(scratch: Scratch, subject: Subject, placed: TableName) -> Iterator[Check]:
    """k in persons, and every other constraint; ``placed`` has the source's rows with their blocks and persons.

    A size counts distinct persons, a distribution each pair of person and value once, as in the search.
    """
    yield _size(scratch, subject, placed)
    classes = scratch.new("person_classes")
    scratch.session.execute(statement("audit/person_classes", classes=classes, placed=placed))
    distributions = {column: _distributions(scratch, placed, position) for position, column in enumerate(subject.sensitive)}
    yield from constraint_checks(scratch, subject, classes, distributions, unit="persons")


def _distributions(scratch: Scratch, placed: TableName, position: int) -> Distributions:
    histogram, baseline = scratch.new(f"person_histogram_{position}"), scratch.new(f"person_baseline_{position}")
    scratch.session.execute(statement("audit/person_histogram", histogram=histogram, placed=placed, position=position))
    scratch.session.execute(statement("audit/person_baseline", baseline=baseline, placed=placed, position=position))
    return Distributions(histogram, baseline, "the source")


def _size(scratch: Scratch, subject: Subject, placed: TableName) -> Check:
    required = subject.required_k
    smallest, below = scratch.session.row(statement("audit/persons", placed=placed), {"k": required})
    if smallest is None:
        return Check("k_anonymity_persons", Verdict.MEASURED, "no rows: k is not defined")
    message = f"the smallest block holds {smallest} distinct persons"
    verdict = Verdict.MEASURED if not required else Verdict.FAILED if below else Verdict.PASSED
    return Check("k_anonymity_persons", verdict, message, smallest, required or None, below)
