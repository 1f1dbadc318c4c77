"""Workloads: run and compared with counts made by plain SQL, kept as table and CSV, generated the same for the same seed."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import duckdb
import pytest

from gensearch_db.cli.main import main
from gensearch_db.count_queries import (
    estimate,
    estimate_macro,
    estimate_sql,
    generate_workload,
    read_queries,
    read_workload,
    run_workload,
)
from gensearch_db.errors import QueryError, SpecificationError
from tests.count_queries.fixtures import categorical, identity_release, make_release, ordered, sensitive

COLUMNS = [ordered("age", "INTEGER"), categorical("sex"), sensitive("ill")]
WORKLOAD = """
SELECT COUNT(*) FROM people WHERE people.age < 35;
SELECT sex, COUNT(*) AS n, COUNT(*) FILTER (WHERE ill = 'flu') FROM people p WHERE p.age >= 35 GROUP BY sex;
WITH people AS (SELECT * FROM people WHERE ill = 'hiv') SELECT COUNT(*) FROM people;
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "people.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            """CREATE TABLE source AS SELECT 30 + i % 10 AS age, CASE WHEN i % 3 = 0 THEN 'F' ELSE 'M' END AS sex,
               CASE WHEN i % 7 = 0 THEN 'hiv' ELSE 'flu' END AS ill FROM range(100) t(i)"""
        )
        identity_release(connection, "source", "exact", COLUMNS)
        block = {"age": (30, 40), "sex": ["F", "M"], "ill": {"flu": 85, "hiv": 15}, "count": 100}
        make_release(connection, "coarse", COLUMNS, [block])
    return path


def workload_file(folder: Path) -> Path:
    path = folder / "workload.sql"
    path.write_text(WORKLOAD, encoding="utf-8")
    return path


def test_truth_and_errors_are_those_of_plain_sql(file: Path, tmp_path: Path) -> None:
    report = run_workload(file, ["exact", "coarse"], workload_file(tmp_path), source="source")
    with duckdb.connect(str(file), read_only=True) as connection:
        (young,) = connection.execute("SELECT count(*) FROM source WHERE age < 35").fetchone() or (None,)
        groups = connection.execute(
            "SELECT sex, count(*), count(*) FILTER (ill = 'flu') FROM source WHERE age >= 35 GROUP BY sex ORDER BY sex"
        ).fetchall()
    expected = [young, groups[0][1], groups[0][2], groups[1][1], groups[1][2], 15]
    for release in ("exact", "coarse"):
        mine = [outcome for outcome in report.outcomes if outcome.release == release]
        assert [outcome.truth for outcome in mine] == expected
    assert [outcome.absolute_error for outcome in report.outcomes if outcome.release == "exact"] == [0] * 6
    coarse = [outcome for outcome in report.outcomes if outcome.release == "coarse"]
    assert [outcome.estimate.estimate for outcome in coarse] == pytest.approx([50, 25, 21.25, 25, 21.25, 15])
    errors = [abs(e - t) / t for e, t in zip([50, 25, 21.25, 25, 21.25, 15], expected, strict=True)]
    exact_summary, coarse_summary = report.summaries()
    assert exact_summary.p90_relative_error == 0
    assert coarse_summary.mean_relative_error == pytest.approx(sum(errors) / 6)
    assert coarse_summary.median_relative_error == pytest.approx(sum(sorted(errors)[2:4]) / 2)


def test_without_a_source_there_are_estimates_only(file: Path, tmp_path: Path) -> None:
    with duckdb.connect(str(file)) as connection:
        connection.execute("DROP TABLE source")
    report = run_workload(file, ["coarse"], workload_file(tmp_path))
    assert [outcome.truth for outcome in report.outcomes] == [None] * 6
    assert report.summaries() == ()


def test_results_are_kept_as_table_and_csv(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "errors.csv"
    arguments = ["queries", "run", str(file), "exact", "coarse", "--workload", str(workload_file(tmp_path))]
    main([*arguments, "--source", "source", "--into", "errors", "--csv", str(target), "--json"])
    printed = json.loads(capsys.readouterr().out)
    with duckdb.connect(str(file), read_only=True) as connection:
        kept = connection.execute("SELECT release, query, truth, estimate FROM errors").fetchall()
    with target.open(encoding="utf-8") as lines:
        written = [
            (row["release"], int(row["query"]), int(row["truth"]), float(row["estimate"])) for row in csv.DictReader(lines)
        ]
    told = [(row["release"], row["query"], row["truth"], row["estimate"]) for row in printed["outcomes"]]
    assert len(kept) == 12
    assert kept == written == told
    with pytest.raises(SystemExit) as failed:
        main([*arguments, "--into", "errors"])
    assert failed.value.code == SpecificationError.exit_code
    assert "errors" in capsys.readouterr().err


def test_generated_workloads_are_the_same_for_the_same_seed(file: Path) -> None:
    first = generate_workload(file, "exact", queries=30, predicates=[1, 2], selectivity=0.2, seed=5, table="source")
    assert first == generate_workload(file, "exact", queries=30, predicates=[1, 2], selectivity=0.2, seed=5, table="source")
    assert first != generate_workload(file, "exact", queries=30, predicates=[1, 2], selectivity=0.2, seed=6, table="source")
    queries = read_queries(first)
    assert len(queries) == 30
    with duckdb.connect(str(file), read_only=True) as connection:
        for query in queries:
            (truth,) = connection.execute(query.text).fetchone() or (None,)
            assert estimate(connection, "exact", query.text).estimate == pytest.approx(truth)


def test_generator_options_are_checked_together(file: Path) -> None:
    with pytest.raises(SpecificationError, match=r"(?s)2 problems.*selectivity.*predicates"):
        generate_workload(file, "exact", predicates=[9], selectivity=2.0)


@pytest.mark.parametrize("predicates", [None, [1]])
def test_no_queries_are_drawn_where_no_column_shows_values(predicates: list[int] | None) -> None:
    connection = duckdb.connect()
    make_release(
        connection, "r", [ordered("age", "INTEGER"), categorical("sex")], [{"age": (None, None), "sex": ["F"], "count": 4}]
    )
    with pytest.raises(SpecificationError, match=r"no column shows two values or bounds"):
        generate_workload(connection, "r", queries=3, predicates=predicates)


def test_the_statement_runs_without_this_package(file: Path) -> None:
    query = "SELECT COUNT(*) FROM people WHERE (age < 33 AND sex = 'F') OR ill = 'hiv'"
    statement = estimate_sql(file, "coarse", query)
    with duckdb.connect(str(file), read_only=True) as connection:
        row = connection.execute(statement).fetchone()
    one = estimate(file, "coarse", query).estimates[0]
    assert row == (0, one.estimate, one.deviation, one.lower, one.upper, one.blocks)
    assert one.estimate == pytest.approx(15 + 85 * 0.3 * 0.5)


def test_the_macro_gives_the_estimate(file: Path) -> None:
    macro = estimate_macro(file, "exact")
    with duckdb.connect(str(file)) as connection:
        connection.execute(macro)
        call = "SELECT estimate FROM exact_estimate(age_from := 32.5, age_to := 36, sex_in := ['F'], ill_in := ['flu'])"
        found = connection.execute(call).fetchone()
        truth = connection.execute(
            "SELECT count(*) FROM source WHERE age BETWEEN 32.5 AND 36 AND sex = 'F' AND ill = 'flu'"
        ).fetchone()
        everything = connection.execute("SELECT estimate FROM exact_estimate()").fetchone()
    assert found == truth
    assert everything == (100.0,)


@pytest.mark.parametrize(("asked", "condition"), [("sex_in := ['F']", "sex = 'F'"), ("ill_in := ['hiv']", "ill = 'hiv'")])
def test_the_macro_gives_the_estimate_where_division_is_of_whole_numbers(file: Path, asked: str, condition: str) -> None:
    """2026-11-28: shares of lists and of sensitive values were 0 with the setting ``integer_division``."""
    macro = estimate_macro(file, "coarse")
    expected = estimate(file, "coarse", f"SELECT COUNT(*) FROM people WHERE {condition}").estimate
    with duckdb.connect(str(file)) as connection:
        connection.execute(macro)
        connection.execute("SET integer_division = true")
        found = connection.execute(f"SELECT estimate FROM coarse_estimate({asked})").fetchone()
    assert found == (pytest.approx(expected),)


def test_bundled_workloads_are_found_by_name() -> None:
    assert len(read_workload("adult_paper").queries) == 6
    assert len(read_workload("demo.sql").queries) == 8


def test_files_that_are_no_workload(tmp_path: Path) -> None:
    with pytest.raises(SpecificationError, match="adult_paper"):
        read_workload("nosuch")
    empty = tmp_path / "empty.sql"
    empty.write_text("-- nothing\n", encoding="utf-8")
    with pytest.raises(QueryError, match=r"empty\.sql"):
        read_workload(empty)


def test_unknown_releases_are_named_with_near_matches(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["estimate", str(file), "exakt", "SELECT COUNT(*) FROM t"])
    assert "did you mean 'exact'?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("nosuch", "table nosuch does not exist"),
        ("main.sourc", "did you mean 'source'?"),
        ("nosuch.parquet", "file 'nosuch.parquet' does not exist"),
    ],
)
def test_an_unknown_source_is_told_in_our_words(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], source: str, message: str
) -> None:
    queries = tmp_path / "one.sql"
    queries.write_text("SELECT COUNT(*) FROM t WHERE sex = 'F';", encoding="utf-8")
    with pytest.raises(SystemExit):
        main(["queries", "run", str(file), "exact", "--workload", str(queries), "--source", source])
    complaint = capsys.readouterr().err
    assert message in complaint
    assert "Catalog Error" not in complaint
    assert "LINE" not in complaint


@pytest.mark.parametrize("name", ["my rel", "a.b", 'quo"ted', "select"])
def test_a_release_of_any_name_has_a_workload(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    """Found 2026-11-29: the bare name of the dictionary was read as a written one, which needs quotes."""
    make_release(connection, name, COLUMNS, [{"age": (30, 40), "sex": ["F", "M"], "ill": {"flu": 9}, "count": 9}])
    written = '"' + name.replace('"', '""') + '"'
    text = generate_workload(connection, written, queries=3, seed=1)
    assert text.count(f"FROM {written} WHERE") == 3
    assert len(read_queries(text)) == 3
