"""Audits judged on tables whose k, l and t are known by counting, and on releases spoilt by hand."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

from gensearch_db.database.audit import AuditReport, Verdict, audit
from gensearch_db.database.session import Session
from gensearch_db.errors import SpecificationError
from tests.conftest import everything_in
from tests.database import hand_made
from tests.database.test_release import release


@pytest.fixture
def session(connection: duckdb.DuckDBPyConnection) -> Iterator[Session]:
    connection.execute(hand_made.SETUP)
    with Session(connection) as opened:
        yield opened


def foreign(connection: duckdb.DuckDBPyConnection, setup: str, **asked: object) -> AuditReport:
    connection.execute(setup)
    return audit(connection, "t", **asked)  # type: ignore[arg-type]


def test_null_is_a_value_of_its_own_in_a_key(connection: duckdb.DuckDBPyConnection) -> None:
    """N01: a row with one blank cell is unique."""
    report = foreign(
        connection,
        "CREATE TABLE t (a VARCHAR, b VARCHAR);"
        "INSERT INTO t VALUES ('A', 's'), ('A', 's'), ('A', 'm'), ('A', 'm'), ('A', NULL)",
        quasi_identifiers=["a", "b"],
        subject_to=["k_anonymity(2)"],
    )
    check = report.check("k_anonymity")
    assert (check.verdict, check.reached, check.violations) == (Verdict.FAILED, 1, 1)
    assert "NULL" in report.null_rule
    assert not report.passed


def test_the_class_of_null_keeps_its_rows(connection: duckdb.DuckDBPyConnection) -> None:
    """N03: joining classes back with = would lose it."""
    report = foreign(
        connection,
        "CREATE TABLE t (q VARCHAR, s INT); INSERT INTO t VALUES (NULL, 1), (NULL, 1), (NULL, 0), ('x', 1), ('x', 0)",
        quasi_identifiers=["q"],
        sensitive=["s"],
        subject_to=["k_anonymity(2)", "distinct_l_diversity(2)"],
    )
    assert report.passed
    assert (report.check("k_anonymity").reached, report.check("distinct_l_diversity").reached) == (2, 2)
    assert (report.rows, report.blocks) == (5, 2)


def test_null_is_no_diversity(connection: duckdb.DuckDBPyConnection) -> None:
    """N04."""
    report = foreign(
        connection,
        "CREATE TABLE t (q VARCHAR, s VARCHAR);"
        "INSERT INTO t VALUES ('x', 'hiv'), ('x', NULL), ('x', NULL), ('y', 'flu'), ('y', 'hiv'), ('y', NULL)",
        quasi_identifiers=["q"],
        sensitive=["s"],
        subject_to=["distinct_l_diversity(2, s)"],
    )
    assert report.check("distinct_l_diversity").reached == 1
    assert not report.passed
    assert report.check("homogeneous_blocks").verdict is Verdict.WARNING
    assert report.check("homogeneous_blocks").violations == 1


@pytest.mark.parametrize("missing", ["NULL", "'nan'::DOUBLE"])
def test_nan_and_null_are_one_missing_value(connection: duckdb.DuckDBPyConnection, missing: str) -> None:
    """N06."""
    report = foreign(
        connection,
        f"CREATE TABLE t (age DOUBLE); INSERT INTO t VALUES (30), (30), (NULL), ({missing})",
        quasi_identifiers=["age"],
        subject_to=["k_anonymity(2)"],
    )
    assert report.passed
    assert report.blocks == 2


def test_a_collation_does_not_join_classes(connection: duckdb.DuckDBPyConnection) -> None:
    report = foreign(
        connection,
        "CREATE TABLE t (q VARCHAR COLLATE NOCASE, s VARCHAR COLLATE NOCASE);"
        "INSERT INTO t VALUES ('a', 'x'), ('A', 'X'), ('a', 'y'), ('A', 'x')",
        quasi_identifiers=["q"],
        sensitive=["s"],
    )
    assert (report.blocks, report.check("distinct_l_diversity").reached) == (2, 2)


def test_a_marker_sets_suppressed_rows_apart(connection: duckdb.DuckDBPyConnection) -> None:
    """S01: with the marker declared k = 2 over 3 blocks and one suppressed row, without it k = 1."""
    setup = (
        "CREATE TABLE t (age VARCHAR, gender VARCHAR);"
        "INSERT INTO t VALUES ('<50', 'f'), ('<50', 'm'), ('>=50', 'm'), ('*', '*'), ('<50', 'f'), ('>=50', 'm'), ('<50', 'm')"
    )
    marked = foreign(connection, setup, quasi_identifiers=["age", "gender"], suppression_marker="*")
    assert (marked.check("k_anonymity").reached, marked.blocks, marked.rows, marked.rows_suppressed) == (2, 3, 6, 1)
    plain = audit(connection, "t", quasi_identifiers=["age", "gender"])
    assert (plain.check("k_anonymity").reached, plain.blocks, plain.rows_suppressed) == (1, 4, None)


def test_t_is_exact_at_a_tie(connection: duckdb.DuckDBPyConnection) -> None:
    """B11: t is 3/10 exactly, where doubles give more."""
    setup = (
        "CREATE TABLE t (q VARCHAR, s VARCHAR); INSERT INTO t SELECT 'A', 'c' FROM range(2);"
        "INSERT INTO t SELECT 'B', unnest(['a', 'b', 'b', 'c', 'c', 'c', 'c', 'c'])"
    )
    report = foreign(
        connection, setup, quasi_identifiers=["q"], sensitive=["s"], subject_to=["t_closeness(0.3, s, distance = equal)"]
    )
    assert report.passed
    assert report.check("t_closeness_equal").reached == 0.3
    strict = audit(
        connection, "t", quasi_identifiers=["q"], sensitive=["s"], subject_to=["t_closeness(0.29, s, distance = equal)"]
    )
    assert [check.name for check in strict.failures] == ["t_closeness"]


def test_homogeneous_blocks_are_warned_of(connection: duckdb.DuckDBPyConnection) -> None:
    """P06: k = 3 says nothing where everyone in a block has the same illness; t = 2/3."""
    report = foreign(
        connection,
        "CREATE TABLE t AS SELECT (i // 3)::VARCHAR AS zip, 'd' || (i // 3) AS diag FROM range(9) r(i)",
        quasi_identifiers=["zip"],
        sensitive=["diag"],
        subject_to=["k_anonymity(3)"],
    )
    assert report.passed
    assert report.check("homogeneous_blocks").violations == 3
    assert report.check("t_closeness_equal").reached == pytest.approx(2 / 3)


def test_rows_that_stand_alone_are_warned_of_where_no_k_was_required(connection: duckdb.DuckDBPyConnection) -> None:
    """A request that forgets its constraints gives the table as it is; ``k_anonymity(1)`` says that this is meant."""
    setup = "CREATE TABLE t (q INT); INSERT INTO t VALUES (1), (2), (2), (3)"
    check = foreign(connection, setup, quasi_identifiers=["q"]).check("k_anonymity")
    assert (check.verdict, check.reached, check.violations) == (Verdict.WARNING, 1, 2)
    assert "2 rows stand alone" in check.message
    meant = audit(connection, "t", quasi_identifiers=["q"], subject_to=["k_anonymity(1)"]).check("k_anonymity")
    assert (meant.verdict, meant.violations) == (Verdict.PASSED, 0)
    connection.execute("DELETE FROM t WHERE q <> 2")
    enough = audit(connection, "t", quasi_identifiers=["q"]).check("k_anonymity")
    assert (enough.verdict, enough.reached, enough.violations) == (Verdict.MEASURED, 2, 0)


def test_an_empty_table_has_no_k(connection: duckdb.DuckDBPyConnection) -> None:
    """E01."""
    report = foreign(connection, "CREATE TABLE t (age INT, d VARCHAR)", quasi_identifiers=["age"], sensitive=["d"])
    assert (report.blocks, report.check("k_anonymity").reached) == (0, None)


def test_unknown_columns_are_reported_together(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("CREATE TABLE t (age INT, d VARCHAR)")
    with pytest.raises(SpecificationError) as raised:
        audit(connection, "t", quasi_identifiers=["agee"], sensitive=["x"])
    assert "there is no column 'agee' in 't'; did you mean 'age'?" in str(raised.value)
    assert "there is no column 'x' in" in str(raised.value)


def test_a_table_that_is_no_release_needs_quasi_identifiers(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("CREATE TABLE t (age INT)")
    with pytest.raises(SpecificationError, match="'t' is not a release of this package"):
        audit(connection, "t")


SPOILS = {
    "k_anonymity": "UPDATE rel SET age = '[0, 1)' WHERE note = 'n1'",
    "blocks_agree": "UPDATE rel SET age = '< 30' WHERE note = 'n5'",
    "typed_columns_agree": "UPDATE rel SET age_upper = 31 WHERE note = 'n1'",
    "distributions_agree": "UPDATE rel SET illness = 'low' WHERE note = 'n2'",
    "rows_balance": "UPDATE rel SET note = 'n1' WHERE note = 'n2'",
    "rows_covered": "UPDATE rel_blocks SET age_upper = 22 WHERE age = '< 30'",
    "one_block_each": "UPDATE rel_blocks SET age_upper = 32 WHERE age = '< 30'",
}


@pytest.mark.parametrize("check", SPOILS)
def test_what_was_changed_by_hand_is_found(session: Session, check: str) -> None:
    release(session, hand_made.YOUNG_AND_REST, typed_columns=True)
    assert audit(session, "rel").passed
    session.connection.execute(SPOILS[check])
    assert check in {failed.name for failed in audit(session, "rel").failures}


def test_the_source_is_not_needed(session: Session) -> None:
    """A02: without it the release alone is audited, and the report says what was not compared."""
    release(session, hand_made.YOUNG_AND_REST)
    session.connection.execute("DROP TABLE people")
    report = audit(session, "rel")
    assert report.passed
    assert report.check("source").verdict is Verdict.SKIPPED


def test_a_published_copy_is_audited_by_its_dictionary(session: Session) -> None:
    """The two tables alone, in another database, without the catalog."""
    release(session, hand_made.YOUNG_AND_REST)
    run = session.connection.execute
    (comment,) = run("SELECT comment FROM duckdb_tables() WHERE table_name = 'rel_blocks'").fetchall()[0]
    run("ATTACH ':memory:' AS copy; CREATE TABLE copy.rel AS FROM rel; CREATE TABLE copy.rel_blocks AS FROM rel_blocks")
    run(f"COMMENT ON TABLE copy.rel_blocks IS '{comment}'")
    report = audit(session, "copy.rel", subject_to=["k_anonymity(2)"])
    assert report.passed
    assert {check.name for check in report.checks} >= {"k_anonymity", "blocks_agree", "distributions_agree"}


def test_an_audit_leaves_nothing_and_works_read_only(session: Session, database: object) -> None:
    release(session, hand_made.YOUNG_AND_REST)
    before = everything_in(session.connection)
    assert audit(session, "rel").passed
    assert everything_in(session.connection) == before
    session.connection.close()
    with duckdb.connect(str(database), read_only=True) as connection:
        assert audit(connection, "rel").passed


def test_the_report_reads_the_same_as_text_and_as_values(session: Session) -> None:
    release(session, hand_made.YOUNG_AND_REST)
    report = audit(session, "rel")
    values = report.to_dict()
    assert values["passed"] is True
    assert values["unit"] == "rows"
    for check in values["checks"]:
        assert f"{check['name']}: {check['message']}" in report.to_text()
