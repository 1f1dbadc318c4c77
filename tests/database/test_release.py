"""Releases of hand-made partitions, judged by plain SQL on the written tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

from gensearch_db.anonymization import anonymize
from gensearch_db.database.audit import AuditReport
from gensearch_db.database.catalog import drop_release, find_release, list_releases
from gensearch_db.database.dictionary import ReleaseDictionary
from gensearch_db.database.release import write_release
from gensearch_db.database.session import Session
from gensearch_db.domain.region import Interval, LeafSet
from gensearch_db.errors import AuditError, SourceChangedError, SpecificationError
from gensearch_db.privacy.registry import constraints_from_texts
from tests.conftest import everything_in
from tests.database import hand_made

CERTIFICATE = {"status": "OPTIMAL", "cost": 1.0, "lower_bound": 1.0, "blocks": 2, "rows_suppressed": 0}
Blocks = tuple[tuple[Interval, LeafSet], ...]


@pytest.fixture
def session(connection: duckdb.DuckDBPyConnection) -> Iterator[Session]:
    connection.execute(hand_made.SETUP)
    with Session(connection) as opened:
        yield opened


def release(session: Session, blocks: Blocks, *, before: str = "", replace: bool = False, **fields: Any) -> AuditReport:
    """Write one release; ``before`` is SQL that runs after the cells were counted."""
    problem = hand_made.problem(**fields)
    with hand_made.prepared(session, problem) as prepared:
        if before:
            session.connection.execute(before)
        constraints = constraints_from_texts(problem.subject_to, problem.sensitive)
        made = hand_made.partition(prepared, blocks)
        report = write_release(prepared, made, constraints, CERTIFICATE, {}, replace=replace)
    return report


def test_rows_carry_the_labels_of_their_blocks_and_nothing_else(session: Session) -> None:
    release(session, hand_made.YOUNG_AND_REST)
    rows = session.connection.sql("FROM rel")
    assert rows.columns == ["age", "town", "illness", "note", "count"]
    assert rows.fetchall() == [
        ("< 30", "*", "high", "n2", 2),
        ("< 30", "*", "low", "n1", 1),
        (">= 30 or NULL", "*", "high", "n5", 5),
        (">= 30 or NULL", "*", "high", None, 6),
        (">= 30 or NULL", "*", "low", "n3", 3),
        (">= 30 or NULL", "*", "low", "n4", 4),
        (">= 30 or NULL", "*", None, "n7", 7),
    ]


def test_blocks_have_typed_bounds_counts_and_distributions(session: Session) -> None:
    release(session, hand_made.YOUNG_AND_REST)
    blocks = session.connection.sql("FROM rel_blocks")
    assert blocks.columns == [
        "age", "age_lower", "age_upper", "age_missing", "town", "town_values", "count_", "illness_distribution",
    ]  # fmt: skip
    towns = ["x", "y", "z", None]
    assert blocks.fetchall() == [
        ("< 30", None, 30, "no", "*", towns, 2, [{"value": "high", "count": 1}, {"value": "low", "count": 1}]),
        (
            ">= 30 or NULL", 30, None, "possible", "*", towns, 5,
            [{"value": "high", "count": 2}, {"value": "low", "count": 2}, {"value": None, "count": 1}],
        ),
    ]  # fmt: skip


def test_the_dictionary_names_every_column(session: Session) -> None:
    release(session, hand_made.YOUNG_AND_REST, typed_columns=True)
    comment = session.connection.execute("SELECT comment FROM duckdb_tables() WHERE table_name = 'rel_blocks'").fetchone()
    assert comment is not None
    dictionary = ReleaseDictionary.from_json(comment[0])
    assert dictionary.count == "count_"  # the user keeps a column of that name
    age, town = dictionary.quasi_identifiers
    assert (age.kind, age.lower, age.upper, age.missing, age.integral) == (
        "ordered",
        "age_lower",
        "age_upper",
        "age_missing",
        True,
    )
    assert (town.kind, town.values) == ("categorical", "town_values")
    assert [column.distribution for column in dictionary.sensitive] == ["illness_distribution"]
    assert dictionary.rows == 7
    assert set(session.connection.sql("FROM rel").columns) >= {"age_lower", "age_upper", "town_values"}


def test_suppressed_rows_and_their_values_are_absent(session: Session) -> None:
    report = release(session, hand_made.KNOWN_TOWNS)
    assert (report.rows, report.rows_suppressed) == (6, 1)
    everything = str(session.connection.sql("FROM rel").fetchall() + session.connection.sql("FROM rel_blocks").fetchall())
    assert "n7" not in everything


def test_a_value_that_only_suppressed_rows_have_is_not_listed(session: Session) -> None:
    """The regions take in all towns, and the only row without one is suppressed: all that is known of towns is ``*``."""
    young_and_known = ((Interval(0, 1), LeafSet(0b0111)), (Interval(2, 4), LeafSet(0b0111)))  # without the row of town z
    release(session, young_and_known)
    assert session.connection.sql("SELECT DISTINCT town, town_values FROM rel_blocks").fetchall() == [("*", ["x", "y"])]


def test_labels_of_values_name_what_occurs(session: Session) -> None:
    release(session, hand_made.YOUNG_AND_REST, labels="values")
    labels = session.connection.sql("SELECT age, town, town_values FROM rel_blocks ORDER BY age").fetchall()
    assert labels == [("< 30", "x", ["x"]), (">= 30 or NULL", "{y, z, NULL}", ["y", "z", None])]


def test_user_types_can_be_dropped(session: Session) -> None:
    release(session, hand_made.YOUNG_AND_REST)
    session.connection.execute("DROP TABLE people; DROP TYPE severity")
    assert session.connection.execute("SELECT count(*) FROM rel WHERE illness = 'low'").fetchone() == (3,)


def test_row_order_is_canonical_whatever_the_user_set(session: Session) -> None:
    release(session, hand_made.YOUNG_AND_REST)
    first = session.connection.sql("FROM rel").fetchall()
    run = session.connection.execute
    run("CREATE OR REPLACE TABLE people AS FROM people ORDER BY hash(name, 'another order')")
    run("SET default_null_order = 'NULLS_FIRST'; SET default_collation = 'NOCASE'; SET preserve_insertion_order = false")
    release(session, hand_made.YOUNG_AND_REST, replace=True)
    assert session.connection.sql("FROM rel").fetchall() == first
    assert run("SELECT current_setting('preserve_insertion_order')").fetchone() == (False,)


def test_nothing_is_left_but_the_release_and_the_catalog(session: Session) -> None:
    before = everything_in(session.connection)
    release(session, hand_made.YOUNG_AND_REST)
    new = {entry[2:] for entry in everything_in(session.connection) - before}
    assert new == {("main", "rel"), ("main", "rel_blocks"), ("gensearch", "releases"), ("gensearch", "")}


@pytest.mark.parametrize(
    "change",
    [
        "INSERT INTO people VALUES ('h', 21, 'x', 'low', 'n8', 8)",
        "DELETE FROM people WHERE name = 'a'",
        "UPDATE people SET age = 60 WHERE name = 'a'",
        "UPDATE people SET illness = 'high' WHERE name = 'a'",
    ],
)
def test_a_source_that_changed_is_refused(session: Session, change: str) -> None:
    before = everything_in(session.connection)
    with pytest.raises(SourceChangedError, match="'people' changed"):
        release(session, hand_made.YOUNG_AND_REST, before=change)
    assert everything_in(session.connection) == before


def test_a_release_that_fails_its_audit_is_rolled_back(session: Session) -> None:
    before = everything_in(session.connection)
    with pytest.raises(
        AuditError, match=r"k_anonymity: the smallest block holds 2 rows; 1 blocks with 2 rows are smaller than 3"
    ):
        release(session, hand_made.YOUNG_AND_REST, subject_to=["k_anonymity(3)"])
    assert everything_in(session.connection) == before


def test_an_older_release_is_replaced_only_when_asked(session: Session) -> None:
    release(session, hand_made.YOUNG_AND_REST)
    with pytest.raises(SpecificationError, match=r"main.rel' exists already, a release made .*: ask to replace it"):
        release(session, hand_made.KNOWN_TOWNS)
    assert session.connection.execute("SELECT count(*) FROM rel").fetchone() == (7,)
    release(session, hand_made.KNOWN_TOWNS, replace=True)
    assert session.connection.execute("SELECT count(*) FROM rel").fetchone() == (6,)
    assert len(list_releases(session)) == 1


def test_a_failed_replacement_leaves_the_older_release(session: Session) -> None:
    release(session, hand_made.YOUNG_AND_REST)
    before = session.connection.sql("FROM rel").fetchall()
    with pytest.raises(AuditError):
        release(session, hand_made.KNOWN_TOWNS, replace=True, subject_to=["k_anonymity(3)"])
    assert session.connection.sql("FROM rel").fetchall() == before
    assert len(list_releases(session)) == 1


@pytest.mark.parametrize(
    "taken", ["CREATE TABLE rel (a INT)", "CREATE VIEW REL AS SELECT 1", "CREATE TABLE rel_blocks (a INT)"]
)
def test_other_tables_are_never_replaced(session: Session, taken: str) -> None:
    session.connection.execute(taken)
    with pytest.raises(SpecificationError, match="exists already and is not a release of this package"):
        release(session, hand_made.YOUNG_AND_REST, replace=True)


def test_an_open_transaction_of_the_user_is_refused(session: Session) -> None:
    session.connection.execute("BEGIN; INSERT INTO people VALUES ('mine', 20, 'x', 'low', 'n', 1)")
    with pytest.raises(SpecificationError, match="a transaction is open"):
        release(session, hand_made.YOUNG_AND_REST)
    session.connection.execute("COMMIT")
    assert session.connection.execute("SELECT count(*) FROM people").fetchone() == (8,)


def test_dropping_a_release_takes_its_tables_and_its_catalog_row(session: Session) -> None:
    release(session, hand_made.YOUNG_AND_REST)
    with pytest.raises(SpecificationError, match="did you mean 'rel'"):
        drop_release(session, "rell")
    drop_release(session, "rel")
    tables = {row[0] for row in session.connection.sql("SELECT table_name FROM duckdb_tables()").fetchall()}
    assert tables == {"people", "releases"}
    assert list_releases(session) == []


def test_the_catalog_keeps_the_problem(session: Session) -> None:
    release(session, hand_made.YOUNG_AND_REST, typed_columns=True)
    (database,) = session.connection.sql("SELECT current_database()").fetchall()[0]
    entry = find_release(session, (database, "main", "rel"))
    assert entry is not None
    assert entry.problem == hand_made.problem(typed_columns=True)
    assert entry.result == CERTIFICATE


def test_rows_that_are_nothing_but_their_block_are_in_the_order_of_labels(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    run = connection.execute
    run("CREATE TABLE people AS SELECT hash(i) % 7 AS age, 'Town ' || hash(i, 't') % 5 AS town FROM range(300) AS numbers(i)")
    made = anonymize(
        connection, "people", into="rel", k=4, quasi_identifiers=["age", "town"], strategy="mondrian", typed_columns=True
    )
    assert made.blocks > 5
    assert run("FROM rel").fetchall() == run("FROM rel ORDER BY encode(age), encode(town)").fetchall()
    assert run("SELECT count(*) FROM rel").fetchone() == (300,)
    assert (
        run("SELECT age, count(*) FROM rel GROUP BY ALL ORDER BY ALL").fetchall()
        == run('SELECT age, sum("count") FROM rel_blocks GROUP BY ALL ORDER BY ALL').fetchall()
    )
