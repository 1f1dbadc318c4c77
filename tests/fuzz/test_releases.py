"""Random problems on random tables, through every entry point: a release that keeps the invariants, or one clear refusal.

``make fuzz`` goes on for longer: ``GENSEARCH_FUZZ`` says how many examples, ``--hypothesis-seed`` repeats a run.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gensearch_db
from gensearch_db.errors import GensearchError, InfeasibleError
from tests.cases.entry_points import command
from tests.cases.invariants import Surroundings, check_release, fingerprint
from tests.cases.naming import toml
from tests.cases.statement_text import statement

from .problems import Case, cases

EXAMPLES = int(os.environ.get("GENSEARCH_FUZZ", "10"))

fuzzed = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))


def check(connection: duckdb.DuckDBPyConnection, case: Case, before: Surroundings, folder: Path, error: Any) -> None:
    """What must hold after a run that raised ``error`` or nothing."""
    after = Surroundings.of(connection, folder)
    if error is not None:
        after.check(before, release=None)
        assert not (case.only_k and case.rows >= case.k), f"refused what any table can give: {error}"
        return
    after.check(before, release="rel")
    assert case.rows >= case.k or case.rows == 0, "a release of fewer rows than k"
    if case.rows:
        check_release(connection, case.problem)
    report = gensearch_db.audit(connection, "rel")
    assert report.passed, report.to_text()


@pytest.mark.slow
@fuzzed
@given(cases())
def test_a_release_or_a_refusal(case: Case) -> None:
    with duckdb.connect() as connection, tempfile.TemporaryDirectory() as folder:
        case.create(connection)
        before = Surroundings.of(connection, Path(folder))
        error: GensearchError | None = None
        try:
            gensearch_db.anonymize(connection, **case.problem)
        except GensearchError as refusal:
            error = refusal
        assert error is None or not (case.only_k and case.rows) or isinstance(error, InfeasibleError), repr(error)
        check(connection, case, before, Path(folder), error)


@pytest.mark.slow
@settings(fuzzed, max_examples=max(5, EXAMPLES // 5))
@given(cases(most_rows=12, most_attributes=2), st.sampled_from(["command", "statement"]))
def test_other_entry_points_give_the_same(case: Case, entry: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        ends: list[Any] = []
        for name in ("python", entry):
            path = Path(folder) / f"{name}.duckdb"
            with duckdb.connect(path) as connection:
                case.create(connection)
            failed = _run(name, path, case)
            with duckdb.connect(path) as connection:
                ends.append(failed or fingerprint(connection, "rel"))
        assert ends[0] == ends[1]


def _run(entry: str, path: Path, case: Case) -> str | None:
    """Run the problem on a file; the name of the error's class, or None."""
    try:
        if entry == "python":
            gensearch_db.anonymize(path, **case.problem)
        elif entry == "statement":
            with gensearch_db.connect(path) as connection:
                connection.execute(statement(case.problem)).fetchall()
        else:
            problem = path.with_suffix(".toml")
            problem.write_text(toml(case.problem), encoding="utf-8")
            failure = command(["anonymize", str(path), "--problem", str(problem), "--json"]).failure
            return failure.classes[0] if failure is not None else None
    except GensearchError as error:
        return type(error).__name__
    return None


@pytest.mark.slow
@settings(fuzzed, max_examples=max(5, EXAMPLES // 5))
@given(cases(most_rows=12, most_attributes=2), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(case: Case, order: Any) -> None:
    shuffled = list(range(case.rows))
    order.shuffle(shuffled)
    other = Case(tuple((name, kind, tuple(values[i] for i in shuffled)) for name, kind, values in case.columns), case.problem)
    ends = []
    for each in (case, other):
        with duckdb.connect(config={"threads": 1 if each is case else 4}) as connection:
            each.create(connection)
            try:
                gensearch_db.anonymize(connection, **each.problem)
                ends.append(json.dumps(fingerprint(connection, "rel"), default=str))
            except GensearchError as error:
                ends.append(str(error))
    assert ends[0] == ends[1]
