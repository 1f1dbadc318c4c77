"""The values of groups as Python holds them, text where it holds none, and as keys by which two of them are one."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from datetime import time
from typing import Any

from gensearch_db.database.rendering import Sql
from gensearch_db.database.session import Session
from gensearch_db.database.type_names import simple_types

_FINER_THAN_PYTHON = frozenset({"TIMESTAMP_NS", "TIME_NS"})
_WIDER_THAN_PYTHON = frozenset({"INTERVAL"})


def is_text_in_python(type_: str) -> bool:
    """Whether values of a type, or in it, have nanoseconds, which no time of Python has: DuckDB's text stands for them.

    >>> is_text_in_python("TIMESTAMP_NS[]"), is_text_in_python("TIMESTAMP")
    (True, False)
    """
    return not _FINER_THAN_PYTHON.isdisjoint(simple_types(type_))


def rows_in_python(session: Session, types: Sequence[str], query: Callable[[Sequence[bool]], Sql]) -> list[tuple[Any, ...]]:
    """The rows of a query with columns of these types; ``query`` is told which of them it must give as text.

    Intervals are text only where Python cannot hold one of them (it ends with 999,999,999 days).
    """
    as_text = [is_text_in_python(type_) for type_ in types]
    try:
        return session.rows(query(as_text))
    except OverflowError:
        wide = [not _WIDER_THAN_PYTHON.isdisjoint(simple_types(type_)) for type_ in types]
        return session.rows(query([one or other for one, other in zip(as_text, wide, strict=True)]))


def group_key(values: Sequence[Any]) -> tuple[Hashable, ...]:
    """The values of a group as a key; NaN is missing, as it is in a release.

    >>> group_key([float("nan"), [1], 2])
    (None, '[1]', 2)
    """
    return tuple(_key(value) for value in values)


def _key(value: Any) -> Hashable:
    if value is None or (isinstance(value, float) and value != value):
        return None
    # Python takes times of two zones, and 1 and true, for equal; lists and structures are no keys.
    own_text = isinstance(value, list | dict | tuple | bool) or (isinstance(value, time) and value.tzinfo is not None)
    return repr(value) if own_text else value
