"""Values that are one to DuckDB and yet not the same do not show in which order the source has them.

30 days and 1 month are one value to a sort and to a grouping; so are 1 as INTEGER and 1 as BIGINT inside a VARIANT. Which of
them comes first, or stands for both in a distribution, must be said by the values themselves.
"""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

import gensearch_db
from gensearch_db.database.session import Session
from gensearch_db.statements.publish import publish

EQUAL = {
    "INTERVAL": ["INTERVAL '30 days'", "INTERVAL '1 month'", "INTERVAL '720 hours'"],
    "INTERVAL[]": ["[INTERVAL '30 days']", "[INTERVAL '1 month']"],
    "DOUBLE[]": ["[0.0]", "['-0.0'::DOUBLE]"],
    "VARIANT": ["1::INTEGER::VARIANT", "1::BIGINT::VARIANT", "1::TINYINT::VARIANT"],
    "VARIANT[]": ["[1::INTEGER::VARIANT]", "[1::BIGINT::VARIANT]"],
    "STRUCT(a VARIANT, b MAP(VARCHAR, VARIANT))": [
        "{'a': 1::INTEGER::VARIANT, 'b': MAP {'x': 1::INTEGER::VARIANT}}",
        "{'a': 1::INTEGER::VARIANT, 'b': MAP {'x': 1::BIGINT::VARIANT}}",
        "{'a': 1::BIGINT::VARIANT, 'b': MAP {'x': 1::INTEGER::VARIANT}}",
    ],
}
INSIDE = "variant_to_parquet_variant({}::VARIANT)"


def handed_out(folder: Path, type_name: str, values: list[str], role: str) -> list[object]:
    """A publication of these rows in all three formats: the bytes of the files, of the database what it holds."""
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t (age INTEGER, v {type_name})")
        for value in values:
            connection.execute(f"INSERT INTO t VALUES (1, {value})")
        columns = {role: ["v"]}
        gensearch_db.anonymize(connection, "t", into="r", quasi_identifiers={"age": {}}, k=2, strategy="enumeration", **columns)
        with Session(connection) as session:
            for target in ("parquet/*.parquet", "csv/*.csv", "r.duckdb"):
                publish(session, ["r"], str(folder / target))
    files = [path.read_bytes() for path in sorted(folder.glob("*/*.*"))]
    assert len(files) == 6
    with duckdb.connect(folder / "r.duckdb", read_only=True) as receiver:
        shown = INSIDE if "VARIANT" in type_name else "{}"
        tables = [("v", "r")] if role == "keep" else [("v", "r"), ("v_distribution", "r_blocks")]
        rows = [
            receiver.execute(f"SELECT {name}::VARCHAR, {shown.format(name)} FROM {table}").fetchall() for name, table in tables
        ]
    return [*files, *rows]


@pytest.mark.parametrize("role", ["keep", "sensitive"])
@pytest.mark.parametrize("type_name", EQUAL)
def test_a_publication_tells_nothing_of_the_order_of_values_that_compare_equal(
    tmp_path: Path, type_name: str, role: str
) -> None:
    """Three of each, one after another, the other way round, and by turns."""
    in_turn = EQUAL[type_name] * 3
    orders = [sorted(in_turn), sorted(in_turn, reverse=True), in_turn, in_turn[::-1]]
    publications = []
    for number, values in enumerate(orders):
        (tmp_path / str(number)).mkdir()
        publications.append(handed_out(tmp_path / str(number), type_name, values, role))
    assert all(publication == publications[0] for publication in publications)
