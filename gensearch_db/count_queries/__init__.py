"""Count queries on releases: read a COUNT query, estimate it from the published blocks, measure the error of a workload."""

from gensearch_db.count_queries.estimating import Answer, Estimate, estimate, estimate_sql
from gensearch_db.count_queries.reading import read_queries, read_query

__all__ = ["Answer", "Estimate", "estimate", "estimate_sql", "read_queries", "read_query"]
