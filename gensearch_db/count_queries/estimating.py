"""Estimating count queries on a release: read, resolve, expand into cases, run one statement, answer.

Nothing but ``<release>_blocks`` and its dictionary is read: the source may be gone, and true counts never enter an estimate.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from gensearch_db.argument_kinds import TEXT, refuse_other_kinds
from gensearch_db.count_queries.cases import cases_of, is_conjunction
from gensearch_db.count_queries.diagram import DiagramBuilder, DiagramTooLargeError, Node
from gensearch_db.count_queries.expressions import known
from gensearch_db.count_queries.formula import Condition, Formula, all_of, condition_sql
from gensearch_db.count_queries.grouping import Group, groups_of
from gensearch_db.count_queries.model import CountQuery
from gensearch_db.count_queries.reading import read_query
from gensearch_db.count_queries.release import Kind, PublishedColumn, Release, beyond_128_bits, open_release
from gensearch_db.count_queries.resolving import ResolvedQuery, resolve
from gensearch_db.count_queries.statement import estimate_rows, estimate_text
from gensearch_db.database.opening import Database, session_for
from gensearch_db.database.rendering import Sql, identifier, qualified, statement
from gensearch_db.errors import DataError
from gensearch_db.printable import blob_text
from gensearch_db.tokens import error_at

_STATEMENT_SIZE = 2500
"""How much one statement takes on: a conjunction counts 1, a condition of several cases 12 (each keeps a row per block)."""


@dataclass(frozen=True)
class Estimate:
    """The estimate of one count.

    ``query`` numbers the query in its workload (from 1), ``label`` is the counted column as written or its alias, ``group``
    the values of the GROUP BY columns. ``deviation`` is the standard deviation under the model (THEORY 4; tuples independent
    and uniform within their block), ``lower`` and ``upper`` hold whatever the truth within the blocks is, and ``blocks`` is
    the number of blocks that can contribute.
    """

    query: int
    label: str
    group: tuple[Any, ...]
    estimate: float
    deviation: float
    lower: int
    upper: int
    blocks: int


@dataclass(frozen=True)
class Answer:
    """The estimates of one query: one per counted column and group. ``group_columns`` name the values in ``group``."""

    query: CountQuery
    group_columns: tuple[str, ...]
    estimates: tuple[Estimate, ...]

    @property
    def estimate(self) -> float:
        """The estimate of a query with a single answer. Raises ``ValueError`` where there are several."""
        if len(self.estimates) != 1:
            raise ValueError(f"the query has {len(self.estimates)} answers, not one")
        return self.estimates[0].estimate

    def to_dict(self) -> dict[str, Any]:
        """The answer as plain values for JSON."""
        rows = [vars(one) | {"group": [_plain(value) for value in one.group]} for one in self.estimates]
        return {"query": self.query.text, "group_columns": list(self.group_columns), "estimates": rows}


@dataclass(frozen=True)
class _Asked:
    """One count of the statement: which query, which counted column (None: the presence of a group), which group.

    ``place``: the group's number among those of its query. Its values may be lists, which are no keys.
    """

    query: int
    label: str | None
    place: int
    group: Group
    node: Node


def group_text(value: Any) -> str:
    """The value of a group for people: as DuckDB prints it, no digit lost."""
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return blob_text(value)
    return f"{value:f}" if isinstance(value, Decimal) else str(value)


def _plain(value: Any) -> Any:
    """The value of a group for JSON, which has no infinite numbers."""
    as_it_is = value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and math.isfinite(value))
    return value if as_it_is else group_text(value)


def estimate(database: Database, release: str, sql: str) -> Answer:
    """Estimate one count query on a release.

    ``database`` is an open connection or a DuckDB file, ``release`` names the release (``r``, ``schema.r``). The query's
    FROM may carry any table's name: it stands for the table the release was made from. Raises :class:`QueryError` with line
    and column for what cannot be answered, :class:`SpecificationError` for arguments of another kind.
    """
    refuse_other_kinds(release=(release, TEXT), sql=(sql, TEXT))
    with session_for(database, read_only=True) as session:
        return session.in_one_state(lambda: estimate_all(open_release(session, release), [read_query(sql)])[0])


def estimate_sql(database: Database, release: str, sql: str) -> str:
    """The one statement behind :func:`estimate`: it reads ``<release>_blocks`` only and runs in any DuckDB client."""
    refuse_other_kinds(release=(release, TEXT), sql=(sql, TEXT))
    with session_for(database, read_only=True) as session:
        return session.in_one_state(lambda: show_sql(open_release(session, release), [read_query(sql)]))


def show_sql(release: Release, queries: Sequence[CountQuery]) -> str:
    """The one statement that estimates all the queries."""
    asked = _asked(release, resolve(release, queries))
    return str(estimate_text(release, [one.node for one in asked]))


def estimate_all(release: Release, queries: Sequence[CountQuery]) -> tuple[Answer, ...]:
    """Estimate a workload: one grouped statement for all of it, or a few where it is very large."""
    resolved = resolve(release, queries)
    asked = _asked(release, resolved)
    rows: list[tuple[Any, ...]] = []
    for batch in _batches(asked):
        rows += _rows(release, queries, batch)
    present: set[tuple[int, int]] = set()
    found: dict[int, list[tuple[int, Estimate]]] = {}
    for one, row in zip(asked, rows, strict=True):
        value = Estimate(one.query, one.label or "", one.group.values, *row[1:])
        if one.label is not None:
            found.setdefault(one.query, []).append((one.place, value))
        if value.upper > 0 or not one.group.tests:
            present.add((one.query, one.place))
    answers = []
    for number, (query, entry) in enumerate(zip(queries, resolved, strict=True), start=1):
        kept = tuple(one for place, one in found.get(number, ()) if (number, place) in present)
        answers.append(Answer(query, entry.query.group_labels, kept))
    return tuple(answers)


def _batches(asked: Sequence[_Asked]) -> Iterator[list[_Asked]]:
    """The counts in order, as many at a time as one statement takes on."""
    batch: list[_Asked] = []
    size = 0
    for one in asked:
        weight = 1 if is_conjunction(one.node) else 12
        if batch and size + weight > _STATEMENT_SIZE:
            yield batch
            batch, size = [], 0
        batch.append(one)
        size += weight
    if batch:
        yield batch


def _rows(release: Release, queries: Sequence[CountQuery], asked: Sequence[_Asked]) -> list[tuple[Any, ...]]:
    """The answers of one statement. A published value that a query cannot be compared with is an error of that query."""
    try:
        return estimate_rows(release, [one.node for one in asked])
    except DataError as error:
        if len({one.query for one in asked}) > 1:
            middle = len(asked) // 2
            return _rows(release, queries, asked[:middle]) + _rows(release, queries, asked[middle:])
        query = queries[asked[0].query - 1]
        columns = {column for one in asked for _, parts in cases_of(one.node) for column, _ in parts}
        message = beyond_128_bits(f"a published value cannot be compared as the query asks: {error}", columns)
        raise error_at(query.script, query.place.start, query.place.end, message) from error


def _asked(release: Release, resolved: Sequence[ResolvedQuery]) -> list[_Asked]:
    """The counts of a workload, in order; for each group of a filtered count also whether the group is there at all."""
    asked: list[_Asked] = []
    for number, entry in enumerate(resolved, start=1):
        for place, group in enumerate(groups_of(release, entry)):
            wanted: list[tuple[str | None, Formula]] = [(count.label, count.formula) for count in entry.counts]
            if group.tests and all(count.formula != entry.presence for count in entry.counts):
                wanted.append((None, entry.presence))
            for label, formula in wanted:
                node = _diagram(release, entry.query, all_of([*group.tests, formula]))
                asked.append(_Asked(number, label, place, group, node))
    return asked


def _diagram(release: Release, query: CountQuery, formula: Formula) -> Node:
    def occurring(column: PublishedColumn, conditions: Sequence[Condition]) -> Sequence[tuple[bool, ...]]:
        """Which combinations of truths of the conditions the column's published values have."""
        member = Sql('member."value"') if column.kind is Kind.SENSITIVE else Sql("member")
        rows = release.session.rows(
            statement(
                "estimate/occurring",
                blocks=qualified(release.blocks),
                list=identifier(column.list_name),
                value=known(column.family, member),
                conditions=[condition_sql(condition) for condition in conditions],
            )
        )
        return [tuple(row) for row in rows]

    try:
        return DiagramBuilder(formula, release.columns, occurring).build()
    except DiagramTooLargeError as error:
        raise error_at(query.script, query.place.start, query.place.end, str(error)) from error
