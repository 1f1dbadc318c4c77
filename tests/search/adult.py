"""The 100-split problem of Adult (30,162 complete rows, 8 quasi-identifiers), built without a database room."""

from __future__ import annotations

import csv
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from gensearch_db.cost.cost import Cost
from gensearch_db.cost.discernibility import Discernibility
from gensearch_db.domain.attribute import (
    Attribute,
    Leaf,
    OrderedAttribute,
    Space,
    TaxonomyAttribute,
    UnorderedAttribute,
)
from gensearch_db.domain.cells import BlockStatistics, Cells, Table
from gensearch_db.domain.taxonomy import Nested, Taxonomy
from gensearch_db.privacy.k_anonymity import KAnonymity
from gensearch_db.search.result import SearchProblem

FOLDER = Path(__file__).parents[3] / "shared" / "data" / "adult"
SOURCE = FOLDER / "adult_complete_30162.parquet"
AGES = (22, 26, 31, 36, 40, 45, 49, 54, 59, 63, 68, 72, 77, 82, 86)
NAMES = ("age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country")


def adult_problem(k: int, cost: Cost | None = None, *, kind: str = "taxonomy", every_age: bool = False) -> SearchProblem:
    """``kind`` of the categories: taxonomy, ordered (as ranges in taxonomy order, a node's children by name) or unordered."""
    import duckdb

    columns = ", ".join(f'"{name}"' for name in NAMES)
    frame = duckdb.sql(f"SELECT {columns} FROM '{SOURCE}'").df()
    attributes: list[Attribute] = []
    codes = []
    for name in NAMES:
        values = frame[name].to_numpy()
        attribute, column = _age(values, every_age) if name == "age" else _category(name, values, kind)
        attributes.append(attribute)
        codes.append(column)
    cells, counts = np.unique(np.stack(codes, axis=1).astype(np.int32), axis=0, return_counts=True)
    space = Space(tuple(attributes))
    statistics = BlockStatistics(len(frame), len(frame), {}, {})
    return SearchProblem(
        space,
        Cells(cells, counts.astype(np.int64)),
        Table(space, statistics, {}, {}),
        (KAnonymity(k),),
        cost or Discernibility(),
        values_labels=kind == "unordered",
    )


def _age(values: Any, every_age: bool) -> tuple[Attribute, Any]:
    lowest, highest = int(values.min()), int(values.max())
    bounds = [*sorted(set(values.tolist())), highest + 1] if every_age else [lowest, *AGES, highest + 1]
    leaves = tuple(
        Leaf(str(lower), lower, upper, float(lower), float(upper), point=every_age) for lower, upper in pairwise(bounds)
    )
    return OrderedAttribute("age", leaves), np.searchsorted(bounds, values, side="right") - 1


def _category(name: str, values: Any, kind: str) -> tuple[Attribute, Any]:
    with (FOLDER / "hierarchies" / f"adult_hierarchy_{name}.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.reader(file, delimiter=";") if row]
    taxonomy = Taxonomy.from_nested("*", _nested(rows, len(rows[0]) - 2))
    present = set(values)
    labels = [leaf.label for leaf in taxonomy.leaves if kind == "taxonomy" or leaf.label in present]
    leaves = tuple(Leaf(x, x, x, float(i), i + 1.0, point=True, occurs=x in present) for i, x in enumerate(labels))
    number = {label: i for i, label in enumerate(labels)}
    codes = np.array([number[value] for value in values])
    if kind == "taxonomy":
        return TaxonomyAttribute(name, leaves, taxonomy=taxonomy), codes
    if kind == "ordered":
        return OrderedAttribute(name, leaves, categorical=True), codes
    return UnorderedAttribute(name, leaves), codes


def _nested(rows: list[list[str]], level: int) -> Nested:
    groups: dict[str, list[list[str]]] = {}
    for row in rows:
        groups.setdefault(row[level], []).append(row)
    return [(label, _nested(members, level - 1) if level else []) for label, members in sorted(groups.items())]
