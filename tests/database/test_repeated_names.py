"""Columns whose names differ in upper and lower case alone, or not at all: none is taken for another, by any route."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import gensearch_db
from gensearch_db.errors import SpecificationError
from gensearch_db.problem.problem import Problem

FIRST, SECOND = [1, 1, 2, 2], [70, 70, 80, 80]


def people() -> pd.DataFrame:
    return pd.DataFrame({"Age": FIRST, "age": SECOND, "sex": ["f", "m", "f", "m"]})


def labels(connection: duckdb.DuckDBPyConnection, table: str, column: str) -> list[str]:
    """The labels of a release in which each value of the column is a block."""
    columns = {column: {"split": "anywhere"}}
    gensearch_db.anonymize(connection, table, into="rel", quasi_identifiers=columns, k=2, replace=True)
    return [label for (label,) in connection.execute("SELECT DISTINCT #1 FROM rel ORDER BY 1").fetchall()]


@pytest.fixture
def sources(tmp_path: Path) -> tuple[duckdb.DuckDBPyConnection, dict[str, str]]:
    """The same columns by every route, the routes by name."""
    connection = duckdb.connect()
    frame, parquet = people(), tmp_path / "people.parquet"
    pq.write_table(pa.Table.from_pandas(frame), parquet)
    connection.register("frame", frame)
    connection.register("arrow", pa.Table.from_pandas(frame))
    connection.execute("CREATE TABLE copied AS SELECT * FROM frame")
    connection.execute(f"CREATE VIEW over_file AS SELECT * FROM '{parquet}'")
    routes = {name: name for name in ("frame", "arrow", "copied", "over_file")}
    routes |= {"parquet": str(parquet), "query": "(SELECT * FROM frame)", "csv": str(tmp_path / "p.csv")}
    frame.to_csv(routes["csv"], index=False)
    return connection, routes


ROUTES = ["frame", "arrow", "copied", "over_file", "parquet", "query", "csv"]
FILES = ("parquet", "csv")


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("asked", ["age", "AGE"])
def test_a_name_that_two_columns_may_have_is_refused_with_both(
    sources: tuple[duckdb.DuckDBPyConnection, dict[str, str]], route: str, asked: str
) -> None:
    connection, routes = sources
    with pytest.raises(SpecificationError) as told:
        labels(connection, routes[route], asked)
    second = "age" if route in FILES else "age_1"
    assert f"'{asked}'" in str(told.value)
    assert "'Age'" in str(told.value)
    assert f"'{second}'" in str(told.value)
    assert len(told.value.problems or [1]) == 1


@pytest.mark.parametrize("route", ROUTES)
def test_a_name_as_it_is_spelt_means_that_column(sources: tuple[duckdb.DuckDBPyConnection, dict[str, str]], route: str) -> None:
    connection, routes = sources
    assert labels(connection, routes[route], "age_1") == ["70", "80"]
    if route not in FILES:
        assert labels(connection, routes[route], "Age") == ["1", "2"]
    assert labels(connection, routes[route], "SEX") == ["f", "m"]


def test_every_role_is_looked_at(sources: tuple[duckdb.DuckDBPyConnection, dict[str, str]]) -> None:
    connection, _ = sources
    for role in ("identifiers", "sensitive", "keep"):
        with pytest.raises(SpecificationError, match="'Age' or 'age_1'"):
            gensearch_db.anonymize(connection, "frame", into="rel", quasi_identifiers=["sex"], k=2, **{role: ["age"]})
    with pytest.raises(SpecificationError, match="'Age' or 'age_1'"):
        gensearch_db.anonymize(connection, "frame", into="rel", quasi_identifiers=["sex"], k=2, person="age")


def test_a_frame_of_the_caller_in_a_statement() -> None:
    frame = people()
    with gensearch_db.connect() as connection:
        with pytest.raises(SpecificationError, match="line 1, column 49: column 'age' may be 'Age' or 'age_1' of frame"):
            connection.sql("ANONYMIZE TABLE frame INTO r QUASI IDENTIFIERS (age) SUBJECT TO k_anonymity(2)")
        connection.sql("ANONYMIZE TABLE frame INTO r QUASI IDENTIFIERS (age_1 SPLIT ANYWHERE) SUBJECT TO k_anonymity(2)")
        assert connection.sql("SELECT DISTINCT age_1 FROM r ORDER BY 1").fetchall() == [("70",), ("80",)]
    assert len(frame) == 4


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_csv_file_that_has_a_name_twice(tmp_path: Path, separator: str) -> None:
    file = tmp_path / "twice.csv"
    file.write_text("\n".join(separator.join(row) for row in [["a", "a", "b"], *([["1", "2", "x"]] * 4)]))
    with duckdb.connect() as connection:
        with pytest.raises(SpecificationError, match=r"twice\.csv has several columns called 'a': 'a', 'a' "):
            labels(connection, str(file), "a")
        assert labels(connection, str(file), "b") == ["x"]


def test_a_parquet_file_that_has_a_name_twice(tmp_path: Path) -> None:
    file = tmp_path / "twice.parquet"
    pq.write_table(pa.Table.from_arrays([pa.array(FIRST), pa.array(SECOND)], names=["a", "a"]), file)
    with duckdb.connect() as connection, pytest.raises(SpecificationError, match="several columns called 'a': 'a', 'a' "):
        labels(connection, str(file), "a")


def test_numbers_in_names_are_no_repeated_names(tmp_path: Path) -> None:
    """Columns that are called so themselves, and fields of structs that are called as columns are."""
    with duckdb.connect() as connection:
        rows = (
            "SELECT i // 2 AS age, 7 AS age_1, {'Age': 1, 'age_1': [2]} AS s, i % 2 AS \"Sex\", 5 AS sex_a_1 FROM range(4) t(i)"
        )
        connection.execute(f"CREATE TABLE t AS {rows}")
        for name in ("t.parquet", "t.csv"):
            connection.execute(f"COPY t TO '{tmp_path / name}'")
        for source in ("t", str(tmp_path / "t.parquet"), str(tmp_path / "t.csv")):
            assert labels(connection, source, "AGE") == ["0", "1"]
            assert labels(connection, source, "sex") == ["0", "1"]


def test_new_rows_for_a_release(sources: tuple[duckdb.DuckDBPyConnection, dict[str, str]]) -> None:
    connection, _ = sources
    connection.execute("CREATE TABLE plain AS SELECT age_1 AS age, sex FROM frame")
    own = gensearch_db.Connection(connection)
    own.execute("ANONYMIZE TABLE plain INTO r QUASI IDENTIFIERS (age) SUBJECT TO k_anonymity(2)")
    with pytest.raises(SpecificationError, match="'Age' or 'age_1'"):
        own.execute("ANONYMIZE TABLE frame INTO r2 USING RELEASE r")


def test_a_problem_file_and_its_csv(tmp_path: Path) -> None:
    people().to_csv(tmp_path / "people.csv", index=False)
    file = tmp_path / "problem.toml"
    file.write_text('table = "people.csv"\ninto = "rel"\n[quasi_identifiers]\nage = {}\nagee = {}\n')
    with pytest.raises(SpecificationError, match="2 problems") as told:
        gensearch_db.anonymize(tmp_path / "out.duckdb", Problem.from_toml(file))
    assert "several columns called 'age': 'Age', 'age' " in told.value.problems[0]
