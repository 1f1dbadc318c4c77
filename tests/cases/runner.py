"""Running one case through one entry point, and judging what came of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

from .case_files import Case, Check, Step
from .entry_points import CommandEntry, Outcome, PythonEntry, StatementEntry
from .invariants import Measures, Surroundings, check_release, fingerprint, printed, published_text, rows_of
from .naming import quoted

Fingerprints = dict[str, list[list[tuple[Any, ...]]]]


@dataclass(frozen=True)
class Variant:
    """A way to run a case: the entry point, its threads, and whether source rows and columns come in another order."""

    entry: Callable[[Path, int], PythonEntry]
    threads: int = 1
    shuffled: bool = False


VARIANTS = {
    "python": Variant(PythonEntry),
    "command": Variant(CommandEntry, threads=8, shuffled=True),
    "statement": Variant(StatementEntry),
}


def run(case: Case, name: str) -> Fingerprints:
    """Run all steps of a case; gives the fingerprint of each release. Raises ``AssertionError`` with what went wrong."""
    variant = VARIANTS[name]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "case.duckdb"
        _set_up(path, case, variant)
        runner = _Runner(case, variant.entry(path, variant.threads), path)
        for number, step in enumerate(case.steps, start=1):
            if step.entries is None or name in step.entries:
                runner.run(step, f"{case.case}, step {number} {step.name!r}")
        return runner.fingerprints


@cache
def reference(case: Case) -> Fingerprints:
    """The fingerprints of the plain run, for comparison (invariant 6)."""
    return run(case, "python")


def _set_up(path: Path, case: Case, variant: Variant) -> None:
    with duckdb.connect(path, config={"threads": 1}) as connection:
        connection.execute(case.setup)
        for fact in case.facts:
            _check_rows(connection, fact, f"{case.case}, fact about the input")
        if variant.shuffled and case.shuffle:
            _shuffle(connection, case)


def _shuffle(connection: duckdb.DuckDBPyConnection, case: Case) -> None:
    """Every table anew, its rows in an order that has nothing to do with the first, its columns reversed.

    The columns of a taxonomy table stay: their order says which level is which.
    """
    attributes = [given for step in case.steps for given in (step.problem or {}).get("quasi_identifiers", {}).values()]
    taxonomies = {given["taxonomy"] for given in attributes if "taxonomy" in given}
    query = "SELECT schema_name, table_name FROM duckdb_tables() WHERE NOT internal"
    for schema, table in rows_of(connection, query):
        name = f"{quoted(schema)}.{quoted(table)}"
        columns = [quoted(column) for column, *_ in rows_of(connection, f"DESCRIBE {name}")]
        connection.execute(f"CREATE TEMP TABLE case_copy AS SELECT *, hash(rowid, 'other order') AS case_place FROM {name}")
        columns = columns if table in taxonomies else columns[::-1]
        connection.execute(f"CREATE OR REPLACE TABLE {name} AS SELECT {', '.join(columns)} FROM case_copy ORDER BY case_place")
        connection.execute("DROP TABLE case_copy")


class _Runner:
    def __init__(self, case: Case, entry: PythonEntry, path: Path) -> None:
        self.case = case
        self.entry = entry
        self.path = path
        self.fingerprints: Fingerprints = {}

    def run(self, step: Step, place: str) -> None:
        if step.sql is not None:
            with self.entry.connection() as connection:
                connection.execute(step.sql)
                self._checks(connection, step, place)
        elif step.problem is not None:
            self._anonymize(step, step.problem, place)
        elif step.audit is not None:
            with self.entry.connection() as connection:
                outcome = self.entry.audit(connection, step.audit)
                _judge_audit(outcome, step.expect, place)
        else:
            self._estimates(step, place)

    def _anonymize(self, step: Step, problem: dict[str, Any], place: str) -> None:
        if isinstance(self.entry, CommandEntry):
            with duckdb.connect(self.path) as connection:
                before = Surroundings.of(connection, self.path.parent)
            outcome = self.entry.anonymize(connection, problem)
            with duckdb.connect(self.path) as connection:
                self._judge(connection, step, problem, before, outcome, place)
            return
        with self.entry.connection() as connection:
            before = Surroundings.of(connection, self.path.parent)
            outcome = self.entry.anonymize(connection, problem)
            self._judge(connection, step, problem, before, outcome, place)

    def _judge(
        self, connection: Any, step: Step, problem: dict[str, Any], before: Surroundings, outcome: Outcome, place: str
    ) -> None:
        after = Surroundings.of(connection, self.path.parent)
        if "error" in step.expect:
            _judge_failure(outcome, step.expect["error"], step.expect.get("words", ()), place)
            after.check(before, release=None)
            return
        assert outcome.failure is None, f"{place}: {outcome.failure}"
        after.check(before, release=problem["into"])
        measures = check_release(connection, problem)
        _judge_measures(measures, step.expect, place)
        self._judge_text(connection, step.expect, problem["into"], outcome, place)
        self._checks(connection, step, place)
        self.fingerprints[problem["into"]] = fingerprint(connection, problem["into"])

    def _judge_text(self, connection: Any, expect: dict[str, Any], release: str, outcome: Outcome, place: str) -> None:
        text = published_text(connection, release) + "\n" + outcome.text
        for word in expect.get("absent", ()):
            found = printed(word, text)
            assert found is None, f"{place}: {word!r} is printed in …{text[max(0, found.start() - 60) : found.end() + 20]}…"
        if "columns" in expect:
            columns = [name for name, *_ in rows_of(connection, f"DESCRIBE {release}")]
            assert columns == expect["columns"], f"{place}: columns {columns}, not {expect['columns']}"
        for column, wanted in expect.get("labels", {}).items():
            counts = rows_of(connection, f"SELECT {quoted(column)}, count(*) FROM {release} GROUP BY 1")
            found_labels = {"NULL" if label is None else label: count for label, count in counts}
            assert found_labels == wanted, f"{place}: labels of '{column}' {found_labels}, not {wanted}"
        if "status" in expect and outcome.fields is not None:
            assert outcome.fields["status"] == expect["status"], f"{place}: status {outcome.fields['status']}"

    def _estimates(self, step: Step, place: str) -> None:
        assert step.release is not None, f"{place}: estimates need a release"
        with self.entry.connection() as connection:
            for wanted in step.estimates:
                outcome = self.entry.estimate(connection, wanted.query, step.release)
                if wanted.error is not None:
                    _judge_failure(outcome, wanted.error, wanted.words, f"{place}: {wanted.query}")
                    continue
                assert outcome.failure is None, f"{place}: {wanted.query}: {outcome.failure}"
                assert outcome.fields is not None
                value = outcome.fields["estimate"]
                assert isinstance(value, float), f"{place}: {wanted.query}: {value!r} is no float"
                assert wanted.value is not None
                assert abs(value - wanted.value) <= wanted.tolerance, f"{place}: {wanted.query}: {value}, not {wanted.value}"

    def _checks(self, connection: Any, step: Step, place: str) -> None:
        for check in step.checks:
            _check_rows(connection, check, place)


def _judge_failure(outcome: Outcome, error: str, words: Any, place: str) -> None:
    """The class and the words of a failure. A statement that cannot be read is a query error, whatever is wrong with it."""
    assert outcome.failure is not None, f"{place}: no error, where {error} was due"
    classes = outcome.failure.classes
    either = {error, "QueryError"} if error == "SpecificationError" else {error}
    assert either & set(classes), f"{place}: {classes[0]} instead of {error}: {outcome.failure.message}"
    for word in words:
        assert word.casefold() in outcome.failure.message.casefold(), f"{place}: {word!r} is not in: {outcome.failure.message}"


def _judge_measures(measures: Measures, expect: dict[str, Any], place: str) -> None:
    for name in ("unit", "rows", "suppressed", "sizes", "k"):
        if name in expect:
            found = getattr(measures, name)
            assert found == expect[name], f"{place}: {name} {found}, not {expect[name]}"
    if "l" in expect:
        assert set(measures.diversity.values()) == {expect["l"]}, f"{place}: l {measures.diversity}, not {expect['l']}"
    if "t" in expect:
        assert set(measures.distance.values()) == {Fraction(expect["t"])}, f"{place}: t {measures.distance}, not {expect['t']}"


AUDITED = {"k": "k_anonymity", "l": "distinct_l_diversity", "t": "t_closeness"}
"""Names of the audit's checks by the letters that case files use."""


def _judge_audit(outcome: Outcome, expect: dict[str, Any], place: str) -> None:
    if "error" in expect:
        _judge_failure(outcome, expect["error"], expect.get("words", ()), place)
        return
    assert outcome.failure is None, f"{place}: {outcome.failure}"
    assert outcome.fields is not None
    assert outcome.fields["passed"] is expect.get("passed", True), (
        f"{place}: passed is {outcome.fields['passed']}: {outcome.text}"
    )
    for letter, name in AUDITED.items():
        if letter in expect:
            reached = [check["reached"] for check in outcome.fields["checks"] if check["name"].startswith(name)]
            wanted = float(Fraction(expect[letter]))
            assert reached, f"{place}: the audit has no check {name}"
            assert abs(reached[0] - wanted) < 1e-12, f"{place}: {letter} {reached[0]}, not {wanted}"
    for word in expect.get("text", ()):
        assert word in outcome.text, f"{place}: {word!r} is not in: {outcome.text}"


def _check_rows(connection: Any, check: Check, place: str) -> None:
    found = [["NULL" if cell is None else cell for cell in row] for row in connection.execute(check.query).fetchall()]
    assert found == check.rows, f"{place}: {check.query} gives {found}, not {check.rows}"
