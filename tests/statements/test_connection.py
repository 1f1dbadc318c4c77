"""The connection: everything DuckDB's own does, and our statements beside it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pandas
import pyarrow
import pytest

import gensearch_db
from gensearch_db.errors import GensearchError, QueryError, SpecificationError
from gensearch_db.statements.connection import Connection, connect

frame_of_the_module = pandas.DataFrame({"a": [7]})


@pytest.fixture
def connection() -> Iterator[Connection]:
    with connect() as opened:
        opened.execute("CREATE TABLE t AS SELECT range AS i, 'x' || range AS s FROM range(5)").fetchall()
        yield opened


def test_connect_is_public() -> None:
    with gensearch_db.connect() as opened:
        assert isinstance(opened, gensearch_db.Connection)


def test_queries_parameters_and_results(connection: Connection) -> None:
    assert connection.execute("SELECT i FROM t WHERE i > ? ORDER BY i", [2]).fetchall() == [(3,), (4,)]
    assert connection.execute("SELECT $name::INTEGER", {"name": 3}).fetchone() == (3,)
    connection.fetchall()
    assert connection.execute("SELECT i FROM t ORDER BY i").df()["i"].tolist() == [0, 1, 2, 3, 4]
    relation = connection.sql("SELECT i FROM t")
    assert relation is not None
    assert relation.filter("i > 2").aggregate("count(*)").fetchall() == [(2,)]
    assert connection.sql("SELECT $1 + 1", params=[1]).fetchall() == [(2,)]  # type: ignore[union-attr]
    assert connection.query("SELECT 1").fetchall() == [(1,)]  # type: ignore[union-attr]
    assert [column[0] for column in connection.execute("SELECT 1 AS one").description] == ["one"]
    connection.fetchall()


def test_executemany_and_transactions(connection: Connection) -> None:
    connection.executemany("INSERT INTO t VALUES (?, ?)", [[10, "a"], [11, "b"]])
    assert connection.execute("SELECT count(*) FROM t").fetchall() == [(7,)]
    assert connection.begin() is connection
    connection.execute("DELETE FROM t").fetchall()
    assert connection.rollback() is connection
    assert connection.execute("SELECT count(*) FROM t").fetchall() == [(7,)]
    with pytest.raises(QueryError, match="DuckDB's statements only"):
        connection.executemany("DROP RELEASE r", [[1]])


def test_replacement_scans_see_the_callers_variables(connection: Connection) -> None:
    local_frame = pandas.DataFrame({"a": [1, 2]})
    local_arrow = pyarrow.table({"a": [3]})
    assert connection.execute("SELECT sum(a)::BIGINT FROM local_frame").fetchall() == [(3,)]
    assert connection.sql("SELECT a FROM local_arrow").fetchall() == [(3,)]  # type: ignore[union-attr]
    assert connection.sql("SELECT a FROM frame_of_the_module").fetchall() == [(7,)]  # type: ignore[union-attr]
    assert connection.cursor().execute("SELECT a FROM local_arrow").fetchall() == [(3,)]
    del local_frame, local_arrow


def test_no_variable_of_ours_hides_the_callers(connection: Connection) -> None:
    query = statement = statements = last = self = arguments = options = pandas.DataFrame({"a": [5]})
    for name in ("query", "statement", "statements", "last", "self", "arguments", "options"):
        assert connection.execute(f"SELECT a FROM {name}").fetchall() == [(5,)]
        assert connection.sql(f"SELECT a FROM {name}").fetchall() == [(5,)]  # type: ignore[union-attr]
    del query, statement, statements, last, self, arguments, options


def test_register_cursor_and_delegation(connection: Connection) -> None:
    assert connection.register("view_of_frame", pandas.DataFrame({"a": [1]})) is connection
    assert connection.execute("SELECT a FROM view_of_frame").fetchall() == [(1,)]
    cursor = connection.cursor()
    assert isinstance(cursor, Connection)
    assert cursor.execute("SELECT count(*) FROM t").fetchall() == [(5,)]
    cursor.close()
    assert connection.table("t").count("*").fetchall() == [(5,)]
    with pytest.raises(AttributeError):
        connection.no_such_method  # noqa: B018
    assert "from_arrow" in dir(connection)


def test_pandas_reads_through_it(connection: Connection) -> None:
    assert connection.sql("SELECT * FROM t").df().shape == (5, 2)  # type: ignore[union-attr]


def test_duckdbs_own_errors_pass_through(connection: Connection) -> None:
    with pytest.raises(duckdb.CatalogException):
        connection.execute("SELECT * FROM absent")
    with pytest.raises(duckdb.ParserException):
        connection.sql("SELCT 1")


def test_words_of_ours_are_not_reserved(connection: Connection) -> None:
    connection.execute(
        "CREATE TABLE audit (profile INTEGER, release INTEGER, anonymize INTEGER); INSERT INTO audit VALUES (1, 2, 3);"
    ).fetchall()
    assert connection.execute("SELECT profile, release, anonymize FROM audit").fetchall() == [(1, 2, 3)]
    connection.execute("DROP TABLE audit").fetchall()
    assert connection.execute("SHOW TABLES").fetchall() == [("t",)]


def test_statements_of_ours_answer_like_queries(connection: Connection) -> None:
    relation = connection.sql("SHOW RELEASES")
    assert relation is not None
    assert relation.fetchall() == []
    assert relation.columns[:2] == ["schema", "release"]
    assert connection.execute("PROFILE t").fetchone()[0] == "i"
    # the answer is on a cursor of its own: the connection is free
    assert connection.engine.execute("SELECT 1").fetchall() == [(1,)]
    assert connection.execute("SELECT 2").fetchall() == [(2,)]


def test_a_mixed_script_runs_in_order_and_only_if_all_of_it_reads(connection: Connection) -> None:
    with pytest.raises(QueryError, match="line 2"):
        connection.execute("CREATE TABLE u (a INTEGER);\nPROFIL u; SHOW RELEASES")
    with pytest.raises(duckdb.CatalogException):
        connection.execute("SELECT * FROM u")
    rows = connection.execute("CREATE TABLE u AS SELECT 1 AS a; PROFILE u; SELECT a FROM u").fetchall()
    assert rows == [(1,)]
    assert connection.execute("CREATE TABLE w AS SELECT 1 AS a; PROFILE w").fetchall()[0][0] == "a"
    last = connection.sql("SHOW RELEASES; SELECT 5 AS five")
    assert last is not None
    assert last.fetchall() == [(5,)]


def test_parameters_do_not_go_with_our_statements(connection: Connection) -> None:
    with pytest.raises(QueryError, match="no parameters"):
        connection.execute("PROFILE t", [1])


def test_errors_of_ours(connection: Connection) -> None:
    with pytest.raises(SpecificationError, match="did you mean"):
        connection.execute("PROFILE tt")
    with pytest.raises(SpecificationError, match="no release 'r'"):
        connection.execute("DROP RELEASE r")
    assert connection.execute("DROP RELEASE IF EXISTS r").fetchall() == [("r", False)]
    with pytest.raises(GensearchError):
        connection.execute("AUDIT r")


def test_a_file_is_opened_and_closed(tmp_path: Path) -> None:
    path = tmp_path / "people.duckdb"
    with connect(path) as opened:
        opened.execute("CREATE TABLE t (a INTEGER)").fetchall()
    with connect(path, read_only=True) as opened, pytest.raises(duckdb.InvalidInputException):
        opened.execute("CREATE TABLE u (a INTEGER)")


def test_connect_opens_paths_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection's text would be taken for the name of a file to make."""
    monkeypatch.chdir(tmp_path)
    with duckdb.connect() as engine, pytest.raises(SpecificationError, match=r"gensearch_db\.Connection"):
        connect(engine)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())
