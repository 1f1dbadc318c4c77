"""Strategy `enumeration`: the paper's search over the partition enumeration tree (paper sections 2 to 4)."""

from gensearch_db.search.enumeration.run import enumerate_search

__all__ = ["enumerate_search"]
