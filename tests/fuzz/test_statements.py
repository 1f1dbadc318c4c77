"""Random statements: read or refused with an error of ours, read again as what they were; carried out or refused as a whole."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import duckdb
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

import gensearch_db
from gensearch_db.errors import GensearchError, QueryError, SpecificationError
from gensearch_db.statements.canonical import statement_of
from gensearch_db.statements.entries import CLAUSES, OPTIONS, STATEMENTS
from gensearch_db.statements.script import holds_own_statement, is_complete, parse_script, parse_statement
from gensearch_db.statements.syntax import Anonymize
from tests.cases.invariants import Surroundings
from tests.cases.statement_text import statement

from .checks import INTERNAL, some
from .problems import Case, cases
from .test_count_queries import changed

EXAMPLES = tuple(
    text.replace("(", " ( ").replace(")", " ) ").replace(",", " , ").replace("\n", " ")
    for text in (
        *(entry.example for entry in STATEMENTS),
        *(f"ANONYMIZE TABLE adult INTO r QUASI IDENTIFIERS (sex) {entry.example}" for entry in CLAUSES),
        *(f"ANONYMIZE TABLE adult INTO r QUASI IDENTIFIERS ({entry.example})" for entry in OPTIONS),
    )
)
VOCABULARY = (
    *sorted({word for text in EXAMPLES for word in text.split()}),
    ";",
    "'",
    '"',
    "$$",
    "--",
    "/*",
    ".",
    "\x00",
    "é",
    "+",
    "*",
)


@pytest.mark.slow
@some(1)
@given(st.one_of(changed(EXAMPLES, VOCABULARY), st.lists(st.sampled_from(VOCABULARY), max_size=15).map(" ".join)))
def test_a_script_is_read_or_refused(script: str) -> None:
    holds_own_statement(script)
    is_complete(script)
    try:
        statements = parse_script(script)
    except (QueryError, SpecificationError):
        event("refused")
        return
    event("read")
    for each in statements:
        if isinstance(each, Anonymize) and each.names_roles:
            _reads_back(each)


@pytest.mark.slow
@some(2)
@given(cases(refused=True))
def test_a_problem_is_written_as_a_statement_and_read_back(case: Case) -> None:
    """Through the statement that tests write, and the one that the package writes."""
    try:
        problem = gensearch_db.anonymization.problem_from_fields(case.problem)
    except SpecificationError:
        return
    if not problem.quasi_identifiers:
        return
    written = parse_statement(statement_of(problem))
    assert isinstance(written, Anonymize)
    assert written.problem() == problem
    _reads_back(written)
    own = parse_statement(statement(case.problem))
    assert isinstance(own, Anonymize)
    assert own.problem() == problem


def _reads_back(each: Anonymize) -> None:
    problem = each.problem()
    text = statement_of(problem, each.replace)
    again = parse_statement(text)
    assert isinstance(again, Anonymize)
    assert (again.problem(), again.replace) == (problem, each.replace)
    assert statement_of(again.problem(), again.replace) == text, "the canonical text is not the text of what it says"


@contextmanager
def working_in(folder: str) -> Iterator[None]:
    """Inside, files without a folder of their own are written there."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


ADULT = """
CREATE TABLE adult AS SELECT 20 + i % 30 AS age, ['f', 'm', NULL][1 + i % 3] AS sex, ['<=50K', '>50K'][1 + i % 2] AS income,
  'z' || i % 4 AS zip, i AS name, i // 2 AS patient_id, 'w' || i % 3 AS workclass FROM range(40) r(i);
CREATE TABLE adult_2025 AS FROM adult;
"""


@pytest.mark.slow
@some(2)
@given(changed(EXAMPLES, tuple(word for word in VOCABULARY if not word.isdigit())))
def test_a_statement_is_carried_out_or_leaves_everything_as_it_was(script: str) -> None:
    with tempfile.TemporaryDirectory() as folder, working_in(folder), gensearch_db.connect() as connection:
        connection.execute(ADULT).fetchall()
        connection.execute(
            "ANONYMIZE TABLE adult INTO adult_release QUASI IDENTIFIERS (age SPLIT EVERY 10, sex) SENSITIVE (income) "
            "SUBJECT TO k_anonymity(2) USING mondrian"
        ).fetchall()
        before = Surroundings.of(connection.engine, Path(folder))
        single = len(parse_or_nothing(script)) == 1
        try:
            connection.execute(script).fetchall()
        except (GensearchError, duckdb.Error) as error:
            refusal = error
        else:
            event("carried out")
            return
        event("refused")
        if isinstance(refusal, GensearchError):
            assert not any(word in str(refusal) for word in INTERNAL[:1]), str(refusal)
        if single:
            Surroundings.of(connection.engine, Path(folder)).check(before, release=None)


@pytest.mark.slow
@some(4)
@given(cases(refused=True))
def test_any_table_can_be_looked_at_before_anything_is_written(case: Case) -> None:
    """EXPLAIN and PROFILE write nothing; the statement that PROFILE proposes is one that can be read, and run or refused."""
    with tempfile.TemporaryDirectory() as folder, gensearch_db.connect() as connection:
        case.create(connection.engine)
        before = Surroundings.of(connection.engine, Path(folder))
        with suppress(GensearchError):
            assert connection.execute(f"EXPLAIN {statement(case.problem)}").fetchall()
        columns = {name for name, *_ in connection.execute("DESCRIBE src").fetchall()}
        profiled = connection.execute("PROFILE src").fetchall()
        assert {name for name, *_ in profiled if name is not None} == columns
        Surroundings.of(connection.engine, Path(folder)).check(before, release=None)
        for text in [row[-1] for row in profiled if row[0] is None]:
            parse_script(text)
            with suppress(GensearchError):
                connection.execute(text).fetchall()
                event("the proposal was carried out")


def parse_or_nothing(script: str) -> list[object]:
    try:
        return list(parse_script(script))
    except GensearchError:
        return []
