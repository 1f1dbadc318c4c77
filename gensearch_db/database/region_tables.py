"""The regions that an attribute prints, as a temporary table: bounds and labels of intervals, labels and lists of categories.

Releases are written from it, and a cost of count queries asks it how a leaf value is published on its own and beside NULL.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gensearch_db.database.labels import PublishedAttribute, missing_code
from gensearch_db.database.prepared import drop_tables
from gensearch_db.database.rendering import statement
from gensearch_db.database.session import Session, TableName
from gensearch_db.database.settings import in_zone

_INTEGRAL = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "DATE")


def is_integral(type_name: str) -> bool:
    """Whether the values of a type are whole, so that ``[20, 25)`` says all."""
    return type_name.removeprefix("U") in _INTEGRAL


def write_regions(
    session: Session, published: PublishedAttribute, type_name: str, leaves: TableName, regions: TableName, zone: str | None
) -> None:
    """Make the table ``regions`` with a row for each region, numbered in their order. ``type_name``: of the published values;
    ``zone``: the time zone in which labels are written."""
    printed = session.temporary_table("printed")
    context: dict[str, Any]
    try:
        if published.interval:
            load(session, printed, _intervals(published))
            template, context = "release/interval_regions", {"integral": is_integral(type_name)}
        else:
            load(session, printed, _members(published))
            template, context = "release/value_regions", {"type": type_name}
        with in_zone(session, zone):
            session.execute(statement(template, regions=regions, printed=printed, leaves=leaves, **context))
    finally:
        drop_tables(session, [printed])


def load(session: Session, table: TableName, columns: Mapping[str, Any]) -> None:
    """Make a temporary table of columns in memory."""
    import pyarrow

    with session.registered(pyarrow.table(dict(columns))) as rows:
        session.execute(statement("release/load", table=table, rows=rows))


def _intervals(published: PublishedAttribute) -> dict[str, Any]:
    """One row per region of a numeric or temporal attribute: its first and last leaf, and what its label must say."""
    import pyarrow

    leaves = published.attribute.leaves
    known = sum(not leaf.missing for leaf in leaves)
    regions = published.regions
    return {
        "region": list(range(len(regions))),
        "first_code": [region.codes[0] if region.codes else None for region in regions],
        "last_code": [region.codes[-1] if region.codes else None for region in regions],
        "missing": ["no" if not region.missing else "possible" if region.codes else "only" for region in regions],
        "whole": [len(region.codes) == known and region.missing == published.has_missing for region in regions],
        "closed": [
            bool(region.codes) and region.codes[-1] < known - 1 and leaves[region.codes[-1]].point and region.neighbour is None
            for region in regions
        ],
        "point": [len(region.codes) == 1 and leaves[region.codes[0]].point and region.neighbour is None for region in regions],
        "neighbour": pyarrow.array([region.neighbour for region in regions], pyarrow.int32()),
    }


def _members(published: PublishedAttribute) -> dict[str, Any]:
    """One row per leaf of each region of a categorical attribute, the missing leaf included."""
    import pyarrow

    rows: list[tuple[int, str | None, int]] = []
    missing = missing_code(published.attribute)
    for number, region in enumerate(published.regions):
        codes = region.codes if missing is None or not region.missing else (*region.codes, missing)
        rows += [(number, region.label, code) for code in codes]
    return {
        "region": [number for number, _, _ in rows],
        "label": pyarrow.array([label for _, label, _ in rows], pyarrow.string()),
        "code": [code for _, _, code in rows],
    }
