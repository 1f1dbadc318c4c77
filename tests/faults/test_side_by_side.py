"""Two runs that replace one release over and over, and a reader: every state that can be read is one whole release."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import duckdb
import pytest

import gensearch_db

from .house import House, problem
from .outcomes import record

RUNS = 4

IN_ROWS = "SELECT list_sort(list(n)) FROM (SELECT count(*) AS n FROM rel GROUP BY age, town)"
IN_BLOCKS = "SELECT list_sort(list(count)) FROM rel_blocks"
REQUIRED = "SELECT regexp_extract(problem->>'$.subject_to[0]', '\\d+')::INTEGER, count(*) OVER () FROM gensearch.releases"


class Reader(threading.Thread):
    """Reads rows, blocks and catalog in one transaction, again and again until it is told to stop."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        super().__init__()
        self.connection = connection
        self.told_to_stop = threading.Event()
        self.states: list[tuple[Any, Any, Any]] = []
        self.failure: BaseException | None = None

    def run(self) -> None:
        try:
            while not self.told_to_stop.is_set():
                self.connection.execute("BEGIN")
                self.states.append(
                    tuple(self.connection.execute(query).fetchall() for query in (IN_ROWS, IN_BLOCKS, REQUIRED))  # type: ignore[arg-type]
                )
                self.connection.execute("COMMIT")
        except BaseException as error:
            self.failure = error


@pytest.mark.slow
def test_runs_and_a_reader_at_once(tmp_path: Path) -> None:
    House.build(tmp_path / "people.duckdb")
    with duckdb.connect(tmp_path / "people.duckdb") as connection:
        failures: list[BaseException] = []

        def replace_it(size: int, cursor: duckdb.DuckDBPyConnection) -> None:
            try:
                for _ in range(RUNS):
                    gensearch_db.anonymize(cursor, replace=True, **problem(k=size))
            except BaseException as error:
                failures.append(error)

        reader = Reader(connection.cursor())
        writers = [threading.Thread(target=replace_it, args=(size, connection.cursor())) for size in (10, 20)]
        for thread in (reader, *writers):
            thread.start()
        for thread in writers:
            thread.join()
        reader.told_to_stop.set()
        reader.join()
        assert not failures
        assert reader.failure is None
        assert gensearch_db.audit(connection, "rel").passed
        assert connection.execute("SELECT count(*) FROM duckdb_tables() WHERE temporary").fetchone() == (0,)
    assert len({str(state) for state in reader.states}) > 1, "the reader saw one state only"
    for rows, blocks, ((required, releases),) in reader.states:
        assert rows == blocks
        assert releases == 1
        assert min(rows[0][0]) >= required
    record(
        "two runs and a reader at once, in one process", f"{2 * RUNS} runs, by turns", "every state read was one whole release"
    )
