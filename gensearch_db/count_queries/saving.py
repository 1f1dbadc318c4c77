"""What a workload gave, kept: as a table in the database, as a CSV file, as JSON, as text for the terminal."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gensearch_db.count_queries.workload import WorkloadReport
from gensearch_db.database.names import parse_table_name, target_table
from gensearch_db.database.opening import Database, session_for
from gensearch_db.database.rendering import statement
from gensearch_db.database.reported import reported
from gensearch_db.errors import SpecificationError, reason
from gensearch_db.printable import printable
from gensearch_db.staging import overwriting

_TYPES = {
    "release": "string", "query": "int64", "text": "string", "counted": "string", "group": "string", "truth": "int64",
    "estimate": "double", "deviation": "double", "lower": "int64", "upper": "int64", "blocks": "int64",
    "absolute_error": "double", "relative_error": "double",
}  # fmt: skip

_HEADER = (",".join(_TYPES) + "\n").encode()
"""The first line of results in a CSV file."""


def refuse_taken(database: Database, table: str) -> None:
    """Raise :class:`SpecificationError` where results cannot be kept under this name: asked before anything is computed."""
    with session_for(database) as session:
        place = dict(zip(("database", "schema", "name"), target_table(session, table), strict=True))
        for kind, name, _ in session.rows(statement("catalog/relations"), place):
            raise SpecificationError(f"{kind} '{name}' exists already: choose another name for the results")


def save_table(database: Database, report: WorkloadReport, table: str) -> None:
    """Write one row per release and count into a new table. Raises :class:`SpecificationError` where it exists already."""
    import pyarrow

    rows = [outcome.to_dict() for outcome in report.outcomes]
    types: dict[str, pyarrow.DataType] = {"string": pyarrow.string(), "int64": pyarrow.int64(), "double": pyarrow.float64()}
    schema = pyarrow.schema([(name, types[type_]) for name, type_ in _TYPES.items()])
    outcomes = pyarrow.Table.from_pylist(rows, schema=schema)
    with (
        reported(),
        session_for(database) as session,
        session.registered(outcomes) as registered,
        session.transaction(),
    ):
        session.execute(statement("workload/save", table=parse_table_name(table), outcomes=registered))


def refuse_csv(path: Path) -> None:
    """Raise :class:`SpecificationError` where results cannot be kept in this file: asked before anything is computed.

    Only what holds earlier results, or nothing, is overwritten: a database or a workload may be named by mistake.
    """
    with _writable(path):
        if path.is_dir() or not path.parent.is_dir():
            raise SpecificationError(f"cannot write to '{path}': name a file in a folder that exists")
        if path.is_file() and path.stat().st_size:
            with path.open("rb") as file:
                first = file.readline(len(_HEADER))
            if first != _HEADER:
                raise SpecificationError(f"'{path}' exists already and holds no results of count queries: choose another file")


def save_csv(report: WorkloadReport, path: Path) -> None:
    """Write one line per release and count, in place of earlier results: all of them, or nothing is changed.

    Raises :class:`SpecificationError` where the file cannot be written.
    """
    refuse_csv(path)
    lines = io.StringIO(newline="")
    writer = csv.DictWriter(lines, fieldnames=list(_TYPES), lineterminator="\n")
    writer.writeheader()
    writer.writerows(outcome.to_dict() for outcome in report.outcomes)
    with _writable(path), overwriting(path) as written:
        written.write_bytes(lines.getvalue().encode())


@contextmanager
def _writable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise SpecificationError(f"'{path}' cannot be written: {reason(error)}") from error


def to_json(report: WorkloadReport) -> dict[str, Any]:
    """The report as plain values for JSON."""
    return {
        "workload": report.workload,
        "outcomes": [outcome.to_dict() for outcome in report.outcomes],
        "summaries": [vars(summary) for summary in report.summaries()],
    }


def to_text(report: WorkloadReport) -> str:
    """Tables for the terminal: one line per count, then the errors of each release."""
    known = any(outcome.truth is not None for outcome in report.outcomes)
    header = ["query", "release", "estimate", "±", "lower", "upper", *(["true", "error %"] if known else []), "counted"]
    lines = [header]
    for outcome in report.outcomes:
        one = outcome.estimate
        truth = [] if outcome.truth is None else [f"{outcome.truth:,}", f"{100 * (outcome.relative_error or 0):.2f}"]
        group = f" [{outcome.to_dict()['group']}]" if one.group else ""
        lines.append(
            [str(one.query), outcome.release, f"{one.estimate:,.1f}", f"{one.deviation:,.1f}", f"{one.lower:,}",
             f"{one.upper:,}", *truth, one.label + group]
        )  # fmt: skip
    text = aligned(lines)
    summaries = report.summaries()
    if summaries:
        errors = [["release", "counts", "mean error %", "median %", "p90 %", "mean |error|"]]
        errors += [
            [one.release, str(one.counts), f"{100 * one.mean_relative_error:.2f}", f"{100 * one.median_relative_error:.2f}",
             f"{100 * one.p90_relative_error:.2f}", f"{one.mean_absolute_error:,.1f}"]
            for one in summaries
        ]  # fmt: skip
        text += "\n\n" + aligned(errors)
    return text


def aligned(lines: list[list[str]]) -> str:
    """Columns of equal width; numbers to the right, the first two and the last column to the left. A line is one line."""
    lines = [[printable(cell).replace("\n", "\\n") for cell in line] for line in lines]
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    shown = []
    for line in lines:
        cells = [
            cell.ljust(width) if column < 2 or column == len(line) - 1 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        shown.append("  ".join(cells).rstrip())
    return "\n".join(shown)
