"""The least and the greatest value, which one person has, are printed nowhere: of any type, however it is cut."""

from __future__ import annotations

import re
from typing import Any

import duckdb
import pytest

import gensearch_db

DAY = "TIMESTAMP '2020-01-01'"
TYPES: dict[str, tuple[str, str, str, str]] = {
    "TINYINT": ("n", "-113", "117", "every 10"),
    "INTEGER": ("n", "-98761", "98767", "every 10"),
    "BIGINT": ("n", "-9223372036854775808", "9223372036854775807", "every 10"),
    "UBIGINT": ("n + 3", "0", "18446744073709551615", "every 10"),
    "HUGEINT": ("n", f"-{2**127}", f"{2**127 - 1}", "every 10"),
    "UHUGEINT": ("n + 3", "0", f"{2**128 - 1}", "every 10"),
    "DECIMAL(18,3)": ("n * 1.5", "-98761.371", "98761.373", "every 10"),
    "DECIMAL(38,0)": ("n", "-" + "9" * 38, "9" * 38, "every 10"),
    "FLOAT": ("n * 1.5", "-98761.37", "98761.37", "every 10"),
    "DOUBLE": ("n * 1.5", "-98761.371", "98761.373", "every 10"),
    "DATE": ("DATE '2020-01-01' + n * 40", "'1911-03-17'", "'2107-05-19'", "every month"),
    "TIMESTAMP": (f"{DAY} + to_days(n * 40)", "'1911-03-17 03:04:05.67'", "'2107-05-19 03:04:05.67'", "every year"),
    "TIMESTAMP_S": (f"{DAY} + to_seconds(n)", "'1911-03-17 03:04:05'", "'2107-05-19 03:04:05'", "every year"),
    "TIMESTAMP_MS": (f"{DAY} + to_milliseconds(n)", "'2019-12-31 23:59:59.32'", "'2020-01-01 10:11:59.123'", "every hour"),
    "TIMESTAMP_NS": (
        "'2020-01-01 00:00:00.00000000' || n",
        "'2019-12-31 23:59:59.321123321'",
        "'2020-01-01 10:11:59.123321123'",
        "every hour",
    ),
    "TIMESTAMPTZ": (f"{DAY} + to_days(n * 40)", "'1911-03-17 03:04:05.67+00'", "'2107-05-19 03:04:05.67+00'", "every month"),
}  # fmt: skip
"""Of each type the values that groups have, made from a small number, the two extremes, and a grid."""
SPLITS = ("anywhere", "3 quantiles", "64 quantiles", "grid", None)


def published(connection: duckdb.DuckDBPyConnection) -> str:
    """All that is handed out: both tables as text, and their comments."""
    tables = [
        connection.execute(f"SELECT DISTINCT COLUMNS(*)::VARCHAR FROM {name}").fetchall() for name in ("rel", "rel_blocks")
    ]
    return str([*tables, connection.execute("SELECT comment FROM duckdb_tables()").fetchall()])


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("type_name", TYPES)
def test_the_value_of_one_person_at_either_end_is_printed_nowhere(type_name: str, split: str | None) -> None:
    """Five groups of five in between, and four people whose value is not known: too few without the greatest one."""
    group, least, greatest, grid = TYPES[type_name]
    with duckdb.connect() as connection:
        connection.execute("SET timezone = 'UTC'")
        connection.execute(f"CREATE TABLE t (v {type_name})")
        connection.execute(f"INSERT INTO t SELECT {group} FROM (SELECT unnest([0, 1, 3, 4, 5]) AS n), range(5)")
        connection.execute(f"INSERT INTO t VALUES ({least}), ({greatest}), (NULL), (NULL), (NULL), (NULL)")
        how: dict[str, Any] = {} if split is None else {"split": grid if split == "grid" else split}
        if type_name == "TIMESTAMPTZ":
            how["timezone"] = "UTC"
        release = gensearch_db.anonymize(
            connection,
            "t",
            into="rel",
            quasi_identifiers={"v": how},
            subject_to=["k_anonymity(5)"],
            typed_columns=True,
            strategy="enumeration",  # nothing to compile
        )
        assert release.rows_released == 31
        text = published(connection)
        for (shown,) in connection.execute("SELECT unnest([min(v)::VARCHAR, max(v)::VARCHAR]) FROM t").fetchall():
            assert re.search(rf"(?<![\d.]){re.escape(shown)}(?![\d])", text) is None, shown


@pytest.mark.parametrize("labels", ["region", "values"])
@pytest.mark.parametrize("value", ["20", "20.5::DOUBLE", "DATE '2020-02-20'", "TIMESTAMP '2020-02-20 01:02:03.004'"])
def test_the_least_value_beside_unknown_ones_is_printed_as_an_open_end(value: str, labels: str) -> None:
    """The men are one block: one has the least value, of the others it is not known. The women have it in groups."""
    with duckdb.connect() as connection:
        connection.execute(
            f"CREATE TABLE t AS SELECT {value} AS v, 'm' AS sex UNION ALL SELECT NULL, 'm' FROM range(4) UNION ALL"
            f" SELECT {value} + (CASE WHEN n < 5 THEN 7 ELSE 9 END){' * INTERVAL 1 day' if 'TIME' in value else ''}, 'w'"
            " FROM range(10) r(n)"
        )
        gensearch_db.anonymize(
            connection,
            "t",
            into="rel",
            quasi_identifiers={"v": {"split": "anywhere"}, "sex": {"unordered": True}},
            subject_to=["k_anonymity(5)"],
            typed_columns=True,
            labels=labels,
            strategy="enumeration",
        )
        (shown,) = connection.execute(f"SELECT ({value})::VARCHAR").fetchall()[0]
        assert re.search(rf"{re.escape(shown)}(?!\d)", published(connection)) is None
        (label,) = connection.execute("SELECT DISTINCT v FROM rel WHERE sex = 'm'").fetchall()[0]
        next_value = connection.execute("SELECT min(v)::VARCHAR FROM t WHERE sex = 'w'").fetchall()[0][0]
        assert label == (f"< {next_value} or NULL" if labels == "values" else "*")


def test_a_listed_release_prints_the_greatest_value_as_an_open_end_too() -> None:
    """Two people of 20 may join either side; the oldest has nobody but people whose age is not known."""
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT unnest([10, 10, 10, 10, 10, 20, 20, 30, 30, 30, 30, 30, 97, NULL, NULL, NULL, NULL]) AS v"
        )
        release = gensearch_db.anonymize(
            connection,
            "t",
            into="rel",
            quasi_identifiers={"v": {"split": "anywhere"}},
            subject_to=["k_anonymity(5)"],
            minimize="discernibility",
            strategy="enumeration",
            options={"all_optimal": True},
        )
        (other,) = release.alternatives
        released = {label for (label,) in connection.execute("SELECT DISTINCT v FROM rel").fetchall()}
        assert released & {block.labels["v"] for block in other.blocks} == {">= 31 or NULL"}
        assert "97" not in published(connection) + str(release.to_dict()["alternatives"])
