"""Cases P09, N10, T03, T05: tables that come as files, and releases written to files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

import gensearch_db

from .invariants import check_release

FORMATS = {"csv": "(FORMAT csv)", "parquet": "(FORMAT parquet)", "json": "(FORMAT json)"}


def anonymize(connection: duckdb.DuckDBPyConnection, **problem: Any) -> Any:
    release = gensearch_db.anonymize(connection, **problem)
    check_release(connection, problem)
    return release


@pytest.mark.parametrize("form", FORMATS)
def test_p09_no_byte_of_a_suppressed_row_in_any_form(tmp_path: Path, form: str) -> None:
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE p09 AS SELECT * FROM (VALUES ('10','a'),('10','b'),('10','a'),('77XYZ','secret')) v(zip, diag)"
        )
        release = anonymize(
            connection,
            table="p09",
            into="rel",
            quasi_identifiers={"zip": {"unordered": True}},
            sensitive=["diag"],
            subject_to=["k_anonymity(3)"],
            suppress_at_most=25,
            typed_columns=True,
        )
        written = []
        for table in ("rel", "rel_blocks"):
            path = tmp_path / f"{table}.{form}"
            connection.execute(f"COPY {table} TO '{path}' {FORMATS[form]}")
            written.append(path.read_bytes())
            rows = connection.execute(f"SELECT count(*) FROM '{path}'").fetchone()
            assert rows == ((3,) if table == "rel" else (1,))
        printed = (
            release.to_text().encode() + repr(release.to_dict()).encode() + repr(connection.execute("FROM rel").df()).encode()
        )
    for text in (*written, printed):
        assert b"77XYZ" not in text
        assert b"secret" not in text


def test_n10_empty_string_and_null_survive_a_csv_file(tmp_path: Path) -> None:
    """DuckDB writes the empty string in quotes and NULL bare; read back with the same rule, k is as it was."""
    path = tmp_path / "rel.csv"
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE n10 AS SELECT * FROM (VALUES ('','a'),('','b'),(NULL,'a'),(NULL,'b'),('x','a'),('x','b')) v(q, d)"
        )
        anonymize(
            connection,
            table="n10",
            into="rel",
            quasi_identifiers={"q": {"unordered": True}},
            sensitive=["d"],
            subject_to=["k_anonymity(2)"],
        )
        connection.execute(f"COPY rel TO '{path}' (FORMAT csv, NULLSTR '\\N')")
        connection.execute(f"CREATE TABLE again AS FROM read_csv('{path}', header = true, nullstr = '\\N', all_varchar = true)")
        for table in ("rel", "again"):
            report = gensearch_db.audit(
                connection, table, quasi_identifiers=["q"], sensitive=["d"], subject_to=["k_anonymity(2)"]
            )
            assert report.passed
            assert report.blocks == 3
            assert report.check("k_anonymity").reached == 2


def test_t05_a_csv_file_keeps_leading_zeros(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("zip,d\n02134,a\n02139,b\n00501,a\n00544,b\n", encoding="utf-8")
    with duckdb.connect() as connection:
        gensearch_db.anonymize(
            connection,
            table=str(path),
            into="rel",
            quasi_identifiers={"zip": {"prefix": True}},
            sensitive=["d"],
            subject_to=["k_anonymity(2)"],
        )
        assert connection.execute("SELECT zip, count(*) FROM rel GROUP BY 1 ORDER BY 1").fetchall() == [
            ("005**", 2),
            ("021**", 2),
        ]


def test_t03_parquet_holds_counts_as_integers_and_labels_with_all_digits(tmp_path: Path) -> None:
    large = 10**30 - 2
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t03(card HUGEINT, d VARCHAR)")
        connection.execute(f"INSERT INTO t03 VALUES ({large + 1},'a'), ({large},'b'), (5,'a'), (6,'b')")
        anonymize(
            connection,
            table="t03",
            into="rel",
            quasi_identifiers={"card": {"split": "anywhere"}},
            sensitive=["d"],
            subject_to=["k_anonymity(2)"],
        )
        for table in ("rel", "rel_blocks"):
            connection.execute(f"COPY {table} TO '{tmp_path / table}.parquet' (FORMAT parquet)")
        types = {
            name: kind for name, kind, *_ in connection.execute(f"DESCRIBE FROM '{tmp_path}/rel_blocks.parquet'").fetchall()
        }
        assert types["count"] == "BIGINT"
        labels = connection.execute(f"SELECT DISTINCT card FROM '{tmp_path}/rel.parquet' ORDER BY 1").fetchall()
    assert labels == [("< 7",), (f">= {large}",)]
