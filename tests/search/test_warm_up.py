"""The clock of a search starts after compilation, and its progress is heard of."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gensearch_db.search.monitor import Monitor
from gensearch_db.search.result import Status, StoppingRule, never_stop

PROGRAM = """
import duckdb, gensearch_db
with duckdb.connect() as connection:
    connection.execute("CREATE TABLE people AS SELECT i AS age, i % 7 AS town FROM range(40) r(i)")
    release = gensearch_db.anonymize(
        connection, "people", into="rel", quasi_identifiers={"age": {"split": "every 5"}, "town": {}}, k=3, stop_after=5
    )
    print(release.status.value)
"""


@pytest.mark.slow
def test_compilation_takes_nothing_from_the_time_limit(tmp_path: Path) -> None:
    """With an empty cache compilation takes longer than this limit; the search itself takes milliseconds."""
    surroundings = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    ran = subprocess.run([sys.executable, "-c", PROGRAM], env=surroundings, capture_output=True, text=True, check=True)
    assert "Compiling" in ran.stderr
    assert ran.stdout == "OPTIMAL\n"


def test_progress_is_heard_of_before_a_limit_ends_the_search() -> None:
    heard = []
    monitor = Monitor(StoppingRule(seconds=0.0), lambda moment, counters: bool(heard.append(moment)), dict)
    assert monitor.verdict(0) is Status.TIME_LIMIT
    assert len(heard) == 1
    assert Monitor(StoppingRule(), never_stop, dict).verdict(0) is None
