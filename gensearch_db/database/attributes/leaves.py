"""Leaf values: a plan made in Python (bounds as places on the line, labels), carried out in the engine as typed tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gensearch_db.database.attributes.families import Family, bound_sql
from gensearch_db.database.attributes.values import DistinctValues
from gensearch_db.database.rendering import Sql, statement
from gensearch_db.database.session import Session, TableName
from gensearch_db.domain.attribute import MISSING_LABEL, Leaf
from gensearch_db.errors import DataError

_UNIT = {Family.TIMESTAMP: 86_400_000_000, Family.TIMESTAMPTZ: 86_400_000_000, Family.TIMESTAMP_NS: 86_400_000_000_000}
"""Timestamps measure lengths in days, as dates do."""

_WIDEST = 1e300
"""Of this the length of the missing leaf, and a sum over as many rows as can be anonymized, are finite doubles."""


@dataclass(frozen=True)
class LeafPlan:
    """One leaf before the engine has seen it.

    ``lower`` and ``upper`` are places on the line (None: open), ``point`` the ordinal of the leaf's only value, ``label``
    what to print (None: made from the bounds). ``occurs``: some row lies in it. ``inner``: as in
    :class:`~gensearch_db.domain.attribute.Leaf`.
    """

    lower: Any = None
    upper: Any = None
    point: int | None = None
    label: str | None = None
    occurs: bool = True
    inner: bool = False


@dataclass(frozen=True, eq=False)
class Plan:
    """All leaves in the order of their codes, and for each distinct value (by ordinal) the code of its leaf."""

    leaves: tuple[LeafPlan, ...]
    code_of_ordinal: NDArray[np.int32]
    categorical: bool = False


@dataclass(frozen=True)
class Leaves:
    """What a plan became: the domain's leaves and the two temporary tables of ``docs/architecture.md``."""

    leaves: tuple[Leaf, ...]
    leaf_table: TableName
    value_map: TableName


def make_leaves(session: Session, values: DistinctValues, plan: Plan, temporary_tables: list[TableName]) -> Leaves:
    """Create the leaf table and the value map of an attribute; the missing leaf, where needed, comes last."""
    import pyarrow

    leaf_table, value_map = session.temporary_table("leaves"), session.temporary_table("value_map")
    temporary_tables.extend([leaf_table, value_map])
    missing_code = len(plan.leaves) if values.missing_count else None
    planned = pyarrow.table(
        {
            "code": pyarrow.array(range(len(plan.leaves)), pyarrow.int32()),
            "lower": pyarrow.array([_text(leaf.lower) for leaf in plan.leaves], pyarrow.string()),
            "upper": pyarrow.array([_text(leaf.upper) for leaf in plan.leaves], pyarrow.string()),
            "point": pyarrow.array([leaf.point for leaf in plan.leaves], pyarrow.int32()),
            "label": pyarrow.array([leaf.label for leaf in plan.leaves], pyarrow.string()),
        }
    )
    with session.registered(planned) as rows:
        template = "attributes/category_leaves" if plan.categorical else "attributes/interval_leaves"
        session.execute(_leaf_statement(template, values, leaf_table, rows, missing_code))
    codes = pyarrow.table(
        {"ordinal": pyarrow.array(np.arange(values.count, dtype=np.int32)), "code": pyarrow.array(plan.code_of_ordinal)}
    )
    with session.registered(codes) as rows:
        session.execute(
            statement(
                "attributes/value_map", value_map=value_map, values=values.table, codes=rows, missing=sql_integer(missing_code)
            )
        )
    texts = session.rows(statement("attributes/read_leaves", leaves=leaf_table))
    lengths = _lengths(values, plan)
    leaves = tuple(
        Leaf(label, lower, upper, start, end, leaf.point is not None or plan.categorical, leaf.occurs, inner=leaf.inner)
        for leaf, (label, lower, upper), (start, end) in zip(plan.leaves, texts, lengths, strict=False)
    )
    if missing_code is not None:
        end = leaves[-1].end if leaves else 0.0
        # The missing leaf has the average length, so that a block that takes it in loses something.
        width = (end / len(leaves) if leaves else 0.0) or 1.0
        leaves += (Leaf(MISSING_LABEL, start=end, end=end + width, point=True, missing=True),)
    return Leaves(leaves, leaf_table, value_map)


def _leaf_statement(template: str, values: DistinctValues, table: TableName, rows: Sql, missing: int | None) -> Sql:
    family, type_name = values.family, values.column.type
    return statement(
        template,
        leaves=table,
        values=values.table,
        plan=rows,
        lower=bound_sql(Sql("plan.lower"), family, type_name),
        upper=bound_sql(Sql("plan.upper"), family, type_name),
        value=statement("attributes/text", family=Sql(family.value)) if family in (Family.TEXT, Family.ENUM) else Sql("value"),
        family=Sql(family.value),
        type="VARCHAR" if family is Family.ENUM else type_name,
        missing=sql_integer(missing),
    )


def sql_integer(value: int | None) -> Sql:
    """A whole number or NULL, for the place of a missing leaf."""
    return Sql("NULL" if value is None else int(value))


def _text(position: Any) -> str | None:
    """A place on the line as text that DuckDB reads back exactly."""
    if position is None:
        return None
    return (
        repr(position)
        if isinstance(position, float)
        else format(position, "f")
        if not isinstance(position, int)
        else str(position)
    )


def _lengths(values: DistinctValues, plan: Plan) -> list[tuple[float, float]]:
    """Start and end of each leaf, measured from the first leaf's start: open ends stop at the extreme observed values."""
    if plan.categorical:
        return [(float(code), float(code + 1)) for code in range(len(plan.leaves))]
    if not plan.leaves:
        return []
    observed = values.positions
    first, last = plan.leaves[0], plan.leaves[-1]
    low = first.lower if first.lower is not None else min(observed[0], first.upper if first.upper is not None else observed[0])
    step = 1 if values.family.whole else 0
    high = last.upper if last.upper is not None else max(observed[-1] + step, last.lower if last.lower is not None else low)
    if values.family is Family.FLOAT and high - low > _WIDEST:
        raise DataError(
            f"column '{values.column.name}' reaches from {low:g} to {high:g}; lengths beyond {_WIDEST:g} cannot be added up as"
            " DOUBLE: divide the column by a large number first"
        )
    unit = _UNIT.get(values.family, 1)

    def place(position: Any, end: Any) -> float:
        """Where a bound lies on the axis, in units; ``end`` where there is none."""
        return float((end if position is None else min(max(position, low), high)) - low) / unit

    return [(place(leaf.lower, low), place(leaf.upper, high)) for leaf in plan.leaves]


def with_ends(leaves: Sequence[LeafPlan], domain: tuple[Any, Any] | None) -> tuple[LeafPlan, ...]:
    """Leaves whose outermost ends are open or, where a domain ``[low, high)`` is declared, reach exactly its bounds.

    Open ends keep the extreme person's value out of print. Parts of the domain before the first and after the last leaf
    become leaves that no row has.
    """
    ends = list(leaves)
    if domain is None:
        ends[0] = replace(ends[0], lower=None)
        ends[-1] = replace(ends[-1], upper=None)
        return tuple(ends)
    low, high = domain
    if ends[0].lower is None or ends[0].lower < low:
        ends[0] = replace(ends[0], lower=low)
    elif ends[0].lower > low:
        ends.insert(0, LeafPlan(low, ends[0].lower, occurs=False))
    if ends[-1].upper is None or ends[-1].upper > high:
        ends[-1] = replace(ends[-1], upper=high)
    elif ends[-1].upper < high:
        ends.append(LeafPlan(ends[-1].upper, high, occurs=False))
    return tuple(ends)
