"""What Parquet cannot hold: the types that go out as others, and the values that cannot go out at all."""

from __future__ import annotations

from collections.abc import Iterable

from gensearch_db.database.columns import released_type
from gensearch_db.database.rendering import statement
from gensearch_db.database.session import Session, TableName
from gensearch_db.database.type_names import is_nested, rewritten
from gensearch_db.errors import DataError, Problems

_IN_PARQUET = {
    **dict.fromkeys(("UHUGEINT", "HUGEINT", "INTERVAL", "TIME WITH TIME ZONE", "BIT", "BIGNUM"), "VARCHAR"),
    **dict.fromkeys(("TIMESTAMP_MS", "TIMESTAMP_S"), "TIMESTAMP"),
}
"""Types that Parquet does not have, and what they are handed out as: DuckDB would round the large numbers and the intervals."""

_INSIDE_PARQUET = {**_IN_PARQUET, "VARIANT": "JSON"}
"""The same inside lists and structures."""


def parquet_type(type_: str) -> str:
    """The type that a column of a release is handed out with in a Parquet file: what the format cannot hold exactly is text.

    >>> parquet_type('STRUCT("INTERVAL" HUGEINT)[]')
    'STRUCT("INTERVAL" VARCHAR)[]'
    """
    in_parquet = _INSIDE_PARQUET if is_nested(type_) else _IN_PARQUET
    return rewritten(released_type(type_), lambda simple: in_parquet.get(simple, simple))


def refuse_variants(session: Session, tables: Iterable[tuple[TableName, Iterable[tuple[str, str]]]]) -> None:
    """Raise :class:`DataError` for all columns of VARIANTs that Parquet has no type for (an INTERVAL, 2^64).

    ``tables``: for each its columns (name, type as handed out).
    """
    problems = Problems(DataError)
    for table, columns in tables:
        for name in (name for name, type_ in columns if type_ == "VARIANT"):
            rows = session.value(statement("statements/publish_variants", table=table, column=name))
            if rows:
                problems.add(
                    f"column '{name}' of '{table[2]}' holds VARIANTs in {rows:,} rows that Parquet has no type for (intervals,"
                    " bits, times with a zone, whole numbers beyond 64 bits): publish to 'x.duckdb' or 'folder/*.csv', or"
                    " anonymize a view in which the column is text or JSON"
                )
    problems.raise_if_any()
