"""Numbers of more digits than a BIGINT, a DOUBLE or Python's own decimals hold: they are told to the last digit."""

from __future__ import annotations

from decimal import Decimal

import duckdb
import pytest

from gensearch_db.count_queries import estimate, generate_workload
from gensearch_db.errors import QueryError
from tests.count_queries.fixtures import identity_release, make_release, ordered

LONG = "12345678901234567890123456789012345678"
WIDE = {
    "HUGEINT": [f"{2**127 - 8}", f"{8 - 2**127}", f"{2**63}", "-3", "0"],
    "DECIMAL(38,10)": [
        f"{LONG[:28]}.0123456789",
        f"-{LONG[:28]}.9876543211",
        "0.0000000001",
        "0",
    ],
    "DECIMAL(38,0)": [f"{LONG}", f"{int(LONG) - 1}", "-1"],
    "DECIMAL(38,38)": [f"0.{LONG}", f"-0.{'0' * 37}1"],
}


def source(type_: str) -> duckdb.DuckDBPyConnection:
    """Each value in a number of rows of its own: one, two, three and so on."""
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE t (w {type_})")
    for times, value in enumerate(WIDE[type_], start=1):
        connection.execute(f"INSERT INTO t SELECT CAST('{value}' AS {type_}) FROM range({times})")
    identity_release(connection, "t", "r", [ordered("w", type_)])
    return connection


@pytest.mark.parametrize("type_", WIDE)
def test_groups_are_the_values_themselves(type_: str) -> None:
    connection = source(type_)
    query = "SELECT w, COUNT(*) FROM t GROUP BY w"
    found = [(*one.group, one.estimate, one.lower, one.upper) for one in estimate(connection, "r", query).estimates]
    true = connection.execute(query).fetchall()
    assert sorted(found) == sorted((value, float(count), count, count) for value, count in true)
    assert len(found) == len(WIDE[type_])


@pytest.mark.parametrize("type_", [type_ for type_ in WIDE if type_ != "DECIMAL(38,38)"])
def test_drawn_constants_lie_among_the_values(type_: str) -> None:
    """Of a block from the second value on, up to twenty steps higher: every constant that is drawn has to lie there."""
    connection = duckdb.connect()
    scale = int(type_.partition(",")[2].rstrip(")") or 0)
    first = int(WIDE[type_][1].replace(".", ""))
    low, high = (f"{Decimal(f'{place}E-{scale}'):f}" for place in (first, first + 20))
    make_release(connection, "r", [ordered("w", type_, integral=True)], [{"w": (low, high), "count": 40}])
    text = generate_workload(connection, "r", queries=20, predicates=[1], selectivity=0.3, seed=1)
    constants = [word.rstrip(";") for line in text.splitlines() if line.startswith("SELECT") for word in _after_between(line)]
    assert len(constants) == 40
    for constant in constants:
        place = f"CAST({constant} AS {type_}) BETWEEN CAST('{low}' AS {type_}) AND CAST('{high}' AS {type_})"
        (inside, kind) = connection.execute(f"SELECT {place}, typeof({constant})").fetchone() or (None, None)
        assert inside, constant
        assert kind != "DOUBLE", constant


@pytest.mark.parametrize("type_", ["HUGEINT", "DECIMAL(38,0)"])
def test_what_cannot_be_measured_is_told_with_what_to_do(type_: str) -> None:
    connection = duckdb.connect()
    most = 38 * "9"
    make_release(connection, "r", [ordered("w", type_, integral=True)], [{"w": (f"-{most}", most), "count": 4}])
    with pytest.raises(QueryError, match=r"Values at the very ends of 'w' \(.*\) cannot be measured"):
        estimate(connection, "r", "SELECT COUNT(*) FROM t WHERE w > 5")


@pytest.mark.parametrize("type_", ["UHUGEINT", "HUGEINT"])
def test_groups_that_cannot_be_measured_are_told_with_what_to_do(type_: str) -> None:
    connection = duckdb.connect()
    most = 2**128 - 1 if type_ == "UHUGEINT" else 2**127 - 1
    blocks = [{"w": (f"{most - 1}", f"{most}"), "count": 4}, {"w": (f"{most}", None), "count": 4}]
    make_release(connection, "r", [ordered("w", type_, integral=True)], blocks)
    with pytest.raises(QueryError, match=r"cannot group by column 'w': .*Values at the very ends of 'w' \(.*a narrower number"):
        estimate(connection, "r", "SELECT w, COUNT(*) FROM t GROUP BY w")


def _after_between(line: str) -> list[str]:
    words = line.split(" BETWEEN ")[1].split(" AND ")
    return [words[0], words[1]]
