"""Settings of the engine that hold inside a ``with`` block and are put back after it, whatever happens there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from gensearch_db.database.rendering import literal, statement
from gensearch_db.database.session import Session
from gensearch_db.errors import GensearchError


@contextmanager
def in_zone(session: Session, zone: str | None) -> Iterator[None]:
    """Inside, instants are read and printed in this time zone (None: in the one that is set).

    Raises :class:`SpecificationError` for a zone that DuckDB does not know.
    """
    before = session.value(statement("session/zone"))
    if zone is None or zone == before:
        yield
        return
    try:
        session.execute(statement("session/set_zone", zone=literal(zone)))
        yield
    finally:
        session.insist(statement("session/set_zone", zone=literal(before)))


@contextmanager
def with_threads(session: Session, most: int | None) -> Iterator[None]:
    """Inside, the engine uses at most so many threads (None: as many as are set).

    It is a setting of the whole database instance. Where the user locked the configuration, the engine's own number stays.
    """
    before = session.value(statement("session/threads"))
    if most is None or most >= before:
        yield
        return
    with suppress(GensearchError):
        session.execute(statement("session/set_threads", threads=most))
    try:
        yield
    finally:
        with suppress(GensearchError):
            session.insist(statement("session/set_threads", threads=before))


@contextmanager
def insertion_order_kept(session: Session) -> Iterator[None]:
    """Inside, tables and files are written in the order of the query they come from, whatever the user set."""
    before = session.value(statement("session/insertion_order"))
    if before:
        yield  # nothing is set, so that a locked configuration does no harm
        return
    try:
        session.execute(statement("session/set_insertion_order", on=True))
        yield
    finally:
        session.insist(statement("session/set_insertion_order", on=before))


@contextmanager
def unoptimized_plans(session: Session) -> Iterator[None]:
    """Inside, EXPLAIN tells the plan before the optimizer too. Where the configuration is locked it does not."""
    before, locked = session.row(statement("session/explain_output"))
    if locked:
        yield
        return
    try:
        session.execute(statement("session/set_explain_output", output="all"))
        yield
    finally:
        session.insist(statement("session/set_explain_output", output=before))
