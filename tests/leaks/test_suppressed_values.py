"""A value that only a suppressed row has is printed nowhere: not as a bound, a label, a list, nor in a comment."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pytest

import gensearch_db
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


@pytest.mark.parametrize("type_name", TYPES)
def test_a_region_of_unknown_values_does_not_name_the_greatest_value_that_only_a_suppressed_row_has(
    session: Session, type_name: str
) -> None:
    """Leaf 1 is the suppressed row's, leaf 2 that of NULL: the second block takes in both and has rows of the latter alone."""
    made = TYPES[type_name]
    setup = (
        f"CREATE TABLE t AS SELECT {made} AS v, town FROM (SELECT 10.5::DOUBLE AS v, 'x' AS town FROM range(3)"
        " UNION ALL SELECT NULL, 'x' FROM range(3) UNION ALL SELECT 33.125, 'z')"
    )
    with prepared_from(
        session, setup, {"v": {"split": "anywhere"}, "town": {}}, typed_columns=True, suppress_at_most=50
    ) as prepared:
        _, towns = prepared.space.attributes
        in_x = towns.tight([next(code for code, leaf in enumerate(towns.leaves) if leaf.label == "x")])
        blocks = ((Interval(0, 1), in_x), (Interval(1, 3), in_x))
        assert prepared.cells.codes[:, 0].tolist() == [0, 1, 2]
        write_release(prepared, Partition(blocks, np.array([0, -1, 1], np.int32)), (), {"status": "HEURISTIC"}, {})
    hidden = session.value(f"SELECT ({made})::VARCHAR FROM (SELECT {HIDDEN}::DOUBLE AS v)")  # type: ignore[arg-type]
    assert hidden not in published(session)
    assert session.value("SELECT count(*) FROM rel WHERE v IS NULL") == 3  # type: ignore[arg-type]


CLOSE = "CASE WHEN v = 33.125 THEN {hidden} WHEN v < 30 THEN 511 + v::INTEGER ELSE 1000 + v::INTEGER END"


@pytest.mark.parametrize("hidden", [533, 537, 540, 600])
@pytest.mark.parametrize("column", ["{}", "({})::DOUBLE", "({})::DECIMAL(8,0)", "DATE '2001-01-01' + {}"])
def test_a_quantile_is_not_cut_at_a_suppressed_value_though_no_rounder_place_is_before_it(
    session: Session, column: str, hidden: int
) -> None:
    """Before it comes 531. No place between is rounder than 537, and none is as round as 540: both were printed."""
    column = column.format(CLOSE.format(hidden=hidden))
    text = write(session, column, "2 quantiles", 1)
    shown = session.value(f"SELECT ({column})::VARCHAR FROM (SELECT {HIDDEN}::DOUBLE AS v)")  # type: ignore[arg-type]
    assert shown not in text


def test_bounds_are_those_of_released_rows(session: Session) -> None:
    write(session, "v", "anywhere", 2)
    rows = session.connection.execute("SELECT v, v_lower, v_upper, count FROM rel_blocks ORDER BY v").fetchall()
    assert rows == [("<= 20.25", None, np.nextafter(20.25, 21), 6), (">= 40.5", 40.5, None, 6)]


Answers = list[list[tuple[Any, ...]]]


def with_hidden(
    connection: duckdb.DuckDBPyConnection, column: str, groups: list[str], hidden: str | None, **how: Any
) -> Answers:
    """The publication of groups of five of the town x, beside which one person of the town z (if any) is suppressed."""
    connection.execute(
        "CREATE OR REPLACE TABLE towns AS SELECT * FROM (VALUES ('a', 'n'), ('b', 'n'), ('c', 's'), ('d', 's')) t(v, r);"
        "DROP TABLE IF EXISTS people; DROP TYPE IF EXISTS letter; CREATE TYPE letter AS ENUM ('a', 'b', 'c', 'd', 'e');"
        f"CREATE TABLE people (v {column}, town VARCHAR)"
    )
    for value in groups:
        connection.execute(f"INSERT INTO people SELECT {value}, 'x' FROM range(5)")
    if hidden is not None:
        connection.execute(f"INSERT INTO people VALUES ({hidden}, 'z')")
    k = how.pop("k", 5)
    release = gensearch_db.anonymize(
        connection,
        "people",
        into="rel",
        replace=True,
        quasi_identifiers={"v": how, "town": {"unordered": True}},
        subject_to=[f"k_anonymity({k})"],
        suppress_at_most=20,
        typed_columns=True,
    )
    assert release.rows_suppressed == (hidden is not None)
    columns = connection.execute("SELECT table_name, column_name FROM duckdb_columns() WHERE table_name LIKE 'rel%'").fetchall()
    comments = connection.execute("SELECT comment FROM duckdb_tables() WHERE table_name = 'rel_blocks'").fetchall()
    return [columns, *(connection.execute(f"FROM {table}").fetchall() for table in ("rel", "rel_blocks")), comments]


KINDS: dict[str, tuple[str, list[str], dict[str, Any]]] = {
    "anywhere": ("INTEGER", ["20", "30"], {"split": "anywhere"}),
    "every": ("DOUBLE", ["20", "30"], {"split": "every 7"}),
    "month": ("DATE", ["'2020-01-05'", "'2020-02-05'"], {"split": "every month"}),
    "unordered": ("VARCHAR", ["'b'", "'c'"], {"unordered": True}),
    "own order": ("VARCHAR", ["'b'", "'c'"], {"order": True}),
    "listed order": ("VARCHAR", ["'b'", "'c'"], {"order": ["a", "b", "c", "d"]}),
    "ENUM": ("letter", ["'b'", "'c'", "'d'"], {}),
    "ENUM of two": ("letter", ["'b'", "'c'"], {}),
    "taxonomy": ("VARCHAR", ["'b'", "'c'"], {"taxonomy": "towns"}),
    "relaxed taxonomy": ("VARCHAR", ["'b'", "'c'"], {"taxonomy": "towns", "relaxed": True}),
    "prefix": ("VARCHAR", ["'1011'", "'1021'"], {"prefix": True}),
    "flat": ("BOOLEAN", ["true", "false"], {}),
}


@pytest.mark.parametrize("whole", [False, True], ids=["parted", "one block"])
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_tells_that_a_suppressed_person_has_no_value(
    connection: duckdb.DuckDBPyConnection, kind: str, whole: bool
) -> None:
    """NULL that only a suppressed person has leaves no trace: no column, label, entry of a list or word in the dictionary."""
    column, groups, how = KINDS[kind]
    k = 5 * len(groups) if whole else 5
    nobody = with_hidden(connection, column, groups, None, k=k, **how)
    assert with_hidden(connection, column, groups, "NULL", k=k, **how) == nobody


@pytest.mark.parametrize(
    ("column", "groups", "hidden"),
    [("BOOLEAN", ["true", "NULL"], "false"), ("letter", ["'b'", "NULL"], "'c'"), ("VARCHAR", ["'b'", "NULL"], "'c'")],
)
def test_a_flat_region_lists_no_value_of_a_suppressed_person(
    connection: duckdb.DuckDBPyConnection, column: str, groups: list[str], hidden: str
) -> None:
    """The values of a flat column are those of the data, also where its type knows more of them."""
    nobody = with_hidden(connection, column, groups, None, k=10)
    assert nobody[1] == [("*", nobody[1][0][1], "x", ["x"])] * 10
    assert with_hidden(connection, column, groups, hidden, k=10) == nobody


def test_a_label_of_several_prefixes_names_no_suppressed_code(connection: duckdb.DuckDBPyConnection) -> None:
    """The region of 101a, 101b and 102a takes in 101h; one prefix stands for all of 101*, but here the label is a set."""
    groups = ["'101a'", "'101b'", "'102a'", "'103a'", "'103b'", "'103c'"]
    how: dict[str, Any] = {"prefix": True, "relaxed": True, "k": 15}
    published = with_hidden(connection, "VARCHAR", groups, "'101h'", **how)
    assert {row[0] for row in published[2]} == {"{101a, 101b, 102a}", "103*"}
    assert "101h" not in str(published)


@pytest.mark.parametrize("how", [{}, {"relaxed": True}], ids=["whole", "relaxed"])
@pytest.mark.parametrize("k", [5, 10, 20])
def test_an_inner_node_of_a_taxonomy_that_only_a_suppressed_person_has_is_no_leaf_of_it(
    connection: duckdb.DuckDBPyConnection, how: dict[str, Any], k: int
) -> None:
    """The taxonomy declares it as a node alone: the leaf below it, its place in lists and a number beside its name (``n #1``)
    would all come from that person."""
    groups = ["'a'", "'b'", "'c'", "'d'"]
    how = {"taxonomy": "towns", "k": k, **how}
    nobody = with_hidden(connection, "VARCHAR", groups, None, **how)
    for node in ("'n'", "'s'"):
        assert with_hidden(connection, "VARCHAR", groups, node, **how) == nobody


def test_a_released_inner_node_is_listed(connection: duckdb.DuckDBPyConnection) -> None:
    """As are the declared leaves of a taxonomy, whoever has them."""
    published = with_hidden(connection, "VARCHAR", ["'a'", "'n'", "'c'"], "'s'", taxonomy="towns", k=15)
    assert published[2] == [("*", ["a", "b", "n", "c", "d"], "x", ["x"], 15)]


def test_a_prefix_is_not_numbered_because_a_suppressed_code_has_its_name(connection: duckdb.DuckDBPyConnection) -> None:
    """A code may hold a star: beside the released ``10*`` of 1011 and 102 it made ``10* #1`` of the prefix."""
    groups = ["'1011'", "'102'", "'205'", "'2066'"]
    published = with_hidden(connection, "VARCHAR", groups, "'10*'", prefix=True, k=10)
    assert {row[0] for row in published[2]} == {"10*", "20*"}
