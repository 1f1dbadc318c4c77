"""Thousands of count queries over 30,000 blocks: one statement per workload.

    python benchmarks/count_queries.py [--queries 2000] [--blocks 30000]

Makes a release of that many blocks (four quasi-identifiers, one sensitive column) by SQL, generates a random workload and
writes the processor time of reading and estimating to docs/count_queries_figures.md. The regions lie on a grid, as those of a
release do.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import duckdb

from gensearch_db.count_queries import generate_workload, read_queries
from gensearch_db.count_queries.estimating import estimate_all
from gensearch_db.count_queries.release import open_release
from gensearch_db.database.dictionary import QuasiIdentifierColumns, ReleaseDictionary, SensitiveColumn
from gensearch_db.database.session import Session

FIGURES = Path(__file__).resolve().parent.parent / "docs" / "count_queries_figures.md"
BLOCKS = """
CREATE TABLE r_blocks AS
SELECT 15 + 5 * (hash(i) % 15) AS age_lower, age_lower + 5 * (1 + i % 4) AS age_upper, '' AS age,
       5 * (hash(i, 1) % 18) AS hours_lower, hours_lower + 5 * (1 + i // 4 % 4) AS hours_upper, '' AS hours,
       list_transform(range(8 // (1 + i % 8)), lambda x:
           'country ' || (8 * (hash(i, 2) % 5) + x + (i % 8) * (i % 2))::VARCHAR) AS country_values, '' AS country,
       list_transform(range(1 + i % 3), lambda x: 'work ' || (x + 3 * (hash(i, 3) % 3))::VARCHAR) AS work_values, '' AS work,
       10 + i % 5 AS "count",
       [{'value': 'flu', 'count': 6 + i % 5}, {'value': 'hiv', 'count': 4}] AS ill_distribution
FROM range($blocks) numbers(i)
"""


def make_release(connection: duckdb.DuckDBPyConnection, blocks: int) -> None:
    connection.execute(BLOCKS, {"blocks": blocks})
    ordered = [
        QuasiIdentifierColumns(
            name=name, kind="ordered", type="BIGINT", label=name, lower=f"{name}_lower", upper=f"{name}_upper", integral=True
        )
        for name in ("age", "hours")
    ]
    listed = [
        QuasiIdentifierColumns(name=name, kind="categorical", type="VARCHAR", label=name, values=f"{name}_values")
        for name in ("country", "work")
    ]
    sensitive = (SensitiveColumn(name="ill", type="VARCHAR", distribution="ill_distribution"),)
    dictionary = ReleaseDictionary(
        release="r", rows=0, count="count", quasi_identifiers=(*ordered, *listed), sensitive=sensitive
    )
    connection.execute(f"COMMENT ON TABLE r_blocks IS '{dictionary.to_json()}'")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=int, default=2000)
    parser.add_argument("--blocks", type=int, default=30_000)
    options = parser.parse_args()
    connection = duckdb.connect()
    make_release(connection, options.blocks)
    script = generate_workload(connection, "r", queries=options.queries, predicates=[1, 2, 3], selectivity=0.1, seed=1)
    started = time.process_time()
    queries = read_queries(script)
    read = time.process_time()
    with Session(connection) as session:
        answers = estimate_all(open_release(session, "r"), queries)
    done = time.process_time()
    line = (
        f"{len(answers):,} queries (1 to 3 predicates) on {options.blocks:,} blocks, "
        f"processor time: read {read - started:.1f} s, "
        f"estimated {done - read:.1f} s"
    )
    print(line)
    heading = "# Figures of count queries\n\nWritten by `benchmarks/count_queries.py`.\n\n"
    FIGURES.write_text(f"{heading}{line}.\n", encoding="utf-8")


if __name__ == "__main__":
    main()
