"""A prepared table made by plain SQL, so that releases and audits are tested without a search or an attribute reader."""

from __future__ import annotations

import numpy as np

from gensearch_db.database.cells import KeyedColumn
from gensearch_db.database.prepared import PreparedTable
from gensearch_db.database.rendering import Sql
from gensearch_db.database.session import Session
from gensearch_db.database.source import Column, Source
from gensearch_db.domain.attribute import Leaf, OrderedAttribute, Space, UnorderedAttribute
from gensearch_db.domain.cells import BlockStatistics, Cells, Table
from gensearch_db.domain.region import Interval, LeafSet
from gensearch_db.problem.problem import Problem
from gensearch_db.search.result import Partition

SETUP = """
CREATE TYPE severity AS ENUM ('low', 'high');
CREATE TABLE people (name VARCHAR, age INTEGER, town VARCHAR, illness severity, note VARCHAR, "count" INTEGER);
INSERT INTO people VALUES
    ('a', 20, 'x', 'low', 'n1', 1), ('b', 24, 'x', 'high', 'n2', 2), ('c', 31, 'y', 'low', 'n3', 3),
    ('d', 33, 'z', 'low', 'n4', 4),
    ('e', 39, 'y', 'high', 'n5', 5), ('f', NULL, 'y', 'high', NULL, 6), ('g', NULL, NULL, NULL, 'n7', 7);
"""

LEAVES_OF_AGE = (Leaf("< 30", None, 30), Leaf("[30, 35)", 30, 35), Leaf(">= 35", 35, None), Leaf("NULL", missing=True))
LEAVES_OF_TOWN = (*(Leaf(town, town, town, point=True) for town in "xyz"), Leaf("NULL", missing=True))


def problem(**fields: object) -> Problem:
    """The problem that the hand-made table belongs to."""
    return Problem.from_fields(
        {
            "table": "people",
            "into": "rel",
            "identifiers": ["name"],
            "quasi_identifiers": {"age": {}, "town": {"unordered": True}},
            "sensitive": ["illness"],
            "keep": ["note", "count"],
            "subject_to": ["k_anonymity(2)"],
            **fields,
        }
    )


def prepared(session: Session, given: Problem) -> PreparedTable:
    """Cells of ``people``: age at 30 and 35, town by its values."""
    space = Space((OrderedAttribute("age", LEAVES_OF_AGE), UnorderedAttribute("town", LEAVES_OF_TOWN)))
    temporary = [session.temporary_table(stem) for stem in ("ages", "towns", "cells", "joint", "illnesses")]
    ages, towns, cells, joint, illnesses = temporary
    run = session.connection.execute
    for table, leaves, kind in ((ages, LEAVES_OF_AGE, "INTEGER"), (towns, LEAVES_OF_TOWN, "VARCHAR")):
        bounds = ", ".join(f"{name} {kind}" for name in ("lower", "upper", "point_lower", "point_upper"))
        run(f'CREATE TEMP TABLE "{table[2]}" (code INTEGER, {bounds}, label VARCHAR)')
        for code, leaf in enumerate(leaves):
            run(f'INSERT INTO "{table[2]}" VALUES (?, ?, ?, NULL, NULL, ?)', [code, leaf.lower, leaf.upper, leaf.label])
    coded = (
        "SELECT *, CASE WHEN age IS NULL THEN 3 WHEN age < 30 THEN 0 WHEN age < 35 THEN 1 ELSE 2 END AS code_0,"
        " CASE WHEN town IS NULL THEN 3 ELSE ascii(town) - ascii('x') END AS code_1 FROM people"
    )
    run(
        f'CREATE TEMP TABLE "{cells[2]}" AS SELECT row_number() OVER (ORDER BY code_0, code_1) - 1 AS cell, *'
        f" FROM (SELECT code_0, code_1, count(*) AS row_count FROM ({coded}) GROUP BY ALL)"
    )
    illness = "CASE illness WHEN 'low' THEN 0 WHEN 'high' THEN 1 ELSE 2 END"
    run(
        f'CREATE TEMP TABLE "{illnesses[2]}" AS'
        f" SELECT DISTINCT encode(illness::VARCHAR) AS value, {illness} AS code FROM people"
    )
    run(
        f'CREATE TEMP TABLE "{joint[2]}" AS SELECT cell, {illness} AS value_0, count(*) AS row_count'
        f' FROM ({coded}) JOIN "{cells[2]}" USING (code_0, code_1) GROUP BY ALL'
    )
    found = run(f'SELECT code_0, code_1, row_count FROM "{cells[2]}" ORDER BY cell').fetchall()
    columns = [Column(*row[:2]) for row in run("DESCRIBE people").fetchall()]
    counts = np.array([row[2] for row in found], dtype=np.int64)
    rows = int(counts.sum())
    return PreparedTable(
        session=session,
        problem=given,
        source=Source("people", Sql("people"), tuple(columns), rows),
        target=(*run("SELECT current_database(), 'main'").fetchall()[0], "rel"),
        space=space,
        cells=Cells(np.array([row[:2] for row in found], dtype=np.int32), counts),
        table=Table(space, BlockStatistics(rows, rows, {}, {}), {}, {}),
        quasi_identifiers=(("age", "INTEGER"), ("town", "VARCHAR")),
        value_maps=(),
        leaf_tables=(ages, towns),
        cells_table=cells,
        joint_table=joint,
        sensitive=(KeyedColumn(Column("illness", "ENUM('low', 'high')"), illnesses),),
        row_cells=Sql(f'(SELECT coded.*, cell FROM ({coded}) AS coded LEFT JOIN "{cells[2]}" USING (code_0, code_1))'),
        cell_column="cell",
        temporary_tables=temporary,
    )


def partition(made: PreparedTable, blocks: tuple[tuple[Interval, LeafSet], ...]) -> Partition:
    """The partition into ``blocks``; cells in none of them are suppressed."""
    found = [
        next((n for n, block in enumerate(blocks) if all(r.contains(c) for r, c in zip(block, codes, strict=True))), -1)
        for codes in made.cells.codes.tolist()
    ]
    return Partition(blocks, np.array(found, dtype=np.int64))


ALL_TOWNS = LeafSet(0b1111)
YOUNG_AND_REST = ((Interval(0, 1), ALL_TOWNS), (Interval(1, 4), ALL_TOWNS))
KNOWN_TOWNS = ((Interval(0, 1), LeafSet(0b0001)), (Interval(1, 4), LeafSet(0b0110)))
