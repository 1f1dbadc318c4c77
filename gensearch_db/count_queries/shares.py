"""How much of a block's region one class of values covers, as SQL: one named column per class and question.

For each column of the release that a statement's queries look at, :class:`Shares` collects the classes that are asked for
(each once, whatever the number of queries) and names the columns that answer: the share of the region, whether the region
can hold such a value at all, and for sensitive columns the exact count.
"""

from __future__ import annotations

from collections.abc import Sequence

from gensearch_db.count_queries.diagram import Region
from gensearch_db.count_queries.expressions import Position, number
from gensearch_db.count_queries.formula import condition_sql
from gensearch_db.count_queries.release import PublishedColumn
from gensearch_db.count_queries.segments import Segments, Stretch
from gensearch_db.database.rendering import Sql

_MANY = 100


class Shares:
    """The classes of one column that a statement asks for."""

    def __init__(self, column: PublishedColumn) -> None:
        self.column = column
        self._expressions: dict[str, dict[Region, Sql]] = {"share": {}, "possible": {}, "count": {}}

    def _name(self, question: str, region: Region) -> Sql:
        asked = self._expressions[question]
        if region not in asked:
            asked[region] = Sql(f"{question}_{self.column.number}_{len(asked) + 1}")
        return asked[region]

    def share(self, region: Region) -> Sql:
        """The column that holds the share of the region that the class covers, 0 to 1."""
        return self._name("share", region)

    def possible(self, region: Region) -> Sql:
        """An expression that tells whether the region can hold a value of the class."""
        if isinstance(region, Segments):
            return self._name("possible", region)
        return Sql(f"{self._name('share', region)} > 0")

    def impossible(self, region: Region, others: Sequence[Region]) -> Sql:
        """An expression that tells that the region holds no value of the class; ``others`` are the other classes."""
        if not isinstance(region, Segments) and len(others) == 1:
            return Sql(f"{self._name('share', others[0])} = 1")
        return Sql(f"NOT ({self.possible(region)})")

    def count(self, region: Region) -> Sql:
        """The column that holds the number of tuples of the block whose sensitive value is in the class."""
        return self._name("count", region)

    def expressions(self) -> list[tuple[Sql, Sql]]:
        """Each named column with its expression over the column's regions (ordered) or members (lists)."""
        makers = {"share": self._share_sql, "possible": self._possible_sql, "count": self._count_sql}
        return [
            (name, makers[question](region)) for question, asked in self._expressions.items() for region, name in asked.items()
        ]

    def _share_sql(self, region: Region) -> Sql:
        if isinstance(region, Segments):
            return ordered_share(self.column, region)
        return Sql(f"count_if({condition_sql(region)}) / count(*)")

    def _possible_sql(self, region: Region) -> Sql:
        assert isinstance(region, Segments)
        return ordered_possible(self.column, region)

    def _count_sql(self, region: Region) -> Sql:
        assert not isinstance(region, Segments)
        return Sql(f"CAST(coalesce(sum(tuples) FILTER ({condition_sql(region)}), 0) AS BIGINT)")


def ordered_share(column: PublishedColumn, segments: Segments) -> Sql:
    """The share of an interval that the segments cover; ``first`` and ``last`` are its ends, open ones replaced.

    Values are counted: every value of the interval weighs the same, and so does the missing value where the region may hold
    it. An interval of floating-point numbers is measured; of its infinitely many values none weighs anything, nor does the
    missing one, unless the interval is a single value.
    """
    first, last = _ends(segments)
    covered = [
        f"greatest(0, least({_least(last, one.end)}) - greatest({_greatest(first, one.start)}))" for one in segments.stretches
    ]
    total = f"list_sum([{', '.join(covered)}])" if len(covered) > _MANY else " + ".join(covered) or "0"
    missing = int(segments.missing)
    if column.counted:
        share = f"CAST({total} AS DOUBLE) / CAST({last} - {first} AS DOUBLE)"
        mixed = f"CAST({total} + {missing} AS DOUBLE) / CAST({last} - {first} + 1 AS DOUBLE)"
    else:
        inside = _any([_contains(one, first) for one in segments.stretches])
        measured = f"CAST({total} AS DOUBLE) / CAST({last} - {first} AS DOUBLE)"
        share = f"CASE WHEN {first} = {last} THEN CAST({inside} AS DOUBLE) ELSE {measured} END"
        mixed = f"CASE WHEN {first} = {last} THEN (CAST({inside} AS DOUBLE) + {missing}) / 2 ELSE {measured} END"
    if column.missing_name is None:
        return Sql(share)
    return Sql(f"CASE missing WHEN 'only' THEN {missing} WHEN 'possible' THEN {mixed} ELSE {share} END")


def ordered_possible(column: PublishedColumn, segments: Segments) -> Sql:
    """Whether an interval can hold a value of the segments; open ends are truly open here."""
    somewhere = _any([_touches(one, column) for one in segments.stretches])
    if column.missing_name is None:
        return Sql(somewhere)
    missing = "TRUE" if segments.missing else "FALSE"
    return Sql(f"CASE missing WHEN 'only' THEN {missing} WHEN 'possible' THEN {missing} OR {somewhere} ELSE {somewhere} END")


def _any(tests: Sequence[str]) -> str:
    """Whether one of the tests holds. DuckDB limits the depth of expressions, so long chains become lists."""
    if len(tests) > _MANY:
        return f"list_bool_or([{', '.join(tests)}])"
    return "(" + (" OR ".join(f"({test})" for test in tests) or "FALSE") + ")"


def _ends(segments: Segments) -> tuple[str, str]:
    """The ends of the interval. Where too little is published to place an open end, the query's own cuts stand in."""
    if segments.reach is None:
        return "first", "last"
    low, high = segments.reach
    width = high - low or 1
    below, above = number(low - width), number(high + width)
    return f"coalesce(first, least({below}, upper - 1), {below})", f"coalesce(last, greatest({above}, lower + 1), {above})"


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


def _touches(stretch: Stretch, column: PublishedColumn) -> str:
    """Whether ``lower <= x < upper`` (NULL: open) and the stretch have a value in common; NULL bounds are ignored by least."""
    low = f"greatest({_greatest('lower', stretch.start)})"
    high = f"least({_least('upper', stretch.end)})"
    overlap = f"coalesce({low} < {high}, TRUE)"
    if column.counted:
        return overlap
    ends = [
        (stretch.start, stretch.starts_closed),
        (stretch.end, stretch.ends_closed and stretch.end != stretch.start),
    ]
    for place, closed in ends:
        if place is not None and closed:
            overlap += f" OR (coalesce(lower <= {number(place)}, TRUE) AND coalesce(upper > {number(place)}, TRUE))"
    return f"CASE WHEN lower = upper THEN {_contains(stretch, 'lower')} ELSE {overlap} END"
