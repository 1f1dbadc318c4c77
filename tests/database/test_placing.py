"""Placing a source into published blocks, against a plain join of every row with every block."""

from __future__ import annotations

import duckdb
import pytest

from gensearch_db.database.audit.placing import PLACES, number_blocks, place
from gensearch_db.database.audit.subject import Source, scratch
from gensearch_db.database.dictionary import QuasiIdentifierColumns, ReleaseDictionary
from gensearch_db.database.rendering import Sql
from gensearch_db.database.session import Session

BLOCKS = 5 * PLACES + 7
DICTIONARY = ReleaseDictionary(
    release="release",
    unit="rows",
    rows=0,
    count="count",
    typed_columns=True,
    quasi_identifiers=(
        QuasiIdentifierColumns(
            name="age", kind="ordered", type="INTEGER", label="age", lower="low", upper="high", missing="age_missing"
        ),
        QuasiIdentifierColumns(name="city", kind="categorical", type="VARCHAR", label="city", values="cities"),
        QuasiIdentifierColumns(name="sex", kind="categorical", type="VARCHAR", label="sex", values="sexes"),
    ),
    sensitive=(),
    keep=(),
)
SOURCE = """
    CREATE TABLE people AS
    SELECT CASE WHEN hash(i) % 20 > 0 THEN (hash(i, 'a') % 30)::INTEGER END AS age,
           CASE WHEN hash(i) % 30 > 0 THEN 'city ' || hash(i, 'c') % 6 END AS city, 'sex ' || hash(i, 's') % 2 AS sex
    FROM range(500) AS numbers(i)
"""
PUBLISHED = """
    CREATE TABLE blocks AS
    SELECT CASE WHEN hash(i, 'o') % 9 > 0 THEN (hash(i, 'l') % 28)::INTEGER END AS low,
           CASE WHEN hash(i, 'p') % 9 > 0 THEN (hash(i, 'l') % 28 + 1 + hash(i, 'u') % 3)::INTEGER END AS high,
           CASE hash(i, 'm') % 4 WHEN 0 THEN 'possible' WHEN 1 THEN 'only' ELSE 'no' END AS age_missing,
           [CASE WHEN c < 6 THEN 'city ' || c END FOR c IN range(7) IF hash(i, c) % {sparse} = 0] AS cities,
           ['sex ' || s FOR s IN range(2) IF hash(i, s, 'x') % 2 = 0] AS sexes
    FROM range({blocks}) AS numbers(i)
"""
EXPECTED = """
    SELECT people.age, people.city, people.sex, count(blocks.place) AS matches,
           CASE WHEN count(blocks.place) = 1 THEN max(blocks.place) END AS block
    FROM (SELECT DISTINCT * FROM people) AS people
    LEFT JOIN (SELECT *, row_number() OVER () - 1 AS place FROM blocks) AS blocks
      ON CASE WHEN age IS NULL THEN age_missing <> 'no'
              ELSE age_missing <> 'only' AND coalesce(age >= low, true) AND coalesce(age < high, true) END
     AND len([c FOR c IN cities IF c IS NOT DISTINCT FROM city]) > 0 AND list_contains(sexes, sex)
    GROUP BY ALL ORDER BY ALL
"""


@pytest.mark.parametrize(("blocks", "sparse"), [(BLOCKS, 2), (BLOCKS, 20), (PLACES, 4), (1, 1), (0, 1)])
def test_combinations_find_the_blocks_that_contain_them(
    connection: duckdb.DuckDBPyConnection, blocks: int, sparse: int
) -> None:
    connection.execute(SOURCE)
    connection.execute(PUBLISHED.format(blocks=blocks, sparse=sparse))
    expected = connection.execute(EXPECTED).fetchall()
    source = Source(Sql("people"), {"age": "INTEGER", "city": "VARCHAR", "sex": "VARCHAR"})
    catalog = connection.execute("SELECT current_database()").fetchall()[0][0]
    with Session(connection) as session, scratch(session) as space:
        placement = place(space, source, DICTIONARY, number_blocks(space, (catalog, "main", "blocks")))
        found = connection.table(".".join(f'"{part}"' for part in placement))
        placed = connection.execute(
            f"SELECT value_0, decode(value_1), decode(value_2), matches, block FROM ({found.sql_query()}) ORDER BY ALL"
        ).fetchall()
    assert placed == expected
    if blocks == PLACES:
        assert {min(matches, 2) for *_, matches, _ in expected} == {0, 1, 2}
