"""Random problems on random tables, through every entry point: a release that keeps the invariants, or one clear refusal.

Where the space is small, the search's answer is held against all hierarchical partitions (``tests/oracles/brute_force``).
``make fuzz`` goes on for longer: ``GENSEARCH_FUZZ`` says how many examples, ``--hypothesis-seed`` repeats a run.
"""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import gensearch_db
from gensearch_db import anonymization
from gensearch_db.errors import GensearchError, InfeasibleError
from gensearch_db.search.result import SearchProblem, SearchResult, Status
from tests.cases.entry_points import command
from tests.cases.invariants import Surroundings, check_release, fingerprint
from tests.cases.naming import toml
from tests.cases.statement_text import statement
from tests.oracles.brute_force import optimum

from .problems import Case, cases

LONG = "GENSEARCH_FUZZ" in os.environ
EXAMPLES = int(os.environ.get("GENSEARCH_FUZZ", "8"))

MOST_CELLS = 10
"""The largest space (occupied or empty cells) whose partitions are all looked at."""

# The short form repeats the same examples, so that a run of all tests depends on nothing but the code, and does not shrink
# what it finds, which takes minutes.
fuzzed = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=not LONG,
    phases=tuple(phase for phase in Phase if LONG or phase is not Phase.shrink),
    suppress_health_check=list(HealthCheck),
)


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


@contextmanager
def searches_seen() -> Iterator[list[tuple[SearchProblem, SearchResult]]]:
    """Inside, what searches are given and what they find is written down."""
    seen: list[tuple[SearchProblem, SearchResult]] = []
    search = anonymization.search

    def watched(problem: SearchProblem, *arguments: Any, **named: Any) -> SearchResult:
        result = search(problem, *arguments, **named)
        seen.append((problem, result))
        return result

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(anonymization, "search", watched)
        yield seen


def check_optimum(problem: SearchProblem, result: SearchResult) -> bool:
    """Hold cost, bound and status against the optimum, if the space is small enough; whether it was."""
    if math.prod(attribute.leaf_count for attribute in problem.space.attributes) > MOST_CELLS:
        return False
    best, _ = optimum(problem)
    tolerance = 1e-9 * max(1.0, abs(best)) if math.isfinite(best) else 0.0
    assert result.lower_bound <= best + tolerance, f"{result.status}: the bound is above the optimum"
    assert result.cost >= best - tolerance, f"{result.status}: the cost is below the optimum"
    if result.status is Status.OPTIMAL:
        assert result.cost <= best + tolerance, "called optimal, and there is a cheaper release"
    if result.status is Status.INFEASIBLE:
        assert math.isinf(best), f"called infeasible, and there is a release of cost {best}"
    return True


def test_tiny_problems_are_held_against_brute_force() -> None:
    """That the comparison takes place: a table small enough for it, and a wrong answer that it finds."""
    columns = (("age", "INTEGER", (1, 2, 2, 3, 3, 3)), ("illness", "VARCHAR", ("flu",) * 6))
    given_problem = {"table": "src", "into": "rel", "quasi_identifiers": {"age": {}}, "subject_to": ["k_anonymity(2)"]}
    with duckdb.connect() as connection, searches_seen() as seen:
        Case(columns, given_problem).create(connection)
        gensearch_db.anonymize(connection, **given_problem, strategy="enumeration")
    ((problem, result),) = seen
    assert result.status is Status.OPTIMAL
    assert check_optimum(problem, result)
    with pytest.raises(AssertionError, match="cheaper"):
        check_optimum(problem, replace(result, cost=result.cost + 1))


@pytest.mark.slow
@fuzzed
@given(cases())
def test_a_release_or_a_refusal(case: Case) -> None:
    with duckdb.connect() as connection, tempfile.TemporaryDirectory() as folder:
        case.create(connection)
        before = Surroundings.of(connection, Path(folder))
        error: GensearchError | None = None
        with searches_seen() as seen:
            try:
                gensearch_db.anonymize(connection, **case.problem)
            except GensearchError as refusal:
                error = refusal
        for problem, result in seen:
            check_optimum(problem, result)
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
