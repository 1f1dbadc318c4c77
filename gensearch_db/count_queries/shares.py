"""How much of a region one class of values covers, as an expression: one named column per class.

For statements over the leaves of one attribute (``coverage.py``), where every class is wanted of every region. Estimates on a
release ask for pairs that meet, as rows: ``sql/estimate/interval_cover.sql``; tests hold the two to each other. Neither can
serve both: a sum over rows adds doubles in no fixed order, and a search that goes by these shares must come out the same again;
and in a release most pairs of a region and a class do not meet.
"""

from __future__ import annotations

from collections.abc import Sequence

from gensearch_db.count_queries.diagram import Region
from gensearch_db.count_queries.expressions import Position, around, number, scale
from gensearch_db.count_queries.formula import condition_sql
from gensearch_db.count_queries.release import PublishedColumn
from gensearch_db.count_queries.segments import Segments, Stretch
from gensearch_db.database.rendering import Sql

_MANY = 100


class Shares:
    """The classes of one column that a statement asks for."""

    def __init__(self, column: PublishedColumn) -> None:
        self.column = column
        self._names: dict[Region, Sql] = {}

    def share(self, region: Region) -> Sql:
        """The column that holds the share of the region that the class covers, 0 to 1."""
        return self._names.setdefault(region, Sql(f"share_{self.column.number}_{len(self._names) + 1}"))

    def expressions(self) -> list[tuple[Sql, Sql]]:
        """Each named column with its expression over the column's regions (ordered) or members (lists)."""
        return [(name, self._share_sql(region)) for region, name in self._names.items()]

    def _share_sql(self, region: Region) -> Sql:
        if isinstance(region, Segments):
            return ordered_share(self.column, region)
        return Sql(f"count_if({condition_sql(region)}) / CAST(count(*) AS DOUBLE)")


def ordered_share(column: PublishedColumn, segments: Segments) -> Sql:
    """The share of an interval that the segments cover; ``first`` and ``last`` are its ends, open ones replaced.

    Values are counted: every value of the interval weighs the same, and so does the missing value where the region may hold
    it. An interval of floating-point numbers is measured; of its infinitely many values none weighs anything, nor does the
    missing one, unless the interval is a single value.
    """
    first, last = _ends(column, segments)
    scaled = "" if column.counted or column.anchored else f" * {scale(first, last)}"
    covered = [
        f"greatest(0, least({_least(last, one.end)}){scaled} - greatest({_greatest(first, one.start)}){scaled})"
        for one in segments.stretches
    ]
    total = f"list_sum([{', '.join(covered)}])" if len(covered) > _MANY else " + ".join(covered) or "0"
    missing = int(segments.missing)
    if column.counted:
        share = f"CAST({total} AS DOUBLE) / CAST({last} - {first} AS DOUBLE)"
        mixed = f"CAST({total} + {missing} AS DOUBLE) / CAST({last} - {first} + 1 AS DOUBLE)"
    else:
        inside = _any([_contains(one, first) for one in segments.stretches])
        measured = f"CAST({total} AS DOUBLE) / ({last}{scaled} - {first}{scaled})"
        share = f"CASE WHEN {first} = {last} THEN CAST({inside} AS DOUBLE) ELSE {measured} END"
        mixed = f"CASE WHEN {first} = {last} THEN (CAST({inside} AS DOUBLE) + {missing}) / 2 ELSE {measured} END"
    if column.missing_name is None:
        return Sql(share)
    return Sql(f"CASE missing WHEN 'only' THEN {missing} WHEN 'possible' THEN {mixed} ELSE {share} END")


def _any(tests: Sequence[str]) -> str:
    """Whether one of the tests holds. DuckDB limits the depth of expressions, so long chains become lists."""
    if len(tests) > _MANY:
        return f"list_bool_or([{', '.join(tests)}])"
    return "(" + (" OR ".join(f"({test})" for test in tests) or "FALSE") + ")"


def _ends(column: PublishedColumn, segments: Segments) -> tuple[str, str]:
    """The ends of the interval. Where too little is published to place an open end, the query's own cuts stand in."""
    if column.anchored:
        return "first", "last"
    low, high = (Sql("NULL"), Sql("NULL")) if segments.reach is None else map(number, segments.reach)
    first, last = around(column.family, low, high, Sql("anchor"))
    return f"coalesce(first, {first})", f"coalesce(last, {last})"


def _least(end: str, limit: Position | None) -> str:
    return end if limit is None else f"{end}, {number(limit)}"


def _greatest(start: str, limit: Position | None) -> str:
    return start if limit is None else f"{start}, {number(limit)}"


def _contains(stretch: Stretch, value: str) -> str:
    """Whether a single value lies in the stretch."""
    tests = []
    if stretch.start is not None:
        tests.append(f"{value} {'>=' if stretch.starts_closed else '>'} {number(stretch.start)}")
    if stretch.end is not None:
        tests.append(f"{value} {'<=' if stretch.ends_closed else '<'} {number(stretch.end)}")
    return " AND ".join(tests) or "TRUE"
