"""The invariants themselves: a release made by hand passes, and each way of spoiling it is found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

from .invariants import Surroundings, check_release

PROBLEM: dict[str, Any] = {
    "table": "people",
    "into": "rel",
    "identifiers": ["name"],
    "quasi_identifiers": {"age": {"split": "anywhere"}, "zip": {"unordered": True}},
    "sensitive": ["d"],
    "subject_to": ["k_anonymity(2)", "distinct_l_diversity(2, d)", "t_closeness(0.5, d, distance = equal)"],
    "suppress_at_most": 20,
}

DICTIONARY = {
    "format": 1,
    "release": "rel",
    "unit": "rows",
    "rows": 6,
    "count": "count",
    "quasi_identifiers": [
        {
            "name": "age",
            "kind": "ordered",
            "type": "INTEGER",
            "label": "age",
            "lower": "age_lower",
            "upper": "age_upper",
            "missing": "age_missing",
            "integral": True,
            "domain": [None, None],
        },
        {"name": "zip", "kind": "categorical", "type": "VARCHAR", "label": "zip", "values": "zip_values"},
    ],
    "sensitive": [{"name": "d", "type": "VARCHAR", "distribution": "d_distribution"}],
    "keep": [],
}

BY_HAND = """
CREATE TABLE people(name VARCHAR, age INT, zip VARCHAR, d VARCHAR);
INSERT INTO people VALUES ('A',30,'10','x'),('B',31,'11','y'),('C',40,'10','x'),('D',41,NULL,'y'),('E',NULL,'12','x'),
  ('F',NULL,'12','y'),('G',30,'77','solely');
CREATE TABLE rel(age VARCHAR, zip VARCHAR, d VARCHAR);
INSERT INTO rel VALUES ('< 40','{10, 11}','x'),('< 40','{10, 11}','y'),('>= 40','{10, NULL}','x'),('>= 40','{10, NULL}','y'),
  (NULL,'12','x'),(NULL,'12','y');
CREATE TABLE rel_blocks(age VARCHAR, age_lower INT, age_upper INT, age_missing VARCHAR, zip VARCHAR, zip_values VARCHAR[],
  count BIGINT, d_distribution STRUCT(value VARCHAR, count BIGINT)[]);
INSERT INTO rel_blocks VALUES
  ('< 40', NULL, 40, 'no', '{10, 11}', ['10', '11'], 2, [{value: 'x', count: 1}, {value: 'y', count: 1}]),
  ('>= 40', 40, NULL, 'no', '{10, NULL}', ['10', NULL], 2, [{value: 'x', count: 1}, {value: 'y', count: 1}]),
  (NULL, NULL, NULL, 'only', '12', ['12'], 2, [{value: 'x', count: 1}, {value: 'y', count: 1}]);
"""


@pytest.fixture
def connection() -> Any:
    with duckdb.connect() as connection:
        connection.execute(BY_HAND)
        connection.execute(f"COMMENT ON TABLE rel_blocks IS '{json.dumps(DICTIONARY)}'")
        yield connection


def test_a_sound_release_passes(connection: duckdb.DuckDBPyConnection) -> None:
    measures = check_release(connection, PROBLEM)
    assert (measures.rows, measures.suppressed, measures.sizes, measures.k) == (6, 1, [2, 2, 2], 2)
    assert measures.diversity == {"d": 2}


SPOILS = {
    "a row is missing": "DELETE FROM rel WHERE age = '< 40' AND d = 'x'",
    "a row too many": "INSERT INTO rel VALUES ('< 40', '{10, 11}', 'x')",
    "a row under another label": "UPDATE rel SET age = '>= 40' WHERE age = '< 40' AND d = 'x'",
    "a wrong count": "UPDATE rel_blocks SET count = 3 WHERE age_lower = 40",
    "overlapping blocks": "UPDATE rel_blocks SET age_upper = 41, zip_values = ['10', '11', NULL] WHERE age_upper = 40",
    "a block that does not hold its rows": "UPDATE rel_blocks SET age_lower = 41 WHERE age_lower = 40",
    "a label that says other bounds": (
        "UPDATE rel_blocks SET age = '< 39' WHERE age = '< 40'; UPDATE rel SET age = '< 39' WHERE age = '< 40'"
    ),
    "a set that names too few": (
        "UPDATE rel_blocks SET zip = '{10}' WHERE zip = '{10, 11}'; UPDATE rel SET zip = '{10}' WHERE zip = '{10, 11}'"
    ),
    "an identifier rides along": "ALTER TABLE rel ADD COLUMN name VARCHAR",
    "a sensitive column is missing": "ALTER TABLE rel DROP COLUMN d",
    "a suppressed row's value in the distribution": (
        "UPDATE rel_blocks SET d_distribution = [{value: 'solely', count: 0}] WHERE age_lower = 40"
    ),
    "a suppressed row's value in a comment": "COMMENT ON TABLE rel IS 'without solely'",
    "diversity lost": "UPDATE rel SET d = 'x' WHERE age IS NULL",
}


@pytest.mark.parametrize("spoil", SPOILS)
def test_each_spoilt_release_is_found(connection: duckdb.DuckDBPyConnection, spoil: str) -> None:
    connection.execute(SPOILS[spoil])
    with pytest.raises(AssertionError):
        check_release(connection, PROBLEM)


@pytest.mark.parametrize("wanted", ["k_anonymity(3)", "distinct_l_diversity(3, d)", "t_closeness(0.1, d, distance = equal)"])
def test_a_constraint_that_is_not_met_is_found(connection: duckdb.DuckDBPyConnection, wanted: str) -> None:
    with pytest.raises(AssertionError, match="was required"):
        check_release(connection, {**PROBLEM, "subject_to": [wanted]})


LEFT_BEHIND = [
    "CREATE TABLE helper(i INT)",
    "CREATE TEMP TABLE helper(i INT)",
    "CREATE VIEW helper AS SELECT 1",
    "CREATE MACRO helper(i) AS i",
    "CREATE SEQUENCE helper",
    "CREATE TYPE helper AS ENUM ('a')",
    "CREATE SCHEMA helper",
    "CREATE INDEX helper ON people(age)",
    "CREATE SCHEMA gensearch; CREATE TABLE gensearch.releases(i INT)",
    "DROP TABLE people",
]


@pytest.mark.parametrize("statement", LEFT_BEHIND)
def test_what_a_failed_run_leaves_behind_is_found(
    connection: duckdb.DuckDBPyConnection, tmp_path: Path, statement: str
) -> None:
    before = Surroundings.of(connection, tmp_path)
    Surroundings.of(connection, tmp_path).check(before, release=None)
    connection.execute(statement)
    with pytest.raises(AssertionError):
        Surroundings.of(connection, tmp_path).check(before, release=None)


def test_a_file_left_behind_is_found(connection: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    before = Surroundings.of(connection, tmp_path)
    (tmp_path / "spill.tmp").write_text("raw values", encoding="utf-8")
    with pytest.raises(AssertionError, match="beside the database"):
        Surroundings.of(connection, tmp_path).check(before, release="rel")
