"""Errors that are met while a statement runs point into the script; misspelt openings are told."""

import io

import pytest

from gensearch_db.errors import QueryError, SpecificationError
from gensearch_db.statements.connection import Connection, connect
from gensearch_db.statements.script import opening_hint, parse_script
from gensearch_db.statements.shell import Shell


@pytest.fixture
def connection() -> Connection:
    connection = connect()
    connection.execute("CREATE TABLE people AS SELECT i % 10 AS age, i % 2 AS sex, i % 3 AS illness FROM range(60) t(i)")
    return connection


def pointed_at(error: BaseException) -> list[str]:
    """What stands above each row of carets."""
    lines = str(error).splitlines()
    return [
        lines[number - 1][line.index("^") : line.rindex("^") + 1]
        for number, line in enumerate(lines)
        if line.strip() and not line.strip("^ ")
    ]


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("ANONYMIZE TABLE peple INTO r QUASI IDENTIFIERS (age) SUBJECT TO k_anonymity(5)", ["peple"]),
        ('PROFILE "pe ple"', ['"pe ple"']),
        ("SELECT 1;\nPROFILE main.peple", ["main.peple"]),
        ("ANONYMIZE TABLE people INTO r\nQUASI IDENTIFIERS (agee, sexx) SENSITIVE (ilness)", ["agee", "sexx", "ilness"]),
        ("ANONYMIZE TABLE people INTO r QUASI IDENTIFIERS (age) SUBJECT TO t_closeness(0.2, ilness)", ["ilness"]),
        ("ANONYMIZE TABLE people INTO r QUASI IDENTIFIERS (age) SENSITIVE (age)", ["age"]),
        ("EXPLAIN ANONYMIZE TABLE people INTO r USING RELEASE q", ["USING RELEASE"]),
        ("ESTIMATE SELECT COUNT(*) FROM people USING nope", ["nope"]),
        ("AUDIT nope", ["nope"]),
        ("DROP RELEASE nope", ["nope"]),
        ("PROFILE (SELECT nope FROM people)", ["nope"]),
    ],
)
def test_errors_of_the_run_point_at_the_word(connection: Connection, script: str, words: list[str]) -> None:
    with pytest.raises((SpecificationError, QueryError)) as caught:
        connection.sql(script)
    assert pointed_at(caught.value) == words
    assert f"line {script.count(chr(10)) + 1}, " in str(caught.value)


def test_several_problems_stay_one_list(connection: Connection) -> None:
    with pytest.raises(SpecificationError, match="2 problems") as caught:
        connection.sql("ANONYMIZE TABLE people INTO r QUASI IDENTIFIERS (agee, sexx)")
    assert len(caught.value.problems) == 2
    assert "did you mean 'age'?" in caught.value.problems[0]


@pytest.mark.parametrize(
    ("script", "opening"),
    [
        ("ANONYMISE TABLE people INTO r", "ANONYMIZE"),
        ("SELECT 1; PROFLE people", "PROFILE"),
        ("SHOW RELEASE", "SHOW RELEASES"),
        ("DROP RELEASES r", "DROP RELEASE"),
    ],
)
def test_misspelt_openings_are_told(connection: Connection, script: str, opening: str) -> None:
    with pytest.raises(QueryError, match=f"Did you mean {opening}\\?"):
        Shell(connection, stream=io.StringIO()).run(script)


def test_misspelt_openings_are_told_in_mixed_scripts() -> None:
    with pytest.raises(QueryError, match=r"Did you mean PROFILE\?"):
        parse_script("SHOW RELEASES; PROFLE people")


@pytest.mark.parametrize(
    "script", ["SELECT 1", "SHOW TABLES", "DROP TABLE people", "EXPLAIN ANALYZE SELECT 1", "PROFILE t", ""]
)
def test_other_statements_are_no_misspelt_ones(script: str) -> None:
    assert opening_hint(script) == ""
