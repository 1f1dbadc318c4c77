"""Sources and targets: names that mean exactly one thing, files, queries, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow
import pytest

from gensearch_db.database.names import parse_table_name, target_table
from gensearch_db.database.prepared import prepare
from gensearch_db.database.rendering import Sql
from gensearch_db.database.session import Session, open_database
from gensearch_db.database.source import open_source, source_relation
from gensearch_db.errors import DataError, ReadOnlyError, SpecificationError
from gensearch_db.problem.problem import Problem
from tests.database.tables import leaf_counts, prepared_from


@pytest.fixture
def session() -> Iterator[Session]:
    with open_database(":memory:") as opened:
        yield opened


FOUR = "(age INT, d VARCHAR); INSERT INTO {name} VALUES (30,'a'),(31,'b'),(32,'a'),(33,'b')"


def four(name: str) -> str:
    return f"CREATE TABLE {name}{FOUR.format(name=name)}"


@pytest.mark.parametrize(
    ("text", "parts"),
    [("t", ("t",)), ('a."b.c"', ("a", "b.c")), (' x . y . "z ""q""" ', ("x", "y", 'z "q"')), ("naïve☃", ("naïve☃",))],
)
def test_names_are_read_as_sql_reads_them(text: str, parts: tuple[str, ...]) -> None:
    assert parse_table_name(text) == parts


@pytest.mark.parametrize("text", ["", "a.", ".a", "a b", "a;b", "a.b.c.d", '"', '""', "a'b"])
def test_what_is_no_name_is_refused(text: str) -> None:
    with pytest.raises(SpecificationError):
        parse_table_name(text)


def test_a_qualified_name_is_never_taken_for_a_temporary_table(session: Session) -> None:
    session.connection.execute(four("t") + "; CREATE TEMP TABLE t AS SELECT 1 AS other")
    assert [column.name for column in open_source(session, "main.t", []).columns] == ["age", "d"]
    assert [column.name for column in open_source(session, "t", []).columns] == ["other"]


def test_tables_views_schemas_and_attached_databases(session: Session, tmp_path: Path) -> None:
    other = tmp_path / "my-data.v2.duckdb"
    open_database(other).close()
    session.connection.execute(
        f"ATTACH '{other}' AS \"my-data\"; CREATE SCHEMA hr; {four('hr.t')}; CREATE VIEW v AS SELECT * FROM hr.t;"
        + four('"my-data".t')
    )
    for text in ("hr.t", "HR.T", "v", "main.v", '"my-data".t', '"my-data".main.t', "memory.hr.t"):
        assert open_source(session, text, []).row_count == 4


@pytest.mark.parametrize("name", ["temp.db", "main.db", "my-data.v2.duckdb", "select.db"])
def test_files_whose_names_are_taken(tmp_path: Path, name: str) -> None:
    with open_database(tmp_path / name) as session:
        session.connection.execute(four("src"))
        problem = Problem.from_fields({"table": "src", "into": "rel", "quasi_identifiers": {"age": {}}})
        with prepare(session, problem) as prepared:
            (catalog,) = session.connection.execute("SELECT current_database()").fetchone() or (None,)
            assert prepared.target == (catalog, "main", "rel")
            assert prepared.cells.row_count == 4


def test_an_unknown_table_is_refused_with_near_matches(session: Session) -> None:
    session.connection.execute(four("people"))
    with pytest.raises(SpecificationError, match="table peple does not exist; did you mean 'people'"):
        open_source(session, "peple", [])
    with pytest.raises(SpecificationError, match=r"table hr\.people does not exist"):
        open_source(session, "hr.people", [])


def test_all_unknown_columns_are_reported_together(session: Session) -> None:
    with pytest.raises(SpecificationError) as caught:
        prepared_from(session, four("t"), {"agee": {}}, sensitive=["e"], identifiers=["name"], keep=["D2"])
    message = str(caught.value)
    assert "4 problems" in message
    assert "column 'agee' does not exist in t; did you mean 'age'?" in message
    assert all(f"column '{name}'" in message for name in ("e", "name", "D2"))


def test_names_of_columns_do_not_depend_on_case(session: Session) -> None:
    setup = 'CREATE TABLE t("Age" INT, "Diag" VARCHAR); INSERT INTO t VALUES (30, \'a\')'
    with prepared_from(session, setup, {"AGE": {}}, sensitive=["diag"]) as prepared:
        assert prepared.quasi_identifiers == (("Age", "INTEGER"),)
        assert list(prepared.table.sensitive) == ["Diag"]


def test_names_with_quotes_dots_and_blanks(session: Session) -> None:
    setup = """CREATE TABLE "my ""t"("tricky"", ""quotes" INT, tricky INT, quotes INT, "it's" VARCHAR,
               "age " INT, "age" INT, value INT, code INT,
               key_0 INT, cell INT, code_0 INT, source INT);
               INSERT INTO "my ""t" VALUES (1,2,3,'x',5,6,7,8,9,10,11,12), (1,2,3,'y',5,6,7,8,9,10,11,12)"""
    wanted = ['tricky", "quotes', "age ", "value", "code", "key_0", "cell", "code_0", "source"]
    with prepared_from(session, setup, {name: {} for name in wanted}, table='"my ""t"', sensitive=["it's"]) as prepared:
        labels = [next(iter(leaf_counts(prepared, position))) for position in range(len(wanted))]
        assert labels == ["1", "5", "7", "8", "9", "10", "11", "12"]
        rows = session.connection.execute(f'SELECT "age", {prepared.cell_column} FROM {prepared.row_cells}').fetchall()
        assert rows == [(6, 0), (6, 0)]
        assert prepared.cell_column == "cell_"


@pytest.mark.parametrize("name", ["tags", "addr", "m", "j", "b", "u", "iv", "tm"])
def test_nested_and_odd_types_are_refused_by_name(session: Session, name: str) -> None:
    setup = """CREATE TABLE t AS SELECT ['x'] AS tags, {'zip': '10'} AS addr, MAP {'k': 1} AS m, '{"a":1}'::JSON AS j,
               '\\xAA'::BLOB AS b,
               uuid() AS u, INTERVAL 30 DAY AS iv, TIME '10:00' AS tm, 30 AS age"""
    with pytest.raises(DataError, match=rf"column '{name}' is of type .* cannot be generalized"):
        prepared_from(session, setup, {name: {}, "age": {}})


def test_a_table_without_rows_is_refused(session: Session) -> None:
    with pytest.raises(DataError, match="source has 0 rows"):
        prepared_from(session, "CREATE TABLE t(age INT, d VARCHAR)", {"age": {}})


def test_leading_zeros_of_a_csv_stay(session: Session, tmp_path: Path) -> None:
    lines = [f"{10000 + i},a" for i in range(30_000)] + ["02134,b"]
    (tmp_path / "z.csv").write_text("\n".join(["zip,d", *lines]))
    with prepared_from(session, "", {"zip": {"prefix": True}}, table=str(tmp_path / "z.csv")) as prepared:
        assert prepared.quasi_identifiers == (("zip", "VARCHAR"),)
        assert leaf_counts(prepared)["02134"] == 1


def test_a_path_is_no_pattern(session: Session, tmp_path: Path) -> None:
    (tmp_path / "a[1].csv").write_text("x\nright\n")
    (tmp_path / "a1.csv").write_text("x\nwrong\n")
    relation = source_relation(session, str(tmp_path / "a[1].csv"))
    assert session.rows(Sql(f"SELECT x FROM {relation}")) == [("right",)]


def test_parquet_and_queries_are_sources(session: Session, tmp_path: Path) -> None:
    session.connection.execute(four("t") + f"; COPY t TO '{tmp_path}/it''s.parquet'")
    assert open_source(session, f"{tmp_path}/it's.parquet", []).row_count == 4
    made: list[Any] = []
    assert open_source(session, "(SELECT * FROM t WHERE age > 30 -- a comment)\n)", made).row_count == 3
    assert len(made) == 1
    with pytest.raises(SpecificationError, match=r"'nowhere\.csv' does not exist"):
        open_source(session, "nowhere.csv", [])


@pytest.mark.parametrize("text", ["(SELECT 1); DROP TABLE t", "(SELECT 1), (SELECT 2)", "(SELECT 1", "(SELECT 1) AS x; --"])
def test_a_source_query_is_one_query_and_nothing_more(session: Session, text: str) -> None:
    with pytest.raises(SpecificationError):
        open_source(session, text, [])


def test_a_missing_number_is_the_same_by_every_route(session: Session) -> None:
    frame = pd.DataFrame({"age": [30.0, 30.0, float("nan"), float("nan")], "d": ["a", "b", "a", "b"]})
    session.connection.register("frame", frame)
    session.connection.register("arrow", pyarrow.table({"age": pyarrow.array(frame["age"].to_numpy()), "d": list(frame["d"])}))
    session.connection.execute(
        "CREATE TABLE mixed(age DOUBLE, d VARCHAR); INSERT INTO mixed VALUES (30,'a'),(30,'b'),(NULL,'a'),('nan','b')"
    )
    for table in ("frame", "arrow", "mixed"):
        with prepared_from(session, "", {"age": {}}, table=table) as prepared:
            assert leaf_counts(prepared) == {"30.0": 2, "NULL": 2}


def test_the_release_goes_to_the_writable_database(tmp_path: Path) -> None:
    with open_database(tmp_path / "src.db") as made:
        made.connection.execute(four("t"))
    with open_database(tmp_path / "main.db") as session:
        session.connection.execute(f"ATTACH '{tmp_path / 'src.db'}' AS s (READ_ONLY); SET search_path = 's'")
        assert target_table(session, "rel") == ("main_db", "main", "rel")
        with pytest.raises(ReadOnlyError, match="'s' is read-only"):
            target_table(session, "s.main.rel")
    with (
        open_database(tmp_path / "src.db", read_only=True) as session,
        pytest.raises(ReadOnlyError, match="the database is read-only"),
    ):
        target_table(session, "rel")


def test_the_targets_schema_must_exist(session: Session) -> None:
    session.connection.execute("CREATE SCHEMA publications")
    assert target_table(session, 'Publications."my ""rel"') == ("memory", "publications", 'my "rel')
    assert target_table(session, "memory.publications.rel") == ("memory", "publications", "rel")
    with pytest.raises(
        SpecificationError, match="schema 'publication' does not exist in 'memory'; did you mean 'publications'"
    ):
        target_table(session, "publication.rel")
    with pytest.raises(SpecificationError, match="database 'nowhere' is not attached"):
        target_table(session, "nowhere.main.rel")


@pytest.mark.parametrize("second", ["age", '"AGE"'])
def test_a_column_that_a_query_has_twice_is_refused_where_it_is_named(session: Session, second: str) -> None:
    """I01: DuckDB would number the second one, and the first would be taken whichever was meant."""
    session.connection.execute(four("t"))
    query = f"(SELECT age, d, 100 - age AS {second} FROM t)"
    with pytest.raises(SpecificationError, match="several columns called 'age'"):
        prepared_from(session, "", {"age": {}}, table=query)
    with prepared_from(session, "", {"d": {}}, table=query) as prepared:
        assert [column.name for column in prepared.source.columns] == ["age", "d", "age_1" if second == "age" else "AGE_1"]
