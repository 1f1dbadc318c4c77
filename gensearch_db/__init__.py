"""Anonymize tables inside DuckDB: the optimal generalization, with a certificate.

>>> import gensearch_db
>>> release = gensearch_db.anonymize("people.duckdb", "people", into="people_release",
...                                  quasi_identifiers=["age: every 5", "sex"], sensitive=["illness"], k=10)  # doctest: +SKIP
>>> release.status, release.cost, release.lower_bound  # doctest: +SKIP

Names are imported when they are first used, so that ``import gensearch_db`` stays quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gensearch_db.anonymization import anonymize
    from gensearch_db.certificate import Release
    from gensearch_db.count_queries.estimating import Answer, estimate
    from gensearch_db.database.audit import AuditReport, audit
    from gensearch_db.database.catalog import CatalogEntry, drop_release, list_releases
    from gensearch_db.domain.counting import count_boxes, count_partitions
    from gensearch_db.errors import GensearchError
    from gensearch_db.problem.columns import QuasiIdentifier
    from gensearch_db.problem.problem import Problem
    from gensearch_db.search.result import Status
    from gensearch_db.statements.connection import Connection, connect

__all__ = [
    "Answer",
    "AuditReport",
    "CatalogEntry",
    "Connection",
    "GensearchError",
    "Problem",
    "QuasiIdentifier",
    "Release",
    "Status",
    "anonymize",
    "audit",
    "connect",
    "count_boxes",
    "count_partitions",
    "drop_release",
    "estimate",
    "list_releases",
]

_HOMES = {
    "Answer": "gensearch_db.count_queries.estimating",
    "AuditReport": "gensearch_db.database.audit",
    "CatalogEntry": "gensearch_db.database.catalog",
    "Connection": "gensearch_db.statements.connection",
    "GensearchError": "gensearch_db.errors",
    "Problem": "gensearch_db.problem.problem",
    "QuasiIdentifier": "gensearch_db.problem.columns",
    "Release": "gensearch_db.certificate",
    "Status": "gensearch_db.search.result",
    "anonymize": "gensearch_db.anonymization",
    "audit": "gensearch_db.database.audit",
    "connect": "gensearch_db.statements.connection",
    "count_boxes": "gensearch_db.domain.counting",
    "count_partitions": "gensearch_db.domain.counting",
    "drop_release": "gensearch_db.database.catalog",
    "estimate": "gensearch_db.count_queries.estimating",
    "list_releases": "gensearch_db.database.catalog",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'gensearch_db' has no attribute '{name}'")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return __all__


def load_ipython_extension(shell: Any) -> None:
    """``%load_ext gensearch_db``: the ``%gensearch`` and ``%%gensearch`` magics of a notebook."""
    from gensearch_db.statements.magic import GensearchMagics

    shell.register_magics(GensearchMagics)
