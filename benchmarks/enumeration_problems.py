"""The problems of the enumeration benchmarks: 10, 12 and 14 splits over four attributes of Adult and of Census-Income."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import duckdb
import numpy as np

from gensearch_db.cost.registry import cost_from_text
from gensearch_db.domain.attribute import Leaf, OrderedAttribute, Space
from gensearch_db.domain.cells import BlockStatistics, Cells, Table
from gensearch_db.privacy.k_anonymity import KAnonymity
from gensearch_db.search.result import SearchProblem

DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data"

Points = Mapping[str, Sequence[int]]
"""Per column (an SQL expression) the values at which it may be split, in the order in which splits are added."""

FILES = {
    "Adult": DATA / "adult" / "adult_complete_30162.parquet",
    "Census-Income": DATA / "census_income" / "census_income_199523.parquet",
}
POINTS: dict[str, Points] = {
    "Adult": {
        "age": (40, 30, 50, 60, 25),
        '"education-num"': (10, 9, 13, 12),
        '"hours-per-week"': (40, 41, 50, 30),
        "(sex = 'Male')::INTEGER": (1,),
    },
    "Census-Income": {
        "age": (35, 18, 50, 65, 25),
        '"weeks worked in year"': (1, 52, 26, 40),
        '"instance weight"': (1500, 1000, 2000, 2500),
        "(sex = 'Male')::INTEGER": (1,),
    },
}
SPLITS = {10: (3, 3, 3, 1), 12: (4, 4, 3, 1), 14: (5, 4, 4, 1)}
"""How many of its points each attribute gets."""


def problem(data: str, splits: int, k: int, cost: str = "discernibility") -> SearchProblem:
    """The problem of a data set with this many splits. Raises ``FileNotFoundError`` where the data folder is absent."""
    points = {column: sorted(all_of[:n]) for (column, all_of), n in zip(POINTS[data].items(), SPLITS[splits], strict=True)}
    if not FILES[data].exists():
        raise FileNotFoundError(f"{FILES[data]} is needed: lay the data folder ../shared/data beside the checkout")
    codes = ", ".join(
        "(" + (" + ".join(f"({column} >= {at})::INTEGER" for at in at_points) or "0") + f") AS q{position}"
        for position, (column, at_points) in enumerate(points.items())
    )
    grouped = duckdb.sql(f"SELECT {codes}, count(*)::BIGINT AS n FROM '{FILES[data]}' GROUP BY ALL ORDER BY ALL").fetchall()
    cells = Cells(
        np.array([row[:-1] for row in grouped], dtype=np.int32), np.array([row[-1] for row in grouped], dtype=np.int64)
    )
    space = Space(tuple(_attribute(column, at_points) for column, at_points in points.items()))
    table = Table(space, BlockStatistics(cells.row_count, cells.row_count, {}, {}), {}, {})
    return SearchProblem(space, cells, table, (KAnonymity(k),), cost_from_text(cost))


def _attribute(name: str, points: Sequence[int]) -> OrderedAttribute:
    ends = [points[0] - 10, *points, points[-1] + 10] if points else [0, 1]
    leaves = tuple(Leaf(f"[{low}, {high})", low, high, float(low), float(high)) for low, high in pairwise(ends))
    return OrderedAttribute(name, leaves)
