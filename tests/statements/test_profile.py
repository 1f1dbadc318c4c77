"""PROFILE: numbers checked against plain SQL, verdicts on columns of known nature, and its statement run."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gensearch_db
from gensearch_db.statements.connection import Connection


def profile(connection: Connection, table: str) -> dict[str, dict[str, Any]]:
    rows = connection.execute(f"PROFILE {table}").fetchall()
    names = [column[0] for column in connection.description]
    return {row[0]: dict(zip(names, row, strict=True)) for row in rows}


def test_numbers_are_those_of_plain_sql(people: Connection) -> None:
    found = profile(people, "people")
    for column in ("id", "name", "age", "sex", "diagnosis"):
        distinct, nulls = people.execute(f"SELECT count(DISTINCT {column}), count(*) - count({column}) FROM people").fetchall()[
            0
        ]
        unique = people.execute(
            f"SELECT count(*) FROM (SELECT 1 FROM people WHERE {column} IS NOT NULL GROUP BY {column} HAVING count(*) = 1)"
        ).fetchall()[0][0]
        pairs = people.execute(
            f"SELECT count(*) FROM people a, people b WHERE a.id <> b.id AND a.{column} IS DISTINCT FROM b.{column}"
        ).fetchall()[0][0]
        assert found[column]["distinct_values"] == distinct
        assert found[column]["nulls"] == nulls
        assert found[column]["unique_share"] == unique / 400
        assert abs(found[column]["separates_alone"] - pairs / (400 * 399)) < 1e-12


def test_uniqueness_together_and_without(people: Connection) -> None:
    people.execute("CREATE TABLE few AS SELECT age % 7 AS a, age // 7 AS b, id % 11 AS c, sex FROM people").fetchall()
    found = profile(people, "few")
    columns = ["a", "b", "c", "sex"]

    def unique(names: list[str]) -> float:
        grouped = f"SELECT 1 FROM few GROUP BY {', '.join(names)} HAVING count(*) = 1"
        return people.execute(f"SELECT count(*) FROM ({grouped})").fetchall()[0][0] / 400

    for column in columns:
        assert found[column]["unique_with_others"] == unique(columns)
        assert found[column]["unique_without"] == unique([other for other in columns if other != column])


def test_verdicts_and_reasons(people: Connection) -> None:
    people.execute(
        "CREATE TABLE varied AS SELECT *, 1 AS one, [id] AS list, id / 7.0::DOUBLE AS measure, "
        "DATE '1950-01-01' + id::INTEGER AS born FROM people"
    ).fetchall()
    verdicts = {column: found["verdict"] for column, found in profile(people, "varied").items()}
    assert verdicts == {
        "id": "identifier",
        "name": "identifier",
        "age": "quasi-identifier candidate",
        "sex": "quasi-identifier candidate",
        "diagnosis": "sensitive candidate",
        "one": "constant",
        "list": "unsupported type",
        "measure": "quasi-identifier candidate",
        "born": "quasi-identifier candidate",
        None: "a statement to start from",
    }


def test_the_statement_to_start_from_runs(people: Connection) -> None:
    ready = profile(people, "people")[None]["reason"]  # type: ignore[index]
    people.execute(f"{ready} USING mondrian").fetchall()
    audit = people.execute("AUDIT people_release AGAINST people").fetchall()
    assert {row[2] for row in audit} <= {"PASSED", "MEASURED"}
    assert people.execute("SELECT release FROM (SHOW TABLES) AS t(release)").fetchall()[-1] == ("people_release_blocks",)


def test_no_value_of_a_row_is_shown(people: Connection) -> None:
    people.execute(
        "CREATE TABLE secret AS SELECT 'zzz' || (id % 90) AS town, 'yyy' || id AS who, 'www' AS one FROM people"
    ).fetchall()
    shown = str(people.execute("PROFILE secret").fetchall())
    assert not any(text in shown for text in ("zzz", "yyy", "www"))


def test_nan_and_null_are_both_missing(people: Connection) -> None:
    people.execute("CREATE TABLE floats AS SELECT unnest(['nan'::DOUBLE, NULL, 1.5, 0.0, -0.0]) AS x").fetchall()
    found = profile(people, "floats")["x"]
    assert (found["nulls"], found["distinct_values"], found["unique_share"]) == (2, 2, 1 / 5)


def test_wide_tables_odd_names_empty_tables_and_queries(people: Connection) -> None:
    columns = ", ".join(f'id % {i} AS "c {i} ""x"""' for i in range(2, 203))
    people.execute(f"CREATE TABLE wide AS SELECT {columns} FROM people").fetchall()
    found = profile(people, "wide")
    assert found['c 7 "x"']["distinct_values"] == 7
    people.execute("CREATE TABLE nothing (a INTEGER, b VARCHAR)").fetchall()
    assert {each["verdict"] for each in profile(people, "nothing").values()} == {"constant"}
    assert profile(people, "(SELECT age, sex FROM people)")["age"]["distinct_values"] == 60


NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=15)
HOSTILE = st.sampled_from(
    ['"; DROP TABLE people; --', "'); DROP TABLE people; --", "{{ x }}", "{% raw %}", "$1", "?", "a\nb", "$$", "/*"]
)


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(NAMES | HOSTILE, NAMES | HOSTILE)
def test_no_name_smuggles_sql_into_what_runs(people: Connection, table: str, column: str) -> None:
    table = f"{table}_"
    people.execute(f"CREATE OR REPLACE TABLE {quoted(table)} AS SELECT age AS {quoted(column)} FROM people").fetchall()
    assert profile(people, quoted(table))[column]["distinct_values"] == 60
    people.execute(f"DROP TABLE {quoted(table)}").fetchall()
    assert people.execute("SHOW TABLES").fetchall() == [("people",)]


def test_the_ready_statement_runs_whatever_the_types() -> None:
    connection = gensearch_db.connect()
    connection.execute(
        "CREATE TABLE odd AS SELECT i % 3 AS h, uuid() AS u, TIME '10:00' + (i % 7) * INTERVAL 1 HOUR AS clock,"
        " INTERVAL (i % 4) DAY AS span, ('a' || i % 3)::ENUM('a0', 'a1', 'a2') AS e, [i] AS l, i % 2 = 0 AS b,"
        " TIMESTAMPTZ '2020-01-01 00:00:00+00' + INTERVAL (i % 50) DAY AS instant FROM range(100) t(i)"
    )
    ready = connection.sql("PROFILE odd").fetchall()[-1][-1]
    ((release, *_, audit, _),) = connection.sql(ready + " STOP AFTER INTERVAL 1 SECOND").fetchall()
    assert (release, audit) == ("memory.main.odd_release", "PASSED")


def test_no_entry_of_an_enum_is_shown_however_deep(people: Connection) -> None:
    people.execute("CREATE TYPE letter AS ENUM ('a', 'NEVERSEEN [', 'INTEGER')")
    values = "'a'::letter AS plain, ['a'::letter] AS list, row('a'::letter) AS tuple, {'ENUM(''x'')': 'a'::letter} AS struct"
    people.execute(f"CREATE TABLE letters AS SELECT i % 2 AS age, {values} FROM range(8) r(i)")
    rows = people.execute("PROFILE letters").fetchall()
    assert "NEVERSEEN" not in str(rows)
    verdicts = {row[0]: (row[1], row[8]) for row in rows}
    assert verdicts["plain"] == ("ENUM(…)", "constant")
    assert verdicts["list"] == ("ENUM(…)[]", "unsupported type")
    assert verdicts["struct"][0] == """STRUCT("ENUM('x')" ENUM(…))"""
