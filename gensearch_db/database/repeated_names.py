"""Columns that SQL cannot tell apart by name: of one name, or of names that differ in upper and lower case alone.

DuckDB reads the columns ``Age`` and ``age`` of a file, a DataFrame or a query as ``Age`` and ``age_1``: whoever then names
``age`` would get the first, whichever was meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from gensearch_db.database.rendering import Sql, statement
from gensearch_db.database.session import Session

Repeated = Mapping[str, tuple[str, ...]]
"""By the name in lower case: how each of the several columns that have it is spelt."""

_NUMBERED = re.compile(r"(.+)_\d+", re.DOTALL)


def repeated_in_query(session: Session, query: Sql) -> Repeated:
    """The repeated names of a query in parentheses."""
    return _repeated(name for name, *_ in session.rows(statement("source/query_columns", query=query)))


def repeated_in_file(session: Session, path: Sql, names: Sequence[str], *, parquet: bool) -> Repeated:
    """The repeated names of a Parquet or CSV file (``path`` as a literal), which DuckDB reads as columns ``names``."""
    known = {name.lower() for name in names}
    if not any((base := _base(name)) is not None and base.lower() in known for name in names):
        return {}  # nothing was numbered
    if parquet:
        return _repeated(_top_level(session.rows(statement("source/parquet_names", path=path))))
    first_row = next(iter(session.rows(statement("source/csv_names", path=path))), ())
    return _repeated(name for name in first_row if isinstance(name, str))


def _top_level(schema: list[tuple[str, int | None]]) -> Iterable[str]:
    """The names of the columns among the nodes of a Parquet schema: depth first, each with the number of its children."""
    within = 0
    for name, children in schema[1:]:
        if within == 0:
            yield name
        within += (children or 0) - (within > 0)


def numbered_twin(names: Iterable[str], found: str, asked: str) -> str | None:
    """The column that ``asked`` may mean beside ``found``: the one that DuckDB numbered because its name differs from ``found``
    in case alone. None where there is none, or where ``asked`` is how ``found`` is spelt.

    >>> numbered_twin(["Age", "age_1"], "Age", "age")
    'age_1'
    """
    if asked == found:
        return None
    for name in names:
        base = _base(name)
        if base is not None and base != found and base.lower() == found.lower():
            return name
    return None


def _base(name: str) -> str | None:
    """The name that DuckDB may have put a number behind."""
    numbered = _NUMBERED.fullmatch(name)
    return None if numbered is None else numbered[1]


def _repeated(names: Iterable[str]) -> Repeated:
    spellings: dict[str, tuple[str, ...]] = {}
    for name in names:
        spellings[name.lower()] = (*spellings.get(name.lower(), ()), name)
    return {name: spelt for name, spelt in spellings.items() if len(spelt) > 1}
