"""Laying the queries of a workload over a table: what a cost of count queries reads beside the cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gensearch_db.domain.cells import Cells, Distribution, Table, ValueDomain
from gensearch_db.domain.coverage import WorkloadCoverage


def with_workload(
    cells: Cells,
    table: Table,
    name: str,
    coverage: WorkloadCoverage,
    satisfied: Mapping[int, tuple[NDArray[np.int64], NDArray[np.int64]]],
) -> tuple[Cells, Table]:
    """Cells and table with one workload more under this name. ``satisfied``: for each query the cells with rows that satisfy it
    (numbers, each once) and how many they are."""
    domain = ValueDomain(name, tuple(range(coverage.query_count)))
    numbers = [satisfied[query][0] for query in range(coverage.query_count)]
    codes = np.repeat(np.arange(coverage.query_count, dtype=np.int32), [len(each) for each in numbers])
    flat = np.concatenate([np.zeros(0, np.int64), *numbers])
    counts = np.concatenate([np.zeros(0, np.int64), *(satisfied[query][1] for query in range(coverage.query_count))])
    by_cell = np.argsort(flat, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(flat, minlength=cells.cell_count))]).astype(np.int64)
    distribution = Distribution(domain, starts, codes[by_cell], counts[by_cell])
    totals = tuple(int(satisfied[query][1].sum()) for query in range(coverage.query_count))
    whole = replace(table.statistics, classes={**table.statistics.classes, name: totals})
    return (
        replace(cells, classes=(*cells.classes, distribution)),
        replace(
            table,
            statistics=whole,
            classes={**table.classes, name: domain},
            workloads={**table.workloads, name: coverage},
        ),
    )
