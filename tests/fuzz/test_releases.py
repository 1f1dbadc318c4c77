"""Random problems on random tables, through every entry point: a release that keeps the invariants, or one clear refusal.

Where the space is small, the search's answer is held against all hierarchical partitions (``tests/oracles/brute_force``).
``make fuzz`` goes on for longer: ``GENSEARCH_FUZZ`` says how many examples, ``--hypothesis-seed`` repeats a run.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

import gensearch_db
from gensearch_db.errors import GensearchError
from gensearch_db.search.result import Status
from tests.cases.entry_points import command
from tests.cases.invariants import Surroundings, fingerprint
from tests.cases.naming import toml
from tests.cases.statement_text import statement

from .checks import attempt, check, check_optimum, few, fuzzed, searches_seen, some
from .flags import flags
from .problems import Case, cases, grown, large_cases


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
@given(cases(refused=True))
def test_a_release_or_a_refusal(case: Case) -> None:
    with duckdb.connect() as connection, tempfile.TemporaryDirectory() as folder:
        case.create(connection)
        before = Surroundings.of(connection, Path(folder))
        with searches_seen() as seen:
            error = attempt(connection, case)
        for problem, result in seen:
            check_optimum(problem, result, case.problem.get("stop_within", 1.0))
        check(connection, case, before, Path(folder), error)


@pytest.mark.slow
@some(8)
@given(large_cases())
def test_tables_of_many_rows_and_attributes(case: Case) -> None:
    _attempted_and_checked(case)


@pytest.mark.slow
@few
@given(cases(most_attributes=3).filter(lambda case: case.rows), st.integers(100_000, 300_000), st.data())
def test_tables_of_hundreds_of_thousands_of_rows(case: Case, rows: int, data: st.DataObject) -> None:
    _attempted_and_checked(data.draw(grown(case, rows)))


def _attempted_and_checked(case: Case) -> None:
    with duckdb.connect() as connection, tempfile.TemporaryDirectory() as folder:
        case.create(connection)
        before = Surroundings.of(connection, Path(folder))
        error = attempt(connection, case)
        check(connection, case, before, Path(folder), error)


@pytest.mark.slow
@some(5)
@given(cases(most_rows=12, most_attributes=2, refused=True), st.sampled_from(["command", "flags", "statement", "problem file"]))
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
        # What a statement cannot say is an error of the statement.
        allowed = [ends[0]] + (["QueryError"] if entry == "statement" and ends[0] == "SpecificationError" else [])
        assert ends[1] in allowed


def _run(entry: str, path: Path, case: Case) -> str | None:
    """Run the problem on a file; the name of the error's class, or None."""
    problem = path.with_suffix(".toml")
    try:
        if entry == "python":
            gensearch_db.anonymize(path, **case.problem)
        elif entry == "statement":
            with gensearch_db.connect(path) as connection:
                connection.execute(statement(case.problem)).fetchall()
        else:
            problem.write_text(toml(case.problem), encoding="utf-8")
            said = flags(case.problem) if entry == "flags" else None
            if entry == "problem file":
                gensearch_db.anonymize(path, gensearch_db.Problem.from_toml(problem))
            else:
                event("flags" if said else "a problem file for the command")
                failure = command(["anonymize", str(path), "--json", *(said or ["--problem", str(problem)])]).failure
                return failure.classes[0] if failure is not None else None
    except GensearchError as error:
        return type(error).__name__
    return None


@pytest.mark.slow
@some(5)
@given(cases(most_rows=12, most_attributes=2), st.randoms(use_true_random=False))
def test_the_order_of_rows_and_columns_does_not_matter(case: Case, order: Any) -> None:
    ends = []
    for each in (case, case.shuffled(order)):
        with duckdb.connect(config={"threads": 1 if each is case else 4}) as connection:
            each.create(connection)
            error = attempt(connection, each)
            ends.append(str(error) if error else json.dumps(fingerprint(connection, "rel"), default=str))
    assert ends[0] == ends[1]
