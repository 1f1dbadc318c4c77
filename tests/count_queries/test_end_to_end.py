"""Estimates on releases that the package itself wrote: true counts lie within the hard bounds, groups add up."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

import gensearch_db
from gensearch_db.count_queries import estimate, generate_workload, read_queries, run_workload
from gensearch_db.count_queries.workload import Workload
from gensearch_db.errors import QueryError
from gensearch_db.experiments.experiment_9 import run
from tests.count_queries.fixtures import categorical, make_release, ordered

QUERIES = """
SELECT COUNT(*) FROM people WHERE age BETWEEN 25 AND 44;
SELECT COUNT(*) FROM people WHERE age IS NULL OR age >= 60;
SELECT COUNT(*) FROM people WHERE born < DATE '1990-06-01' AND NOT city = 'Rome';
SELECT COUNT(*) FROM people WHERE income > 30.5 AND ill <> 'none';
SELECT COUNT(*) FROM people WHERE (age < 30 AND city IN ('Rome', 'Oslo')) OR (age > 50 AND ill = 'flu');
SELECT city, COUNT(*) FROM people GROUP BY city;
SELECT ill, COUNT(*) FROM people WHERE income <= 40 GROUP BY ill;
"""


@pytest.fixture(scope="module")
def people() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute(
        """CREATE TABLE people AS SELECT CASE WHEN i % 23 > 0 THEN 18 + (i * i * 7) % 70 END AS age,
           DATE '1960-01-01' + (i * 97 % 15000)::INTEGER AS born, ['Rome', 'Oslo', 'Bern', 'Kyiv', NULL][1 + i * i % 5] AS city,
           ((i * 13) % 811 / 10)::DECIMAL(6, 1) AS income, ['none', 'flu', 'hiv'][1 + i % 3] AS ill FROM range(400) r(i)"""
    )
    gensearch_db.anonymize(
        connection,
        "people",
        into="release",
        quasi_identifiers={
            "age": {"split": "every 10"},
            "born": {"split": "every year"},
            "city": {"unordered": True},
            "income": {"split": "8 quantiles", "domain": [0, 90]},
        },
        sensitive=["ill"],
        subject_to=["k_anonymity(10)", "distinct_l_diversity(2)"],
        stop_after=2,
    )
    return connection


def test_true_counts_lie_within_the_bounds(people: duckdb.DuckDBPyConnection) -> None:
    random = generate_workload(people, "release", queries=60, seed=3, table="people")
    workload = Workload("all", read_queries(QUERIES + random))
    report = run_workload(people, ["release"], workload, source="people")
    assert len(report.outcomes) >= 65
    for outcome in report.outcomes:
        one = outcome.estimate
        assert outcome.truth is not None
        assert one.lower <= outcome.truth <= one.upper, outcome.text
        assert one.lower - 1e-9 <= one.estimate <= one.upper + 1e-9, outcome.text


def test_sensitive_groups_are_exact_and_groups_add_up(people: duckdb.DuckDBPyConnection) -> None:
    answer = gensearch_db.estimate(people, "release", "SELECT ill, COUNT(*) FROM people GROUP BY ill")
    truth = dict(people.execute("SELECT ill, count(*) FROM people GROUP BY ill").fetchall())
    assert {one.group[0]: one.estimate for one in answer.estimates} == truth
    assert all(one.lower == one.upper for one in answer.estimates)
    cities = gensearch_db.estimate(people, "release", "SELECT city, COUNT(*) FROM people GROUP BY city")
    assert sum(one.estimate for one in cities.estimates) == pytest.approx(400)


def test_estimates_need_nothing_but_the_published_tables(people: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    query = "SELECT COUNT(*) FROM people WHERE age > 30 AND city = 'Rome'"
    before = gensearch_db.estimate(people, "release", query).estimates
    target = tmp_path / "handout.duckdb"
    people.execute(f"ATTACH '{target}' AS handout")
    people.execute("CREATE TABLE handout.release_blocks AS FROM release_blocks")
    named = "table_name = 'release_blocks' AND database_name = current_database()"
    (comment,) = people.execute(f"SELECT comment FROM duckdb_tables() WHERE {named}").fetchone() or ("",)
    people.execute(f"COMMENT ON TABLE handout.release_blocks IS '{comment}'")
    people.execute("DETACH handout")
    assert gensearch_db.estimate(str(target), "release", query).estimates == before


@pytest.mark.needs_data
@pytest.mark.slow
def test_experiment_9_prints_figure_22(data_folder: Path) -> None:
    source = str(data_folder / "adult" / "adult_complete_30162.parquet")
    with duckdb.connect() as connection:
        figure = run(connection, source, seconds=20)
        truths = [
            connection.execute(query.text.replace("adult A", f"'{source}' A", 1)).fetchone()
            for query in read_queries((Path("queries") / "adult_paper.sql").read_text(encoding="utf-8"))
        ]
    ours, mondrian = figure.report.summaries()
    told = [(outcome.truth,) for outcome in figure.report.outcomes if outcome.release == "adult_gensearch"]
    assert told == truths
    assert ours.mean_relative_error < mondrian.mean_relative_error
    assert figure.searches["gensearch"][1] <= figure.searches["mondrian"][1]
    header = figure.to_text().splitlines()[0].replace("error %", "error").split()
    assert header == ["query", "original", "gensearch", "error", "mondrian", "error"]


def test_a_column_with_a_single_bound_is_placed_even_where_the_query_has_no_bound_of_its_own() -> None:
    """``IS NOT NULL`` on regions ``< 2`` and ``>= 2``: nothing places the open ends, yet every row satisfies it."""
    connection = duckdb.connect()
    blocks = [{"i": (None, 2), "count": 3}, {"i": (2, None), "count": 4}]
    make_release(connection, "r", [ordered("i", "INTEGER")], blocks)
    for condition in ("i IS NOT NULL", "i = i", "i NOT BETWEEN NULL AND -1 OR i IS NOT NULL"):
        (found,) = estimate(connection, "r", f"SELECT COUNT(*) FROM t WHERE {condition}").estimates
        assert (found.estimate, found.lower, found.upper) == (7.0, 7, 7), condition


def test_text_against_a_number_is_an_error_of_the_query_with_its_place() -> None:
    """DuckDB would turn the published text into numbers, and fails at the first that is none."""
    connection = duckdb.connect()
    make_release(connection, "r", [categorical("c")], [{"c": ["Lyon", "3"], "count": 3}])
    with pytest.raises(QueryError, match=r"line 1, column 1: .*'Lyon'"):
        estimate(connection, "r", "SELECT COUNT(*) FROM t WHERE c = 3")
    script = "SELECT COUNT(*) FROM t;\nSELECT COUNT(*) FROM t WHERE c = 3;\nSELECT COUNT(*) FROM t WHERE c = '3'"
    with pytest.raises(QueryError, match=r"line 2, column 1: .*'Lyon'"):
        run_workload(connection, ["r"], Workload("w", read_queries(script)))
