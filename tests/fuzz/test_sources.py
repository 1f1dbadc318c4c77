"""The same rows from a file, a query, a view or a frame: the release is that of a table of what DuckDB reads there."""

from __future__ import annotations

import csv
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

import gensearch_db
from gensearch_db.errors import GensearchError
from tests.cases.invariants import fingerprint
from tests.cases.naming import literal, quoted
from tests.cases.statement_text import statement

from .checks import attempt, some
from .problems import Case, cases

NAMES = ("people.parquet", "people.csv", "people[1].csv", "p'eople.csv")


@pytest.mark.slow
@some(4)
@given(cases(most_rows=15, refused=True), st.sampled_from(NAMES))
def test_a_file_gives_what_a_table_of_its_rows_gives(case: Case, name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        with duckdb.connect() as connection:
            case.create(connection)
            try:
                connection.execute(f"COPY src TO {literal(str(path))}")
            except duckdb.Error:
                return  # a type that the format lacks
        pattern = literal(str(path).replace("[", "[[]"))
        reader = f"read_parquet({pattern})" if "parquet" in name else f"read_csv({pattern}, sample_size = -1)"
        try:
            duckdb.sql(f"FROM {reader}").fetchall()
        except duckdb.Error:
            reader = ""
        ends = []
        for table in [str(path), *(["given"] if reader else [])]:
            with duckdb.connect() as connection:
                case.create(connection)
                if table == "given":
                    connection.execute(f"CREATE TABLE given AS FROM {reader}")
                ends.append(_end(connection, case.with_problem(table=table), name))
    event(name if reader else "unreadable")
    if reader:
        assert ends[0] == ends[1]
    else:
        assert isinstance(ends[0], list)
        assert ends[0][0].endswith("Error")


def _end(connection: duckdb.DuckDBPyConnection, case: Case, path: str) -> Any:
    """The release to the letter, or the class of the refusal; a release passes its audit again."""
    error = attempt(connection, case)
    if error is not None:
        return [type(error).__name__]
    event("a release from a source")
    report = gensearch_db.audit(connection, "rel")
    assert report.passed, report.to_text()
    return fingerprint(connection, "rel")


@pytest.mark.slow
@some(5)
@given(cases(most_rows=15), st.sampled_from(["query", "view", "chain of views", "query with a comment"]))
def test_a_query_gives_what_its_table_gives(case: Case, kind: str) -> None:
    names = ", ".join(quoted(name) for name, *_ in case.columns)
    sources = {
        "query": f"(SELECT {names} FROM src)",
        "query with a comment": f"(SELECT {names} FROM src WHERE true -- all of it\n)",
        "view": "seen",
        "chain of views": "seen_again",
    }
    ends = []
    for source in ("src", sources[kind]):
        with duckdb.connect() as connection:
            case.create(connection)
            connection.execute(f"CREATE VIEW seen AS SELECT {names} FROM src")
            connection.execute("CREATE VIEW seen_again AS SELECT * FROM (FROM seen) UNION ALL SELECT * FROM seen WHERE false")
            ends.append(_end(connection, case.with_problem(table=source), kind))
    assert ends[0] == ends[1]


@pytest.mark.slow
@some(5)
@given(cases(most_rows=15), st.sampled_from(["df", "to_arrow_table"]))
def test_a_frame_gives_what_a_table_of_it_gives(case: Case, kind: str) -> None:
    with gensearch_db.connect() as connection:
        case.create(connection.engine)
        try:
            people = getattr(connection.engine.sql("FROM src"), kind)()  # DuckDB finds it by its name
            connection.execute("CREATE TABLE given AS FROM people")
        except (duckdb.Error, ImportError, OverflowError):
            return  # a type that frames of this kind lack
        ends: list[Any] = []
        for table, into in (("people", "rel"), ("given", "other")):
            try:
                connection.execute(statement(case.with_problem(table=table, into=into).problem)).fetchall()
            except GensearchError as error:
                ends.append(type(error).__name__)
            else:
                ends.append(fingerprint(connection.engine, into))
        event(f"{kind}: {ends[0] if isinstance(ends[0], str) else 'a release'}")
        assert ends[0] == ends[1]
        del people


@pytest.mark.slow
@some(5)
@given(cases(most_rows=15).filter(lambda case: case.trees), st.sampled_from(["csv", "parquet", "json", "query"]))
def test_a_taxonomy_from_a_file_is_that_of_its_table(case: Case, kind: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        ends = []
        for end in ("table", kind):
            with duckdb.connect() as connection:
                case.create(connection)
                places = {tree: _written(connection, tree, levels, end, Path(folder)) for tree, levels in case.trees.items()}
                if None in places.values():
                    return
                ends.append(_end(connection, _with_trees(case, places), end))
    event(kind)
    assert ends[0] == ends[1]


def _written(
    connection: duckdb.DuckDBPyConnection, tree: str, levels: list[tuple[str, ...]], kind: str, folder: Path
) -> str | None:
    """The taxonomy as a source of another kind; None where that kind has no way to say it."""
    path = folder / f"{tree}.{kind}"
    said_otherwise = any(cell != cell.strip() or not cell or "\n" in cell for level in levels for cell in level)
    if kind == "table":
        return tree
    if kind == "query":
        return f"(SELECT * FROM {tree} ORDER BY level_0 DESC)"
    if kind == "parquet":
        connection.execute(f"COPY {tree} TO {literal(str(path))}")
    elif said_otherwise or not levels:
        return None
    elif kind == "csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, delimiter=";").writerows([[f"level {n}" for n in range(len(levels[0]))], *levels])
    else:
        if any(row[0] == name for row in levels for name in row[1:]):
            return None  # a value that is also an inner node
        path.write_text(json.dumps(_nested(levels)[0]), encoding="utf-8")
    return str(path)


def _nested(paths: Sequence[tuple[str, ...]]) -> list[dict[str, Any]]:
    """The nodes at the ends of the paths, each with what is below it."""
    below: dict[str, list[tuple[str, ...]]] = {}
    for *rest, name in paths:
        below.setdefault(name, []).append(tuple(rest))
    return [{"name": name, "children": _nested([path for path in paths_ if path])} for name, paths_ in below.items()]


def _with_trees(case: Case, places: dict[str, str | None]) -> Case:
    """The same problem with its taxonomies elsewhere."""

    def moved(columns: Any) -> Any:
        if not isinstance(columns, dict):
            return columns
        return {
            name: {**ways, "taxonomy": places[ways["taxonomy"]]} if "taxonomy" in ways else ways
            for name, ways in columns.items()
        }

    problem = case.problem
    return case.with_problem(quasi_identifiers=moved(problem["quasi_identifiers"]), sensitive=moved(problem["sensitive"]))


def test_a_file_that_cannot_be_read_is_refused() -> None:
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
        path = Path(folder) / "broken.parquet"
        path.write_bytes(b"PAR1 and nothing else")
        with pytest.raises(GensearchError):
            gensearch_db.anonymize(connection, str(path), into="rel", quasi_identifiers=["age"], k=2)
