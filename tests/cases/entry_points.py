"""The ways into the package, each as a function from what a step says to an outcome that can be compared.

``python``: the API on an open connection. ``command``: a problem file through the command line, in this process.
``statement``: SQL through ``gensearch_db.connect``. What went wrong comes back as the class and the text of the error.
"""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

import gensearch_db
from gensearch_db import errors

from .naming import toml
from .statement_text import statement


@dataclass(frozen=True)
class Failure:
    """An error as its reader meets it: the names of its classes, and the message."""

    classes: tuple[str, ...]
    message: str


@dataclass(frozen=True)
class Outcome:
    """What came back: a failure, or the reports as text (for a search of what they print) and as fields."""

    failure: Failure | None = None
    text: str = ""
    fields: dict[str, Any] | None = None


class PythonEntry:
    """The API on one open connection. ``threads`` sets the engine's number of threads."""

    name = "python"

    def __init__(self, path: Path, threads: int = 1) -> None:
        self.path = path
        self.threads = threads

    @contextlib.contextmanager
    def connection(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """The connection that the step runs on, so that what it leaves in temp is seen."""
        connection = duckdb.connect(self.path, config={"threads": self.threads})
        try:
            yield connection
        finally:
            connection.close()

    def anonymize(self, connection: duckdb.DuckDBPyConnection, problem: dict[str, Any]) -> Outcome:
        """Make a release."""
        return _caught(lambda: _told(gensearch_db.anonymize(connection, **problem)))

    def audit(self, connection: duckdb.DuckDBPyConnection, request: dict[str, Any]) -> Outcome:
        """Audit a release or a foreign table."""
        given = dict(request)
        target = given.pop("release", None) or given.pop("table")
        return _caught(lambda: _told(gensearch_db.audit(connection, target, **given)))

    def estimate(self, connection: duckdb.DuckDBPyConnection, query: str, release: str) -> Outcome:
        """Estimate one count query."""
        return _caught(lambda: _estimated(gensearch_db.estimate(connection, release, query)))


class CommandEntry(PythonEntry):
    """The command line: the problem as a TOML file, the outcome as an exit code, JSON on stdout and a line on stderr."""

    name = "command"

    def anonymize(self, connection: duckdb.DuckDBPyConnection, problem: dict[str, Any]) -> Outcome:
        """Make a release by ``gensearch anonymize``. The file must be free: the caller's connection is closed meanwhile."""
        file = self.path.parent / "problem.toml"
        file.write_text(toml({**problem, "threads": self.threads}), encoding="utf-8")
        try:
            return command(["anonymize", str(self.path), "--problem", str(file), "--json"])
        finally:
            file.unlink()


class StatementEntry(PythonEntry):
    """SQL through ``gensearch_db.connect``."""

    name = "statement"

    @contextlib.contextmanager
    def connection(self) -> Iterator[Any]:
        """A connection that understands our statements."""
        connection = gensearch_db.connect(self.path)
        try:
            yield connection
        finally:
            connection.close()

    def anonymize(self, connection: Any, problem: dict[str, Any]) -> Outcome:
        """Make a release by an ``ANONYMIZE`` statement."""
        return _caught(lambda: _table(connection.sql(statement(problem))))

    def estimate(self, connection: Any, query: str, release: str) -> Outcome:
        """Estimate by an ``ESTIMATE`` statement."""
        return _caught(lambda: _first_estimate(connection.sql(f"ESTIMATE {query} USING {release}")))


def command(arguments: list[str]) -> Outcome:
    """Run the command line in this process. A failure is one line or list on stderr, no traceback, an exit code not 0."""
    from gensearch_db.cli.main import main

    out, complaint = io.StringIO(), io.StringIO()
    code = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(complaint):
        try:
            main(arguments)
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1
    if code:
        message = complaint.getvalue()
        assert "Traceback" not in message
        classes = {kind.__name__ for kind in vars(errors).values() if getattr(kind, "exit_code", None) == code}
        return Outcome(Failure((*classes, "GensearchError"), message))
    text = out.getvalue()
    return Outcome(text=text + complaint.getvalue(), fields=json.loads(text))


def _caught(action: Any) -> Outcome:
    try:
        return action()  # type: ignore[no-any-return]
    except errors.GensearchError as error:
        return Outcome(Failure(tuple(kind.__name__ for kind in type(error).__mro__), str(error)))


def _told(report: Any) -> Outcome:
    fields = report.to_dict()
    return Outcome(text=report.to_text() + json.dumps(fields, default=str), fields=fields)


def _estimated(answer: Any) -> Outcome:
    (first, *_) = answer.estimates
    return Outcome(text=str(answer), fields={"estimate": first.estimate})


def _table(relation: Any) -> Outcome:
    rows = relation.fetchall()
    return Outcome(text=str(rows), fields=dict(zip(relation.columns, rows[0], strict=True)))


def _first_estimate(relation: Any) -> Outcome:
    outcome = _table(relation)
    assert outcome.fields is not None
    return Outcome(text=outcome.text, fields={"estimate": outcome.fields["estimate"]})
