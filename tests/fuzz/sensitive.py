"""Sensitive columns: one or two, of several types, some with a declared order or a taxonomy over their values."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from . import distances
from .columns import ILLNESSES

Trees = dict[str, list[tuple[str, ...]]]
"""Taxonomies by the names of their tables: each value, and the nodes above it up to the root."""

LINES = ("INTEGER", "DATE", "DECIMAL(18,3)")
"""Types whose values have an order that t-closeness measures along unless told otherwise."""


@dataclass(frozen=True)
class Sensitive:
    """A sensitive column with the few values it has, and what the problem declares of them (nothing: ``{}``)."""

    name: str
    type: str
    values: list[Any]
    declared: dict[str, Any]


@st.composite
def sensitive_columns(draw: st.DrawFn, trees: Trees) -> list[Sensitive]:
    """``illness``, and in one case of three ``stage``; taxonomies are added to ``trees``."""
    found = []
    for name in ("illness", "stage")[: 1 + (draw(st.integers(1, 3)) == 3)]:
        kind = draw(st.sampled_from(["VARCHAR", *ILLNESSES]))
        values = draw(ILLNESSES[kind])
        declared = draw(_declared(kind, values, f"tree_of_{name}", trees)) if draw(st.integers(1, 3)) == 3 else {}
        found.append(Sensitive(name, kind, values, declared))
    return found


def as_field(columns: list[Sensitive]) -> list[str] | dict[str, dict[str, Any]]:
    """The columns as a problem names them: by their names alone where nothing is declared."""
    if any(column.declared for column in columns):
        return {column.name: column.declared for column in columns}
    return [column.name for column in columns]


@st.composite
def _declared(draw: st.DrawFn, kind: str, values: list[Any], table: str, trees: Trees) -> dict[str, Any]:
    known = list(dict.fromkeys(_as_text(value, kind) for value in values if value is not None))
    way = draw(st.sampled_from(["its own order", "an order", "a taxonomy"]))
    if way == "its own order" or not known or (way == "a taxonomy" and "" in known):  # there is no name for the empty text
        return {"order": True}
    known += [draw(ABSENT[kind])] if kind in ABSENT and draw(st.booleans()) else []
    if draw(st.integers(0, 14)) == 0:
        known = known[1:] or known  # a value without an entry
    known = list(dict.fromkeys(draw(st.permutations(known))))
    if way == "an order":
        return {"order": known}
    depth = draw(st.integers(0, 2))
    groups = [f"group {number}" for number in range(3)]
    levels = [draw(st.lists(st.sampled_from(groups), min_size=len(known), max_size=len(known))) for _ in range(depth)]
    above = {group: draw(st.sampled_from(["upper 1", "upper 2"])) for group in groups}
    if depth == 2:
        levels[1] = [above[group] for group in levels[0]]
    trees[table] = list(zip(known, *levels, ["all"] * len(known), strict=True))
    return {"taxonomy": table}


ABSENT: dict[str, st.SearchStrategy[str]] = {
    "VARCHAR": st.sampled_from(["mumps", "flu", "ärger"]),
    "INTEGER": st.sampled_from(["77", "-3"]),
    "DATE": st.sampled_from(["1999-12-31"]),
    "DECIMAL(18,3)": st.sampled_from(["0.500"]),
}
"""Values to declare that the table may lack."""


def _as_text(value: Any, kind: str) -> str:
    """A value as DuckDB prints it."""
    return str(value).lower() if kind == "BOOLEAN" else str(value + 0 if isinstance(value, Decimal) else value)


def distance_of(kind: str, declared: dict[str, Any], trees: Trees, occurring: list[str | None]) -> distances.Distance:
    """The distance that t-closeness measures with unless told otherwise. ``occurring``: the table's values in their order."""
    if "taxonomy" in declared:
        return distances.over(trees[declared["taxonomy"]])
    if isinstance(declared.get("order"), list):
        return distances.along([*declared["order"], *([None] if None in occurring else [])])
    return distances.along(occurring) if declared.get("order") or kind in LINES else distances.between_equals
