"""Statistics of many blocks by one grouped statement over the cells: the reference that the compiled kernel is held to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gensearch_db.database.prepared import PreparedTable
from gensearch_db.database.rendering import Sql, statement
from gensearch_db.domain.cells import BlockStatistics, Distribution
from gensearch_db.domain.region import Block, Interval
from gensearch_db.problem.problem import StatisticsSource

if TYPE_CHECKING:
    import pyarrow


class SqlStatistics:
    """Block statistics computed in the engine, a batch of blocks per statement. See ``domain.statistics.Statistics``."""

    def __init__(self, prepared: PreparedTable) -> None:
        self._prepared = prepared
        self._session = prepared.session
        self._persons = prepared.cells.persons is not None
        cells = prepared.cells
        self._domains = [*cells.sensitive, *cells.classes]

    def of_blocks(self, blocks: Sequence[Block]) -> list[BlockStatistics]:
        """See :class:`Statistics`."""
        return self._statistics(blocks, marginals=False)

    def with_marginals(self, blocks: Sequence[Block]) -> list[BlockStatistics]:
        """See :class:`Statistics`. One further statement counts all marginals by GROUPING SETS."""
        return self._statistics(blocks, marginals=True)

    def _statistics(self, blocks: Sequence[Block], *, marginals: bool) -> list[BlockStatistics]:
        if not blocks:
            return []
        with self._session.registered(self._table_of(blocks)) as candidates:
            common = {
                "blocks": candidates,
                "cells": self._prepared.cells_table,
                "joint": self._prepared.joint_table,
                "attributes": [self._membership(position, blocks) for position in range(len(blocks[0]))],
            }
            sizes = self._sizes(common, len(blocks))
            histograms = [self._histograms(common, position, len(blocks)) for position in range(len(self._domains))]
            leaf_rows = self._leaf_rows(common, len(blocks)) if marginals else None
        split = len(self._prepared.cells.sensitive)
        return [
            BlockStatistics(
                size=sizes[block][0],
                rows=sizes[block][1],
                sensitive=self._named(histograms, slice(0, split), block),
                classes=self._named(histograms, slice(split, None), block),
                cell_squares=sizes[block][2],
                marginals=None if leaf_rows is None else tuple(tuple(rows[block].tolist()) for rows in leaf_rows),
            )
            for block in range(len(blocks))
        ]

    def _named(self, histograms: list[NDArray[np.int64]], part: slice, block: int) -> dict[str, tuple[int, ...]]:
        domains = self._domains[part]
        return {
            distribution.domain.name: tuple(histogram[block].tolist())
            for distribution, histogram in zip(domains, histograms[part], strict=True)
        }

    def _table_of(self, blocks: Sequence[Block]) -> pyarrow.Table:
        """The candidate blocks as a table: bounds of intervals, lists of codes of sets, one row per block."""
        import pyarrow

        columns: dict[str, Any] = {"block": np.arange(len(blocks), dtype=np.int64)}
        for position in range(len(blocks[0])):
            regions = [block[position] for block in blocks]
            if _all_intervals(regions):
                columns[f"lower_{position}"] = np.fromiter((next(region.codes()) for region in regions), np.int32)
                columns[f"upper_{position}"] = np.fromiter((r.upper for r in regions if isinstance(r, Interval)), np.int32)
            else:
                columns[f"codes_{position}"] = pyarrow.array(
                    [list(region.codes()) for region in regions], pyarrow.list_(pyarrow.int32())
                )
        return pyarrow.table(columns)

    def _membership(self, position: int, blocks: Sequence[Block]) -> Sql:
        """The condition that a cell's code lies in a block's region."""
        interval = _all_intervals([block[position] for block in blocks])
        return statement("block_statistics/membership", position=position, interval=interval)

    def _sizes(self, common: dict[str, Any], count: int) -> list[tuple[int, int, int]]:
        """Per block: size, rows, sum of squared cell counts; zeros for a block without cells."""
        sizes = [(0, 0, 0)] * count
        for block, rows, squares in self._session.rows(statement("block_statistics/sizes", **common)):
            sizes[block] = (rows, rows, squares)
        if self._persons:
            for block, persons in self._session.rows(statement("block_statistics/persons", **common)):
                sizes[block] = (persons, *sizes[block][1:])
        return sizes

    def _histograms(self, common: dict[str, Any], position: int, count: int) -> NDArray[np.int64]:
        distribution: Distribution = self._domains[position]
        histogram = np.zeros((count, len(distribution.domain.values)), np.int64)
        persons = self._persons and position < len(self._prepared.cells.sensitive)
        columns = self._session.columns(
            statement(
                "block_statistics/histograms",
                **{**common, "joint": self._prepared.workload_tables.get(distribution.domain.name, common["joint"])},
                value=Sql(f"value_{position}"),
                persons=persons,
            )
        )
        histogram[columns["block"], columns["value"]] = columns["count"]
        return histogram

    def _leaf_rows(self, common: dict[str, Any], count: int) -> list[NDArray[np.int64]]:
        """Per attribute an array of shape (block count, leaf count)."""
        attributes = self._prepared.space.attributes
        rows = [np.zeros((count, attribute.leaf_count), np.int64) for attribute in attributes]
        columns = self._session.columns(statement("block_statistics/marginals", **common))
        for position, found in enumerate(rows):
            own = columns["attribute"] == position
            found[columns["block"][own], columns["code"][own]] = columns["count"][own]
        return rows


def add_histograms(prepared: PreparedTable, workload: str) -> PreparedTable:
    """Give SQL the true counts of a workload that was laid over the table, in the form of the joint table; they are held in
    memory until then. Nothing is done where statistics are not asked of SQL."""
    import pyarrow

    if prepared.problem.statistics is not StatisticsSource.SQL:
        return prepared
    table = prepared.session.temporary_table("workload")
    distributions = [*prepared.cells.sensitive, *prepared.cells.classes]
    position = [distribution.domain.name for distribution in distributions].index(workload)
    found = distributions[position]
    cell = np.repeat(np.arange(len(found.starts) - 1), np.diff(found.starts))
    entries: dict[str, Any] = {"cell": cell, "query": found.codes, "row_count": found.counts}
    prepared.temporary_tables.append(table)
    with prepared.session.registered(pyarrow.table(entries)) as registered:
        prepared.session.execute(
            statement(
                "workload/histograms",
                table=table,
                cells=prepared.cells_table,
                entries=registered,
                attributes=range(len(prepared.space.attributes)),
                value=f"value_{position}",
            )
        )
    return replace(prepared, workload_tables={**prepared.workload_tables, workload: table})


def _all_intervals(regions: Sequence[Any]) -> bool:
    return all(isinstance(region, Interval) for region in regions)
