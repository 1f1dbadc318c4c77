"""Many conditions in one statement, held to an oracle in plain Python: open ends, missing values, several sensitive columns."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from itertools import pairwise, product
from typing import Any

import duckdb
import pytest

from gensearch_db.count_queries import estimate, estimate_sql, read_queries
from gensearch_db.count_queries import estimating as estimating_module
from gensearch_db.count_queries.estimating import Estimate, estimate_all
from gensearch_db.count_queries.release import open_release
from gensearch_db.database.session import Session
from gensearch_db.errors import QueryError
from tests.count_queries.fixtures import categorical, make_release, ordered, sensitive

COLUMNS = [ordered("i", "INTEGER", missing=True), ordered("f", "DOUBLE", missing=True), categorical("c"), sensitive("ill")]
Row = dict[str, Any]
Test = Callable[[Any], bool]
WHOLE = [(0, 3, "no"), (2, 4, "possible"), (4, 8, "no"), (None, None, "only"), (None, 2, "no"), (8, None, "possible")]
REAL = [(0.0, 2.0, "no"), (1.0, 1.0, "possible"), (3.0, 4.0, "no"), (None, None, "only"), (None, 1.0, "no"), (5.0, None, "no")]


def random_block(draw: random.Random) -> Row:
    ill = {value: draw.randint(1, 4) for value in draw.sample(["flu", "hiv", "cold", None], draw.randint(1, 3))}
    members = draw.sample(["x", "y", "z", None], draw.randint(1, 3))
    return {"i": draw.choice(WHOLE), "f": draw.choice(REAL), "c": members, "ill": ill, "count": sum(ill.values())}


def random_test(draw: random.Random, column: str) -> tuple[str, Test]:
    """A predicate as SQL, and whether it is true of a value."""
    if column in "if":
        low, high = draw.randint(-1, 9), draw.randint(-1, 9)
        forms: list[tuple[str, Test]] = [
            (f"BETWEEN {low} AND {high}", lambda x: x is not None and low <= x <= high),
            (f"NOT IN ({low}, {high})", lambda x: x is not None and x not in (low, high)),
            (f"< {low}", lambda x: x is not None and x < low),
            ("IS NULL", lambda x: x is None),
            (f"IS DISTINCT FROM {low}", lambda x: x != low),
        ]
    else:
        one, two = draw.sample(["x", "y"] if column == "c" else ["flu", "hiv"], 2)
        forms = [
            (f"IN ('{one}', 'nobody')", lambda x: x == one),
            (f"NOT IN ('{one}', NULL)", lambda x: False),
            (f"<> '{two}'", lambda x: x is not None and x != two),
            ("IS NOT NULL", lambda x: x is not None),
        ]
    text, test = draw.choice(forms)
    return f"{column} {text}", test


def random_condition(draw: random.Random) -> tuple[str, Callable[[Row], bool]]:
    """One to four predicates, all of them or any of them."""
    columns = draw.sample(["i", "f", "c", "ill"], draw.randint(1, 4))
    tests = [(column, *random_test(draw, column)) for column in columns]
    word, join = draw.choice([("AND", all), ("AND", all), ("OR", any)])
    text = f" {word} ".join(f"({sql})" for _, sql, _ in tests)
    return text, lambda row: join(test(row[column]) for column, _, test in tests)


def places(regions: Sequence[tuple[Any, ...]], region: tuple[Any, ...], step: float) -> list[tuple[Any, float]]:
    """Values of a region with their chances; of no chance are those that only the hard bounds think of.

    An open end is as wide as its neighbour among the published bounds; beyond it a value is possible all the same.
    """
    lower, upper, missing = region
    if missing == "only":
        return [(None, 1.0)]
    bounds = sorted({end for one in regions for end in one[:2] if end is not None})
    first = bounds[0] - (bounds[1] - bounds[0]) if lower is None else lower
    last = bounds[-1] + (bounds[-1] - bounds[-2]) if upper is None else upper
    low, high = (-9 if lower is None else lower), (19 if upper is None else upper)
    if step == 1:
        values = [(value, float(first <= value < last)) for value in range(low, high)]
        values += [(None, 1.0)] if missing == "possible" else []
    elif first == last:
        values = [(first, 1.0)] + ([(None, 1.0)] if missing == "possible" else [])
    else:
        halves = [low + step * number for number in range(round((high - low) / step))]
        values = [(value, float(value % 1 > 0 and first <= value < last)) for value in halves]
        values += [(None, 0.0)] if missing == "possible" else []
    whole = sum(chance for _, chance in values)
    return [(value, chance / whole) for value, chance in values]


def oracle(blocks: list[Row], holds: Callable[[Row], bool]) -> tuple[float, float, int, int, int]:
    """Estimate, deviation, lower and upper bound and number of blocks, by enumerating every place of every block."""
    expected = variance = 0.0
    lower = upper = touched = 0
    regions = {name: [block[name] for block in blocks] for name in "if"}
    for block in blocks:
        members = [(value, 1 / len(block["c"])) for value in block["c"]]
        spots = list(product(places(regions["i"], block["i"], 1), places(regions["f"], block["f"], 0.5), members))
        possible = 0
        for ill, count in block["ill"].items():
            hits = [(i[1] * f[1] * c[1], holds({"i": i[0], "f": f[0], "c": c[0], "ill": ill})) for i, f, c in spots]
            share = sum(chance for chance, hit in hits if hit)
            expected += count * share
            variance += count * share * (1 - share)
            lower += count if all(hit for _, hit in hits) else 0
            possible += count if any(hit for _, hit in hits) else 0
        upper += possible
        touched += possible > 0
    return expected, math.sqrt(max(0.0, variance)), lower, upper, touched


def held_to(found: Estimate, expected: tuple[float, float, int, int, int], text: str) -> None:
    assert found.estimate == pytest.approx(expected[0], abs=1e-9), text
    assert found.deviation == pytest.approx(expected[1], abs=1e-6), text
    assert (found.lower, found.upper, found.blocks) == expected[2:], text


@pytest.mark.parametrize("seed", range(4))
def test_a_workload_in_one_statement_is_what_the_oracle_says(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(seed)
    blocks = [random_block(draw) for _ in range(12)]
    bounds = sorted({end for block in blocks for end in block["f"][:2] if end is not None})
    assert all(one < other for one, other in pairwise(bounds))
    connection = duckdb.connect()
    make_release(connection, "r", COLUMNS, blocks)
    conditions = [random_condition(draw) for _ in range(60)]
    queries = read_queries(";".join(f"SELECT COUNT(*) FROM t WHERE {text}" for text, _ in conditions))
    statements = []
    asked = estimating_module.estimate_rows
    monkeypatch.setattr(estimating_module, "estimate_rows", lambda *given: statements.append(given) or asked(*given))
    with Session(connection) as session:
        answers = estimate_all(open_release(session, "r"), queries)
    assert len(statements) == 1
    for answer, (text, holds) in zip(answers, conditions, strict=True):
        held_to(answer.estimates[0], oracle(blocks, holds), text)
    text, holds = conditions[0]
    row = connection.execute(estimate_sql(connection, "r", f"SELECT COUNT(*) FROM t WHERE {text}")).fetchone() or ()
    assert row[1:] == pytest.approx(oracle(blocks, holds), abs=1e-6)


def test_lists_of_thousands_of_values_do_not_burden_the_plan() -> None:
    """They were expressions of the statement, and took 15 seconds to plan; now they are rows, or a single list."""
    connection = duckdb.connect()
    block = {"i": (0, 6000, "no"), "c": [f"v{number}" for number in range(5000)], "count": 100}
    make_release(connection, "r", [ordered("i", "INTEGER", missing=True), categorical("c")], [block])
    numbers = f"i IN ({', '.join(str(2 * number) for number in range(3000))})"
    texts = f"c NOT IN ({', '.join(repr(f'v{2 * number}') for number in range(3000))})"
    query = f"SELECT COUNT(*) FROM t WHERE {numbers} AND {texts}"
    assert estimate(connection, "r", query).estimate == pytest.approx(25)
    text = estimate_sql(connection, "r", query)
    assert connection.execute(text).fetchall()[0][1] == pytest.approx(25)
    (plan,) = [row[1] for row in connection.execute(f"EXPLAIN {text}").fetchall()]
    assert "MARK" not in plan  # IN with a list of constants is a join of its own
    assert len(plan) < 100_000


def test_groups_of_a_column_whose_open_ends_have_no_place_are_refused() -> None:
    connection = duckdb.connect()
    make_release(connection, "r", [ordered("i", "INTEGER")], [{"i": (8, None), "count": 3}])
    with pytest.raises(QueryError, match="too few bounds are published"):
        estimate(connection, "r", "SELECT i, COUNT(*) FROM t GROUP BY i")
