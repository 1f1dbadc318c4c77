"""A release is never replaced by one that is made from itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from typer.testing import CliRunner

import gensearch_db
from gensearch_db import Problem
from gensearch_db.cli.main import application
from gensearch_db.errors import SpecificationError

FIELDS: dict[str, Any] = {"quasi_identifiers": {"age": {}}, "subject_to": ["k_anonymity(2)"], "minimize": "discernibility"}
OWN_SOURCE = r"reads 'own\.main\.rel(_blocks)?', which the release \S+ would replace"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database with a release ``rel`` of ``people``, and the view ``seen`` of a view of it."""
    file = tmp_path / "own.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute("CREATE TABLE people AS SELECT range % 5 AS age FROM range(40)")
        gensearch_db.anonymize(connection, "people", into="rel", **FIELDS)
        connection.execute("CREATE VIEW inner_view AS SELECT age FROM rel; CREATE VIEW seen AS FROM inner_view")
    return file


def contents(path: Path) -> list[list[tuple[Any, ...]]]:
    with duckdb.connect(str(path), read_only=True) as connection:
        tables = connection.execute("SELECT table_name, comment FROM duckdb_tables() ORDER BY ALL").fetchall()
        return [tables, *(connection.execute(f"FROM {name}").fetchall() for name in ("rel", "rel_blocks", "people"))]


SOURCES = [
    ("rel", "rel"),
    ("REL", "main.Rel"),
    ("own.main.rel", '"rel"'),
    ("seen", "rel"),
    ("(SELECT age FROM rel)", "rel"),
    ("rel_blocks", "rel"),
]


@pytest.mark.parametrize(("source", "into"), SOURCES)
def test_a_release_is_not_its_own_source(path: Path, source: str, into: str) -> None:
    before = contents(path)
    with pytest.raises(SpecificationError, match=f"(?i){OWN_SOURCE}") as caught:
        gensearch_db.anonymize(path, source, into=into, replace=True, **FIELDS)
    assert "\n" not in str(caught.value)
    assert contents(path) == before


OPTIMIZED_AWAY = [
    "(SELECT age FROM rel WHERE false)",
    "(SELECT count(*) AS age FROM rel)",
    "(SELECT age FROM people UNION ALL (SELECT 1 FROM rel LIMIT 0))",
    "(SELECT age, (SELECT count(*) FROM rel) AS n FROM people)",
    "(SELECT people.age FROM people LEFT JOIN one ON one.age = people.age)",
    "(FROM of_macro())",
    "empty_view",
]
"""Sources that read ``rel`` though the optimizer finds that they need not."""


@pytest.mark.parametrize("source", OPTIMIZED_AWAY)
def test_a_table_that_the_optimizer_leaves_out_is_read_all_the_same(path: Path, source: str) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE VIEW one AS SELECT DISTINCT 1 AS age FROM rel WHERE age = 'no such age'")
        connection.execute("CREATE MACRO of_macro() AS TABLE SELECT age FROM rel WHERE false")
        connection.execute("CREATE VIEW empty_view AS SELECT * FROM seen WHERE 1 = 2")
        with pytest.raises(SpecificationError, match=OWN_SOURCE):
            gensearch_db.anonymize(connection, source, into="rel", replace=True, **FIELDS)
        assert connection.execute("SELECT lower(current_setting('explain_output'))").fetchone() == ("physical_only",)


def test_a_locked_configuration_in_a_transaction_is_no_hindrance(path: Path) -> None:
    with gensearch_db.connect(path) as connection:
        connection.execute("SET lock_configuration = true; BEGIN; CREATE TABLE mine AS SELECT 1 AS x")
        connection.execute("EXPLAIN ANONYMIZE TABLE people INTO rel REPLACE QUASI IDENTIFIERS (age) SUBJECT TO k_anonymity(2)")
        assert connection.execute("FROM mine").fetchall() == [(1,)]


@pytest.mark.parametrize(
    "script",
    [
        "ANONYMIZE TABLE {} INTO rel REPLACE USING RELEASE rel",
        "EXPLAIN ANONYMIZE TABLE {} INTO rel REPLACE QUASI IDENTIFIERS (age) SUBJECT TO k_anonymity(2)",
    ],
)
def test_other_statements_with_replace_refuse_it(path: Path, script: str) -> None:
    before = contents(path)
    with gensearch_db.connect(path) as connection:
        for source in ("rel", "seen", "(SELECT age FROM rel_blocks WHERE false)"):
            with pytest.raises(SpecificationError, match=OWN_SOURCE):
                connection.execute(script.format(source))
        assert len(connection.execute(script.format("people")).fetchall()) >= 1
    if script.startswith("EXPLAIN"):
        assert contents(path) == before


def by_statement(path: Path, problem: Path) -> str:
    with gensearch_db.connect(path) as connection, pytest.raises(SpecificationError) as caught:
        connection.execute("ANONYMIZE TABLE rel INTO rel REPLACE QUASI IDENTIFIERS (age) SUBJECT TO k_anonymity(2)")
    return str(caught.value)


def by_command(path: Path, problem: Path) -> str:
    outcome = CliRunner().invoke(application, ["anonymize", str(path), "--problem", str(problem), "--replace"])
    assert outcome.exit_code != 0
    return outcome.output + str(outcome.exception)


def by_file(path: Path, problem: Path) -> str:
    with pytest.raises(SpecificationError) as caught:
        gensearch_db.anonymize(path, Problem.from_toml(problem), replace=True)
    return str(caught.value)


@pytest.mark.parametrize("way", [by_statement, by_command, by_file])
def test_every_way_in_refuses_it(path: Path, tmp_path: Path, way: Callable[[Path, Path], str]) -> None:
    problem = tmp_path / "p.toml"
    lines = ['table = "rel"', 'into = "rel"', f"subject_to = {json.dumps(FIELDS['subject_to'])}", "quasi_identifiers.age = {}"]
    problem.write_text("\n".join(lines))
    before = contents(path)
    assert "which the release rel would replace" in " ".join(way(path, problem).split())
    assert contents(path) == before


def test_another_view_is_a_source_for_a_replacement(path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE VIEW others AS SELECT age FROM people")
    assert gensearch_db.anonymize(path, "others", into="rel", replace=True, **FIELDS).rows_released == 40
