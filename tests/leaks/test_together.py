"""Two releases of the same people, each safe alone: what whoever has both can tell, and the audit's warning of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

import gensearch_db
from gensearch_db.cli.main import main
from gensearch_db.database.audit.report import Verdict

EIGHT = """
CREATE TABLE people AS
SELECT * FROM (VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'a'), (6, 'b'), (7, 'c'), (8, 'a')) AS t(age, illness)
"""


def release(connection: duckdb.DuckDBPyConnection, into: str, split: str, k: int = 3, **fields: Any) -> None:
    gensearch_db.anonymize(
        connection,
        table="people",
        into=into,
        quasi_identifiers={"age": {"split": split}},
        sensitive=["illness"],
        subject_to=[f"k_anonymity({k})"],
        **fields,
    )


OTHER_PEOPLE = "CREATE TABLE others AS SELECT i AS height, 'flu' AS illness FROM range(9) r(i)"


@pytest.fixture
def eight(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    connection.execute(EIGHT)
    release(connection, "halves", "at 5")  # 1-4 and 5-8
    release(connection, "uneven", "at 4")  # 1-3 and 4-8
    return connection


def test_the_classes_of_the_join_are_those_worked_out_by_hand(eight: duckdb.DuckDBPyConnection) -> None:
    """1-3, the 4 alone, 5-8: each release has k = 3, together they show one person and the illness 'd'."""
    for first, second in (("halves", "uneven"), ("uneven", "halves")):
        report = gensearch_db.audit(eight, first, together_with=second)
        assert report.passed
        size = report.check("join_size")
        assert (size.verdict, size.reached, size.required, size.violations) == (Verdict.WARNING, 1, 3, 1)
        assert second in size.message
        assert "3 classes" in size.message
        diversity = report.check("join_diversity", "illness")
        assert (diversity.verdict, diversity.violations) == (Verdict.WARNING, 1)


def test_a_release_read_with_itself_tells_nothing_new(eight: duckdb.DuckDBPyConnection) -> None:
    report = gensearch_db.audit(eight, "halves", together_with="halves")
    size = report.check("join_size")
    assert (size.verdict, size.reached) == (Verdict.MEASURED, 4)
    assert report.check("join_diversity", "illness").verdict is Verdict.MEASURED


def test_absence_from_one_release_is_a_class_too(connection: duckdb.DuckDBPyConnection) -> None:
    """One lists everybody in one block, the other leaves out a single 90-year-old: the difference is that person."""
    connection.execute("CREATE TABLE people AS SELECT 20 + i % 2 AS age, 'd' || i % 3 AS illness FROM range(8) r(i)")
    connection.execute("INSERT INTO people VALUES (90, 'd1')")
    release(connection, "everybody", "at 91", k=9)
    release(connection, "without", "at 21, 30", k=3, suppress_at_most=20)
    assert connection.execute("SELECT count(*) FROM without").fetchone() == (8,)
    size = gensearch_db.audit(connection, "everybody", together_with="without").check("join_size")
    assert (size.verdict, size.reached) == (Verdict.WARNING, 1)


def test_sizes_count_persons_where_persons_are_protected(connection: duckdb.DuckDBPyConnection) -> None:
    """Two persons with three rows each; together the releases set each one's rows apart: three rows, one person."""
    connection.execute("CREATE TABLE people AS SELECT i // 3 AS who, i AS age, 'd' || i % 3 AS illness FROM range(12) r(i)")
    release(connection, "first", "at 6", k=2, person="who")
    release(connection, "second", "at 3, 9", k=2)
    for one, other in (("first", "second"), ("second", "first")):
        size = gensearch_db.audit(connection, one, together_with=other).check("join_size")
        assert (size.verdict, size.reached, size.violations) == (Verdict.WARNING, 1, 4)
        assert "persons" in size.message


def test_persons_who_cannot_be_told_apart_are_not_counted_as_rows(connection: duckdb.DuckDBPyConnection) -> None:
    """The catalog alone says which column it is; without it each person's three rows would pass for three."""
    connection.execute("CREATE TABLE people AS SELECT i // 3 AS who, i AS age, 'd' || i % 3 AS illness FROM range(12) r(i)")
    release(connection, "first", "at 6", k=2, person="who")
    release(connection, "second", "at 3, 9", k=1, person="who")
    connection.execute("DELETE FROM gensearch.releases")
    size = gensearch_db.audit(connection, "first", "people", together_with="second").check("join_size")
    assert size.verdict is Verdict.SKIPPED
    assert "the column that tells persons apart is not known" in size.message


@pytest.mark.parametrize("role", ["keep", "sensitive"])
def test_a_column_that_the_other_release_shows_as_it_is_tells_people_apart(
    connection: duckdb.DuckDBPyConnection, role: str
) -> None:
    """One generalizes age, the other keeps it: whoever is looked for by age and town is found by the very age."""
    connection.execute(
        "CREATE TABLE people AS SELECT 20 + i % 5 AS age, ['x', 'y'][1 + i % 2] AS town, 'd' || i % 3 AS illness"
        " FROM range(24) r(i) UNION ALL SELECT NULL, 'y', 'd1'"
    )
    how: dict[str, Any] = {"k": 3, "strategy": "enumeration", "suppress_at_most": 50}
    gensearch_db.anonymize(connection, "people", into="ages", quasi_identifiers=["age: at 21"], sensitive=["illness"], **how)
    gensearch_db.anonymize(connection, "people", into="towns", quasi_identifiers=["town"], **{**how, role: ["age"]})
    assert connection.execute("SELECT count(DISTINCT age), count(*) FROM ages").fetchall() == [(2, 24)]  # NULL is suppressed
    (classes, smallest, below) = connection.execute(
        "SELECT count(*), min(size), count(*) FILTER (WHERE size < 3)"
        " FROM (SELECT count(*) AS size FROM people GROUP BY age >= 21, town, age)"
    ).fetchall()[0]
    for one, other in (("ages", "towns"), ("towns", "ages")):
        report = gensearch_db.audit(connection, one, together_with=other)
        size = report.check("join_size")
        assert (size.verdict, size.reached, size.violations) == (Verdict.WARNING, smallest, below)
        assert f"of {classes} classes" in size.message
        assert "towns shows age as it is, which ages generalizes" in size.message
        assert [check.column for check in report.checks if check.name == "join_diversity"] == ["illness"]


def test_without_the_source_the_join_is_said_to_be_skipped(eight: duckdb.DuckDBPyConnection) -> None:
    eight.execute("DROP TABLE people")
    check = gensearch_db.audit(eight, "halves", together_with="uneven").check("join_size")
    assert check.verdict is Verdict.SKIPPED
    assert "source" in check.message


def test_other_rows_than_those_released_are_told(eight: duckdb.DuckDBPyConnection) -> None:
    eight.execute("INSERT INTO people VALUES (2, 'a')")
    size = gensearch_db.audit(eight, "halves", together_with="uneven").check("join_size")
    assert "9 rows of the source lie in the blocks of uneven, which has 8" in size.message
    assert "so these are not the classes of what was released: name the source of both with AGAINST" in size.message


def test_classes_of_other_rows_are_warned_of_though_they_are_large(eight: duckdb.DuckDBPyConnection) -> None:
    """Seven of the eight people: the one who stands alone in the join is missing."""
    eight.execute("DELETE FROM people WHERE age = 4")
    size = gensearch_db.audit(eight, "halves", together_with="uneven").check("join_size")
    assert (size.verdict, size.reached, size.violations) == (Verdict.WARNING, 3, 0)


def test_an_unknown_release_is_refused(eight: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(gensearch_db.GensearchError, match="'unevn'"):
        gensearch_db.audit(eight, "halves", together_with="unevn")


def test_the_command_warns(eight: duckdb.DuckDBPyConnection, database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    eight.close()
    main(["audit", str(database), "halves", "--with", "uneven", "--json"])
    (size,) = [check for check in json.loads(capsys.readouterr().out)["checks"] if check["name"] == "join_size"]
    assert (size["verdict"], size["reached"]) == ("WARNING", 1)


def joined(connection: duckdb.DuckDBPyConnection, script: str) -> list[tuple[Any, ...]]:
    """The rows of the audit's answer that speak of the join: check, column, verdict, reached, required, violations."""
    rows = gensearch_db.Connection(connection).execute(script).fetchall()
    return [row[:6] for row in rows if row[0].startswith("join_")]


def test_the_statement_warns(eight: duckdb.DuckDBPyConnection) -> None:
    assert joined(eight, "AUDIT halves WITH uneven") == [
        ("join_size", None, "WARNING", 1.0, "3", 1),
        ("join_diversity", "illness", "WARNING", 1.0, None, 1),
    ]
    assert joined(eight, "AUDIT halves AGAINST (SELECT * FROM people WHERE age <> 4) WITH uneven") == [
        ("join_size", None, "WARNING", 3.0, "3", 0),
        ("join_diversity", "illness", "MEASURED", 0.0, None, 0),
    ]
    assert joined(eight, "AUDIT halves WITH halves")[0][2:4] == ("MEASURED", 4.0)
    assert joined(eight, "AUDIT halves") == []


def test_the_statement_reads_the_callers_frames_that_both_were_made_from(connection: duckdb.DuckDBPyConnection) -> None:
    people = connection.sql(EIGHT.partition("AS")[2]).df()
    ours = gensearch_db.Connection(connection)
    for into, split in (("halves", 5), ("uneven", 4)):
        ours.execute(f"ANONYMIZE TABLE people INTO {into} QUASI IDENTIFIERS (age SPLIT AT {split}) SUBJECT TO k_anonymity(3)")
    assert len(people) == 8
    assert [row[3] for row in joined(connection, "AUDIT uneven WITH halves")] == [1]


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("AUDIT halves WITH unevn", r"line 1, column 19: table 'unevn' does not exist; did you mean 'uneven'"),
        ("AUDIT halves WITH people", "'people' is not a release of this package"),
        ("AUDIT halves WITH away.uneven", "there is no schema or database 'away'"),
        ("AUDIT halves WITH", "the name of another release"),
        ("AUDIT halves WITH (SELECT 1)", "the name of another release"),
        ("AUDIT halves WITH 'file.parquet'", "the name of another release"),
        ("AUDIT halves WITH uneven WITH halves", "WITH stands here for the second time"),
        ("AUDIT halves WIHT uneven", "did you mean 'WITH'"),
    ],
)
def test_what_is_no_other_release_is_refused_where_it_stands(
    eight: duckdb.DuckDBPyConnection, script: str, message: str
) -> None:
    with pytest.raises(gensearch_db.GensearchError, match=message) as caught:
        gensearch_db.Connection(eight).execute(script)
    assert "line 1, column " in str(caught.value)


def test_a_release_of_other_people_cannot_be_joined(eight: duckdb.DuckDBPyConnection) -> None:
    eight.execute(OTHER_PEOPLE)
    gensearch_db.anonymize(eight, table="others", into="of_others", quasi_identifiers=["height"], subject_to=["k_anonymity(3)"])
    rows = gensearch_db.Connection(eight).execute("AUDIT halves WITH of_others").fetchall()
    ((verdict, message),) = [(row[2], row[6]) for row in rows if row[0] == "join_size"]
    assert verdict == "SKIPPED"
    assert message.endswith("the source has no column height")


def test_a_foreign_table_has_no_blocks_to_be_joined(eight: duckdb.DuckDBPyConnection) -> None:
    rows = joined(eight, "AUDIT people QUASI IDENTIFIERS (age) WITH halves")
    assert [row[2] for row in rows] == ["SKIPPED"]


def test_handing_out_both_at_once_is_warned_of(
    eight: duckdb.DuckDBPyConnection, database: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the tables that both were made from, also behind views and queries; nothing of it stands in what is handed out."""
    eight.execute("CREATE VIEW seen AS FROM people WHERE true")
    eight.execute(OTHER_PEOPLE)
    how: dict[str, Any] = {"subject_to": ["k_anonymity(3)"]}
    gensearch_db.anonymize(eight, table="seen", into="of_view", quasi_identifiers=["age"], **how)
    gensearch_db.anonymize(eight, table="others", into="of_others", quasi_identifiers=["height"], **how)
    ours = gensearch_db.Connection(eight)
    answer = ours.execute(f"PUBLISH halves, of_view, of_others TO '{tmp_path}/both.duckdb'").fetchall()
    assert {row[0]: row[4] for row in answer} == {
        "halves": "made from the same people as of_view: what they tell together says AUDIT halves WITH of_view",
        "of_view": "made from the same people as halves: what they tell together says AUDIT of_view WITH halves",
        "of_others": None,
    }
    alone = ours.execute(f"PUBLISH halves TO '{tmp_path}/alone.duckdb'").fetchall()
    assert [row[4] for row in alone] == [None, None]
    eight.execute("DROP TABLE people")
    eight.close()
    main(["publish", str(database), "halves", "uneven", "--to", f"{tmp_path}/csv/*.csv"])
    printed = capsys.readouterr()
    assert printed.err.count("warning") == 2
    assert "AUDIT uneven WITH halves" in printed.err
    assert all("same people" not in path.read_text() for path in (tmp_path / "csv").iterdir())
