"""Preparing a table: cells, distributions and persons as plain SQL counts them; the same whatever the order of rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from gensearch_db.database.prepared import PreparedTable, prepare
from gensearch_db.database.session import Session, open_database
from gensearch_db.database.value_domains import ValueColumn
from gensearch_db.domain.attribute import TaxonomyAttribute
from gensearch_db.errors import DataError, SpecificationError
from gensearch_db.problem.problem import Problem
from tests.database.tables import leaf_counts, prepared_from

ADULT = Path(__file__).parents[2].parent / "shared" / "data" / "adult"
PEOPLE = """CREATE TABLE {name} AS SELECT (hash(i) % 60)::INTEGER AS age,
    ['m', 'f', NULL][(hash(i + 1) % 3 + 1)::INTEGER] AS sex,
    (hash(i + 2) % 50 / 7)::DOUBLE AS weight, DATE '2000-01-01' + (hash(i + 3) % 900)::INTEGER AS born,
    ['flu', 'hiv', 'cold', NULL][(hash(i + 4) % 4 + 1)::INTEGER] AS illness, (hash(i + 5) % 500)::INTEGER AS person
    FROM range(2000) r(i) ORDER BY {order}"""
QUASI_IDENTIFIERS = {
    "age": {"split": "8 quantiles"},
    "sex": {},
    "weight": {"split": "every 0.5"},
    "born": {"split": "every month"},
}


@pytest.fixture
def session() -> Iterator[Session]:
    with open_database(":memory:") as opened:
        yield opened


def temporary_objects(session: Session) -> list[tuple[str, ...]]:
    return session.connection.execute(
        "SELECT table_name FROM duckdb_tables() UNION ALL SELECT view_name FROM duckdb_views() WHERE NOT internal"
    ).fetchall()


def everything(prepared: PreparedTable) -> list[object]:
    """All that a search sees, comparable."""
    cells = prepared.cells
    arrays = [cells.codes, cells.counts]
    for distribution in (*cells.sensitive, *cells.classes):
        arrays += [distribution.starts, distribution.codes, distribution.counts]
        arrays += [] if distribution.pairs is None else [distribution.pairs]
    if cells.persons is not None:
        arrays += [cells.persons.starts, cells.persons.persons]
    return [prepared.space, prepared.table.statistics, *(array.tolist() for array in arrays)]


@pytest.mark.parametrize("person", [None, "person"])
def test_the_order_of_rows_and_the_number_of_threads_leave_no_trace(session: Session, person: str | None) -> None:
    found = []
    for number, (order, threads) in enumerate([("i", 1), ("hash(i)", 1), ("i DESC", 4), ("hash(i + 9)", 4)]):
        session.connection.execute(f"SET threads = {threads}")
        session.connection.execute(PEOPLE.format(name=f"t{number}", order=order))
        with prepared_from(
            session, "", QUASI_IDENTIFIERS, table=f"t{number}", sensitive=["illness"], person=person
        ) as prepared:
            found.append(everything(prepared))
    assert all(other == found[0] for other in found)


def test_cells_are_sorted_and_count_what_the_rows_count(session: Session) -> None:
    session.connection.execute(PEOPLE.format(name="t", order="i"))
    with prepared_from(session, "", QUASI_IDENTIFIERS, sensitive=["illness"], person="person") as prepared:
        codes = prepared.cells.codes.tolist()
        assert codes == sorted(codes)
        assert len({tuple(code) for code in codes}) == len(codes)
        run = session.connection.execute
        rows = run(f"""SELECT cell, count(*), list(DISTINCT person), list(DISTINCT (coalesce(illness, '~'), person))
                       FROM {prepared.row_cells} GROUP BY cell ORDER BY cell""").fetchall()
        assert [row[0] for row in rows] == list(range(prepared.cells.cell_count))
        assert [row[1] for row in rows] == prepared.cells.counts.tolist()
        persons, illness = prepared.cells.persons, prepared.cells.sensitive[0]
        assert persons is not None
        assert illness.pairs is not None
        assert np.diff(persons.starts).tolist() == [len(row[2]) for row in rows]
        assert np.diff(illness.starts).tolist() == [len(row[3]) for row in rows]
        assert set(illness.counts.tolist()) == {1}
        pairs = run("SELECT count(DISTINCT (coalesce(illness, '~'), person)) FROM t").fetchone()
        assert pairs == (len(set(illness.pairs.tolist())),)
        everyone = run("SELECT count(DISTINCT person), count(*) FROM t").fetchone()
        assert everyone == (prepared.table.statistics.size, prepared.table.statistics.rows)
        assert prepared.table.persons


def test_domains_of_values_have_the_columns_own_order(session: Session) -> None:
    setup = """CREATE TYPE grade AS ENUM ('low', 'mid', 'high');
        CREATE TABLE t(age INT, n DOUBLE, g grade, s VARCHAR, u UUID);
        INSERT INTO t VALUES (1, 10, 'high', 'b', uuid()), (2, 9, 'low', 'B', uuid()),
        (3, 'nan', 'mid', NULL, uuid()), (4, NULL, 'low', 'a', NULL), (5, 10, 'low', 'a', NULL)"""
    with prepared_from(session, setup, {"age": {}}, sensitive=["n", "g", "s", "u"]) as prepared:
        domains = prepared.table.sensitive
        assert (domains["n"].values, domains["n"].missing) == ((0, 1, None), 2)  # 9, 10
        assert (domains["g"].values, domains["g"].missing) == (("low", "mid", "high"), None)
        assert (domains["s"].values, domains["s"].missing) == (("B", "a", "b", None), 3)
        assert (len(domains["u"].values), domains["u"].missing) == (4, 3)
        assert {name for name, domain in domains.items() if domain.nominal} == {"g", "s", "u"}
        assert prepared.table.statistics.sensitive["n"] == (1, 2, 2)
        assert prepared.table.statistics.sensitive["g"] == (3, 1, 1)


def test_declared_orders_and_taxonomies_of_values(session: Session) -> None:
    setup = """CREATE TABLE t(age INT, d VARCHAR, c VARCHAR); INSERT INTO t VALUES (1, 'b', 'x'), (2, 'a', 'y'), (3, NULL, 'y');
        CREATE TABLE h AS SELECT * FROM (VALUES ('x', 'X', '*'), ('y', 'Y', '*'), ('z', 'Y', '*')) v(leaf, l1, l2)"""
    session.connection.execute(setup)
    problem = Problem.from_fields({"table": "t", "into": "rel", "quasi_identifiers": {"age": {}}})
    with prepare(session, problem, [ValueColumn("d", order=("c", "b", "a"))], [ValueColumn("c", taxonomy="h")]) as prepared:
        assert prepared.table.sensitive["d"].values == ("c", "b", "a", None)
        assert prepared.table.statistics.sensitive["d"] == (0, 1, 1, 1)
        assert prepared.table.classes["c"].taxonomy is not None
        assert prepared.table.statistics.classes["c"] == (1, 2, 0)
    with pytest.raises(DataError, match=r"'d': the order has no entry for 1 value \(1 rows\): 'b'"):
        prepare(session, problem, [ValueColumn("d", order=("a",))])


def test_rows_without_a_person_are_refused(session: Session) -> None:
    setup = "CREATE TABLE t(age INT, p INT); INSERT INTO t VALUES (1, 1), (2, NULL)"
    with pytest.raises(DataError, match="person column 'p' is NULL in 1 rows"):
        prepared_from(session, setup, {"age": {}}, person="p")


@pytest.mark.parametrize(
    ("type_name", "specification"),
    [(kind, spec) for kind in ("VARCHAR", "DOUBLE", "DATE", "BOOLEAN") for spec in ({}, {"unordered": True}, {"order": True})]
    + [("VARCHAR", {"prefix": True})],
)
def test_a_column_of_nothing_but_null(session: Session, type_name: str, specification: dict[str, bool]) -> None:
    setup = f"CREATE TABLE t(v {type_name}); INSERT INTO t VALUES (NULL), (NULL)"
    with prepared_from(session, setup, {"v": specification}) as prepared:
        (leaf,) = prepared.space.attributes[0].leaves
        assert leaf.missing
        assert prepared.cells.counts.tolist() == [2]


def test_nothing_is_left_behind(session: Session) -> None:
    session.connection.execute(PEOPLE.format(name="t", order="i"))
    prepared_from(session, "", QUASI_IDENTIFIERS, table="(SELECT * FROM t)", sensitive=["illness"], person="person").close()
    for wrong in ({"sex": {"order": ["m"]}}, {"weight": {"split": "every month"}}, {"nothing": {}}):
        with pytest.raises((DataError, SpecificationError)):
            prepared_from(session, "", wrong, table="(SELECT * FROM t)", sensitive=["illness"])
    assert temporary_objects(session) == [("t",)]


def test_rows_that_come_later_have_no_cell(session: Session) -> None:
    with prepared_from(session, "CREATE TABLE t(age INT); INSERT INTO t VALUES (1), (2)", {"age": {}}) as prepared:
        session.connection.execute("INSERT INTO t VALUES (3)")
        found = session.connection.execute(f"SELECT age, cell FROM {prepared.row_cells} ORDER BY age").fetchall()
        assert found == [(1, 0), (2, 1), (3, None)]


@pytest.mark.needs_data
def test_adult_with_the_papers_splits(session: Session) -> None:
    if not ADULT.is_dir():
        pytest.skip(f"needs the data folder {ADULT}")
    categories = ["workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"]
    quasi_identifiers = {"age": {"split": "at 22, 26, 31, 36, 40, 45, 49, 54, 59, 63, 68, 72, 77, 82, 86"}} | {
        column: {"taxonomy": str(ADULT / "hierarchies" / f"adult_hierarchy_{column}.csv")} for column in categories
    }
    with prepared_from(
        session, "", quasi_identifiers, table=str(ADULT / "adult_complete_30162.parquet"), sensitive=["income"]
    ) as prepared:
        assert prepared.table.statistics.rows == 30162
        assert prepared.table.statistics.sensitive == {"income": (22654, 7508)}
        assert prepared.space.attributes[0].leaf_count == 16
        # The paper's 100 splits: one per boundary of age, and one per child that a taxonomy's node parts from its siblings.
        trees = [attribute for attribute in prepared.space.attributes if isinstance(attribute, TaxonomyAttribute)]
        parted = sum(len(node.children) - 1 for tree in trees for node in tree.taxonomy.nodes if node.children)
        absent = sum(not leaf.occurs for tree in trees for leaf in tree.leaves)
        assert 15 + parted - absent == 100
        by_label = session.connection.execute(
            f"""SELECT l.label, count(*) FROM '{ADULT}/adult_complete_30162.parquet' a JOIN "{prepared.leaf_tables[0][2]}" l
                ON (l.lower IS NULL OR age >= l.lower) AND (l.upper IS NULL OR age < l.upper) GROUP BY 1"""
        ).fetchall()
        assert leaf_counts(prepared) == dict(by_label)
