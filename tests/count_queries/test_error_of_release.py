"""The cost ``count_error`` of random small tables, held to the error recomputed from what was published.

Nothing of the package reckons here: the rows of a block are those inside its published bounds or lists (plain SQL over the
source), the rows that satisfy a query are DuckDB's own answer on them, and the share of a block is worked out from its typed
columns and nothing else by the model of docs/count_queries.md: every value of a region weighs the same.
"""

from __future__ import annotations

import datetime
import itertools
import json
import os
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

import gensearch_db
from gensearch_db.errors import InfeasibleError

SEEDS = int(os.environ.get("GENSEARCH_FUZZ", "6"))
"""Random tables for each type."""


@dataclass(frozen=True)
class Kind:
    """A type of column: a few values as SQL writes them, how its values stand on a line, how it may be cut.

    Places are numbers, days, or micro- or nanoseconds. ``step``: how far apart the values are that a region is made of (None:
    floating-point, regions are measured). ``following``: the next value that the type can hold.
    """

    type: str
    values: tuple[str, ...]
    place: str
    step: Fraction | None
    following: Callable[[Fraction], Fraction]
    ways: tuple[dict[str, Any], ...]
    domain: tuple[str, str]


def _after(step: str | int) -> Callable[[Fraction], Fraction]:
    return lambda place: place + Fraction(step)


def _next_float(width: type[np.floating[Any]]) -> Callable[[Fraction], Fraction]:
    return lambda place: Fraction(float(np.nextafter(width(float(place)), width(np.inf))))


ANYWHERE: tuple[dict[str, Any], ...] = ({"split": "anywhere"},)
NUMBERS = (*ANYWHERE, *ANYWHERE, {"split": "every 4"}, {"split": "at 5, 5, 9"}, {"order": True})
WHOLE = ("-3", "0", "1", "2", "5", "6", "9", "14", "23")
TENTHS = ("-2.5", "0.1", "0.2", "3.0", "7.5", "12.0")
COUNTED = Fraction(1)
DAYS = tuple(f"DATE '2024-0{month}-{day}'" for month, day in ((1, 10), (1, 11), (1, 30), (2, 2), (3, 1), (4, 28)))


def moments(kind: str, texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"CAST('{text}' AS {kind})" for text in texts)


SECONDS = ("2024-01-01 00:00:00", "2024-01-01 00:00:01", "2024-01-01 00:00:05", "2024-02-01 12:00:00", "2024-02-29 23:59:59")
MILLIS = ("2024-01-01 00:00:00.001", "2024-01-01 00:00:00.002", "2024-01-01 00:00:00.010", "2024-01-03 00:00:00")
MICROS = ("2024-01-01 00:00:00.000001", "2024-01-01 00:00:00.000002", "2024-01-01 00:00:00.00001", "2024-01-02 00:00:00")
NANOS = ("2024-01-01 00:00:00.000000001", "2024-01-01 00:00:00.000000002", "2024-01-01 00:00:00.00001", "2024-01-02 00:00:00")
ZONED = tuple(f"{text}+00" for text in MICROS)
MONTHS = (*ANYWHERE, {"split": "every month"}, {"split": "every 2 days"})
IN_2024 = ("2024-01-01", "2024-12-31")

WIDE = ("-9", "30")
UTC = tuple({**ways, "timezone": "UTC"} for ways in MONTHS)
INSTANTS = ("2024-01-01 00:00:00+00", "2024-12-31 00:00:00+00")


def times(kind: str, texts: Sequence[str], following: int, place: str = "epoch_us({})") -> Kind:
    return Kind(kind, moments(kind, texts), place, COUNTED, _after(following), MONTHS, IN_2024)


KINDS: dict[str, Kind] = {
    "TINYINT": Kind("TINYINT", WHOLE, "{}", COUNTED, _after(1), NUMBERS, WIDE),
    "INTEGER": Kind("INTEGER", WHOLE, "{}", COUNTED, _after(1), NUMBERS, WIDE),
    "UBIGINT": Kind("UBIGINT", WHOLE[1:], "{}", COUNTED, _after(1), NUMBERS, ("0", "30")),
    "HUGEINT": Kind("HUGEINT", WHOLE, "{}", COUNTED, _after(1), NUMBERS, WIDE),
    "DECIMAL(6,1)": Kind("DECIMAL(6,1)", TENTHS, "{}", Fraction("0.1"), _after("0.1"), NUMBERS, WIDE),
    "DOUBLE": Kind("DOUBLE", TENTHS, "{}", None, _next_float(np.float64), NUMBERS, WIDE),
    "FLOAT": Kind("FLOAT", TENTHS, "{}", None, _next_float(np.float32), NUMBERS, WIDE),
    "DATE": Kind("DATE", DAYS, "({} - DATE '1970-01-01')", COUNTED, _after(1), MONTHS, IN_2024),
    "TIMESTAMP": times("TIMESTAMP", MICROS, 1),
    "TIMESTAMP_S": times("TIMESTAMP_S", SECONDS, 1_000_000),
    "TIMESTAMP_MS": times("TIMESTAMP_MS", MILLIS, 1_000),
    "TIMESTAMP_NS": times("TIMESTAMP_NS", NANOS, 1, "epoch_ns({})"),
    "TIMESTAMPTZ": Kind("TIMESTAMPTZ", moments("TIMESTAMPTZ", ZONED), "epoch_us({})", COUNTED, _after(1), UTC, INSTANTS),
}
"""Every type that is published by bounds."""

LISTED: tuple[dict[str, Any], ...] = ({"unordered": True}, {"order": True}, {"prefix": True}, {"prefix": True, "relaxed": True})
TEXTS = ("'a'", "'ab'", "'ac'", "'b'", "'ba'", "'c'")


@dataclass(frozen=True)
class Condition:
    """A condition on one column, as SQL and on places (None: the value is missing); ``cuts`` are its constants."""

    column: int
    sql: str
    holds: Callable[[Fraction | None], bool]
    cuts: tuple[Fraction, ...] = ()


@dataclass(frozen=True)
class Drawn:
    """A random table ``t`` of columns ``c0``, ``c1``, …, the problem on it and the queries that its cost counts."""

    kinds: tuple[Kind | None, ...]
    rows: tuple[tuple[str, ...], ...]
    problem: dict[str, Any]
    queries: tuple[tuple[Condition, ...], ...]

    def create(self, connection: duckdb.DuckDBPyConnection) -> None:
        types = ["VARCHAR" if kind is None else kind.type for kind in self.kinds]
        connection.execute(f"CREATE TABLE t ({', '.join(f'c{j} {name}' for j, name in enumerate(types))})")
        connection.execute("INSERT INTO t VALUES " + ", ".join(f"({', '.join(row)})" for row in self.rows))

    def texts(self) -> list[str]:
        """The queries as SQL."""
        conditions = [" AND ".join(one.sql for one in query) for query in self.queries]
        return [f"SELECT COUNT(*) FROM t{f' WHERE {each}' if each else ''}" for each in conditions]


def place_of(connection: duckdb.DuckDBPyConnection, kind: Kind, value: str) -> Fraction:
    """Where a value that SQL writes stands on the line of its column."""
    found = connection.execute(f"SELECT {kind.place.format(f'CAST({value} AS {kind.type})')}").fetchone()
    assert found is not None
    return Fraction(found[0])


def ordered_condition(draw: random.Random, connection: duckdb.DuckDBPyConnection, column: int, kind: Kind) -> Condition:
    first, second = (draw.choice(kind.values) for _ in range(2))
    low, high = (place_of(connection, kind, value) for value in (first, second))
    name, typed = f"c{column}", (f"CAST({first} AS {kind.type})", f"CAST({second} AS {kind.type})")
    forms: list[tuple[str, Callable[[Fraction | None], bool]]] = [
        (f"{name} = {typed[0]}", lambda x: x == low),
        (f"{name} <> {typed[0]}", lambda x: x is not None and x != low),
        (f"{name} < {typed[0]}", lambda x: x is not None and x < low),
        (f"{name} <= {typed[0]}", lambda x: x is not None and x <= low),
        (f"{name} > {typed[0]}", lambda x: x is not None and x > low),
        (f"{name} >= {typed[0]}", lambda x: x is not None and x >= low),
        (f"{name} BETWEEN {typed[0]} AND {typed[1]}", lambda x: x is not None and low <= x <= high),
        (f"{name} IN ({typed[0]}, {typed[1]})", lambda x: x in (low, high)),
        (f"({name} >= {typed[0]} OR {name} IS NULL)", lambda x: x is None or x >= low),
        (f"{name} IS NULL", lambda x: x is None),
        (f"{name} IS NOT NULL", lambda x: x is not None),
    ]
    sql, holds = draw.choice(forms)
    return Condition(column, sql, holds, (low, high))


def listed_condition(draw: random.Random, column: int) -> Condition:
    name, first, second = f"c{column}", draw.choice(TEXTS), draw.choice(TEXTS)
    forms = [f"{name} {operator} {first}" for operator in ("=", "<>", "<=")]
    forms += [f"{name} IN ({first}, {second})", f"{name} IS NULL"]
    return Condition(column, draw.choice(forms), lambda _: False)


def drawn(seed: int, connection: duckdb.DuckDBPyConnection, types: Sequence[str], **fixed: Any) -> Drawn:
    """A random table whose columns have these types (``VARCHAR``: published as lists), and a random problem on it."""
    draw = random.Random(seed)
    kinds = tuple(KINDS.get(name) for name in types)
    count = draw.randint(8, 30)
    columns, ways = [], {}
    for j, kind in enumerate(kinds):
        values = TEXTS if kind is None else kind.values
        some = draw.sample(values, draw.randint(3, len(values)))
        missing = draw.choice([0, 0.15, 0.4])
        columns.append(["NULL" if draw.random() < missing else draw.choice(some) for _ in range(count)])
        ways[f"c{j}"] = dict(draw.choice(LISTED if kind is None else kind.ways))
        if kind is not None and draw.random() < 0.4 and fixed.get("domain", True):
            ways[f"c{j}"]["domain"] = list(kind.domain)
    queries = []
    for _ in range(draw.randint(1, 5)):
        chosen = draw.sample(range(len(kinds)), draw.randint(0, len(kinds)))
        queries.append(
            tuple(
                listed_condition(draw, j) if (kind := kinds[j]) is None else ordered_condition(draw, connection, j, kind)
                for j in chosen
            )
        )
    problem: dict[str, Any] = {
        "table": "t",
        "into": "r",
        "quasi_identifiers": ways,
        "subject_to": [f"k_anonymity({draw.randint(1, 5)})"],
        "strategy": draw.choice(["block_graph", "block_graph", "enumeration", "mondrian", "mondrian_steepest"]),
        "node_limit": 400,
        "labels": draw.choice(["region", "values"]),
        "suppress_at_most": draw.choice([0, 0, 0, 20]),
    }
    return Drawn(kinds, tuple(zip(*columns, strict=True)), problem | fixed, tuple(queries))


def blocks_of(connection: duckdb.DuckDBPyConnection) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The published blocks, numbered, and what the dictionary says of each quasi-identifier."""
    (comment,) = connection.execute("SELECT comment FROM duckdb_tables() WHERE table_name = 'r_blocks'").fetchall()[0]
    found = connection.execute("SELECT rowid AS number, * FROM r_blocks ORDER BY rowid")
    names = [each[0] for each in found.description]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()], json.loads(comment)["quasi_identifiers"]


def inside(columns: Sequence[dict[str, Any]]) -> str:
    """The condition that a row of ``t`` lies in the block ``b``."""
    tests = []
    for entry in columns:
        value = f"t.{entry['name']}"
        if entry["kind"] == "categorical":
            tests.append(f"list_bool_or(list_transform(b.{entry['values']}, lambda v: v IS NOT DISTINCT FROM {value}))")
            continue
        low, high = f"b.{entry['lower']}", f"b.{entry['upper']}"
        below = f"{high} IS NULL OR {value} < {high} OR ({low} = {high} AND {value} = {low})"
        known = f"coalesce({value} >= {low}, true) AND ({below})"
        missing = "'no'" if entry["missing"] is None else f"b.{entry['missing']}"
        tests.append(f"CASE WHEN {value} IS NULL THEN {missing} <> 'no' ELSE {missing} <> 'only' AND {known} END")
    return " AND ".join(tests)


def leaf_bounds(kind: Kind, ways: dict[str, Any], places: Sequence[Fraction]) -> list[Fraction]:
    """The bounds of the leaf values of a column that has values at these places (ascending), without the outermost two."""
    split = ways.get("split", "anywhere")
    if split == "at 5, 5, 9":
        cuts = [Fraction(5), kind.following(Fraction(5)), Fraction(9)]
        return [cut for cut in cuts if cut in (5, 9) or cut <= places[-1]]
    edges = [_bin(kind, split, place) for place in places]
    return sorted({low for low, _ in edges[1:] if low > edges[0][0]} | {high for _, high in edges[:-1] if high < edges[-1][1]})


def _bin(kind: Kind, split: str, place: Fraction) -> tuple[Fraction, Fraction]:
    """The leaf value that a place belongs to: from where to where."""
    if split == "anywhere":
        return place, kind.following(place)
    if split == "every 4":
        number = place // 4
        return Fraction(number * 4), Fraction(number * 4 + 4)
    per_day = {"DATE": 1, "TIMESTAMP_NS": 86_400 * 10**9}.get(kind.type, 86_400 * 10**6)
    day = int(place // per_day)
    if split == "every 2 days":
        return Fraction(day // 2 * 2 * per_day), Fraction((day // 2 * 2 + 2) * per_day)
    first = (EPOCH + datetime.timedelta(day)).replace(day=1)
    behind = (first + datetime.timedelta(31)).replace(day=1)
    return Fraction((first - EPOCH).days * per_day), Fraction((behind - EPOCH).days * per_day)


EPOCH = datetime.date(1970, 1, 1)


def ends_of(connection: duckdb.DuckDBPyConnection, kind: Kind, ways: dict[str, Any], column: int) -> tuple[Fraction, Fraction]:
    """Where open ends are taken to be: as far out as the two outermost bounds of the leaf values are apart (docs/costs.md)."""
    place = kind.place.format(f"c{column}")
    found = connection.execute(f"SELECT DISTINCT {place} AS p FROM t WHERE c{column} IS NOT NULL ORDER BY p").fetchall()
    bounds = leaf_bounds(kind, ways, [Fraction(place) for (place,) in found]) if found else []
    if len(bounds) < 2:
        raise TooFewBoundsError
    return 2 * bounds[0] - bounds[1], 2 * bounds[-1] - bounds[-2]


class TooFewBoundsError(Exception):
    """An open end has no width: a query's own constants stand in, and the release's need not be those of the search."""


def share(kind: Kind, region: tuple[Fraction, Fraction, str], condition: Condition) -> Fraction:
    """The share of a published interval that satisfies a condition: each of its values weighs the same, and NULL as one more;
    of floating-point numbers lengths are compared, beside which single values and NULL weigh nothing."""
    low, high, missing = region
    if missing == "only":
        return Fraction(condition.holds(None))
    absent = Fraction(missing == "possible" and condition.holds(None))
    if low == high:
        return (condition.holds(low) + absent) / (2 if missing == "possible" else 1)
    step = kind.step or Fraction(0)
    cuts = sorted({low, high, *(place for cut in condition.cuts for place in (cut, cut + step) if low < place < high)})
    pieces = [(start, end) for start, end in itertools.pairwise(cuts) if condition.holds(start if step else (start + end) / 2)]
    covered = sum((end - start for start, end in pieces), Fraction(0))
    if not step:
        return covered / (high - low)
    return (covered / step + absent) / ((high - low) / step + (missing == "possible"))


def error_of_release(connection: duckdb.DuckDBPyConnection, case: Drawn, *, relative: bool = False) -> tuple[float, int]:
    """The sum over queries and blocks of |rows that satisfy it - rows * share covered|, and how many rows were released."""
    blocks, columns = blocks_of(connection)
    total, released = Fraction(0), 0
    for block in blocks:
        rows = f"(SELECT t.* FROM t, (SELECT * FROM r_blocks WHERE rowid = {block['number']}) AS b WHERE {inside(columns)})"
        (count,) = connection.execute(f"SELECT count(*) FROM {rows}").fetchall()[0]
        assert count == block["count"], f"{block} holds {count} rows"
        released += count
        for query, text in zip(case.queries, case.texts(), strict=True):
            (truth,) = connection.execute(text.replace("FROM t", f"FROM {rows} AS t")).fetchall()[0]
            (whole,) = connection.execute(text).fetchall()[0]
            covered = Fraction(1)
            for condition in query:
                covered *= covered_of(connection, case, block, columns[condition.column], condition)
            total += abs(truth - count * covered) / (max(1, whole) if relative else 1)
    return float(total), released


def covered_of(
    connection: duckdb.DuckDBPyConnection, case: Drawn, block: dict[str, Any], column: dict[str, Any], condition: Condition
) -> Fraction:
    """The share of one column of a block that a condition covers."""
    kind, name = case.kinds[condition.column], f"c{condition.column}"
    if kind is None:
        members = f"SELECT unnest({column['values']}) AS {name} FROM r_blocks WHERE rowid = {block['number']}"
        held, size = connection.execute(f"SELECT count(*) FILTER ({condition.sql}), count(*) FROM ({members})").fetchall()[0]
        return Fraction(held, size)
    missing = "no" if column["missing"] is None else block[column["missing"]]
    place = [kind.place.format(column[end]) for end in ("lower", "upper")]
    bounds = connection.execute(f"SELECT {', '.join(place)} FROM r_blocks WHERE rowid = {block['number']}").fetchall()[0]
    low, high = (None if bound is None else Fraction(bound) for bound in bounds)
    if missing != "only" and (low is None or high is None):
        ends = ends_of(connection, kind, case.problem["quasi_identifiers"][name], condition.column)
        low, high = ends[0] if low is None else low, ends[1] if high is None else high
    return share(kind, (low or Fraction(0), high or Fraction(0), missing), condition)


def lost_values(connection: duckdb.DuckDBPyConnection, case: Drawn) -> bool:
    """Whether only suppressed rows have some value: it is printed nowhere, and the search did not know (docs/costs.md)."""
    _, columns = blocks_of(connection)
    placed = f"EXISTS (FROM r_blocks AS b WHERE {inside(columns)})"
    found = [
        connection.execute(f"SELECT c{j} FROM t WHERE NOT {placed} EXCEPT SELECT c{j} FROM t WHERE {placed}").fetchall()
        for j in range(len(case.kinds))
    ]
    return any(found)


def compared(connection: duckdb.DuckDBPyConnection, case: Drawn, workload: Path, *, relative: bool = False) -> str:
    """Release one table and compare; says what came of it."""
    connection.execute("SET TimeZone = 'UTC'")
    case.create(connection)
    workload.write_text(";\n".join(case.texts()))
    cost = f"count_error('{workload}'{', error = relative' if relative else ''})"
    try:
        release = gensearch_db.anonymize(connection, **case.problem, minimize=cost)
    except InfeasibleError:
        return "infeasible"
    if lost_values(connection, case):
        return "values lost"
    try:
        error, released = error_of_release(connection, case, relative=relative)
    except TooFewBoundsError:
        return "too few bounds"
    assert released == release.rows_released
    counts = [connection.execute(text).fetchall()[0][0] for text in case.texts()]
    charge = sum(1 / max(1, count) if relative else 1 for count in counts)
    assert release.cost == pytest.approx(error + charge * release.rows_suppressed), case
    return "suppressed" if release.rows_suppressed else "all released"


@pytest.mark.parametrize("type_name", [*KINDS, "VARCHAR"])
def test_the_cost_is_the_error_of_what_is_published(type_name: str, tmp_path: Path) -> None:
    """2026-11-28: with labels = values a region that holds NULL was measured to its end, however few of its values occur, and
    ordered categories were published with those between them that do not occur."""
    seen: Counter[str] = Counter()
    for seed in range(SEEDS):
        types = [type_name, ["INTEGER", "VARCHAR", "DOUBLE"][seed % 3]][: 1 + seed % 2]
        with duckdb.connect() as connection:
            case = drawn(1000 * len(type_name) + seed, connection, types)
            seen[compared(connection, case, tmp_path / "queries.sql", relative=seed % 3 == 0)] += 1
    assert seen["all released"] + seen["suppressed"] >= SEEDS // 2, seen


@pytest.mark.parametrize("strategy", ["enumeration", "block_graph"])
def test_a_suppressed_row_is_charged_for_every_query(strategy: str, tmp_path: Path) -> None:
    """Its values are all released with others, so that nothing is printed more narrowly than the search measured it."""
    kind = KINDS["INTEGER"]
    rows = [("1", "1")] * 9 + [("9", "9")] * 9 + [("1", "9")]
    rows += [("14", "NULL")] * 4 + [("NULL", "14")] * 4 + [("14", "14")] * 2
    one, nine = Fraction(1), Fraction(9)
    queries = (
        (Condition(0, "c0 = 1", lambda x: x == one, (one,)), Condition(1, "c1 = 1", lambda x: x == one, (one,))),
        (Condition(0, "c0 = 9", lambda x: x == nine, (nine,)), Condition(1, "c1 = 9", lambda x: x == nine, (nine,))),
        (Condition(0, "c0 IS NULL", lambda x: x is None),),
        (Condition(1, "c1 IS NULL", lambda x: x is None),),
    )
    problem = {
        "table": "t",
        "into": "r",
        "quasi_identifiers": {name: {"split": "anywhere", "domain": [0, 20]} for name in ("c0", "c1")},
        "subject_to": ["k_anonymity(4)"],
        "strategy": strategy,
        "suppress_at_most": 20,
        "node_limit": 2000,
    }
    with duckdb.connect() as connection:
        assert (
            compared(connection, Drawn((kind, kind), tuple(rows), problem, queries), tmp_path / "queries.sql") == "suppressed"
        )
