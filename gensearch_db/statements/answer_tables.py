"""The Arrow tables that our statements answer with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow

Rows = list[dict[str, Any]]


def answer_table(columns: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> pyarrow.Table:
    """Rows as an Arrow table with these columns and types; absent values are NULL."""
    import pyarrow

    types: dict[str, Any] = {
        "string": pyarrow.string(),
        "double": pyarrow.float64(),
        "int64": pyarrow.int64(),
        "bool_": pyarrow.bool_(),
    }
    schema = pyarrow.schema([(name, types[type_name]) for name, type_name in columns.items()])
    return pyarrow.Table.from_pylist([{name: row.get(name) for name in columns} for row in rows], schema=schema)


def group_column(values: Sequence[Any]) -> Any:
    """The values of a group's column as Arrow has them; as text where it lacks some (HUGEINT, years after 9999, times with a
    zone)."""
    import pyarrow

    from gensearch_db.count_queries.estimating import group_text

    if not any(isinstance(value, time) and value.tzinfo for value in values):
        with suppress(pyarrow.ArrowException, OverflowError):
            return pyarrow.array(values)
    return pyarrow.array([None if value is None else group_text(value) for value in values], pyarrow.string())
