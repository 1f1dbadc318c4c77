"""Releases that are read with others: new rows under the blocks of an old release, two releases of the same people, PUBLISH."""

from __future__ import annotations

import json
import tempfile
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

import gensearch_db
from gensearch_db.errors import GensearchError, InfeasibleError
from gensearch_db.statements.parquet_types import parquet_type
from tests.cases.invariants import Surroundings, check_release, dictionary_of, inside
from tests.cases.naming import companion, quoted

from .checks import attempt, check_constraints, some
from .columns import KINDS
from .problems import Case, cases, other_ways


@st.composite
def old_and_new(draw: st.DrawFn) -> tuple[Case, Case]:
    """A case, and new rows for its release: some of the old ones again, and some with values that nobody had."""
    old = draw(cases())
    rows = draw(st.integers(0, 30))
    columns = []
    for name, kind, values in old.columns:
        known = st.sampled_from(values) if values else KINDS[kind].values
        new = st.one_of(known, known, known, KINDS[kind].values) if name != "who" and name not in old.sensitive else known
        columns.append((name, kind, tuple(draw(st.lists(new, min_size=rows, max_size=rows)))))
    return old, replace(old, columns=tuple(columns), trees={})


@pytest.mark.slow
@some(4)
@given(old_and_new())
def test_new_rows_under_an_old_release(cases_: tuple[Case, Case]) -> None:
    old, new = cases_
    with duckdb.connect() as connection, tempfile.TemporaryDirectory() as folder:
        old.create(connection)
        new.create(connection, "fresh")
        if attempt(connection, old) is not None:
            return
        before = Surroundings.of(connection, Path(folder))
        try:
            apply = "ANONYMIZE TABLE fresh INTO again USING RELEASE rel"
            (answer,) = gensearch_db.Connection(connection.cursor()).execute(apply).fetchall()
        except GensearchError as error:
            event(f"refused: {type(error).__name__}")
            Surroundings.of(connection, Path(folder)).check(before, release=None)
            if isinstance(error, InfeasibleError) and only_k(old):
                sizes = Counter(place(connection, "rel", "fresh").values())
                assert all(size < old.k for size in sizes.values()), f"blocks that could be released: {sizes}"
            return
        event("a release")
        Surroundings.of(connection, Path(folder)).check(before, release="again")
        _, _, released, outside, refused, _ = answer
        assert released + outside + refused == new.rows
        assert (released,) == connection.execute("SELECT count(*) FROM again").fetchone()
        if released:
            problem = {**new.problem, "table": "fresh", "into": "again"}
            measures = check_release(connection, problem)
            assert measures.suppressed == outside + refused
            if "person" not in problem:
                check_constraints(connection, replace(new, trees=old.trees), "again", table="fresh")
        old_blocks = place(connection, "rel", "fresh")
        new_blocks = place(connection, "again", "fresh")
        homes = defaultdict(set)
        for row, block in new_blocks.items():
            homes[block].add(old_blocks.get(row))
        wrong = {block: found for block, found in homes.items() if None in found or len(found) != 1}
        assert not wrong, f"blocks of the new release that are not within one of the old: {wrong}"
        if only_k(old):
            assert outside == new.rows - len(old_blocks)
            sizes = Counter(old_blocks.values())
            assert released == sum(size for size in sizes.values() if size >= old.k)


def only_k(case: Case) -> bool:
    """Whether plain counting tells what is released: only the number of rows in a block is asked."""
    return len(case.problem["subject_to"]) == 1 and "person" not in case.problem


def place(connection: duckdb.DuckDBPyConnection, release: str, table: str) -> dict[int, int]:
    """The block of ``release`` (numbered) that holds each row of ``table``, by the published columns alone."""
    within = " AND ".join(inside(attribute) for attribute in dictionary_of(connection, release)["quasi_identifiers"])
    rows = connection.execute(
        f"SELECT s.rowid, b.rowid FROM {table} AS s JOIN {companion(release)} AS b ON {within}"
    ).fetchall()
    assert len({row for row, _ in rows}) == len(rows), "a row lies in two blocks"
    return dict(rows)


@pytest.mark.slow
@some(4)
@given(cases(), st.data())
def test_two_releases_of_the_same_people(case: Case, data: st.DataObject) -> None:
    """The audit's classes of the join are those that placing every row into both releases gives. Columns that the second keeps
    as they are tell rows apart by their very value."""
    with duckdb.connect() as connection:
        case.create(connection)
        if attempt(connection, case) is not None:
            return
        ways = {name: data.draw(other_ways(case, name)) for name in case.problem["quasi_identifiers"]}
        k = data.draw(st.integers(1, 5))
        kept = sorted(data.draw(st.sets(st.sampled_from(sorted(ways)), max_size=len(ways) - 1)))
        ways = {name: way for name, way in ways.items() if name not in kept}
        keep = [*case.problem.get("keep", ()), *kept]
        other = case.with_problem(into="second", quasi_identifiers=ways, subject_to=[f"k_anonymity({k})"], keep=keep)
        if attempt(connection, other) is not None:
            return
        report = gensearch_db.audit(connection, "rel", together_with="second")
        assert report.passed, report.to_text()
        first, second = place(connection, "rel", "src"), place(connection, "second", "src")
        members = defaultdict(list)
        values = ", ".join(f"{name}::VARCHAR" for name in case.sensitive)
        shown = dict(zip(range(case.rows), _keys_of(connection, kept), strict=True))
        for row, who, *told in connection.execute(f"SELECT rowid, who, {values} FROM src").fetchall():
            if row in first or row in second:
                place_in_both = first.get(row), second.get(row), shown[row] if row in second else None
                members[place_in_both].append((who, *told))
        size = report.check("join_size")
        if not members:
            assert size.reached is None
            return
        persons = "person" in case.problem
        sizes = [len({who for who, *_ in each}) if persons else len(each) for each in members.values()]
        assert size.reached == min(sizes)
        assert f"of {len(sizes)} classes" in size.message
        assert size.violations == sum(each < max(case.k, k, 2) for each in sizes)
        for place_, name in enumerate(case.sensitive, 1):
            homogeneous = sum(len({one[place_] for one in each} - {None}) <= 1 for each in members.values())
            assert report.check("join_diversity", name).violations == homogeneous


def _keys_of(connection: duckdb.DuckDBPyConnection, columns: list[str]) -> list[tuple[Any, ...]]:
    """The values of some columns row by row as they tell rows apart: NaN is NULL, -0.0 is 0.0."""
    cells = ", ".join(f"nullif(nullif(({quoted(name)})::VARCHAR, 'nan'), '-nan')" for name in columns)
    rows = connection.execute(f"SELECT {cells or 1} FROM src ORDER BY rowid").fetchall()
    return [tuple("0.0" if cell == "-0.0" else cell for cell in row) for row in rows]


@pytest.mark.slow
@some(4)
@given(cases())
def test_what_is_published_is_the_release_and_nothing_else(case: Case) -> None:
    with duckdb.connect() as connection, tempfile.TemporaryDirectory() as folder:
        case.create(connection)
        for name in ("name", "note"):
            connection.execute(f"ALTER TABLE src ADD COLUMN {name} VARCHAR")
            connection.execute(f"UPDATE src SET {name} = '{name.upper()}SECRET' || rowid")
        if attempt(connection, case.with_problem(identifiers=["name"])) is not None:
            return
        statements = gensearch_db.Connection(connection.cursor())
        for target in ("out.duckdb", "parquet/*.parquet", "csv/*.csv"):
            statements.execute(f"PUBLISH rel TO '{folder}/{target}'").fetchall()
        files = [path for path in Path(folder).rglob("*") if path.is_file()]
        assert len(files) == 2 + 3 + 3
        for path in files:
            content = path.read_bytes()
            assert b"SECRET" not in content, path.name
            assert path.suffix != ".json" or b"src" not in content, "the name of the source"
        marker = json.loads((Path(folder) / "csv" / "dictionary.json").read_text(encoding="utf-8"))["csv"]["null"]
        connection.execute(f"ATTACH '{folder}/out.duckdb' AS handed (READ_ONLY)")
        tables = connection.execute(
            "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = 'handed'"
        ).fetchall()
        assert sorted(tables) == [("main", "rel"), ("main", "rel_blocks")]
        for table in ("rel", "rel_blocks"):
            own = content_of(connection, table)
            assert content_of(connection, f"handed.{table}") == own
            in_parquet = content_of(connection, f"read_parquet('{folder}/parquet/{table}.parquet')")
            assert in_parquet["rows"] == own["rows"]
            assert in_parquet["columns"] == [(name, parquet_type(kind)) for name, kind in own["columns"]]
            plain = [name for name, kind in own["columns"] if "[" not in kind and "STRUCT" not in kind]
            options = f"nullstr = '{marker}', all_varchar = true, header = true, delim = ',', quote = '\"', escape = '\"'"
            in_csv = text_of(connection, f"read_csv('{folder}/csv/{table}.csv', {options})", plain)
            assert in_csv == text_of(connection, table, plain)


def content_of(connection: duckdb.DuckDBPyConnection, relation: str) -> dict[str, Any]:
    """Names, types and rows (as text) of a table, an ENUM being text."""
    columns = connection.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()
    names = [(name, kind if "ENUM(" not in kind else "VARCHAR") for name, kind, *_ in columns]
    return {"columns": names, "rows": text_of(connection, relation, [name for name, _ in names])}


def text_of(connection: duckdb.DuckDBPyConnection, relation: str, names: list[str]) -> list[tuple[Any, ...]]:
    cells = ", ".join(f"({quoted(name)})::VARCHAR" for name in names)
    return connection.execute(f"SELECT {cells} FROM {relation}").fetchall()
