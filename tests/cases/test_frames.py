"""Cases N08, I01, T03, T05, T06: tables that come as DataFrames and Arrow tables, and releases that leave as DataFrames."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import gensearch_db
from gensearch_db.errors import SpecificationError

from .invariants import check_release


def anonymize(connection: duckdb.DuckDBPyConnection, **problem: Any) -> Any:
    """Make the release, check the invariants, and give back what was measured."""
    gensearch_db.anonymize(connection, **problem)
    return check_release(connection, problem)


AGES = [30.0, 30.0, np.nan, np.nan]
VALUES = ["a", "b", "a", "b"]


def frame() -> pd.DataFrame:
    return pd.DataFrame({"age": AGES, "d": VALUES})


def arrow() -> pa.Table:
    """NaN kept as NaN, where a pandas frame arrives with NULL."""
    return pa.table({"age": pa.array(AGES, from_pandas=False), "d": VALUES})


@pytest.mark.parametrize("route", ["frame", "arrow", "null", "nan", "one of each"])
def test_n08_missing_numbers_are_one_block_by_every_route(route: str) -> None:
    with duckdb.connect() as connection:
        if route in ("frame", "arrow"):
            connection.register("people", frame() if route == "frame" else arrow())
        else:
            missing = {
                "null": "(NULL,'a'),(NULL,'b')",
                "nan": "('nan','a'),('nan','b')",
                "one of each": "(NULL,'a'),('nan','b')",
            }
            connection.execute("CREATE TABLE people(age DOUBLE, d VARCHAR); INSERT INTO people VALUES (30,'a'),(30,'b')")
            connection.execute(f"INSERT INTO people VALUES {missing[route]}")
        measures = anonymize(
            connection,
            table="people",
            into="rel",
            quasi_identifiers={"age": {"split": "anywhere"}},
            sensitive=["d"],
            subject_to=["k_anonymity(2)"],
        )
    assert measures.sizes == [2, 2]


def test_i01_a_frame_whose_columns_differ_in_case_only_shows_the_rename() -> None:
    two = pd.DataFrame({"Age": [30, 30, 31, 31], "age": [1, 2, 1, 2]})
    with duckdb.connect() as connection:
        connection.register("people", two)
        assert [name for name, *_ in connection.execute("DESCRIBE people").fetchall()] == ["Age", "age_1"]
        anonymize(
            connection,
            table="people",
            into="rel",
            quasi_identifiers={"Age": {"split": "anywhere"}},
            keep=["age_1"],
            subject_to=["k_anonymity(2)"],
        )
        assert connection.execute("SELECT age_1 FROM rel ORDER BY 1").fetchall() == [(1,), (1,), (2,), (2,)]
        assert [name for name, *_ in connection.execute("DESCRIBE rel").fetchall()] == ["Age", "age_1"]
        with pytest.raises(SpecificationError, match="'age' may be 'Age' or 'age_1'"):
            gensearch_db.anonymize(connection, "people", into="rel2", quasi_identifiers=["age"], k=2)
        with pytest.raises(SpecificationError, match=r"(?i)'age'"):
            gensearch_db.anonymize(
                connection,
                table="people",
                into="rel2",
                quasi_identifiers={"Age": {}},
                keep=["age"],
                subject_to=["k_anonymity(2)"],
            )


def test_t05_a_frame_of_strings_keeps_leading_zeros() -> None:
    codes = pd.DataFrame({"zip": ["02134", "02139", "00501", "00544"], "d": ["a", "b", "a", "b"]})
    with duckdb.connect() as connection:
        connection.register("people", codes)
        anonymize(
            connection,
            table="people",
            into="rel",
            quasi_identifiers={"zip": {"prefix": True}},
            sensitive=["d"],
            subject_to=["k_anonymity(2)"],
        )
        assert connection.execute("SELECT DISTINCT zip FROM rel ORDER BY 1").fetchall() == [("005**",), ("021**",)]


def test_t06_a_pandas_categorical_keeps_its_order_and_its_unused_level_makes_no_block() -> None:
    severity = pd.Categorical(["low", "mid", "high", "max"], categories=["low", "mid", "high", "never", "max"], ordered=True)
    with duckdb.connect() as connection:
        connection.register("people", pd.DataFrame({"s": severity, "d": ["a", "b", "a", "b"]}))
        measures = anonymize(
            connection,
            table="people",
            into="rel",
            quasi_identifiers={"s": {"order": True}},
            sensitive=["d"],
            subject_to=["k_anonymity(2)"],
        )
        first = "SELECT list_sort(list(d)) FROM rel GROUP BY s ORDER BY contains(s, 'low') DESC"
        assert connection.execute(first).fetchall() == [(["a", "b"],), (["a", "b"],)]
    assert measures.sizes == [2, 2]


def test_t03_counts_reach_a_frame_as_integers() -> None:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE cards AS SELECT unnest([10::HUGEINT**29 + 1, 10::HUGEINT**29, 5, 6]) AS card")
        connection.execute("ALTER TABLE cards ALTER card TYPE HUGEINT")
        anonymize(
            connection,
            table="cards",
            into="rel",
            quasi_identifiers={"card": {"split": "anywhere"}},
            subject_to=["k_anonymity(2)"],
        )
        blocks = connection.execute("SELECT * FROM rel_blocks").df()
    assert blocks["count"].dtype == np.int64
    assert list(blocks["count"]) == [2, 2]
