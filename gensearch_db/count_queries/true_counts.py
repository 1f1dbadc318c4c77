"""How many rows of each cell satisfy each query of a workload.

Where all values of every leaf satisfy the same conditions, the cells tell. Where a condition cuts through a leaf, its values
are divided into parts, and one grouped statement counts the rows of each cell by part.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gensearch_db.database.attributes.families import key_sql
from gensearch_db.database.rendering import Sql, statement
from gensearch_db.database.session import TableName

if TYPE_CHECKING:
    from gensearch_db.database.prepared import PreparedTable


@dataclass(frozen=True, eq=False)
class AttributeTruth:
    """Which conditions the values of one attribute satisfy. ``queries``: the numbers of the queries with a condition on it.

    ``truth``, shape (leaves, queries), or (parts, queries) where ``part_of_value`` numbers the part of each value, in the order
    of codes and values; values of one part satisfy the same conditions.
    """

    queries: NDArray[np.int64]
    truth: NDArray[np.bool_]
    part_of_value: NDArray[np.int64] | None = None


@dataclass(frozen=True)
class _DividedAttribute:
    """An attribute whose leaves are divided: how its values are found in a row, and the registered table of their parts."""

    key: Sql
    value_map: TableName
    parts: Sql


def truth_of_values(
    queries: NDArray[np.int64], codes: NDArray[np.int64], truth: NDArray[np.bool_], leaves: int
) -> AttributeTruth:
    """From the truth of each value, shape (values, queries), with its leaf code (ascending)."""
    first = np.searchsorted(codes, codes)
    if (truth == truth[first]).all():
        by_leaf = np.zeros((leaves, len(queries)), dtype=np.bool_)
        by_leaf[codes] = truth
        return AttributeTruth(queries, by_leaf)
    signatures = np.concatenate([codes[:, None].view(np.uint8), np.packbits(truth, axis=1)], axis=1)
    _, example, part = np.unique(signatures, axis=0, return_index=True, return_inverse=True)
    return AttributeTruth(queries, truth[example], part.reshape(-1).astype(np.int64))


def rows_satisfying(
    prepared: PreparedTable, truths: Sequence[AttributeTruth | None], queries: int
) -> dict[int, tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """For each query the cells with rows that satisfy it, and how many they are."""
    cells = prepared.cells
    numbers, counts = np.arange(cells.cell_count), cells.counts
    places = {j: cells.codes[:, j].astype(np.int64) for j, truth in enumerate(truths) if truth is not None}
    divided = [j for j, truth in enumerate(truths) if truth is not None and truth.part_of_value is not None]
    if divided:
        numbers, counts, parts = _counts_by_part(prepared, {j: truths[j] for j in divided})
        places = {j: place[numbers] for j, place in places.items()} | parts
    conditions: list[list[NDArray[np.bool_]]] = [[] for _ in range(queries)]
    for j, truth in enumerate(truths):
        if truth is not None:
            for column, query in enumerate(truth.queries):
                conditions[query].append(truth.truth[:, column][places[j]])
    found = {}
    for query, tests in enumerate(conditions):
        inside = np.logical_and.reduce(tests) if tests else np.ones(len(numbers), np.bool_)
        rows = np.bincount(numbers[inside], counts[inside], cells.cell_count).astype(np.int64)
        some = np.flatnonzero(rows)
        found[query] = (some, rows[some])
    return found


def _counts_by_part(
    prepared: PreparedTable, divided: dict[int, AttributeTruth | None]
) -> tuple[NDArray[np.int64], NDArray[np.int64], dict[int, NDArray[np.int64]]]:
    """Cell, rows and the part of each divided attribute, for every combination that occurs."""
    import pyarrow

    with ExitStack() as registered:
        attributes = []
        for j, truth in divided.items():
            assert truth is not None
            assert truth.part_of_value is not None
            listed: dict[str, Any] = {"place": np.arange(len(truth.part_of_value)), "part": truth.part_of_value}
            parts = registered.enter_context(prepared.session.registered(pyarrow.table(listed)))
            attributes.append(_DividedAttribute(key_sql(*prepared.quasi_identifiers[j]), prepared.value_maps[j], parts))
        columns = prepared.session.columns(
            statement(
                "workload/part_counts",
                row_cells=prepared.row_cells,
                cell_column=prepared.cell_column,
                attributes=attributes,
            )
        )
    by_attribute = {j: np.asarray(columns[f"part_{number}"], np.int64) for number, j in enumerate(divided)}
    return np.asarray(columns["cell"], np.int64), np.asarray(columns["row_count"], np.int64), by_attribute
