"""Cases D01, D02: the same release whatever the threads, the order of rows and the hash seed."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from typing import Any

import duckdb
import pytest

import gensearch_db

from .invariants import fingerprint

D01 = """
CREATE TABLE d01 AS SELECT i AS id, 20+(hash(i)%60)::INT AS age, (hash(i+7)%90000+10000)::INT AS zip, 'd'||(hash(i+13)%6) AS d
FROM range(0,50000) r(i)
"""


def digest(threads: int, insertion_order: bool) -> str:
    """The digest of both tables of the release, in the order in which they are read."""
    with duckdb.connect(config={"threads": threads, "preserve_insertion_order": insertion_order}) as connection:
        connection.execute(D01)
        gensearch_db.anonymize(
            connection,
            table="d01",
            into="rel",
            identifiers=["id"],
            quasi_identifiers={"age": {"split": "anywhere"}, "zip": {"split": "64 quantiles"}},
            sensitive=["d"],
            subject_to=["k_anonymity(10)"],
            node_limit=20000,
            stop_after=600,
        )
        return hashlib.sha256(repr(fingerprint(connection, "rel")).encode()).hexdigest()


@pytest.mark.slow
def test_d01_threads_and_insertion_order_do_not_matter() -> None:
    first = digest(threads=1, insertion_order=True)
    assert digest(threads=8, insertion_order=True) == first
    assert digest(threads=8, insertion_order=False) == first


D02 = ["a", "a", "b", "b", "c", "c", "d", "d", "e"]


def partition(order: list[int]) -> Any:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE d02(q VARCHAR, d VARCHAR)")
        connection.executemany("INSERT INTO d02 VALUES (?, ?)", [(D02[i], "xy"[i % 2]) for i in order])
        gensearch_db.anonymize(
            connection,
            table="d02",
            into="rel",
            quasi_identifiers={"q": {"unordered": True}},
            sensitive=["d"],
            subject_to=["k_anonymity(3)"],
        )
        return fingerprint(connection, "rel")


def test_d02_the_lone_row_always_joins_the_same_partner() -> None:
    places = list(range(len(D02)))
    orders = [places, places[::-1], places[1::2] + places[::2], places[4:] + places[:4], [8, *places[:8]]]
    first = partition(orders[0])
    assert all(partition(order) == first for order in orders[1:])


HASHED = "from tests.cases.test_determinism import partition; print(partition(list(range(9))))"


def test_the_hash_seed_does_not_matter() -> None:
    printed = {
        subprocess.run(
            [sys.executable, "-c", HASHED],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(printed) == 1
