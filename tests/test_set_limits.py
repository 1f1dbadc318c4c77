"""How many values can be grouped in sets is told before the cells are counted, with all other problems, by both statements."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gensearch_db.errors import DataError, GensearchError
from gensearch_db.statements.connection import Connection, connect

TOWNS = """
CREATE TABLE towns AS
SELECT 'v' || lpad((i % 100)::VARCHAR, 3, '0') AS city, 'u' || lpad((i % 20)::VARCHAR, 2, '0') AS trade,
       'w' || lpad((i % 70)::VARCHAR, 2, '0') AS code, CASE WHEN i % 13 > 0 THEN 't' || i % 13 END AS dozen, i % 7 AS age
FROM range(2000) r(i);
CREATE TABLE tens AS SELECT DISTINCT city AS value, city[1:3] AS level FROM towns;
CREATE TABLE quarters AS SELECT DISTINCT city AS value, 'g' || (city[2:]::INTEGER // 25) AS level FROM towns;
CREATE TABLE trades AS SELECT DISTINCT trade AS value, 'all' AS level FROM towns
"""

PLAIN = r"take it as a plain taxonomy \(leave out relaxed\)"
REFUSED = {
    "relaxed, for the bits": (
        "city TAXONOMY tens RELAXED",
        "block_graph",
        f"column 'city': its relaxed taxonomy has 100 leaves; at most 62 .*{PLAIN}, or search with strategy enumeration\n",
    ),
    "relaxed, for mondrian": ("city TAXONOMY tens RELAXED", "mondrian", "'city'.* 100 leaves; at most 62 "),
    "relaxed, for both": ("city TAXONOMY quarters RELAXED", "block_graph", f"'city'.* 100 leaves; at most 62 .*{PLAIN}\n"),
    "relaxed, for the enumeration": (
        "trade TAXONOMY trades RELAXED",
        "enumeration",
        f"'trade': node 'all' of its relaxed taxonomy has 20 children; .*at most 12: {PLAIN}, or .*strategy block_graph\n",
    ),
    "unordered, for the bits": (
        "code UNORDERED",
        "block_graph",
        "'code' has 70 values; .*at most 62: give it an order or a tax",
    ),
    "unordered, for the enumeration": (
        "trade UNORDERED",
        "enumeration",
        "'trade' has 20 values without an order; .*at most 12: give it an order or a taxonomy, or .* strategy block_graph\n",
    ),
    "NULL is a value": ("dozen UNORDERED", "enumeration", "'dozen' has 13 values"),
}


@pytest.fixture
def towns() -> Iterator[Connection]:
    with connect() as connection:
        connection.execute(TOWNS).fetchall()
        yield connection


def refused(connection: Connection, statement: str, monkeypatch: pytest.MonkeyPatch) -> GensearchError:
    """The error of a statement that may not count cells, and leaves the tables as they are."""
    listed = "SELECT table_name FROM duckdb_tables() ORDER BY ALL"
    before = connection.execute(listed).fetchall()
    with monkeypatch.context() as patched:
        patched.setattr("gensearch_db.database.prepared.count_cells", lambda *_: pytest.fail("the cells were counted"))
        with pytest.raises(GensearchError) as caught:
            connection.execute(statement)
    assert connection.execute(listed).fetchall() == before
    return caught.value


@pytest.mark.parametrize("before", ["", "EXPLAIN "])
@pytest.mark.parametrize("case", REFUSED)
def test_too_many_values_are_told_before_the_cells_are_counted(
    towns: Connection, case: str, before: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    attribute, strategy, told = REFUSED[case]
    statement = (
        f"{before}ANONYMIZE TABLE towns INTO r QUASI IDENTIFIERS ({attribute}) SUBJECT TO k_anonymity(5) USING {strategy}"
    )
    error = refused(towns, statement, monkeypatch)
    assert isinstance(error, DataError)
    assert not error.problems
    with pytest.raises(DataError, match=told):
        raise error


@pytest.mark.parametrize("before", ["", "EXPLAIN "])
def test_they_are_told_with_all_other_problems(towns: Connection, before: str, monkeypatch: pytest.MonkeyPatch) -> None:
    towns.execute("CREATE TABLE few AS SELECT 'x' AS value, 'y' AS level")
    error = refused(
        towns,
        f"{before}ANONYMIZE TABLE towns INTO r QUASI IDENTIFIERS"
        " (city TAXONOMY tens RELAXED, code UNORDERED, dozen TAXONOMY few) SENSITIVE (nothing) SUBJECT TO k_anonymity(5)",
        monkeypatch,
    )
    told = [next(name for name in ("city", "code", "dozen", "nothing") if f"'{name}'" in each) for each in error.problems]
    assert sorted(told) == ["city", "code", "dozen", "nothing"]


def test_what_one_strategy_cannot_group_the_advised_one_can(towns: Connection) -> None:
    """Each release is checked by plain SQL: every town stands in just one block, and blocks have 20 rows and more."""
    towns.execute(
        "ANONYMIZE TABLE towns INTO r QUASI IDENTIFIERS (city TAXONOMY tens RELAXED) SUBJECT TO k_anonymity(30)"
        " USING enumeration STOP AFTER INTERVAL 3 SECONDS"
    )
    placed = """
        SELECT towns.city, count(*), (SELECT count(*) FROM towns AS other WHERE other.city = towns.city)
        FROM towns JOIN r_blocks ON list_contains(r_blocks.city_values, towns.city) GROUP BY towns.city
    """
    rows = towns.execute(placed).fetchall()
    assert len(rows) == 100
    assert all(found == true for _, found, true in rows)
    sizes = towns.execute("SELECT count(*) FROM r GROUP BY city").fetchall()
    assert sum(size for (size,) in sizes) == 2000
    assert min(size for (size,) in sizes) >= 30


def test_new_rows_need_no_search_for_their_sets(towns: Connection) -> None:
    """USING RELEASE takes blocks as they are: more values than a search can group are no reason to refuse it."""
    towns.execute("CREATE TABLE early AS SELECT * FROM towns WHERE code <= 'w40'")
    towns.execute("ANONYMIZE TABLE early INTO e QUASI IDENTIFIERS (code UNORDERED) SUBJECT TO k_anonymity(20) USING mondrian")
    towns.execute("ANONYMIZE TABLE towns INTO later USING RELEASE e")
    inside = towns.execute("SELECT count(*) FROM towns WHERE code <= 'w40'").fetchone()
    assert towns.execute("SELECT count(*) FROM later").fetchone() == inside


@pytest.mark.parametrize("before", ["", "EXPLAIN "])
def test_what_a_cost_cannot_count_is_told_by_both(towns: Connection, before: str) -> None:
    with pytest.raises(GensearchError, match="too much to be counted exactly"):
        towns.execute(
            f"{before}ANONYMIZE TABLE towns INTO r QUASI IDENTIFIERS (city) SUBJECT TO k_anonymity(5)"
            " MINIMIZE 1000000000000 * discernibility"
        )


def test_prices_answer_where_the_enumeration_cannot_go_on(towns: Connection) -> None:
    """20 values without an order, and rows may be suppressed: a release, with a note where nothing is proven."""
    statement = "ANONYMIZE TABLE towns INTO r QUASI IDENTIFIERS (trade UNORDERED, age) SUBJECT TO k_anonymity(30)"
    answer = towns.execute(f"{statement} SUPPRESS AT MOST 3 PERCENT STOP AFTER INTERVAL 3 SECONDS")
    told = dict(zip((column[0] for column in answer.description), answer.fetchall()[0], strict=True))
    assert told["status"] == "OPTIMAL" or "'trade' has 20 values without an order" in told["notes"]
    sizes = [size for (size,) in towns.execute("SELECT count(*) FROM r GROUP BY trade, age").fetchall()]
    assert min(sizes) >= 30
    assert sum(sizes) >= 1940


@pytest.mark.parametrize("k", [30, 110])
def test_a_cost_that_charges_nothing_for_suppressed_rows_has_a_price_too(towns: Connection, k: int) -> None:
    """Found 2026-11-29: classes of one value cost nothing, suppressed or not; no price was tried, and that none was found was
    told although rows need not be suppressed at all (100 of each trade: blocks of one for k = 30, of several for k = 110)."""
    towns.execute("ALTER TABLE towns ADD COLUMN same VARCHAR DEFAULT 'one'").fetchall()
    answer = towns.execute(
        f"ANONYMIZE TABLE towns INTO r QUASI IDENTIFIERS (trade UNORDERED) KEEP (same) SUBJECT TO k_anonymity({k})"
        " SUPPRESS AT MOST 3 PERCENT MINIMIZE class_entropy(same) STOP AFTER INTERVAL 3 SECONDS"
    )
    told = dict(zip((column[0] for column in answer.description), answer.fetchall()[0], strict=True))
    assert (told["status"], told["cost"], told["rows_suppressed"]) == ("OPTIMAL", 0.0, 0)
    sizes = [size for (size,) in towns.execute("SELECT count(*) FROM r GROUP BY trade").fetchall()]
    assert min(sizes) >= k
    assert sum(sizes) == 2000
