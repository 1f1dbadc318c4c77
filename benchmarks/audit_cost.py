"""What an audit costs, as a multiple of the plain GROUP BY of the same rows, in one run.

    python benchmarks/audit_cost.py [rows]

k, distinct and entropy l and t of one sensitive column, on a made-up release of a million rows in few and in many blocks.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import duckdb

from gensearch_db.database.audit.measures import constraint_checks
from gensearch_db.database.audit.released import form_classes, form_distributions, size_check
from gensearch_db.database.audit.subject import Subject, scratch
from gensearch_db.database.opening import session_for
from gensearch_db.privacy.registry import constraints_from_texts

QUASI_IDENTIFIERS = ("age", "sex", "zip", "race")
MEASURES = ("k_anonymity(5)", "distinct_l_diversity(2)", "entropy_l_diversity(1.1)", "t_closeness(0.9)")
TYPES = dict.fromkeys((*QUASI_IDENTIFIERS, "income"), "VARCHAR")
REPETITIONS = 5


def make_release(connection: duckdb.DuckDBPyConnection, rows: int, zips: int) -> None:
    """A table of labels and a sensitive column with two values."""
    connection.execute(
        f"""CREATE OR REPLACE TABLE release AS SELECT
            '[' || hash(i) % 12 * 5 || ', ' || (hash(i) % 12 + 1) * 5 || ')' AS age, 'sex ' || hash(i + 1) % 2 AS sex,
            'zip ' || hash(i * 7) % {zips} AS zip, 'race ' || hash(i * 3) % 5 AS race,
            CASE WHEN hash(i * 13) % 4 = 0 THEN '>50K' ELSE '<=50K' END AS income FROM range({rows}) AS numbers(i)"""
    )


def fastest(task: Callable[[], object]) -> float:
    """The least of several times, in seconds."""
    times = []
    for _ in range(REPETITIONS):
        start = time.perf_counter()
        task()
        times.append(time.perf_counter() - start)
    return min(times)


def compare(connection: duckdb.DuckDBPyConnection) -> tuple[float, float]:
    """Seconds of the plain GROUP BY and of the audit's measures."""
    with session_for(connection) as session:
        subject = Subject(
            "release",
            ("memory", "main", "release"),
            TYPES,
            QUASI_IDENTIFIERS,
            ("income",),
            constraints=constraints_from_texts(MEASURES, ["income"]),
        )

        def audit() -> None:
            with scratch(session) as space:
                classes = form_classes(space, subject)
                checks = [size_check(space, subject, classes)]
                distributions = form_distributions(space, subject, classes)
                checks += constraint_checks(space, subject, classes.table, distributions)
                assert len(checks) == len(MEASURES), checks

        columns = ", ".join(QUASI_IDENTIFIERS)
        plain = fastest(lambda: connection.execute(f"SELECT {columns}, count(*) FROM release GROUP BY ALL").fetchall())
        return plain, fastest(audit)


def main() -> None:
    """Print the ratio for few and for many blocks."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with duckdb.connect() as connection:
        connection.execute("SET threads = 2")
        for zips in (16, 400):
            make_release(connection, rows, zips)
            plain, audit = compare(connection)
            ratio = f"GROUP BY {plain:.3f} s, audit {audit:.3f} s, {audit / plain:.2f} times"
            print(f"{rows:,} rows, {12 * 2 * 5 * zips:,} blocks: {ratio}")


if __name__ == "__main__":
    main()
