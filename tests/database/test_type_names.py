"""Types as DuckDB prints them: every simple type is found, and no field name is taken for one."""

from __future__ import annotations

import duckdb
import pytest

from gensearch_db.database.columns import released_type
from gensearch_db.database.rendering import UnquotedError, type_name
from gensearch_db.database.type_names import is_enum, is_nested, rewritten

VALUES = {
    "1.5::DECIMAL(10,2)": (["DECIMAL(10,2)"], False),
    "[TIMETZ '10:00:00+02']": (["TIME WITH TIME ZONE"], True),
    "['a''b(']::ENUM('a''b(', '[x]')[1]": (["ENUM('a''b(', '[x]')"], True),
    "'[x]'::ENUM('[x]', 'STRUCT(')": (["ENUM('[x]', 'STRUCT(')"], False),
    "{'HUGEINT': 1::TINYINT, 'ENUM(''x'')': 2::UTINYINT, 'a, b) c': 3::SMALLINT, 'x\"y': NULL}": (
        ["TINYINT", "UTINYINT", "SMALLINT", '"NULL"'],
        True,
    ),
    "MAP {'k': {'naïve ☃': [[1.5::FLOAT]]}}": (["VARCHAR", "FLOAT"], True),
    "row(1::BIGINT, 'x'::ENUM('x'))": (["BIGINT", "ENUM('x')"], True),
    'union_value("INTERVAL" := 3::UINTEGER)': (["UINTEGER"], True),
    "'POINT (1 2)'::GEOMETRY('OGC:CRS84')": (["GEOMETRY('OGC:CRS84')"], False),
}


@pytest.mark.parametrize("value", VALUES)
def test_simple_types_are_found_in_what_duckdb_prints(value: str) -> None:
    simple, nested = VALUES[value]
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t AS SELECT {value} AS v")
        ((printed,),) = connection.execute("SELECT data_type FROM duckdb_columns() WHERE table_name = 't'").fetchall()
        found: list[str] = []
        assert rewritten(printed, lambda name: found.append(name) or name) == printed
        assert found == simple
        assert is_nested(printed) is nested
        released = released_type(printed)
        connection.execute(f"SELECT v::{released} FROM t").fetchall()
        assert "ENUM('x'" not in released.replace("\"ENUM('x')\"", "")
        assert type_name(printed) == printed


def test_a_list_of_an_enum_is_no_enum() -> None:
    assert [is_enum(each) for each in ("ENUM('a')", "ENUM('a')[]", "ENUM('a]')", "VARCHAR")] == [True, False, True, False]


def test_a_semicolon_is_part_of_a_type_in_quotes_only() -> None:
    for good in ("STRUCT(s ENUM('a;b'))", 'STRUCT("a;b" INTEGER)', "ENUM('it''s;')"):
        assert type_name(good) == good
    for bad in ("INTEGER; DROP TABLE t", "ENUM('a'); DROP TABLE t"):
        with pytest.raises(UnquotedError):
            type_name(bad)
