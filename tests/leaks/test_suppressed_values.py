"""A value that only a suppressed row has is printed nowhere: not as a bound, a label, a list, nor in a comment."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pytest

from gensearch_db.database.release import write_release
from gensearch_db.database.session import Session
from gensearch_db.domain.region import Interval
from gensearch_db.search.result import Partition
from tests.database.tables import prepared_from

TYPES = {
    "DOUBLE": "v",
    "FLOAT": "v::FLOAT",
    "DECIMAL(6,3)": "v::DECIMAL(6,3)",
    "INTEGER": "(v * 1000)::INTEGER",
    "DATE": "DATE '2001-01-01' + (v * 100)::INTEGER",
    "TIMESTAMP": "TIMESTAMP '2001-01-01' + to_microseconds((v * 1e9)::BIGINT)",
}
"""One column of each type, made from the same numbers: four values of three rows each, and 33.125, which is suppressed."""
HIDDEN = 33.125
SETUP = """
CREATE TABLE t AS SELECT {column} AS v, town FROM (
    SELECT unnest([10.5, 20.25, 40.5, 50.75])::DOUBLE AS v, 'x' AS town FROM range(3)
    UNION ALL SELECT 33.125::DOUBLE, 'z'
)
"""


@pytest.fixture
def session(connection: duckdb.DuckDBPyConnection) -> Any:
    with Session(connection) as opened:
        yield opened


def published(session: Session) -> str:
    """All that is handed out: both tables as text, and their comments."""
    run = session.connection.execute
    rows = [str(run(f"SELECT CAST(COLUMNS(*) AS VARCHAR) FROM {table}").fetchall()) for table in ("rel", "rel_blocks")]
    comments = run("SELECT comment FROM duckdb_tables() WHERE table_name IN ('rel', 'rel_blocks')").fetchall()
    comments += run("SELECT comment FROM duckdb_columns() WHERE table_name IN ('rel', 'rel_blocks')").fetchall()
    return "\n".join([*rows, str(comments)])


def write(session: Session, column: str, split: str, boundary: int) -> str:
    """Two blocks of the town x, parted before the leaf ``boundary``; the only row of the town z is suppressed."""
    with prepared_from(
        session, SETUP.format(column=column), {"v": {"split": split}, "town": {}}, typed_columns=True, suppress_at_most=50
    ) as prepared:
        ages, towns = prepared.space.attributes
        in_x = towns.tight([next(code for code, leaf in enumerate(towns.leaves) if leaf.label == "x")])
        blocks = ((Interval(0, boundary), in_x), (Interval(boundary, ages.leaf_count), in_x))
        block_of_cell = [
            next((n for n, block in enumerate(blocks) if all(r.contains(c) for r, c in zip(block, codes, strict=True))), -1)
            for codes in prepared.cells.codes.tolist()
        ]
        assert block_of_cell.count(-1) == 1
        certificate = {"status": "HEURISTIC", "rows_suppressed": 1}
        write_release(prepared, Partition(blocks, np.array(block_of_cell, np.int64)), (), certificate, {})
    return published(session)


@pytest.mark.parametrize("type_name", TYPES)
@pytest.mark.parametrize("boundary", [2, 3])
def test_an_interval_does_not_end_at_a_suppressed_value(session: Session, type_name: str, boundary: int) -> None:
    """Leaves 0 to 4 are the five values; leaf 2, the suppressed one, begins the second block or ends the first."""
    text = write(session, TYPES[type_name], "anywhere", boundary)
    hidden = session.value(f"SELECT ({TYPES[type_name]})::VARCHAR FROM (SELECT {HIDDEN}::DOUBLE AS v)")  # type: ignore[arg-type]
    shown = session.value(f"SELECT ({TYPES[type_name]})::VARCHAR FROM (SELECT 40.5::DOUBLE AS v)")  # type: ignore[arg-type]
    assert shown in text
    assert hidden not in text


@pytest.mark.parametrize("type_name", TYPES)
def test_a_quantile_is_not_cut_at_a_suppressed_value(session: Session, type_name: str) -> None:
    """The second half begins with the suppressed value: the cut is a round place before it."""
    text = write(session, TYPES[type_name], "2 quantiles", 1)
    hidden = session.value(f"SELECT ({TYPES[type_name]})::VARCHAR FROM (SELECT {HIDDEN}::DOUBLE AS v)")  # type: ignore[arg-type]
    assert hidden not in text


def test_bounds_are_those_of_released_rows(session: Session) -> None:
    write(session, "v", "anywhere", 2)
    rows = session.connection.execute("SELECT v, v_lower, v_upper, count FROM rel_blocks ORDER BY v").fetchall()
    assert rows == [("<= 20.25", None, np.nextafter(20.25, 21), 6), (">= 40.5", 40.5, None, 6)]
