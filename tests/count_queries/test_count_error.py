"""``count_error`` as the cost of a search, held to what count_queries estimates on each block of the written release.

Estimates come from a release of that one block, true counts from plain SQL over the source's rows inside its published bounds.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest
from typer.testing import CliRunner

import gensearch_db
from gensearch_db.cli.main import application
from gensearch_db.count_queries import read_queries
from gensearch_db.errors import GensearchError

QUERIES = """
SELECT COUNT(*) FROM t WHERE age BETWEEN 23 AND 47 AND s <> 'b';
SELECT COUNT(*) FROM t WHERE f < 2.25 AND day >= DATE '2024-01-20' AND age > 55;
SELECT COUNT(*) FROM t WHERE s IN ('a', 'c') AND age IS NOT NULL;
SELECT COUNT(*) FROM t WHERE age IS NULL AND f >= 1;
SELECT COUNT(*) FROM t WHERE city IN ('x1', 'y1') AND n BETWEEN 4 AND 30;
SELECT COUNT(*) FROM t WHERE n = 9;
SELECT COUNT(*) FROM t WHERE n IN (4, 25) OR n IS NULL;
SELECT COUNT(*) FROM t;
"""
AGE = {"split": "every 10", "domain": [20, 79]}
F = {"split": "at 2, 4", "domain": [0, 6]}
N = {"split": "anywhere", "domain": [1, 36]}
DAY = {"split": "every month", "domain": ["2024-01-01", "2024-03-31"]}
CITY = {"taxonomy": "cities"}
SETS: dict[str, dict[str, Any]] = {
    "cut leaves, missing values": {"age": AGE, "s": {"unordered": True}, "f": F, "day": DAY, "n": N, "city": CITY},
    "single values with gaps between": {"n": N, "age": {**AGE, "split": "anywhere"}, "f": {**F, "split": "anywhere"}}
    | {"s": {}, "day": DAY, "city": CITY},
    "relaxed, ordered": {"city": {"taxonomy": "cities", "relaxed": True}, "s": {"order": True}, "age": AGE}
    | {"f": F, "n": N, "day": DAY},
}


@pytest.fixture
def table() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute(
        """CREATE TABLE t AS SELECT CASE WHEN i % 17 > 0 THEN (20 + i * 7 % 60)::INTEGER END AS age,
           ['a', 'b', 'c'][1 + (i * i) % 3] AS s, CASE WHEN i % 11 > 0 THEN (i * 5 % 13 / 4)::DOUBLE END AS f,
           DATE '2024-01-01' + (i * 11 % 90)::INTEGER AS day, ['x1', 'x2', 'x3', 'y1', 'y2'][1 + (i * i * 3) % 5] AS city,
           CASE WHEN i % 13 > 0 THEN ((i % 6 + 1) * (i % 6 + 1))::INTEGER END AS n FROM range(240) r(i)"""
    )
    connection.execute(
        "CREATE TABLE cities AS FROM (VALUES ('x1', 'x'), ('x2', 'x'), ('x3', 'x'), ('y1', 'y'), ('y2', 'y'), ('x', 'all'),"
        " ('y', 'all')) v(child, parent)"
    )
    return connection


@pytest.fixture
def workload(tmp_path: Path) -> Path:
    path = tmp_path / "queries.sql"
    path.write_text(QUERIES)
    return path


def inside(connection: duckdb.DuckDBPyConnection, columns: list[str]) -> str:
    """The condition that a row of ``t`` lies in a block ``b`` of ``r_blocks``."""
    names = {row[0] for row in connection.execute("DESCRIBE r_blocks").fetchall()}
    tests = []
    for column in columns:
        if f"{column}_values" in names:
            tests.append(f"list_contains(b.{column}_values, t.{column})")
            continue
        end = f"t.{column} < b.{column}_upper OR (b.{column}_lower = b.{column}_upper AND t.{column} = b.{column}_lower)"
        known = f"(t.{column} >= b.{column}_lower AND ({end}))"
        if f"{column}_missing" not in names:
            tests.append(known)
        else:
            tests.append(f"CASE WHEN t.{column} IS NULL THEN b.{column}_missing <> 'no' ELSE coalesce({known}, false) END")
    return " AND ".join(tests)


def error_of_release(
    connection: duckdb.DuckDBPyConnection, columns: list[str], queries: str, *, relative: bool = False
) -> float:
    """The sum over queries and blocks of |truth - estimate|, each block as a release of its own."""
    comment = connection.execute("SELECT comment FROM duckdb_tables() WHERE table_name = 'r_blocks'").fetchone()
    assert comment is not None
    blocks = connection.execute("SELECT count(*) FROM r_blocks").fetchone()
    assert blocks is not None
    total = 0.0
    counted = 0
    for block in range(blocks[0]):
        connection.execute(f"CREATE OR REPLACE TABLE one_blocks AS SELECT * FROM r_blocks WHERE rowid = {block}")
        connection.execute("COMMENT ON TABLE one_blocks IS '" + comment[0].replace("'", "''") + "'")
        for query in read_queries(queries):
            estimate = gensearch_db.estimate(connection, "one", query.text).estimates[0].estimate
            rows = f"(SELECT t.* FROM t, one_blocks AS b WHERE {inside(connection, columns)})"
            (truth,) = connection.execute(query.text.replace("FROM t", f"FROM {rows} AS t")).fetchone()  # type: ignore[misc]
            (whole,) = connection.execute(query.text).fetchone()  # type: ignore[misc]
            counted += truth
            total += abs(truth - estimate) / (max(1, whole) if relative else 1)
    everything = sum(connection.execute(query.text).fetchone()[0] for query in read_queries(queries))  # type: ignore[index]
    assert counted == everything  # the blocks hold every row once
    return total


@pytest.mark.parametrize("strategy", ["block_graph", "mondrian"])
@pytest.mark.parametrize("kinds", SETS)
def test_the_cost_is_the_error_on_the_written_release(
    table: duckdb.DuckDBPyConnection, workload: Path, kinds: str, strategy: str
) -> None:
    release = gensearch_db.anonymize(
        table,
        "t",
        into="r",
        quasi_identifiers=SETS[kinds],
        k=25,
        minimize=f"count_error('{workload}')",
        strategy=strategy,
        typed_columns=True,
        node_limit=3000,
    )
    assert release.blocks > 1
    assert release.cost > 1
    assert release.cost == pytest.approx(error_of_release(table, list(SETS[kinds]), QUERIES))
    if strategy == "block_graph":
        relative = release.problem.model_copy(update={"minimize": f"count_error('{workload}', error = relative)"})
        again = gensearch_db.anonymize(table, relative, replace=True)
        assert again.cost == pytest.approx(error_of_release(table, list(SETS[kinds]), QUERIES, relative=True))


def test_all_ways_to_write_it_and_sums(table: duckdb.DuckDBPyConnection, workload: Path, tmp_path: Path) -> None:
    """SQL, a problem file beside the queries and Python find the same optimum; in a sum it weighs what it is given."""
    fields = {"quasi_identifiers": {"s": {"unordered": True}, "age": AGE}, "subject_to": ["k_anonymity(20)"]}
    workload.write_text("".join(f"{query.text};\n" for query in (read_queries(QUERIES)[number] for number in (0, 2, 7))))
    python = gensearch_db.anonymize(table, "t", into="r", minimize=f"count_error('{workload}')", **fields)
    (tmp_path / "problem.toml").write_text(
        'table = "t"\ninto = "r"\nsubject_to = ["k_anonymity(20)"]\n'
        """minimize = "count_error('queries.sql')"\n"""
        '[quasi_identifiers]\ns = { unordered = true }\nage = { split = "every 10", domain = [20, 79] }\n'
    )
    toml = gensearch_db.anonymize(table, gensearch_db.Problem.from_toml(tmp_path / "problem.toml"), replace=True)
    table.execute(f"COPY t TO '{tmp_path / 't.parquet'}'")
    with gensearch_db.connect(tmp_path / "people.duckdb") as connection:
        connection.execute(f"CREATE TABLE t AS FROM '{tmp_path / 't.parquet'}'")
        connection.execute(
            "ANONYMIZE TABLE t INTO r QUASI IDENTIFIERS (s UNORDERED, age SPLIT EVERY 10 DOMAIN (20, 79))"
            f" SUBJECT TO k_anonymity(20) MINIMIZE count_error('{workload}')"
        )
        (sql,) = connection.execute("SELECT result FROM gensearch.releases").fetchall()
    assert json.loads(sql[0])["cost"] == pytest.approx(python.cost)
    command = ["anonymize", str(tmp_path / "people.duckdb"), "--table", "t", "--into", "q", "--k", "20", "--json"]
    command += ["--quasi-identifier", "s: unordered", "--quasi-identifier", "age: every 10"]
    ran = CliRunner().invoke(application, [*command, "--minimize", f"count_error('{workload}')"])
    assert ran.exit_code == 0, ran.output
    assert json.loads(ran.stdout)["status"] == "OPTIMAL"
    assert python.status == toml.status == "OPTIMAL"
    assert toml.cost == pytest.approx(python.cost)
    summed = gensearch_db.anonymize(
        table, "t", into="r", replace=True, minimize=f"0.001 * ncp + 3 * count_error('{workload}')", **fields
    )
    assert 3 * python.cost <= summed.cost <= 3 * python.cost + 0.001 * 2 * 240


def test_drawn_queries_are_the_same_for_the_same_seed(table: duckdb.DuckDBPyConnection) -> None:
    def cost(arguments: str) -> float:
        return gensearch_db.anonymize(
            table,
            "t",
            into="r",
            replace=True,
            quasi_identifiers={"s": {"unordered": True}, "age": AGE, "f": F, "day": DAY},
            k=20,
            minimize=f"count_error({arguments})",
            strategy="mondrian",
        ).cost

    first = cost("queries = 12, predicates = '1 to 4', selectivity = 0.3, seed = 5")
    assert first == cost("12, predicates = '1 to 4', selectivity = 0.3, seed = 5") > 0
    assert first != cost("12, predicates = '1 to 4', selectivity = 0.3, seed = 6")


@pytest.mark.parametrize(
    ("cost", "text", "message"),
    [
        ("count_error('{}')", "SELECT COUNT(*) FROM t WHERE agee > 3", "'queries': line 1, column 30: .*mean 'age'"),
        ("count_error('{}')", "SELECT COUNT(*) FROM t WHERE city = 'x1'", "column 'city' is not a quasi-identifier"),
        ("count_error('{}')", "", "queries.sql"),
        ("count_error('{}')", "SELECT COUNT(*) FROM t WHERE age > 3 OR s = 'a'", "conjunctions only"),
        ("count_error('{}')", "SELECT s, COUNT(*) FROM t GROUP BY s", "no GROUP BY"),
        ("count_error('{}')", "SELECT sum(age) FROM t", "line 1"),
        ("count_error('nowhere.sql')", None, "workload 'nowhere.sql' does not exist; bundled ones are"),
        ("count_error", None, "name a file of count queries, or say how many queries to draw"),
        ("count_error('{}', queries = 3)", None, "a file holds its own queries"),
        ("count_error(queries = 0)", None, "queries must be a whole number of at least 1"),
        ("count_error(5, selectivity = 2)", None, "selectivity is a share"),
        ("count_error(5, predicates = '3 to 1')", None, "a range like '1 to 4'"),
        ("count_error(5, predicates = 7)", None, "a query can have 1 to 2 predicates"),
        ("count_error(5, error = squared)", None, "error must be absolute or relative"),
    ],
)  # fmt: skip
def test_wrong_workloads(table: duckdb.DuckDBPyConnection, workload: Path, cost: str, text: str | None, message: str) -> None:
    if text is not None:
        workload.write_text(text)
    with pytest.raises(GensearchError, match=message):
        gensearch_db.anonymize(
            table, "t", into="r", quasi_identifiers={"age": AGE, "s": {}}, k=5, minimize=cost.format(workload)
        )
    left = table.execute("SELECT table_name FROM duckdb_tables() WHERE table_name NOT IN ('t', 'cities')").fetchall()
    assert left == []


def test_it_is_reported_together_with_other_mistakes(table: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(GensearchError, match=r"(?s)2 problems.*nowhere.sql.*'agee'|2 problems.*'agee'.*nowhere.sql"):
        gensearch_db.anonymize(table, "t", into="r", quasi_identifiers=["agee"], k=5, minimize="count_error('nowhere.sql')")
