"""What an audit recomputes from the source per person, and from the published bounds: values against plain SQL and by hand."""

from __future__ import annotations

import duckdb
import pytest

import gensearch_db
from gensearch_db.database.audit.report import Verdict
from gensearch_db.errors import InfeasibleError

VISITS = """
CREATE TABLE visits AS
SELECT i % 40 AS patient, (i % 40) * 2 AS age,
    ['flu', 'cold', 'gout'][(1 + (i % 40 + (i // 40) * (i % 3)) % 3)::INTEGER] AS illness
FROM range(200) r(i)
"""
BLOCK_OF_AGE = "SELECT *, age // 20 AS block FROM visits"
"""The release below has the blocks of ``every 20`` (k = 10 forbids nothing finer, the grid does)."""


@pytest.fixture
def visits(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    connection.execute(VISITS)
    gensearch_db.anonymize(
        connection,
        "visits",
        into="rel",
        person="patient",
        quasi_identifiers={"age": {"split": "every 20"}},
        sensitive=["illness"],
        subject_to=["k_anonymity(10)", "alpha_k_anonymity(1, 2)", "entropy_l_diversity(1)", "t_closeness(1, distance = equal)"],
        strategy="enumeration",
    )
    assert connection.execute("SELECT count(*) FROM rel_blocks").fetchone() == (4,)
    return connection


def test_shares_are_those_of_persons(visits: duckdb.DuckDBPyConnection) -> None:
    (expected,) = visits.execute(
        f"""WITH b AS ({BLOCK_OF_AGE}), n AS (SELECT block, count(DISTINCT patient) AS n FROM b GROUP BY block)
        SELECT max(c / n) FROM (SELECT block, illness, count(DISTINCT patient) AS c FROM b GROUP BY ALL) JOIN n USING (block)"""
    ).fetchone()
    check = gensearch_db.audit(visits, "rel").check("alpha_k_anonymity")
    assert (check.verdict, check.reached) == (Verdict.PASSED, pytest.approx(expected))
    assert "counting persons" in check.message
    just_below = gensearch_db.audit(visits, "rel", subject_to=[f"alpha_k_anonymity({expected - 0.01:.4f}, 2)"])
    assert any(check.verdict is Verdict.FAILED for check in just_below.checks if check.name == "alpha_k_anonymity")


def test_distances_are_those_of_pairs(visits: duckdb.DuckDBPyConnection) -> None:
    (expected,) = visits.execute(
        f"""WITH b AS ({BLOCK_OF_AGE}), c AS (SELECT block, illness, count(DISTINCT patient) AS c FROM b GROUP BY ALL),
        g AS (SELECT illness, count(DISTINCT patient) AS g FROM b GROUP BY ALL), every AS (SELECT DISTINCT block FROM b)
        SELECT max(t) FROM (
            SELECT block, sum(abs(coalesce(c, 0) / n - g / (SELECT sum(g) FROM g))) / 2 AS t
            FROM every CROSS JOIN g LEFT JOIN c USING (block, illness)
            JOIN (SELECT block, sum(c) AS n FROM c GROUP BY block) USING (block) GROUP BY block)"""
    ).fetchone()
    check = gensearch_db.audit(visits, "rel").check("t_closeness")
    assert (check.verdict, check.reached) == (Verdict.PASSED, pytest.approx(expected))


def test_without_the_source_persons_cannot_be_counted(visits: duckdb.DuckDBPyConnection) -> None:
    visits.execute("DROP TABLE visits")
    check = gensearch_db.audit(visits, "rel").check("alpha_k_anonymity")
    assert check.verdict is Verdict.SKIPPED
    assert "persons" in check.message


def test_lengths_are_those_of_the_published_bounds(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("CREATE TABLE people AS SELECT i AS age, i % 2 AS sex FROM range(40) r(i)")
    gensearch_db.anonymize(
        connection,
        "people",
        into="rel",
        quasi_identifiers={"age": {"split": "every 5"}, "sex": {"unordered": True}},
        subject_to=["k_anonymity(2)", "minimum_length(age, 10)"],
    )
    check = gensearch_db.audit(connection, "rel").check("minimum_length")
    assert (check.verdict, check.reached) == (Verdict.PASSED, 10)
    more = gensearch_db.audit(connection, "rel", subject_to=["minimum_length(age, 11)", "minimum_length(sex, 2)"])
    wanted = {check.required: (check.verdict, check.reached) for check in more.checks if check.name == "minimum_length"}
    assert wanted["minimum_length(age, 11)"] == (Verdict.FAILED, 10)
    assert wanted["minimum_length(sex, 2)"] == (Verdict.FAILED, 1)


def test_a_length_beside_the_attribute_is_recomputed_too(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("CREATE TABLE people AS SELECT i AS age FROM range(40) r(i)")
    how = {"age": {"split": "every 5", "minimum_length": 10}}
    gensearch_db.anonymize(connection, "people", into="rel", quasi_identifiers=how, subject_to=["k_anonymity(2)"])
    check = gensearch_db.audit(connection, "rel").check("minimum_length")
    assert (check.verdict, check.reached, check.required) == (Verdict.PASSED, 10, "minimum_length(age, 10)")
    connection.execute("UPDATE rel_blocks SET age_upper = age_upper - 5 WHERE age_lower = 10")
    check = gensearch_db.audit(connection, "rel").check("minimum_length")
    assert (check.verdict, check.reached, check.violations) == (Verdict.FAILED, 5, 1)


def test_a_length_beside_the_attribute_that_the_table_cannot_reach_is_named(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("CREATE TABLE people AS SELECT i AS age FROM range(40) r(i)")
    how = {"age": {"split": "every 5", "minimum_length": 41}}
    with pytest.raises(InfeasibleError, match=r"minimum_length\(age, 41\).*reaches edge length 40"):
        gensearch_db.anonymize(connection, "people", into="rel", quasi_identifiers=how, subject_to=["k_anonymity(2)"])


@pytest.mark.parametrize("distance", ["ordered", "equal", None])
def test_the_order_of_an_enum_outlives_its_source(connection: duckdb.DuckDBPyConnection, distance: str | None) -> None:
    """By hand: low, mid, high are 3, 1 and 2 of 6 rows. The block (high, high) is (1/2 + 2/3) / 2 = 7/12 away in the order (by
    the alphabet the farthest would be 5/12), and 1 - 1/3 by the equal distance, which is that of text and ENUMs."""
    connection.execute("CREATE TYPE stage AS ENUM ('low', 'mid', 'high', 'never')")
    connection.execute(
        "CREATE TABLE people AS SELECT age, stage::stage AS stage FROM (VALUES (1, 'low'), (1, 'low'), (2, 'low'), (2, 'mid'),"
        " (3, 'high'), (3, 'high')) t(age, stage)"
    )
    word = f", distance = {distance}" if distance else ""
    limits = ["k_anonymity(2)", f"t_closeness(1, stage{word})"]
    gensearch_db.anonymize(connection, "people", into="rel", quasi_identifiers=["age"], sensitive=["stage"], subject_to=limits)
    (blocks,) = connection.execute("SELECT count(*) FROM rel_blocks").fetchone() or (0,)
    assert blocks == 3
    before = gensearch_db.audit(connection, "rel").check("t_closeness")
    assert before.reached == pytest.approx(7 / 12 if distance == "ordered" else 2 / 3)
    connection.execute("DROP TABLE people; DROP TYPE stage")
    after = gensearch_db.audit(connection, "rel").check("t_closeness")
    assert (after.verdict, after.reached) == (Verdict.PASSED, before.reached)
    assert "never" not in str(gensearch_db.list_releases(connection)[0].to_dict())
