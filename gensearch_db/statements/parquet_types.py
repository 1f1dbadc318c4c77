"""The types of a release's columns in a Parquet file: what the format cannot hold exactly is handed out as text."""

from __future__ import annotations

from gensearch_db.database.columns import released_type
from gensearch_db.database.type_names import is_nested, rewritten

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
