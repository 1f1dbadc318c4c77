"""Block statistics: SQL and memory give identical answers, and both what plain SQL on the rows gives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gensearch_db.database.block_statistics import SqlStatistics
from gensearch_db.database.prepared import PreparedTable
from gensearch_db.database.session import Session, open_database
from gensearch_db.domain.attribute import Attribute, OrderedAttribute, RelaxedTaxonomyAttribute, TaxonomyAttribute
from gensearch_db.domain.region import Block, Interval, LeafSet, Region
from gensearch_db.domain.statistics import MemoryStatistics, Statistics
from tests.database.tables import prepared_from

PEOPLE = """CREATE TABLE t AS SELECT (hash(i) % 40)::INTEGER AS age,
    ['north', 'south', 'east', NULL][(hash(i + 1) % 4 + 1)::INTEGER] AS town,
    'v' || (hash(i + 2) % 5) AS job, ['01', '02', '11', '12', '13'][(hash(i + 3) % 5 + 1)::INTEGER] AS zip,
    ['flu', 'hiv', NULL][(hash(i + 4) % 3 + 1)::INTEGER] AS illness, (hash(i + 5) % 4)::INTEGER AS class,
    (hash(i + 6) % 60)::INTEGER AS person FROM range(300) r(i)"""
QUASI_IDENTIFIERS = {
    "age": {"split": "every 5"},
    "town": {"unordered": True},
    "zip": {"prefix": True},
    "job": {"prefix": True, "relaxed": True},
}


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with open_database(":memory:") as opened:
        opened.connection.execute(PEOPLE)
        yield opened


@pytest.fixture(scope="module", params=[None, "person"])
def prepared(session: Session, request: pytest.FixtureRequest) -> Iterator[PreparedTable]:
    with prepared_from(session, "", QUASI_IDENTIFIERS, sensitive=["illness", "class"], person=request.param) as made:
        yield made


def regions(attribute: Attribute) -> st.SearchStrategy[Region]:
    if isinstance(attribute, OrderedAttribute):
        pairs = st.tuples(st.integers(0, attribute.leaf_count - 1), st.integers(1, attribute.leaf_count))
        return pairs.map(lambda pair: Interval(min(pair[0], pair[1] - 1), max(pair[0] + 1, pair[1])))
    if isinstance(attribute, TaxonomyAttribute) and not isinstance(attribute, RelaxedTaxonomyAttribute):
        return st.sampled_from([node.interval for node in attribute.taxonomy.nodes])
    return st.integers(1, (1 << attribute.leaf_count) - 1).map(LeafSet)


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_sql_and_memory_agree(prepared: PreparedTable, data: st.DataObject) -> None:
    block = st.tuples(*(regions(attribute) for attribute in prepared.space.attributes))
    blocks: list[Block] = data.draw(st.lists(block, min_size=1, max_size=8))
    by_sql: Statistics = SqlStatistics(prepared)
    in_memory: Statistics = MemoryStatistics(prepared.space, prepared.cells)
    assert by_sql.of_blocks(blocks) == in_memory.of_blocks(blocks)
    assert by_sql.with_marginals(blocks) == in_memory.with_marginals(blocks)


def test_no_blocks(prepared: PreparedTable) -> None:
    assert SqlStatistics(prepared).of_blocks([]) == []


def test_a_block_counts_what_plain_sql_counts_on_the_rows(prepared: PreparedTable) -> None:
    labels = [leaf.label for leaf in prepared.space.attributes[1].leaves]
    towns = LeafSet(sum(1 << code for code, label in enumerate(labels) if label in ("north", "NULL")))
    zips = prepared.space.attributes[2]
    assert isinstance(zips, TaxonomyAttribute)
    ones = next(node.interval for node in zips.taxonomy.nodes if node.label == "1*")
    block = (Interval(2, 6), towns, ones, prepared.space.attributes[3].root)
    where = "age >= 10 AND age < 30 AND (town = 'north' OR town IS NULL) AND zip LIKE '1%'"
    (found,) = SqlStatistics(prepared).with_marginals([block])
    run: Any = prepared.session.connection.execute
    unit = "count(DISTINCT person)" if prepared.problem.person else "count(*)"
    assert (found.size, found.rows) == run(f"SELECT {unit}, count(*) FROM t WHERE {where}").fetchone()
    (known,) = run(
        f"SELECT list(c ORDER BY illness NULLS LAST) FROM (SELECT illness, {unit} c FROM t WHERE {where} GROUP BY 1)"
    ).fetchone()
    assert list(found.sensitive["illness"]) == known
    (ages,) = run(
        f"SELECT map_from_entries(list((bin, c))) FROM (SELECT age // 5 AS bin, count(*) c FROM t WHERE {where} GROUP BY 1)"
    ).fetchone()
    assert found.marginals is not None
    assert {code: rows for code, rows in enumerate(found.marginals[0]) if rows} == ages
