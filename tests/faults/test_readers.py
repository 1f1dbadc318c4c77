"""Audits and estimates while another connection replaces the release: each is of the old one or of the new one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import duckdb
import pytest

import gensearch_db
from gensearch_db.count_queries.estimating import estimate_sql
from gensearch_db.count_queries.generating import generate_workload
from gensearch_db.count_queries.macro import estimate_macro
from gensearch_db.database.session import Session
from gensearch_db.errors import GensearchError
from gensearch_db.statements.apply_release import apply_release

from .house import PEOPLE, problem
from .statements import statement_count, struck

KS = (40, 10)
QUERY = "SELECT COUNT(*) FROM people WHERE age < 40"
READERS: dict[str, tuple[Callable[[duckdb.DuckDBPyConnection], Any], int]] = {
    "audit": (lambda connection: gensearch_db.audit(connection, "rel").to_text(), 4),
    "audit with": (lambda connection: gensearch_db.audit(connection, "rel", together_with="rel").to_text(), 7),
    "estimate": (lambda connection: gensearch_db.estimate(connection, "rel", QUERY).estimates, 1),
    "releases": (lambda connection: [entry.problem for entry in gensearch_db.list_releases(connection)], 1),
}


@pytest.mark.parametrize("reader", READERS)
def test_a_reader_sees_the_old_release_or_the_new_one(reader: str) -> None:
    """2026-11-28: audits failed, and estimates were 0, where the release was replaced between two statements."""
    read, step = READERS[reader]
    with duckdb.connect() as connection:
        connection.execute(PEOPLE)
        ends = []
        for k in KS:
            gensearch_db.anonymize(connection, replace=True, **problem(k=k))
            ends.append(read(connection))
        assert ends[0] != ends[1]
        moments = range(1, statement_count(lambda: read(connection)) + 1, step)
        assert all(found in ends for found in read_amid_replacements(connection, lambda: read(connection), moments))


def read_amid_replacements(
    connection: duckdb.DuckDBPyConnection,
    read: Callable[[], Any],
    moments: range,
    problems: Sequence[dict[str, Any]] = tuple(problem(k=k) for k in KS),
) -> list[Any]:
    """What is read, each time with another release in place of ``rel`` from one of these statements on."""
    seen = []
    for number, at in enumerate(moments):
        with connection.cursor() as other, struck(at, lambda: None) as strikes:

            def replaced(to: dict[str, Any] = problems[number % 2], by: Any = other, done: Any = strikes) -> None:
                done.at = None
                gensearch_db.anonymize(by, replace=True, **to)

            strikes.fault = replaced
            seen.append(read())
    return seen


LIMITED = {**problem(), "node_limit": 1}
LISTED = {**LIMITED, "quasi_identifiers": {"age": {"order": [str(age) for age in range(20, 80)]}}}
TEXTS: dict[str, Callable[[duckdb.DuckDBPyConnection], str]] = {
    "estimate_sql": lambda connection: estimate_sql(connection, "rel", QUERY),
    "estimate_macro": lambda connection: estimate_macro(connection, "rel"),
    "generate_workload": lambda connection: generate_workload(connection, "rel", queries=3),
}


@pytest.mark.parametrize("text", TEXTS)
def test_a_statement_made_for_a_release_is_for_the_old_one_or_the_new_one(text: str) -> None:
    """2026-11-28: columns were those of one release, and were looked up in the blocks of the other, where they are lists."""
    with duckdb.connect() as connection:
        connection.execute(PEOPLE)
        ends = []
        for wanted in (LISTED, LIMITED):
            gensearch_db.anonymize(connection, replace=True, **wanted)
            ends.append(TEXTS[text](connection))
        assert ends[0] != ends[1]
        moments = range(1, min(6, statement_count(lambda: TEXTS[text](connection))) + 1)  # the release is opened by the first
        read = read_amid_replacements(connection, lambda: TEXTS[text](connection), moments, (LIMITED, LISTED))
        assert all(found in ends for found in read)


def by_release(connection: duckdb.DuckDBPyConnection) -> list[Any]:
    """The blocks that new rows get by the release ``rel``."""
    with Session(connection) as session:
        apply_release(session, "rel", "people", "again", replace=True)
    return connection.execute("SELECT * FROM again_blocks ORDER BY ALL").fetchall()


def test_new_rows_are_generalized_by_the_old_release_or_by_the_new_one() -> None:
    """2026-11-28: cut at the bounds of the one and looked up in the blocks of the other. What is replaced once writing has
    begun cannot matter, and waits."""
    with duckdb.connect() as connection:
        connection.execute(PEOPLE)
        ends = []
        for k in KS:
            gensearch_db.anonymize(connection, replace=True, **problem(k=k))
            ends.append(by_release(connection))
        assert ends[0] != ends[1]
        moments = range(2, statement_count(lambda: by_release(connection)) // 2, 5)
        assert all(found in ends for found in read_amid_replacements(connection, lambda: by_release(connection), moments))


@pytest.mark.parametrize("source", ["(SELECT age::INTEGER AS age, town, illness FROM texts)", "ages"])
def test_a_recorded_source_whose_rows_fail_does_not_keep_a_release_from_its_audit(source: str) -> None:
    """Within one state of the database too; in the user's transaction, which it aborts, it is an error that says so.

    2026-11-28: the error said neither, and the rows of a view failed in the midst of the audit, wherever it stood.
    """
    with duckdb.connect() as connection:
        connection.execute(PEOPLE)
        connection.execute("CREATE TABLE texts AS SELECT age::VARCHAR AS age, town, illness FROM people")
        connection.execute("CREATE VIEW ages AS SELECT age::INTEGER AS age, town, illness FROM texts")
        gensearch_db.anonymize(connection, **{**problem(), "table": source, "identifiers": []})
        connection.execute("INSERT INTO texts VALUES ('unknown', 'a', 'd1')")
        report = gensearch_db.audit(connection, "rel")
        assert report.passed
        assert "rows_covered" not in {check.name for check in report.checks if check.verdict.value == "PASSED"}
        connection.execute("BEGIN")
        with pytest.raises(GensearchError, match=r"ages|SELECT age") as refusal:
            gensearch_db.audit(connection, "rel")
        assert "'unknown'" in str(refusal.value)
        assert "aborted your transaction: ROLLBACK it, then audit outside of a transaction" in str(refusal.value)
        connection.execute("ROLLBACK")
        assert connection.execute("SELECT count(*) FROM duckdb_tables() WHERE temporary").fetchone() == (0,)
        assert gensearch_db.audit(connection, "rel", "people").passed
