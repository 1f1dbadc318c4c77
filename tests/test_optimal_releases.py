"""``all_optimal``: the release tells how many are optimal and lists the others, or why they were not counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

import gensearch_db
from gensearch_db import Release
from gensearch_db.cli.main import main
from gensearch_db.privacy.k_anonymity import KAnonymity
from gensearch_db.privacy.registry import CONSTRAINTS, register

STRATEGIES = ["block_graph", "enumeration"]


@pytest.fixture
def square() -> duckdb.DuckDBPyConnection:
    """Four people at the corners of a square: it can be cut in two along either side, at the same cost."""
    connection = duckdb.connect()
    connection.execute("CREATE TABLE people AS SELECT i // 2 AS age, ['f', 'm'][i % 2 + 1] AS sex FROM range(4) t(i)")
    return connection


def release(connection: duckdb.DuckDBPyConnection, strategy: str, **fields: Any) -> Release:
    problem: dict[str, Any] = {"quasi_identifiers": ["age", "sex"], "k": 2, "minimize": "discernibility", **fields}
    options = {"all_optimal": True, **problem.pop("options", {})}
    return gensearch_db.anonymize(connection, "people", into="rel", strategy=strategy, options=options, replace=True, **problem)


ALONG_AGE = [({"age": "0", "sex": "*"}, 2), ({"age": "1", "sex": "*"}, 2)]
ALONG_SEX = [({"age": "*", "sex": "f"}, 2), ({"age": "*", "sex": "m"}, 2)]


def written(connection: duckdb.DuckDBPyConnection, columns: list[str]) -> list[tuple[dict[str, Any], int]]:
    """The blocks of the release in the database: their labels, and how many rows they have."""
    names = ", ".join(columns)
    rows = connection.execute(f"SELECT {names}, count(*)::BIGINT FROM rel GROUP BY {names} ORDER BY ALL").fetchall()
    return [(dict(zip(columns, row[:-1], strict=True)), row[-1]) for row in rows]


def listed(found: Release) -> list[list[tuple[dict[str, Any], int]]]:
    return [
        sorted(((dict(block.labels), block.rows) for block in each.blocks), key=lambda block: str(list(block[0].values())))
        for each in found.alternatives
    ]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_other_way_to_cut_a_square_is_listed(square: duckdb.DuckDBPyConnection, strategy: str) -> None:
    found = release(square, strategy)
    assert (found.optimal_count, found.cost) == (2, 8)
    own, (other,) = written(square, ["age", "sex"]), listed(found)
    assert sorted([str(own), str(other)]) == sorted([str(ALONG_AGE), str(ALONG_SEX)])
    assert found.notes == ()
    assert "optimal releases: 2, of which others listed here: 1\n  as good, number 1: 2 blocks" in found.to_text()
    assert "    age *, sex f: 2 rows" in found.to_text() or "    age 0, sex *: 2 rows" in found.to_text()
    (entry,) = gensearch_db.list_releases(square)
    assert entry.result["optimal_count"] == 2


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(("most", "expected"), [(0, 0), (1, 0), (2, 1), (3, 1)])
def test_no_more_are_listed_than_asked_for(square: duckdb.DuckDBPyConnection, strategy: str, most: int, expected: int) -> None:
    found = release(square, strategy, options={"list_at_most": most})
    assert (found.optimal_count, len(found.alternatives)) == (2, expected)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_single_optimal_release_is_said_to_be_one(square: duckdb.DuckDBPyConnection, strategy: str) -> None:
    found = release(square, strategy, k=1)
    assert (found.optimal_count, found.alternatives) == (1, ())
    assert "optimal releases: 1, " in found.to_text()


@pytest.mark.parametrize("labels", ["region", "values"])
def test_labels_are_those_that_would_be_written(labels: str) -> None:
    """Both strategies name the same releases, each of which one of them has written and the other one only listed."""
    with duckdb.connect() as connection:
        connection.execute(
            """CREATE TABLE people AS SELECT unnest([1, 2, 3, 4, NULL]) AS a, unnest(['p', 'q', 'r', 'r', 's']) AS c,
               DATE '2020-01-01' + 400 * unnest([0, 1, 2, 3, 4])::INTEGER AS d"""
        )
        columns = {"a": {"split": "anywhere"}, "d": {"split": "every year"}, "c": {"unordered": True}}
        named: dict[str, list[str]] = {}
        for strategy in STRATEGIES:
            found = release(connection, strategy, quasi_identifiers=columns, labels=labels)
            named[strategy] = sorted(str(each) for each in (*listed(found), written(connection, list(columns))))
            assert len(set(named[strategy])) == found.optimal_count
    assert named["block_graph"] == named["enumeration"]
    assert len(named["enumeration"]) > 2


def test_suppression_is_no_silent_end_of_the_list(square: duckdb.DuckDBPyConnection) -> None:
    found = release(square, "block_graph", suppress_at_most=25)
    assert (found.optimal_count, found.alternatives) == (None, ())
    assert found.notes[-1] == (
        "The optimal releases were not counted: block_graph cannot where rows may be suppressed; the strategy enumeration can."
    )
    assert f"note: {found.notes[-1]}" in found.to_text()
    assert release(square, "enumeration", suppress_at_most=25).optimal_count == 2
    few = release(square, "block_graph", suppress_at_most=24.9)  # no whole row
    assert few.optimal_count == 2


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_search_that_was_stopped_says_that_it_did_not_count(strategy: str) -> None:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE people AS SELECT i % 50 AS age, i * 7 % 40 AS sex FROM range(2000) t(i)")
        found = release(connection, strategy, node_limit=1, stop_after=1.0)
        assert found.optimal_count is None
        assert "optimal releases" in found.notes[-1]
        assert "not counted" in found.notes[-1]


def test_what_is_not_compiled_is_told(square: duckdb.DuckDBPyConnection) -> None:
    class InPython(KAnonymity):
        """k-anonymity that the kernel does not know."""

        name = "in_python"

        def compiled(self, table: Any) -> None:
            """None: judged in Python."""
            return None

    register(InPython)
    try:
        found = release(square, "block_graph", k=1, subject_to=["in_python(2)"])
        counted = release(square, "enumeration", k=1, subject_to=["in_python(2)"])
    finally:
        del CONSTRAINTS["in_python"]
    assert found.optimal_count is None
    assert found.notes[-1].startswith("The optimal releases were not counted: block_graph cannot with a constraint or cost")
    assert counted.optimal_count == 2


def test_who_did_not_ask_is_told_nothing(square: duckdb.DuckDBPyConnection) -> None:
    found = release(square, "block_graph", options={"all_optimal": False}, suppress_at_most=25)
    assert (found.optimal_count, found.alternatives, found.notes) == (None, (), ())
    assert "optimal releases" not in found.to_text()


def test_in_statements_and_on_the_command_line(
    square: duckdb.DuckDBPyConnection, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = gensearch_db.Connection(square)
    statement = (
        "ANONYMIZE TABLE people INTO {} QUASI IDENTIFIERS (age, sex) SUBJECT TO k_anonymity(2) MINIMIZE discernibility{}"
    )
    answer = own.execute(statement.format("one", " USING block_graph (all_optimal = true)")).df().iloc[0]
    assert answer["optimal_count"] == 2
    (other,) = json.loads(answer["alternatives"])
    assert [block["rows"] for block in other["blocks"]] == [2, 2]
    plain = own.execute(statement.format("two", "")).fetchall()[0]
    assert plain[-4:] == (None, None, "PASSED", None)
    square.execute(f"COPY people TO '{tmp_path / 'people.parquet'}'")
    problem = tmp_path / "problem.toml"
    problem.write_text(
        'table = "people.parquet"\ninto = "rel"\nsubject_to = ["k_anonymity(2)"]\nminimize = "discernibility"\n'
        "[options]\nall_optimal = true\n[quasi_identifiers]\nage = {}\nsex = {}\n"
    )
    main(["anonymize", str(tmp_path / "out.duckdb"), "--problem", str(problem), "--json"])
    printed = json.loads(capsys.readouterr().out)
    assert (printed["optimal_count"], len(printed["alternatives"])) == (2, 1)
