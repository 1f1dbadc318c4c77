"""pycanon, written independently, agrees with our measures on releases of Adult, or differs for a reason stated here."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pandas as pd
import pytest

from gensearch_db.database.rendering import Sql, statement
from gensearch_db.domain.cells import ValueDomain
from gensearch_db.privacy.registry import constraint_from_text

ADULT = Path(__file__).parents[3] / "shared" / "data" / "adult" / "adult_complete_30162.parquet"

RELEASES = {
    "fine": 'SELECT age // 10 AS age, sex, race, income, occupation, "education-num" AS years',
    "coarse": "SELECT age // 40 AS age, sex, '*' AS race, income, occupation, \"education-num\" AS years",
}
QUASI_IDENTIFIERS = ["age", "sex", "race"]
SENSITIVE = ["income", "occupation", "years"]

pytestmark = pytest.mark.needs_data


@pytest.fixture(scope="module", params=[(r, s) for r in RELEASES for s in SENSITIVE], ids=lambda pair: "-".join(pair))
def release(request: pytest.FixtureRequest) -> Iterator[tuple[duckdb.DuckDBPyConnection, pd.DataFrame, str]]:
    """A release of 3,000 rows with the audit's tables beside it, the same rows as a frame, and the sensitive column."""
    name, column = request.param
    with duckdb.connect() as connection:
        sample = f"(SELECT * FROM '{ADULT}' LIMIT 3000)"
        connection.execute(f"CREATE TABLE release AS {RELEASES[name]} FROM {sample}")
        connection.execute(
            "CREATE TABLE classes AS SELECT row_number() OVER () AS class, age, sex, race, count(*) AS size,"
            " false AS suppressed FROM release GROUP BY age, sex, race"
        )
        connection.execute(
            f"CREATE TABLE histogram AS SELECT class, {column} AS value, count(*) AS count"
            " FROM release JOIN classes USING (age, sex, race) GROUP BY ALL"
        )
        connection.execute(f"CREATE TABLE baseline AS SELECT {column} AS value, count(*) AS count FROM release GROUP BY ALL")
        yield connection, connection.execute("SELECT * FROM release").df(), column


def worst(connection: duckdb.DuckDBPyConnection, text: str, column: str) -> float:
    """The worst value of a measure over all classes."""
    constraint = constraint_from_text(text, [column])
    domain = ValueDomain(column, (0,), nominal=column != "years")
    audit = constraint.audit_measure(domain)
    assert audit is not None
    measure = statement(
        audit.template, classes=["classes"], histogram=["histogram"], baseline=["baseline"], member=Sql("member")
    )
    summary = statement("audit/measured", measure=measure, classes=["classes"])
    row = connection.execute(summary, audit.parameters).fetchone()
    assert row is not None
    return float(row[1] if constraint.higher_is_safer else row[2])


def test_measures_that_both_define_alike(release: tuple[duckdb.DuckDBPyConnection, pd.DataFrame, str]) -> None:
    from pycanon import anonymity

    connection, frame, column = release
    arguments = (frame, QUASI_IDENTIFIERS, [column])
    alpha, k = anonymity.alpha_k_anonymity(*arguments)
    assert worst(connection, "k_anonymity(1)", column) == anonymity.k_anonymity(frame, QUASI_IDENTIFIERS) == k
    assert worst(connection, "distinct_l_diversity(1)", column) == anonymity.l_diversity(*arguments)
    assert worst(connection, "alpha_k_anonymity(0.5, 1)", column) == pytest.approx(alpha)
    assert worst(connection, "t_closeness(0.2)", column) == pytest.approx(anonymity.t_closeness(*arguments))
    assert worst(connection, "basic_beta_likeness(1)", column) == pytest.approx(anonymity.basic_beta_likeness(*arguments))
    ignored = worst(connection, "delta_disclosure(1, zeros = ignored)", column)
    assert ignored == pytest.approx(anonymity.delta_disclosure(*arguments))


def test_entropy_l_which_pycanon_rounds_down(release: tuple[duckdb.DuckDBPyConnection, pd.DataFrame, str]) -> None:
    """A block of three equally frequent values has l = 3; pycanon's floats say 2.9999999999999996 and it returns 2."""
    from pycanon import anonymity

    connection, frame, column = release
    reached = worst(connection, "entropy_l_diversity(1)", column)
    theirs = anonymity.entropy_l_diversity(frame, QUASI_IDENTIFIERS, [column])
    tie = abs(reached - round(reached)) < 1e-9
    assert theirs == math.floor(reached + 1e-9) or (tie and theirs == round(reached) - 1)


def test_recursive_diversity_which_pycanon_sorts_the_other_way(
    release: tuple[duckdb.DuckDBPyConnection, pd.DataFrame, str],
) -> None:
    """pycanon 1.3 sorts the counts in ascending order, so that its r_1 is the rarest value; Machanavajjhala et al. take the
    most frequent. We agree with pycanon's formula on ascending counts and with the paper's on descending ones."""
    from pycanon import anonymity

    connection, frame, column = release
    c, l = anonymity.recursive_c_l_diversity(frame, QUASI_IDENTIFIERS, [column])  # noqa: E741
    if l < 2:
        pytest.skip("pycanon gives no c for blocks with a single value")
    counts = [group.value_counts().tolist() for _, group in frame.groupby(QUASI_IDENTIFIERS)[column]]
    ascending = max(math.floor(min(found) / sum(sorted(found)[l - 1 :]) + 1) for found in counts)
    descending = max(max(found) / sum(sorted(found, reverse=True)[l - 1 :]) for found in counts)
    assert c == ascending
    assert worst(connection, f"recursive_l_diversity(2, {l})", column) == pytest.approx(descending)


def test_enhanced_beta_which_pycanon_takes_over_all_values(
    release: tuple[duckdb.DuckDBPyConnection, pd.DataFrame, str],
) -> None:
    """pycanon gives max over values of min(largest gain of any value, -ln P_s), which is at most the largest gain. We give the
    largest gain, or infinity where some value gains more than its own -ln P_s, as no beta is then satisfied."""
    from pycanon import anonymity

    connection, frame, column = release
    theirs = anonymity.enhanced_beta_likeness(frame, QUASI_IDENTIFIERS, [column])
    ours = worst(connection, "enhanced_beta_likeness(1)", column)
    basic = anonymity.basic_beta_likeness(frame, QUASI_IDENTIFIERS, [column])
    assert theirs <= basic + 1e-12
    shares = frame[column].value_counts(normalize=True)
    beyond = any(
        share / shares[value] - 1 > -math.log(shares[value])
        for _, group in frame.groupby(QUASI_IDENTIFIERS)[column]
        for value, share in group.value_counts(normalize=True).items()
    )
    assert ours == (math.inf if beyond else pytest.approx(basic))
