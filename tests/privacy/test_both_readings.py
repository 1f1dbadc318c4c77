"""S06 of the field: with a suppressed row, t against the source is 1/7 and against the released rows 0."""

from __future__ import annotations

import duckdb
import pytest

from gensearch_db import Release, anonymization
from gensearch_db.errors import InfeasibleError


@pytest.fixture
def seven_rows(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    connection.execute("CREATE TABLE s06 (q VARCHAR, s VARCHAR)")
    connection.execute("INSERT INTO s06 VALUES ('a','x'), ('a','x'), ('a','y'), ('a','y'), ('b','x'), ('b','y'), ('c','z')")
    return connection


def release(connection: duckdb.DuckDBPyConnection, t: str) -> Release:
    return anonymization.anonymize(
        connection,
        "s06",
        into="s06_release",
        quasi_identifiers=["q"],
        sensitive=["s"],
        subject_to=["k_anonymity(2)", f"t_closeness({t})"],
        minimize="ncp",
        suppress_at_most=15,
    )


def test_both_readings_are_reported_and_the_source_decides(seven_rows: duckdb.DuckDBPyConnection) -> None:
    made = release(seven_rows, "0.15")
    assert (made.rows_released, made.rows_suppressed) == (6, 1)
    check = made.audit.check("t_closeness", "s")
    assert check.reached == pytest.approx(1 / 7)
    assert "t 0.142857 (compared with the source), 0 (compared with the released rows)" in check.message
    assert seven_rows.execute("SELECT count(*) FROM s06_release WHERE s = 'z' OR q = '*'").fetchone() == (0,)


def test_a_bound_between_the_readings_keeps_the_row(seven_rows: duckdb.DuckDBPyConnection) -> None:
    """t = 0.1 holds only with all rows in one block: suppression would leave 1/7."""
    made = release(seven_rows, "0.1")
    assert (made.rows_released, made.rows_suppressed) == (7, 0)


def test_what_cannot_be_met_writes_nothing(seven_rows: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(InfeasibleError, match="reaches size 7"):
        anonymization.anonymize(seven_rows, "s06", into="s06_release", quasi_identifiers=["q"], subject_to=["k_anonymity(8)"])
    assert seven_rows.execute("SELECT table_name FROM duckdb_tables()").fetchall() == [("s06",)]
