"""Thousands of count queries over 30,000 blocks: one statement per workload.

    python benchmarks/count_queries.py [--queries 2000] [--blocks 30000]

Makes a release of that many blocks (four quasi-identifiers, one sensitive column) by SQL, generates a random workload and
prints how long reading, resolving and estimating take.
"""

from __future__ import annotations

import argparse
import time

import duckdb

from gensearch_db.count_queries import generate_workload, read_queries
from gensearch_db.count_queries.estimating import estimate_all
from gensearch_db.count_queries.release import open_release
from gensearch_db.database.dictionary import QuasiIdentifierColumns, ReleaseDictionary, SensitiveColumn
from gensearch_db.database.session import Session

BLOCKS = """
CREATE TABLE r_blocks AS
SELECT i % 60 + 20 AS age_lower, i % 60 + 20 + 1 + i % 7 AS age_upper, '' AS age,
       (hash(i) % 500)::INTEGER AS hours_lower, (hash(i) % 500 + 1 + i % 20)::INTEGER AS hours_upper, '' AS hours,
       list_transform(range(1 + i % 4), lambda x: 'country ' || (hash(i, x) % 40)::VARCHAR) AS country_values, '' AS country,
       list_transform(range(1 + i % 3), lambda x: 'work ' || (x + i % 5)::VARCHAR) AS work_values, '' AS work,
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
    started = time.perf_counter()
    queries = read_queries(script)
    read = time.perf_counter()
    with Session(connection) as session:
        answers = estimate_all(open_release(session, "r"), queries)
    done = time.perf_counter()
    print(f"{len(answers):,} queries on {options.blocks:,} blocks: read {read - started:.2f} s, estimated {done - read:.2f} s")


if __name__ == "__main__":
    main()
