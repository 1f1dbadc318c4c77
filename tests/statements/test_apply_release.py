"""A release applied to its own source gives the same blocks again, whatever the kinds of its attributes."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from gensearch_db.statements.connection import Connection, connect

SOURCE = """
CREATE TABLE t AS
SELECT i // 2 AS person, (i * 37) % 60 AS age, nullif((i * 13) % 9, 0) AS gaps, ((i * 7) % 40) / 8.0::DOUBLE AS measure,
       (((i * 11) % 50) / 10.0)::DECIMAL(6, 1) AS price,
       DATE '2020-01-31' + ((i * 17) % 500)::INTEGER AS day,
       TIMESTAMP '2020-01-01 10:00:00' + INTERVAL (i % 97) HOUR AS moment,
       ['a1', 'a2', 'b1', 'b2', 'c'][1 + (i * 3) % 5] AS code,
       ['low', 'middle', 'high'][1 + (i * 5) % 3] AS grade, lpad((1000 + (i * 29) % 40)::VARCHAR, 5, '0') AS zip,
       i % 3 = 0 AS flag, ['flu', 'cold'][1 + (i // 5) % 2] AS illness
FROM range(300) AS s(i);
CREATE TABLE levels AS SELECT * FROM (
    VALUES ('a1', 'a', '*'), ('a2', 'a', '*'), ('b1', 'b', '*'), ('b2', 'b', '*'), ('c', 'c', '*')
) AS v(code, letter, everything);
"""

KINDS = {
    "steps and missing values": "age SPLIT EVERY 10, gaps SPLIT EVERY 2",
    "quantiles and doubles": "age SPLIT 5 QUANTILES, measure SPLIT EVERY 1",
    "every value": "age SPLIT ANYWHERE, flag",
    "cut points": "price SPLIT AT 1.5, 3.2",
    "every double": "measure SPLIT ANYWHERE, flag",
    "every decimal": "price SPLIT ANYWHERE",
    "every moment": "moment SPLIT ANYWHERE",
    "every value of a domain": "measure SPLIT ANYWHERE DOMAIN (0, 4.875), grade",
    "a domain from its first value to its last": "age SPLIT ANYWHERE DOMAIN (0, 59)",
    "a domain": "age SPLIT EVERY 20 DOMAIN (0, 100), grade",
    "dates": "day SPLIT EVERY MONTH",
    "timestamps": "moment SPLIT EVERY DAY",
    "a taxonomy": "code TAXONOMY levels, age SPLIT EVERY 20",
    "a relaxed taxonomy": "code TAXONOMY levels RELAXED, age SPLIT EVERY 30",
    "prefixes": "zip PREFIX",
    "an order": "grade ORDERED ('low', 'middle', 'high'), age SPLIT EVERY 20",
    "no order": "code UNORDERED, grade UNORDERED",
    "numbers and dates in their own order": "gaps ORDERED, day ORDERED",
    "doubles in their own order": "measure ORDERED, flag",
}


@pytest.fixture(scope="module")
def connection() -> Iterator[Connection]:
    with connect() as opened:
        opened.execute(SOURCE).fetchall()
        yield opened


@pytest.mark.parametrize("labels", ["REGION", "VALUES"])
@pytest.mark.parametrize("kinds", KINDS)
def test_a_release_applied_to_its_source_is_the_same(connection: Connection, kinds: str, labels: str) -> None:
    connection.execute(
        f"ANONYMIZE TABLE t INTO r REPLACE QUASI IDENTIFIERS ({KINDS[kinds]}) SENSITIVE (illness) "
        f"SUBJECT TO k_anonymity(12) AND distinct_l_diversity(2) LABELS {labels} USING mondrian"
    ).fetchall()
    rows = connection.execute("ANONYMIZE TABLE t INTO again REPLACE USING RELEASE r").fetchall()
    assert rows[0][2:5] == (300, 0, 0)
    # Calendar units have labels of their own (2020-10), which the release's bounds alone do not bring back, and so have
    # intervals of measured columns that end with a value that is theirs alone ([2.5, 7.25]).
    worded = {"dates": "day", "timestamps": "moment", "every moment": "moment", "every decimal": "price"}
    worded |= {"every double": "measure", "every value of a domain": "measure", "doubles in their own order": "measure"}
    calendar = f"EXCLUDE ({worded[kinds]})" if kinds in worded else ""
    for table in ("r", "r_blocks"):
        again = table.replace("r", "again", 1)
        difference = f"SELECT * {calendar} FROM {table} EXCEPT ALL SELECT * {calendar} FROM {again}"
        assert connection.execute(difference).fetchall() == []
    assert connection.execute("SELECT count(*) > 1 FROM r_blocks").fetchall() == [(True,)]


def test_new_rows_with_a_single_value_of_a_measured_column_are_released() -> None:
    """They were held back: the grid of the release's bounds had no place behind the value. Other values of new rows stay
    outside the value's block, and the block keeps its value's label."""
    with connect() as connection:
        connection.execute("""
            CREATE TABLE old AS SELECT (i % 2 * 1.5)::DOUBLE AS x, 'flu' AS illness FROM range(20) AS s(i);
            CREATE TABLE fresh AS SELECT * FROM (
                VALUES (0.0::DOUBLE, 'a'), (0.0, 'b'), (1.5, 'c'), (1.5, 'd'), (1.5, 'e'),
                       (1.25, 'f'), (1.5000001, 'g'), (-1, 'h')
            ) AS v(x, illness);
            ANONYMIZE TABLE old INTO r QUASI IDENTIFIERS (x SPLIT ANYWHERE) SENSITIVE (illness) SUBJECT TO k_anonymity(2);
        """).fetchall()
        rows = connection.execute("ANONYMIZE TABLE fresh INTO again USING RELEASE r").fetchall()
        assert rows[0][2:5] == (5, 3, 0)
        found = connection.execute("SELECT x, illness FROM again ORDER BY illness").fetchall()
        assert found == [("0.0", "a"), ("0.0", "b"), ("1.5", "c"), ("1.5", "d"), ("1.5", "e")]
        blocks = connection.execute("SELECT x, x_lower, x_upper, count FROM again_blocks ORDER BY x").fetchall()
        assert blocks == [("0.0", 0, 0, 2), ("1.5", 1.5, 1.5, 3)]


@pytest.mark.parametrize("labels", ["REGION", "VALUES"])
def test_a_block_with_missing_values_is_released_where_other_new_rows_have_larger_ones(labels: str) -> None:
    """2026-11-28, seed 1644735410: its rows were said to lie in no block. 9.0 stands between 2.5 and NULL, and is outside.

    A row of the block loses the missing leaf's length, the average of the five others on the line from 1.0 to 9.0; a row held
    back loses everything. (Releases made since print the end of such a block as open; those made before it stay.)
    """
    with connect() as connection:
        connection.execute(f"""
            CREATE TABLE old AS SELECT unnest([1.0, 1.0, 2.5, NULL, NULL])::DOUBLE AS x;
            CREATE TABLE fresh AS SELECT unnest([2.5, NULL, 9.0, 1.0, 1.0, 2.75])::DOUBLE AS x;
            ANONYMIZE TABLE old INTO r QUASI IDENTIFIERS (x SPLIT ANYWHERE) SUBJECT TO k_anonymity(2) LABELS {labels}
              USING enumeration;
            UPDATE r SET x = '2.5 or NULL' WHERE x = '> 1.0 or NULL';
            UPDATE r_blocks SET x = '2.5 or NULL', x_lower = 2.5, x_upper = 2.5 WHERE x = '> 1.0 or NULL';
        """).fetchall()
        (answer,) = connection.execute("ANONYMIZE TABLE fresh INTO again USING RELEASE r").fetchall()
        assert answer[2:5] == (4, 2, 0)
        found = "SELECT x, x_lower, x_upper, x_missing, count FROM again_blocks ORDER BY x"
        assert connection.execute(found).fetchall() == [("1.0", 1, 1, "no", 2), ("2.5 or NULL", 2.5, 2.5, "possible", 2)]
        certificate = connection.execute("SELECT result FROM gensearch.releases WHERE release = 'again'").fetchone()
        assert certificate is not None
        assert json.loads(certificate[0])["cost"] == pytest.approx(2 * (8 / 5) / (8 + 8 / 5) + 2)


@pytest.mark.parametrize("labels", ["REGION", "VALUES"])
@pytest.mark.parametrize("kind", ["", "ORDERED", "PREFIX", "UNORDERED"])
def test_values_that_the_release_does_not_know_keep_no_others_back(kind: str, labels: str) -> None:
    """2026-11-28: blocks whose smallest region in the new rows' order or tree held such a value were left out whole."""
    with connect() as connection:
        connection.execute(f"""
            CREATE TABLE old AS SELECT unnest(['a1', 'a1', 'a3', 'b1', 'b1', 'b1', NULL]) AS code;
            CREATE TABLE fresh AS SELECT unnest(['a1', 'a2', 'a3', 'b1', 'b1', 'b2', 'a2', NULL, NULL, 'a2', 'zz']) AS code;
            ANONYMIZE TABLE old INTO r QUASI IDENTIFIERS (code {kind}) SUBJECT TO k_anonymity(3) LABELS {labels}
              USING enumeration;
        """).fetchall()
        (answer,) = connection.execute("ANONYMIZE TABLE fresh INTO again USING RELEASE r").fetchall()
        known = ["a1", "a3", "b1", "b1", None, None]
        blocks = [set(values) for (values,) in connection.execute("SELECT code_values FROM r_blocks").fetchall()]
        sizes = [sum(value in block for value in known) for block in blocks]
        assert answer[2:5] == (sum(size for size in sizes if size >= 3), 5, sum(size for size in sizes if size < 3))
        released = connection.execute("SELECT code_values, count FROM again_blocks").fetchall()
        assert [(set(values), count) for values, count in released] == [
            (block, size) for block, size in zip(blocks, sizes, strict=True) if size >= 3
        ]


def test_persons_are_counted_as_in_the_release(connection: Connection) -> None:
    connection.execute(
        "ANONYMIZE TABLE t INTO r REPLACE PERSON (person) QUASI IDENTIFIERS (age SPLIT EVERY 10) "
        "SUBJECT TO k_anonymity(12) USING mondrian"
    ).fetchall()
    rows = connection.execute("ANONYMIZE TABLE t INTO again REPLACE USING RELEASE r").fetchall()
    assert rows[0][2] == 300
    half = "(SELECT * FROM t WHERE person % 2 = 0)"
    released = connection.execute(f"ANONYMIZE TABLE {half} INTO again REPLACE USING RELEASE r").fetchall()[0][2]
    expected = connection.execute(f"""
        SELECT coalesce(sum(rows), 0)::BIGINT FROM (
            SELECT count(*) AS rows FROM {half} AS s
            JOIN r_blocks AS b ON (b.age_lower IS NULL OR s.age >= b.age_lower) AND (b.age_upper IS NULL OR s.age < b.age_upper)
            GROUP BY b.age_lower, b.age_upper HAVING count(DISTINCT person) >= 12)
    """).fetchall()[0][0]
    assert released == expected
