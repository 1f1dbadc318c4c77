"""The invariants themselves: a release made by hand passes, and each way of spoiling it is found."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pytest

from .invariants import Surroundings, check_release
from .printed_labels import calendar_unit, is_label_of_set, prefix_names, taxonomy_names

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
    "a value whose label carries a number for no reason": (
        "UPDATE rel_blocks SET zip = '12 #1' WHERE zip = '12'; UPDATE rel SET zip = '12 #1' WHERE zip = '12'"
    ),
    "a label that ends a day late": "UPDATE rel_blocks SET age_upper = 42 WHERE age_lower = 40",
    "a set in another order": (
        "UPDATE rel_blocks SET zip = '{11, 10}' WHERE zip = '{10, 11}'; UPDATE rel SET zip = '{11, 10}' WHERE zip = '{10, 11}'"
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


WORLD = taxonomy_names(
    [("Other", "Europe", "World"), ("Oslo", "Europe", "World"), ("Other", "Asia", "World"), ("x", "Other", "World")], set()
)


@pytest.mark.parametrize(
    ("text", "values", "tree", "says"),
    [
        ("Oslo", ["Oslo"], WORLD, True),
        ("Oslo #1", ["Oslo"], WORLD, False),
        ("Other #3", ["Other"], WORLD, True),
        ("Other #4", ["Other"], WORLD, False),
        ("Other #x", ["Other"], WORLD, False),
        ("Other #02", ["Other"], WORLD, False),
        ("Europe", ["Oslo", "Other"], WORLD, True),
        ("Afrika", ["Oslo", "Other"], WORLD, False),
        ("a #1", ["a"], prefix_names({"a", "b"}), False),
        ("0* #1", ["0*"], prefix_names({"0*", "01", "012", "2"}), True),
        ("0* #3", ["0*"], prefix_names({"0*", "01", "012", "2"}), False),
        ("01* #1", ["01", "012"], prefix_names({"0*", "01", "012", "2"}), False),
        ("'*'", ["*"], None, True),
        ("*", ["*"], None, False),
        ("*", ["a", None], None, True),
        ("{a, NULL}", ["a", None], None, True),
        ("{a, NULL}", ["a", "NULL"], None, False),
        ("{a, 'NULL'}", ["a", "NULL"], None, True),
        ("low .. high", ["low", "mid", "high"], None, True),
        ("low .. high or NULL", ["low", "mid", "high"], None, False),
        ("low .. mid", ["low", "mid", "high"], None, False),
        ("low or NULL", ["low", None], None, True),
        ("low or NULL", ["low", "mid", None], None, False),
        ("'a .. b' or NULL", ["a .. b", None], None, True),
        ("a .. b or NULL", ["a .. b", None], None, False),
        (None, [None], None, True),
        ("NULL", [None], None, False),
        (None, ["a"], None, False),
    ],
)
def test_labels_of_sets(text: str | None, values: list[str | None], tree: Counter[str] | None, says: bool) -> None:
    assert is_label_of_set(text, values, tree) is says


@pytest.mark.parametrize(
    ("text", "kind", "unit"),
    [
        ("2021", "DATE", ("2021-01-01", "1 YEAR")),
        ("2021-02", "TIMESTAMP", ("2021-02-01", "1 MONTH")),
        ("2020-Q4", "DATE", ("2020-10-01", "3 MONTHS")),
        ("2020-W01", "DATE", ("2019-12-30", "7 DAYS")),
        ("1990s", "DATE", ("1990-01-01", "10 YEARS")),
        ("2021-02-03", "TIMESTAMP", ("2021-02-03", "1 DAY")),
        ("2021-02-03", "DATE", None),
        ("2021", "INTEGER", None),
        (">= 2021", "DATE", None),
    ],
)
def test_names_of_units_of_time(text: str, kind: str, unit: tuple[str, str] | None) -> None:
    assert calendar_unit(text, kind) == unit
