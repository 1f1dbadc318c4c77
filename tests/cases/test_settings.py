"""A connection that somebody has set up in an unusual way: the same release, or one clear refusal."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import duckdb
import pytest

import gensearch_db
from gensearch_db.database.session import Session
from gensearch_db.errors import SpecificationError
from gensearch_db.statements.apply_release import apply_release

from .invariants import Surroundings, fingerprint

PEOPLE = """
CREATE TABLE people AS
SELECT i AS id, (20 + hash(i) % 60)::INTEGER AS age, ['a', 'A', 'b', 'Ä', NULL][1 + (hash(i, 1) % 5)::INTEGER] AS town,
  CASE WHEN i % 7 = 0 THEN 'NaN'::DOUBLE ELSE (hash(i, 3) % 10)::DOUBLE END AS weight,
  DATE '2020-01-01' + (hash(i, 4) % 900)::INTEGER AS seen, 'd' || hash(i, 2) % 5 AS illness
FROM range(200) r(i)
"""

PROBLEM: dict[str, Any] = {
    "table": "people",
    "into": "rel",
    "quasi_identifiers": {
        "age": {"split": "4 quantiles"},
        "town": {"order": True},
        "weight": {"split": "anywhere"},
        "seen": {"split": "every year"},
    },
    "sensitive": ["illness"],
    "subject_to": ["k_anonymity(5)", "t_closeness(0.7, illness, equal)"],
    "strategy": "mondrian",
    "suppress_at_most": 10,
}

QUERY = "SELECT age, COUNT(*) FROM people WHERE age BETWEEN 25 AND 47 AND weight < 5 GROUP BY age"

MEASURES = [
    "entropy_l_diversity(1.1, illness)",
    "recursive_l_diversity(3, 2, illness)",
    "alpha_k_anonymity(0.9, 3, illness)",
    "t_closeness(0.7, illness, ordered)",
    "basic_beta_likeness(5, illness)",
    "enhanced_beta_likeness(2.5, illness)",
    "delta_disclosure(3, illness, ignored)",
]
"""What the audit measures besides, so that each of its divisions is done."""

SETTINGS = [
    "default_order = 'desc'",
    "default_null_order = 'nulls_first'",
    "default_collation = 'nocase'",
    "preserve_insertion_order = false",
    "integer_division = true",
    "TimeZone = 'Pacific/Apia'",
    "lock_configuration = true",
    "disabled_optimizers = 'join_order,filter_pushdown'",
]


def made(*settings: str) -> str:
    """Both tables of a release, of one that uses its blocks, an estimate by groups, and the audit, as text."""
    with duckdb.connect() as connection:
        connection.execute(PEOPLE)
        for setting in settings:
            connection.execute(setting)
        gensearch_db.anonymize(connection, **PROBLEM)
        with Session(connection) as session:
            apply_release(session, "rel", "people", "again")
        tables = [fingerprint(connection, name) for name in ("rel", "again")]
        groups = [(each.group, round(each.estimate, 9)) for each in gensearch_db.estimate(connection, "rel", QUERY).estimates]
        audit = gensearch_db.audit(connection, "rel", subject_to=MEASURES)
        return json.dumps([tables, groups, audit.to_dict()], default=str, indent=1)


@pytest.mark.slow
def test_no_setting_changes_what_is_published() -> None:
    plain = made()
    for setting in SETTINGS:
        assert made(f"SET {setting}") == plain, setting


@pytest.mark.parametrize("macro", ["MACRO isnan(x) AS false", "TEMP MACRO min(x) AS 1", "MACRO count_star() AS 99"])
def test_a_macro_that_hides_a_function_is_refused(tmp_path: Path, macro: str) -> None:
    """With a false isnan the release printed NaN as a value, and the audit, which asked the same macro, passed it."""
    with duckdb.connect() as connection:
        connection.execute(PEOPLE)
        connection.execute("CREATE MACRO mine(x) AS x + 1; CREATE SCHEMA aside; CREATE MACRO aside.ln(x) AS 0")
        gensearch_db.anonymize(connection, **PROBLEM)
        connection.execute(f"CREATE {macro}")
        before = Surroundings.of(connection, tmp_path)
        name = re.findall(r"(\w+)\(", macro)[0]
        with pytest.raises(SpecificationError, match=f"macro .*{name}' hides"):
            gensearch_db.anonymize(connection, replace=True, **PROBLEM)
        with pytest.raises(SpecificationError, match="hides"):
            gensearch_db.audit(connection, "rel")
        Surroundings.of(connection, tmp_path).check(before, release=None)


@pytest.mark.parametrize("taken", ["TABLE gensearch.releases(i INT)", "VIEW gensearch.releases AS SELECT 1 AS release"])
def test_a_catalog_that_is_not_ours_is_told(tmp_path: Path, taken: str) -> None:
    with duckdb.connect() as connection:
        connection.execute(f"{PEOPLE}; CREATE SCHEMA gensearch; CREATE {taken}")
        before = Surroundings.of(connection, tmp_path)
        with pytest.raises(SpecificationError, match=r"'gensearch\.releases' in database 'memory' is not the catalog"):
            gensearch_db.anonymize(connection, **PROBLEM)
        Surroundings.of(connection, tmp_path).check(before, release=None)
