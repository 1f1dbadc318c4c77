"""Count queries on releases: read a COUNT query, estimate it from the published blocks, measure the error of a workload."""

from gensearch_db.count_queries.coverage import count_error
from gensearch_db.count_queries.estimating import Answer, Estimate, estimate, estimate_sql
from gensearch_db.count_queries.generating import generate_workload
from gensearch_db.count_queries.macro import estimate_macro
from gensearch_db.count_queries.reading import read_queries, read_query
from gensearch_db.count_queries.workload import Outcome, Summary, Workload, WorkloadReport, read_workload, run_workload
from gensearch_db.domain.coverage import WorkloadCoverage

__all__ = [
    "Answer",
    "Estimate",
    "Outcome",
    "Summary",
    "Workload",
    "WorkloadCoverage",
    "WorkloadReport",
    "count_error",
    "estimate",
    "estimate_macro",
    "estimate_sql",
    "generate_workload",
    "read_queries",
    "read_query",
    "read_workload",
    "run_workload",
]
