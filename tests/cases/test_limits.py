"""Cases E01, P11, X03: empty tables, cancelled runs, memory that does not suffice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

import gensearch_db
from gensearch_db.errors import GensearchError, ResourceError

from .invariants import Surroundings, check_release


def test_e01_an_audit_of_nothing_has_no_k() -> None:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE e01(age INT, d VARCHAR)")
        report = gensearch_db.audit(
            connection, "e01", quasi_identifiers=["age"], sensitive=["d"], subject_to=["k_anonymity(2)"]
        )
        assert report.rows == 0
        assert report.blocks == 0
        assert report.check("k_anonymity").reached is None


HR = """
CREATE SCHEMA hr; CREATE TABLE hr.p11(name VARCHAR, age INT, zip INT, pay INT);
INSERT INTO hr.p11 SELECT 'n' || i, 20 + hash(i) % 60, hash(i, 1) % 1000, i FROM range(1000) r(i);
"""


class CancelledError(Exception):
    """What a caller's own progress callback may raise."""


def wanted() -> dict[str, Any]:
    return {
        "table": "hr.p11",
        "into": "hr.p11_rel",
        "identifiers": ["name"],
        "quasi_identifiers": {"age": {"split": "anywhere"}, "zip": {"split": "anywhere"}},
        "sensitive": ["pay"],
        "subject_to": ["k_anonymity(5)"],
        "stop_after": 30,
    }


@pytest.mark.parametrize("wrong", [KeyboardInterrupt, CancelledError])
def test_p11_a_cancelled_run_leaves_nothing(tmp_path: Path, wrong: type[BaseException]) -> None:
    def cancel(*_: Any) -> bool:
        raise wrong

    path = tmp_path / "p11.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute(HR)
        before = Surroundings.of(connection, tmp_path)
        with pytest.raises((wrong, GensearchError)):
            gensearch_db.anonymize(connection, progress=cancel, **wanted())
        Surroundings.of(connection, tmp_path).check(before, release=None)
        connection.execute("CHECKPOINT")
    with duckdb.connect(path) as connection:
        Surroundings.of(connection, tmp_path).check(before, release=None)
        gensearch_db.anonymize(connection, **{**wanted(), "node_limit": 100})
        check_release(connection, wanted())


@pytest.mark.slow
def test_x03_a_grouped_query_larger_than_memory(tmp_path: Path) -> None:
    """The case has 2,000,000 rows and 200 MB; less of both ends sooner and spills all the same."""
    with duckdb.connect(config={"memory_limit": "40MB", "threads": 1}) as connection:
        connection.execute("CREATE TABLE x03 AS SELECT i AS a, hash(i)%100000 AS b, (i*7)%1000 AS c FROM range(0,200000) r(i)")
        before = Surroundings.of(connection, tmp_path)
        problem = {
            "table": "x03",
            "into": "rel",
            "quasi_identifiers": {"a": {"split": "64 quantiles"}, "b": {"split": "64 quantiles"}, "c": {"split": "anywhere"}},
            "subject_to": ["k_anonymity(10)"],
            "node_limit": 500,
            "strategy": "mondrian",
        }
        message: str = "memory"
        release: str | None = "rel"
        try:
            gensearch_db.anonymize(connection, **problem)
        except ResourceError as error:
            message, release = str(error).lower(), None
        assert "memory" in message
        Surroundings.of(connection, tmp_path).check(before, release)
        assert connection.execute("SELECT count(*), sum(a) FROM x03").fetchone() == (200000, 19999900000)
