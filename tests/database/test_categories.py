"""Categories: orders, taxonomies, prefixes, sets; what they do with values that have no entry or two."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gensearch_db.database.session import Session, open_database
from gensearch_db.domain.attribute import OrderedAttribute, RelaxedTaxonomyAttribute, TaxonomyAttribute, UnorderedAttribute
from gensearch_db.domain.labels import label_of
from gensearch_db.domain.region import Interval, LeafSet
from gensearch_db.domain.set_limits import beyond_masks
from gensearch_db.domain.taxonomy import TaxonomyNode
from gensearch_db.errors import DataError, SpecificationError
from tests.database.tables import leaf_counts, prepared_from

FEW = 6
"""So many values have few enough sets."""

DATA = Path(__file__).parents[2].parent / "shared" / "data"


@pytest.fixture
def session() -> Iterator[Session]:
    with open_database(":memory:") as opened:
        yield opened


def shape(node: TaxonomyNode) -> object:
    """A tree as nested lists of labels."""
    return [node.label, *(shape(child) for child in node.children)] if node.children else node.label


ZIP = "CREATE TABLE t(zip VARCHAR); INSERT INTO t VALUES ('02134'),('02139'),('00501'),('00544')"


def test_prefixes_keep_leading_zeros(session: Session) -> None:
    with prepared_from(session, ZIP, {"zip": {"prefix": True}}) as prepared:
        attribute = prepared.space.attributes[0]
        assert isinstance(attribute, TaxonomyAttribute)
        assert shape(attribute.taxonomy.root) == ["*", ["005**", "00501", "00544"], ["021**", "02134", "02139"]]


def test_prefixes_of_different_lengths(session: Session) -> None:
    setup = "CREATE TABLE t(c VARCHAR); INSERT INTO t VALUES ('EC1'),('EC'),('EC1A'),('W1'),(NULL),('')"
    with prepared_from(session, setup, {"c": {"prefix": True, "relaxed": True}}) as prepared:
        attribute = prepared.space.attributes[0]
        assert isinstance(attribute, RelaxedTaxonomyAttribute)
        assert shape(attribute.taxonomy.root) == ["*", "", ["EC*", "EC", ["EC1*", "EC1", "EC1A"]], "W1", "NULL"]
        assert leaf_counts(prepared) == {"": 1, "EC": 1, "EC1": 1, "EC1A": 1, "W1": 1, "NULL": 1}


def test_prefixes_need_text(session: Session) -> None:
    with pytest.raises(DataError, match="'z' is of type INTEGER; prefixes need text"):
        prepared_from(session, "CREATE TABLE t(z INT); INSERT INTO t VALUES (2134)", {"z": {"prefix": True}})


ENUM = "CREATE TYPE sev AS ENUM ('low','mid','high','max','never'); CREATE TABLE t(s sev, d VARCHAR);"


def test_an_enum_is_ordered_by_position(session: Session) -> None:
    setup = ENUM + "INSERT INTO t VALUES ('low','a'),('mid','b'),('high','a'),('max','b')"
    with prepared_from(session, setup, {"s": {}}) as prepared:
        attribute = prepared.space.attributes[0]
        assert isinstance(attribute, OrderedAttribute)
        assert [(leaf.label, leaf.occurs) for leaf in attribute.leaves] == [
            ("low", True),
            ("mid", True),
            ("high", True),
            ("max", True),
            ("never", False),
        ]
    session.connection.execute("DROP TABLE t; DROP TYPE sev")


def test_one_or_two_values_hang_below_the_root(session: Session) -> None:
    setup = "CREATE TABLE t(sex VARCHAR, b BOOLEAN); INSERT INTO t VALUES ('f',true),('m',false),(NULL,true)"
    with prepared_from(session, setup, {"sex": {}, "b": {}}) as prepared:
        sex, boolean = prepared.space.attributes
        assert isinstance(sex, TaxonomyAttribute)
        assert isinstance(boolean, TaxonomyAttribute)
        assert shape(sex.taxonomy.root) == ["*", "f", "m", "NULL"]
        assert shape(boolean.taxonomy.root) == ["*", "false", "true"]


def test_a_given_order(session: Session) -> None:
    setup = "CREATE TABLE t(s VARCHAR); INSERT INTO t VALUES ('mid'),('low'),('low'),(NULL)"
    with prepared_from(session, setup, {"s": {"order": ["low", "mid", "high"]}}) as prepared:
        assert leaf_counts(prepared) == {"low": 2, "mid": 1, "NULL": 1}
        assert [leaf.occurs for leaf in prepared.space.attributes[0].leaves] == [True, True, False, True]
    with pytest.raises(DataError, match=r"'s': the order has no entry for 1 value \(2 rows\): 'low' \(2 rows\)"):
        prepared_from(session, "", {"s": {"order": ["mid", "high"]}})


def test_the_order_of_text_does_not_depend_on_a_collation(session: Session) -> None:
    setup = "CREATE TABLE t(s VARCHAR COLLATE NOCASE); INSERT INTO t VALUES ('b'),('A'),('a'),('B')"
    with prepared_from(session, setup, {"s": {}}) as prepared:
        assert leaf_counts(prepared) == {"A": 1, "B": 1, "a": 1, "b": 1}
        assert [leaf.label for leaf in prepared.space.attributes[0].leaves] == ["A", "B", "a", "b"]
        rows = session.connection.execute(f"SELECT count(*), count(cell) FROM {prepared.row_cells}").fetchone()
        assert rows == (4, 4)


def test_a_default_collation_changes_nothing(session: Session) -> None:
    session.connection.execute("SET default_collation = 'NOCASE'")
    setup = "CREATE TABLE t(s VARCHAR, d VARCHAR); INSERT INTO t VALUES ('b','x'),('A','X'),('a','x'),('B','X')"
    with prepared_from(session, setup, {"s": {}}, sensitive=["d"]) as prepared:
        assert leaf_counts(prepared) == {"A": 1, "B": 1, "a": 1, "b": 1}
        assert prepared.table.statistics.sensitive == {"d": (2, 2)}


def test_sets_of_at_most_62_values(session: Session) -> None:
    with prepared_from(session, "CREATE TABLE t AS SELECT i FROM range(62) r(i)", {"i": {"unordered": True}}) as prepared:
        assert isinstance(prepared.space.attributes[0], UnorderedAttribute)
    assert beyond_masks(prepared.space.attributes[0]) is None
    session.connection.execute("INSERT INTO t VALUES (NULL)")
    with prepared_from(session, "", {"i": {"unordered": True}}) as prepared:
        told = beyond_masks(prepared.space.attributes[0])
    assert told == "column 'i' has 63 values; an unordered attribute can have at most 62: give it an order or a taxonomy"


GAPS = """CREATE TABLE t(zip VARCHAR, d VARCHAR);
INSERT INTO t VALUES ('10','a'),('11','b'),('55','a'),('EC_X, EC_Y','b'),(NULL,'a'),(' 10','b');
CREATE TABLE h(v VARCHAR, l1 VARCHAR, l2 VARCHAR);
INSERT INTO h VALUES ('10','1*','*'),('11','1*','*'),('11','2*','*'),('EC_X,EC_Y','E*','*');"""


def test_gaps_of_a_taxonomy_are_listed_with_their_rows(session: Session) -> None:
    session.connection.execute(GAPS)
    with pytest.raises(DataError, match=r"value '11' has two different parents, '1\*' and '2\*'"):
        prepared_from(session, "", {"zip": {"taxonomy": "h"}})
    session.connection.execute("DELETE FROM h WHERE l1 = '2*'")
    with pytest.raises(
        DataError, match=r"no entry for 3 values \(3 rows\): ' 10' \(1 row\), '55' \(1 row\), 'EC_X, EC_Y' \(1 row\)"
    ):
        prepared_from(session, "", {"zip": {"taxonomy": "main.h"}})


def test_all_contradictions_of_all_columns_are_reported_together(session: Session) -> None:
    session.connection.execute(
        GAPS + "CREATE TABLE g(child VARCHAR, parent VARCHAR); INSERT INTO g VALUES ('a','b'),('b','a'),('a','c')"
    )
    with pytest.raises(DataError) as caught:
        prepared_from(session, "", {"zip": {"taxonomy": "h"}, "d": {"taxonomy": "g"}})
    message = str(caught.value)
    assert "value '11' has two different parents" in message
    assert "no entry for 3 values (3 rows): ' 10' (1 row), '55' (1 row), 'EC_X, EC_Y' (1 row)" in message
    assert "value 'a' has two different parents, 'b' and 'c'" in message
    assert "cycle: 'a' < 'b' < 'a'" in message or "cycle: 'b' < 'a' < 'b'" in message


def test_another_unicode_form_is_told_apart_with_its_code_points(session: Session) -> None:
    setup = """CREATE TABLE t(town VARCHAR); INSERT INTO t VALUES ('Orl' || chr(233) || 'ans'), ('Orle' || chr(769) || 'ans');
               CREATE TABLE h(leaf VARCHAR, l1 VARCHAR, l2 VARCHAR);
               INSERT INTO h VALUES ('Orl' || chr(233) || 'ans', 'F', '*')"""
    with pytest.raises(DataError, match=r"U\+0065 U\+0301"):
        prepared_from(session, setup, {"town": {"taxonomy": "h"}})


@pytest.mark.parametrize("form", ["levels", "edges", "csv ;", "csv ,", "csv header", "json"])
def test_one_tree_in_every_form(session: Session, tmp_path: Path, form: str) -> None:
    setup = "CREATE TABLE t(c VARCHAR); INSERT INTO t VALUES ('a'),('b'),('c'),('a')"
    paths = [("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"), ("d", "cd", "*")]
    file = tmp_path / ("tree.json" if form == "json" else "tree.csv")
    if form == "levels":
        setup += "; CREATE TABLE h AS SELECT * FROM (VALUES " + ", ".join(map(str, paths)) + ") v(leaf, low, high)"
    elif form == "edges":
        edges = [("a", "ab"), ("b", "ab"), ("c", "cd"), ("d", "cd"), ("ab", "*"), ("cd", "*")]
        setup += "; CREATE TABLE h AS SELECT * FROM (VALUES " + ", ".join(map(str, edges)) + ") v(child, parent)"
    elif form == "json":
        file.write_text(
            '{"cat": "*", "subcats": [{"cat": "cd", "subcats": [{"cat": "c", "subcats": null}, {"cat": "d"}]},'
            ' {"cat": "ab", "subcats": [{"cat": "a"}, {"cat": "b"}]}]}'
        )
    else:
        mark = "," if "," in form else ";"
        lines = [mark.join(path) for path in paths]
        file.write_text("\n".join([mark.join(("value", "group", "all")), *lines] if "header" in form else lines))
    taxonomy = "h" if form in ("levels", "edges") else str(file)
    with prepared_from(session, setup, {"c": {"taxonomy": taxonomy}}) as prepared:
        attribute = prepared.space.attributes[0]
        assert isinstance(attribute, TaxonomyAttribute)
        assert shape(attribute.taxonomy.root) == ["*", ["ab", "a", "b"], ["cd", "c", "d"]]
        assert leaf_counts(prepared) == {"a": 2, "b": 1, "c": 1}
        assert [leaf.occurs for leaf in attribute.leaves] == [True, True, True, False]


def test_several_roots_get_one_above_them_and_unary_nodes_are_contracted(session: Session) -> None:
    setup = """CREATE TABLE t(c VARCHAR); INSERT INTO t VALUES ('a'),('b'),('e');
               CREATE TABLE h AS SELECT * FROM (VALUES ('a','A','AA'), ('b','A','AA'), ('e','E','EE')) v(leaf, l1, l2)"""
    with prepared_from(session, setup, {"c": {"taxonomy": "h"}}) as prepared:
        attribute = prepared.space.attributes[0]
        assert isinstance(attribute, TaxonomyAttribute)
        assert shape(attribute.taxonomy.root) == ["*", ["A", "a", "b"], "e"]


def test_a_value_that_is_an_inner_node_is_a_leaf_below_it(session: Session) -> None:
    setup = """CREATE TABLE t(c VARCHAR); INSERT INTO t VALUES ('Paris'),('France');
               CREATE TABLE h AS SELECT * FROM (VALUES ('Paris','France'), ('Nice','France'),
               ('France','*'), ('Spain','*')) v(child, parent)"""
    with prepared_from(session, setup, {"c": {"taxonomy": "h"}}) as prepared:
        attribute = prepared.space.attributes[0]
        assert isinstance(attribute, TaxonomyAttribute)
        assert shape(attribute.taxonomy.root) == ["*", ["France", "France", "Nice", "Paris"], "Spain"]
        assert {label_of(attribute, node.interval) for node in attribute.taxonomy.nodes} == {
            "*", "France #1", "France #2", "Nice", "Paris", "Spain",
        }  # fmt: skip


def test_a_taxonomy_over_numbers(session: Session) -> None:
    setup = """CREATE TABLE t(age INT); INSERT INTO t VALUES (1),(2),(10),(NULL);
               CREATE TABLE h AS SELECT i::VARCHAR AS leaf, CASE WHEN i < 5 THEN '<5' ELSE '>=5' END AS l1, '*' AS l2
               FROM range(1, 12) r(i)"""
    with prepared_from(session, setup, {"age": {"taxonomy": "h"}}) as prepared:
        assert leaf_counts(prepared) == {"1": 1, "2": 1, "10": 1, "NULL": 1}
        typed = session.connection.execute(
            f'SELECT typeof(any_value(lower)), list(lower ORDER BY code) FROM "{prepared.leaf_tables[0][2]}"'
        ).fetchone()
        assert typed == ("INTEGER", [*range(1, 12), None])


@pytest.mark.parametrize("taxonomy", ["nowhere", "nowhere.csv", "nowhere.json"])
def test_a_taxonomy_that_does_not_exist_is_refused(session: Session, taxonomy: str) -> None:
    with pytest.raises(SpecificationError, match=r"nowhere.*does not exist"):
        prepared_from(session, "CREATE TABLE t(c VARCHAR); INSERT INTO t VALUES ('a')", {"c": {"taxonomy": taxonomy}})


@pytest.mark.needs_data
@pytest.mark.parametrize("folder", ["hierarchies", "hierarchies_ragged"])
def test_the_hierarchies_of_adult_load_as_they_are(session: Session, folder: str) -> None:
    if not DATA.is_dir():
        pytest.skip(f"needs the data folder {DATA}")
    for file in sorted((DATA / "adult" / folder).iterdir()):
        column = file.stem.removeprefix("adult_hierarchy_").removeprefix("adult_").replace("_", "-")
        column = {"salary-class": "income"}.get(column, column)
        with prepared_from(
            session,
            "",
            {column: {"taxonomy": str(file)}},
            table=str(DATA / "adult" / "adult_complete_30162.parquet"),
        ) as prepared:
            attribute = prepared.space.attributes[0]
            assert isinstance(attribute, TaxonomyAttribute)
            assert attribute.taxonomy.root.label == "*"
            counts = session.connection.execute(
                f"""SELECT "{column}"::VARCHAR, count(*) FROM '{DATA}/adult/adult_complete_30162.parquet' GROUP BY 1"""
            ).fetchall()
            assert leaf_counts(prepared) == dict(counts)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.one_of(st.none(), st.text(st.sampled_from("0a*'\"\u00e9"), max_size=4)), min_size=1, max_size=20),
    st.sampled_from([{"prefix": True}, {"unordered": True}, {"order": True}, {}, {"prefix": True, "relaxed": True}]),
)
def test_every_category_has_exactly_its_leaf_and_every_region_its_own_label(
    values: list[str | None], specification: dict[str, object]
) -> None:
    with open_database(":memory:") as session:
        session.connection.execute("CREATE TABLE t(v VARCHAR)")
        session.connection.executemany("INSERT INTO t VALUES (?)", [[value] for value in values])
        with prepared_from(session, "", {"v": specification}) as prepared:
            attribute = prepared.space.attributes[0]
            by_code = dict.fromkeys(range(attribute.leaf_count), 0)
            for code, rows in zip(prepared.cells.codes[:, 0].tolist(), prepared.cells.counts.tolist(), strict=True):
                by_code[code] += rows
            for code, leaf in enumerate(attribute.leaves):
                expected = sum(value is None if leaf.missing else value == leaf.label for value in values)
                assert by_code[code] == expected
            if isinstance(attribute, RelaxedTaxonomyAttribute | UnorderedAttribute):
                regions = [LeafSet(1 << code) for code in range(attribute.leaf_count)] + [attribute.root]
            elif isinstance(attribute, TaxonomyAttribute):
                regions = [node.interval for node in attribute.taxonomy.nodes]
            else:
                count = attribute.leaf_count
                regions = [Interval(i, j) for i in range(count) for j in range(i + 1, count + 1)]
                if count <= FEW:  # with labels = values any set of them may occur
                    regions = [LeafSet(mask) for mask in range(1, 2**count)]
            labels = [label_of(attribute, region) for region in dict.fromkeys(regions)]
            assert len(set(labels)) == len(labels)
