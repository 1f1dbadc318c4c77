"""Checks of the released table alone: the sizes of its classes, the diversity and distance of its sensitive columns.

Classes are formed by the quasi-identifier columns by name; nothing here knows how the release was made.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from gensearch_db.database.audit.report import Check, Verdict
from gensearch_db.database.audit.subject import Scratch, Subject, key
from gensearch_db.database.rendering import statement
from gensearch_db.database.session import TableName


@dataclass(frozen=True)
class Classes:
    """The classes of a release, in a temporary table, with their number and the rows they hold.

    ``grouped`` has them with their sensitive values, from the only pass over the release.
    """

    table: TableName
    grouped: TableName
    count: int
    rows: int
    smallest: int | None
    suppressed_by_marker: int


@dataclass(frozen=True)
class Distributions:
    """One sensitive column, in temporary tables: ``histogram`` (class, value, count) and ``baseline`` (value, count).

    The baseline is the distribution of ``compared_with``: the source where it is at hand (as the search has it), else the
    released rows.
    """

    histogram: TableName
    baseline: TableName
    compared_with: str


def form_classes(scratch: Scratch, subject: Subject) -> Classes:
    """Group the release by its quasi-identifier columns; one pass over its rows serves every measure."""
    grouped, table = scratch.new("grouped"), scratch.new("classes")
    scratch.session.execute(
        statement(
            "audit/grouped",
            grouped=grouped,
            release=subject.table,
            keys=subject.keys(),
            values=[key(column, subject.types[column]) for column in subject.sensitive],
            columns=subject.quasi_identifiers,
            marked=subject.marker is not None,
        ),
        {} if subject.marker is None else {"marker": subject.marker},
    )
    scratch.session.execute(statement("audit/classes", classes=table, grouped=grouped, keys=len(subject.quasi_identifiers)))
    count, rows, smallest, _, _ = scratch.session.row(statement("audit/sizes", classes=table), {"k": 0})
    marked = scratch.session.value(statement("audit/suppressed", classes=table))
    return Classes(table, grouped, count, rows, smallest, marked)


ALONE = 2
"""Smaller blocks hold a single row: a finding even where no k was required."""


def size_check(scratch: Scratch, subject: Subject, classes: Classes) -> Check:
    """k of the release, counting rows."""
    required = subject.required_k if subject.unit == "rows" else 0
    if classes.smallest is None:
        return Check("k_anonymity", Verdict.MEASURED, "no rows: k is not defined", required=required or None)
    sizes = statement("audit/sizes", classes=classes.table)
    _, _, _, blocks_below, rows_below = scratch.session.row(sizes, {"k": required or ALONE})
    message = f"the smallest block holds {classes.smallest} rows"
    if blocks_below and required:
        message += f"; {blocks_below} blocks with {rows_below} rows are smaller than {required}"
    elif blocks_below:
        message += f"; no k was required, and {blocks_below} rows stand alone: who knows their quasi-identifiers finds them"
    below = Verdict.FAILED if required else Verdict.WARNING
    verdict = below if blocks_below else Verdict.PASSED if required else Verdict.MEASURED
    return Check("k_anonymity", verdict, message, classes.smallest, required or None, blocks_below)


def form_distributions(scratch: Scratch, subject: Subject, classes: Classes) -> dict[str, Distributions]:
    """Count the values of each sensitive column in each class, and over the whole table."""
    return {
        column: _distributions(scratch, subject, column, position, classes) for position, column in enumerate(subject.sensitive)
    }


def _distributions(scratch: Scratch, subject: Subject, column: str, position: int, classes: Classes) -> Distributions:
    histogram, baseline = scratch.new(f"histogram_{position}"), scratch.new(f"baseline_{position}")
    scratch.session.execute(statement("audit/histogram", histogram=histogram, grouped=classes.grouped, position=position))
    source = subject.source
    if source is not None and column in source.types:
        value = key(column, source.types[column])
        scratch.session.execute(statement("audit/baseline", baseline=baseline, relation=source.relation, value=value))
        return Distributions(histogram, baseline, "the source")
    return _against_released(scratch, histogram, baseline)


def against_released(scratch: Scratch, tables: Distributions) -> Distributions:
    """The same column compared with the released rows alone: the other reading where rows were suppressed."""
    return _against_released(scratch, tables.histogram, scratch.new("released_baseline"))


def _against_released(scratch: Scratch, histogram: TableName, baseline: TableName) -> Distributions:
    scratch.session.execute(statement("audit/released_baseline", baseline=baseline, histogram=histogram))
    return Distributions(histogram, baseline, "the released rows")


def sensitive_checks(scratch: Scratch, classes: Classes, distributions: dict[str, Distributions]) -> Iterator[Check]:
    """For each sensitive column, whatever was required: distinct l, homogeneous blocks, t (equal distance)."""
    for column, tables in distributions.items():
        yield from _diversity(scratch, column, tables.histogram, classes)
        yield _distance(scratch, column, tables)


def _diversity(scratch: Scratch, column: str, histogram: TableName, classes: Classes) -> Iterator[Check]:
    smallest, homogeneous = scratch.session.row(statement("audit/diversity", histogram=histogram))
    if smallest is None:
        yield Check("distinct_l_diversity", Verdict.MEASURED, f"{column}: no rows: l is not defined", column=column)
        return
    yield Check(
        "distinct_l_diversity",
        Verdict.MEASURED,
        f"{column}: every block holds at least {smallest} known values",
        smallest,
        column=column,
    )
    message = f"{column}: {homogeneous} of {classes.count} blocks hold at most one known value"
    if homogeneous:
        message += ", so everyone in them is known to have it"
    verdict = Verdict.WARNING if homogeneous else Verdict.MEASURED
    yield Check("homogeneous_blocks", verdict, message, homogeneous, violations=homogeneous, column=column)


def _distance(scratch: Scratch, column: str, tables: Distributions) -> Check:
    found = scratch.session.rows(statement("audit/distances", histogram=tables.histogram, baseline=tables.baseline))
    if not found:
        return Check("t_closeness_equal", Verdict.MEASURED, f"{column}: no rows: t is not defined", column=column)
    largest = max(Fraction(int(numerator), int(denominator)) for numerator, denominator in found)
    message = f"{column}: no block is farther from {tables.compared_with} than t = {float(largest):.6g} (equal distance)"
    return Check("t_closeness_equal", Verdict.MEASURED, message, float(largest), column=column)
