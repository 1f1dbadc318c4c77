"""GROUP BY columns whose values Python holds not at all, not exactly, or not as keys, and the true counts beside them."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from gensearch_db import Connection, anonymize, estimate
from gensearch_db.count_queries import run_workload
from gensearch_db.count_queries.generating import generate_workload
from gensearch_db.errors import QueryError

QUERY = "SELECT s, COUNT(*) FROM t GROUP BY s"

SENSITIVE = {
    "INTERVAL": ["'1 month'", "'9000000 years'", "'720 hours'"],
    "TIMESTAMP_NS": ["'2024-03-31 00:30:00.123456789'", "'2024-03-31 00:30:00.123456788'", "'infinity'"],
    "TIME_NS": ["'00:00:00.123456789'", "'00:00:00.123456788'", "'24:00:00'"],
    "TIME WITH TIME ZONE": ["'00:00:00+00'", "'02:00:00+02'", "'24:00:00-15:59:59'"],
    "DATE": ["'12000-01-01'", "'0044-03-15 (BC)'", "'2000-01-01'"],
    "INTEGER[]": ["[]", "[NULL]", "[2, 1]"],
    "TIMESTAMP_NS[]": ["['2024-03-31 00:30:00.123456789']", "['2024-03-31 00:30:00.123456788']", "[]"],
    "INTEGER[2]": ["[1, 2]", "[NULL, 2]", "[2, 1]"],
    "STRUCT(a INTEGER, b VARCHAR)": ["{'a': 1, 'b': 'x, y'}", "{'a': NULL, 'b': NULL}", "{'a': 1, 'b': ''}"],
    "MAP(VARCHAR, INTEGER)": ["MAP {}", "MAP {'a': NULL}", "MAP {'b': 2, 'a': 1}"],
    "JSON": ["'{}'", "'{ }'", "'null'"],
    "UUID": ["'00000000-0000-0000-0000-000000000000'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'", "uuid()"],
}
"""By type: three values that a group may have."""


def table_of(connection: duckdb.DuckDBPyConnection, type_: str, values: list[str]) -> None:
    """Twelve rows of the first value, eighteen of the second and so on, and five without any."""
    connection.execute(f"CREATE TABLE t (age INTEGER, s {type_})")
    for number, value in enumerate(values, start=2):
        rows = f"(SELECT CAST({value} AS {type_}) AS value), range({6 * number}) r(i)"
        connection.execute(f"INSERT INTO t SELECT i % 6, value FROM {rows}")
    connection.execute("INSERT INTO t SELECT i, NULL FROM range(5) r(i)")


@pytest.mark.parametrize("type_", SENSITIVE)
def test_every_group_of_a_sensitive_column_is_counted_and_held_against_the_truth(
    connection: duckdb.DuckDBPyConnection, tmp_path: Path, type_: str
) -> None:
    """Found 2026-11-29: OverflowError (INTERVAL), TypeError (lists), several groups of one name (nanoseconds)."""
    values = SENSITIVE[type_]
    table_of(connection, type_, values)
    anonymize(connection, "t", into="r", quasi_identifiers=["age"], sensitive=["s"], k=2)
    true = connection.execute("SELECT count(*) FROM t GROUP BY s ORDER BY ALL").fetchall()
    answer = estimate(connection, "r", QUERY)
    assert sorted((one.upper,) for one in answer.estimates) == true
    assert all(one.lower == one.estimate == one.upper for one in answer.estimates)
    assert len({repr(one.group) for one in answer.estimates}) == len(true)
    rows = Connection(connection).execute(f"ESTIMATE {QUERY} USING r").fetchall()
    assert sorted((row[2],) for row in rows) == true
    (tmp_path / "w.sql").write_text(QUERY)
    report = run_workload(connection, ["r"], tmp_path / "w.sql", source="t")
    assert [one.truth for one in report.outcomes] == [one.estimate.upper for one in report.outcomes]
    assert len(report.outcomes) == len(true)


@pytest.mark.parametrize("type_", ["VARIANT", "VARIANT[]", "STRUCT(v VARIANT)", "UNION(a INTEGER, b VARCHAR)"])
def test_groups_that_their_text_does_not_tell_are_refused(connection: duckdb.DuckDBPyConnection, type_: str) -> None:
    """Found 2026-11-29: groups of VARIANTs were left out without a word, two of a UNION were counted as one."""
    value = {"VARIANT": "i % 2", "VARIANT[]": "[i % 2]", "STRUCT(v VARIANT)": "{'v': i % 2}"}.get(
        type_, "CASE WHEN i % 2 = 0 THEN union_value(a := 1)::UNION(a INTEGER, b VARCHAR) ELSE union_value(b := '1') END"
    )
    connection.execute(f"CREATE TABLE t AS SELECT i % 6 AS age, ({value})::{type_} AS s FROM range(24) r(i)")
    anonymize(connection, "t", into="r", quasi_identifiers=["age"], sensitive=["s"], k=2)
    with pytest.raises(QueryError, match=r"line 1, column 36: cannot group by column 's'.* anonymize a view in which") as told:
        estimate(connection, "r", QUERY)
    assert type_ in str(told.value)


MOMENTS = {
    "TIMESTAMPTZ": ["'2024-03-31 00:30:00+00'", "'2024-10-27 01:30:00+00'", "'12000-01-01 00:00:00+00'"],
    "TIMESTAMP_NS": ["'2024-03-31 00:30:00.123456789'", "'2024-03-31 00:30:00.123456788'", "'1969-12-31 23:59:59.999999999'"],
    "DOUBLE": ["'-0.0'", "'nan'", "5e-324"],
}


@pytest.mark.parametrize("split", ["anywhere", None])
@pytest.mark.parametrize("type_", MOMENTS)
def test_groups_of_a_quasi_identifier_are_held_against_the_truth(
    connection: duckdb.DuckDBPyConnection, tmp_path: Path, type_: str, split: str | None
) -> None:
    """Found 2026-11-29: instants were told as UTC without saying so, nanoseconds left out, NaN counted beside NULL."""
    connection.execute("SET TimeZone = 'America/St_Johns'")
    table_of(connection, type_, MOMENTS[type_])
    specification = {"split": split} if split else {"unordered": True}
    zone = {"timezone": "Europe/Berlin"} if type_ == "TIMESTAMPTZ" else {}
    anonymize(connection, "t", into="r", quasi_identifiers={"s": {**specification, **zone}}, k=1)
    (tmp_path / "w.sql").write_text(QUERY)
    report = run_workload(connection, ["r"], tmp_path / "w.sql", source="t")
    expected = [12, 23, 24] if type_ == "DOUBLE" else [5, 12, 18, 24]  # NaN is missing, too
    assert sorted(one.truth or 0 for one in report.outcomes) == expected
    assert all(one.estimate.lower == one.truth == one.estimate.upper for one in report.outcomes)
    assert len({one.to_dict()["group"] for one in report.outcomes}) == len(report.outcomes)


def test_drawn_constants_of_instants_do_not_hang_on_the_zone(connection: duckdb.DuckDBPyConnection) -> None:
    """Found 2026-11-29: they were written as local times, eight hours beside the values that the release has."""
    connection.execute(
        "CREATE TABLE t AS SELECT TIMESTAMPTZ '2024-01-01 00:00:00+00' + to_hours((i % 4)::INT) AS s FROM range(40) r(i)"
    )
    anonymize(connection, "t", into="r", quasi_identifiers={"s": {"split": "anywhere", "timezone": "UTC"}}, k=10)
    texts = set()
    for zone in ("Asia/Shanghai", "UTC"):
        connection.execute(f"SET TimeZone = '{zone}'")
        texts.add(generate_workload(connection, "r", queries=10, predicates=[1], selectivity=0.5, seed=1))
    (text,) = texts
    first, last = connection.execute("SELECT epoch_us(min(s_lower)), epoch_us(max(s_upper)) FROM r_blocks").fetchall()[0]
    constants = [part.split("'")[0] for part in text.split("TIMESTAMPTZ '")[1:]]
    assert len(constants) == 20
    for constant in constants:
        ((place,),) = connection.execute("SELECT epoch_us(CAST(? AS TIMESTAMPTZ))", [constant]).fetchall()
        assert first <= place < last


@pytest.mark.parametrize("column", ["level", "grade"])
def test_an_enum_is_not_compared_in_its_order(connection: duckdb.DuckDBPyConnection, column: str) -> None:
    """Found 2026-11-29: the release holds its text, so that 24 rows below 'high' were told to be 0, for certain."""
    connection.execute("CREATE TYPE sev AS ENUM ('low', 'mid', 'high', 'max')")
    names = "['low', 'mid', 'high', 'max'][1 + i % 4]::sev"
    connection.execute(f"CREATE TABLE t AS SELECT {names} AS level, {names} AS grade, i % 3 AS age FROM range(48) r(i)")
    anonymize(connection, "t", into="r", quasi_identifiers={"level": {"order": True}, "age": {}}, sensitive=["grade"], k=1)
    count = "SELECT COUNT(*) FROM t WHERE"
    for asked in (
        f"{column} < 'high'::sev",
        f"age = 1 OR {column} BETWEEN 'low'::sev AND 'mid'::sev",
        f"'mid'::sev >= {column}",
    ):
        with pytest.raises(QueryError, match=rf"column '{column}' is VARCHAR: the order of an ENUM .*list the values"):
            estimate(connection, "r", f"{count} {asked}")
    for asked in (
        f"{column} IN ('low'::sev, 'mid')",
        f"{column} = 'low'::sev",
        f"{column} < 'high'",
        f"NOT {column} <> 'max'::sev",
    ):
        (one,) = estimate(connection, "r", f"{count} {asked}").estimates
        assert [(one.lower,)] == connection.execute(f"{count} {asked}").fetchall() == [(one.upper,)]
