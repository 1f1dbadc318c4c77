"""What one request may get wrong, reported in one message; types and zones at their edges."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import duckdb
import pytest

import gensearch_db
from gensearch_db import Problem
from gensearch_db.errors import DataError, SpecificationError

HUGE = "12345678901234567890123456789.012345678"


@pytest.fixture
def memory() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute(
        """CREATE TABLE t AS SELECT i AS a, i / 2 AS f, DATE '2020-01-01' + i::INTEGER * 20 AS d, [i] AS n,
           TIMESTAMPTZ '2023-10-28 21:00:00+00' + i * INTERVAL 1 HOUR AS z FROM range(8) r(i)"""
    )
    return connection


def labels(connection: duckdb.DuckDBPyConnection, columns: object, table: str = "t") -> list[object]:
    gensearch_db.anonymize(connection, table, into="rel", quasi_identifiers=columns, k=2, strategy="mondrian", replace=True)
    return [row[0] for row in connection.execute("SELECT COLUMNS('label|^[adfxz]$') FROM rel ORDER BY 1").fetchall()]


def test_roles_constraints_columns_types_and_splits_are_reported_at_once(memory: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(SpecificationError) as caught:
        gensearch_db.anonymize(
            memory, "t", into="rel", identifiers=["a"], sensitive=["nix"], k=0,
            quasi_identifiers={"a": {"split": "at 0x10, 2.5"}, "f": {"split": "every x"}, "n": {}, "z": {"timezone": "Mars"}},
        )  # fmt: skip
    said = caught.value.problems
    for words in (
        "both as identifier", "k must be", "'nix' does not exist", "'0x10'", "'2.5'", "column 'f': split", "[]", "zone 'Mars'",
    ):  # fmt: skip
        assert sum(words in problem for problem in said) >= 1, (words, said)
    assert not any("column 'a': column" in problem for problem in said)


@pytest.mark.parametrize("point", ["nan", "inf", "-inf"])
def test_cut_points_are_finite(memory: duckdb.DuckDBPyConnection, point: str) -> None:
    for field in ({"split": f"at 1, {point}"}, {"domain": [0, point]}):
        with pytest.raises(SpecificationError, match="is not a value of type DOUBLE"):
            labels(memory, {"f": field})


def test_a_cut_point_that_a_date_would_truncate_is_refused(memory: duckdb.DuckDBPyConnection) -> None:
    for point in ("2020-02-01 12:00", "infinity"):
        with pytest.raises(SpecificationError, match="is not a value of type DATE"):
            labels(memory, {"d": {"split": f"at {point}"}})


def test_dates_and_numbers_need_no_quotes(memory: duckdb.DuckDBPyConnection) -> None:
    assert labels(memory, {"d": {"split": "every year", "domain": [date(2020, 1, 1), date(2020, 12, 31)]}})
    assert labels(memory, {"a": {"order": list(range(8))}})


def test_decimals_keep_their_38_digits(memory: duckdb.DuckDBPyConnection) -> None:
    memory.execute(f"CREATE TABLE w AS SELECT unnest([{HUGE}, -{HUGE}])::DECIMAL(38, 9) AS x FROM range(2)")
    gensearch_db.anonymize(memory, "w", into="rel", quasi_identifiers={"x": {"split": "every 0.000000002"}}, k=2)
    outside = f"""SELECT count(*) FROM rel_blocks WHERE NOT coalesce({HUGE}::DECIMAL(38, 9) >= x_lower, true)
                  AND NOT coalesce(-{HUGE}::DECIMAL(38, 9) < x_upper, true)"""
    assert memory.execute(outside).fetchone() == (0,)
    assert memory.execute("SELECT count(*) FROM rel_blocks").fetchone() == (2,)


def test_the_first_and_last_day_of_a_timestamp(memory: duckdb.DuckDBPyConnection) -> None:
    memory.execute(
        """CREATE TABLE w AS SELECT unnest([TIMESTAMP '290309-12-22 (BC) 00:00:00', TIMESTAMP '294247-01-10 04:00:54.775806'])
           AS x FROM range(2)"""
    )
    assert len(set(labels(memory, {"x": {"split": "every day"}}, "w"))) == 2


def test_a_span_that_a_double_cannot_measure_is_refused(memory: duckdb.DuckDBPyConnection) -> None:
    memory.execute("CREATE TABLE w AS SELECT unnest([1.7e308, -1.7e308])::DOUBLE AS x FROM range(2)")
    with pytest.raises(DataError, match="column 'x' reaches from"):
        labels(memory, {"x": {}}, "w")


def test_instants_are_read_and_printed_in_the_stated_zone_whatever_the_sessions(memory: duckdb.DuckDBPyConnection) -> None:
    expected = {"< 2023-10-29 02:30:00+02", ">= 2023-10-29 02:30:00+02"}
    for zone in ("America/New_York", "Asia/Tokyo"):
        memory.execute(f"SET TimeZone = '{zone}'")
        found = labels(memory, {"z": {"split": "at 2023-10-29 02:30:00+02", "timezone": "Europe/Berlin"}})
        assert set(found) == expected
        assert memory.execute("SELECT current_setting('TimeZone')").fetchone() == (zone,)


def test_a_zone_goes_with_instants_only(memory: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(SpecificationError, match="only a TIMESTAMP WITH TIME ZONE"):
        labels(memory, {"d": {"timezone": "Europe/Berlin"}})


def test_an_array_of_an_enum_is_a_nested_type(memory: duckdb.DuckDBPyConnection) -> None:
    memory.execute("CREATE TABLE w AS SELECT ['x']::ENUM('x', 'y')[1] AS x FROM range(2)")
    with pytest.raises(DataError, match="cannot be generalized"):
        labels(memory, {"x": {}}, "w")


def test_taxonomy_files_lie_beside_the_problem_and_cells_may_hold_any_line_separator(
    memory: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    memory.execute("CREATE TABLE w AS SELECT unnest(['a', 'b' || chr(8232) || 'c']) AS x FROM range(2)")
    (tmp_path / "x.csv").write_text('a;*\n"b\u2028c";*\n', encoding="utf-8")
    (tmp_path / "x.json").write_text('{"cat": "*", "subcats": [{"cat": "a"}, {"cat": "b\\u2028c"}]}')
    for name in ("x.csv", "x.json"):
        (tmp_path / "p.toml").write_text(f'table = "w"\ninto = "rel"\nquasi_identifiers.x.taxonomy = "{name}"')
        problem = Problem.from_toml(tmp_path / "p.toml")
        gensearch_db.anonymize(memory, problem, replace=True)
        assert memory.execute("SELECT x FROM rel_blocks ORDER BY x").fetchall() == [("a",), ("b\u2028c",)]


def test_a_text_in_place_of_a_list_is_not_read_letter_by_letter(memory: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(SpecificationError) as refused:
        gensearch_db.audit(memory, "t", quasi_identifiers="a", subject_to="k_anonymity(2)")  # a text is a sequence of texts
    assert refused.value.problems == (
        "quasi_identifiers: must be a list, as in ['a'], not 'a'",
        "subject_to: must be a list, as in ['k_anonymity(2)'], not 'k_anonymity(2)'",
    )
