"""A small table of people on a connection of ours."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gensearch_db.statements.connection import Connection, connect

PEOPLE = """
CREATE TABLE people AS
SELECT i AS id, 'n' || i AS name, 18 + (i * 7919) % 60 AS age, ['m', 'f'][1 + i % 2] AS sex,
       ['flu', 'cold', NULL, 'asthma'][1 + (i // 3) % 4] AS diagnosis
FROM range(400) AS t(i)
"""

ANONYMIZE = """
ANONYMIZE TABLE people INTO r
  IDENTIFIERS (id, name) QUASI IDENTIFIERS (age SPLIT EVERY 10, sex) SENSITIVE (diagnosis)
  SUBJECT TO k_anonymity(10) AND distinct_l_diversity(2)
  USING mondrian
"""


@pytest.fixture
def people() -> Iterator[Connection]:
    with connect() as connection:
        connection.execute(PEOPLE).fetchall()
        yield connection


@pytest.fixture
def released(people: Connection) -> Connection:
    people.execute(ANONYMIZE).fetchall()
    return people
