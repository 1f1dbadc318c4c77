"""The owner's catalog of releases: one table ``gensearch.releases`` in each database that holds releases.

It says how each release was made (problem, result, certificate, versions). It is never handed out: the problem names the
source, and the result counts what was suppressed.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from gensearch_db.argument_kinds import TEXT, refuse_other_kinds
from gensearch_db.database.dictionary import ReleaseDictionary
from gensearch_db.database.names import written_table
from gensearch_db.database.opening import Database, session_for
from gensearch_db.database.places import place
from gensearch_db.database.rendering import statement
from gensearch_db.database.reported import reported
from gensearch_db.database.session import Session
from gensearch_db.database.stranger_tables import refuse_strangers
from gensearch_db.errors import SpecificationError, near_matches
from gensearch_db.printable import printable
from gensearch_db.problem.problem import Problem

SCHEMA = "gensearch"
TABLE = "releases"
_PARTS = ("database", "schema", "name")
_COLUMNS = {"release_schema", "release", "blocks", "problem", "result", "dictionary", "versions", "created"}


@dataclass(frozen=True)
class CatalogEntry:
    """One release: where it is, and how it was made. ``result`` and ``versions`` are JSON objects, as text."""

    database: str
    release_schema: str
    release: str
    blocks: str
    problem_json: str
    result_json: str
    dictionary_json: str
    versions_json: str
    created: str

    @property
    def release_name(self) -> tuple[str, str, str]:
        """The qualified name of the release."""
        return (self.database, self.release_schema, self.release)

    @property
    def blocks_name(self) -> tuple[str, str, str]:
        """The qualified name of its blocks table."""
        return (self.database, self.release_schema, self.blocks)

    @cached_property
    def problem(self) -> Problem:
        """The problem, which reproduces the release exactly."""
        return Problem.from_json(self.problem_json)

    @cached_property
    def result(self) -> dict[str, Any]:
        """Status, cost, lower bound, counters and the rest of the certificate."""
        return dict(json.loads(self.result_json))

    @property
    def orders(self) -> dict[str, tuple[str, ...]]:
        """The values of the sensitive columns that were ENUMs, in the ENUM's order: the release has them as text."""
        return {column: tuple(values) for column, values in self.result.get("orders", {}).items()}

    @cached_property
    def dictionary(self) -> ReleaseDictionary:
        """What each published column stands for."""
        return ReleaseDictionary.from_json(self.dictionary_json)

    def to_dict(self) -> dict[str, Any]:
        """The entry as plain values for JSON; what it holds of the source's values (the orders) stays in the catalog."""
        fields = {name: value for name, value in asdict(self).items() if not name.endswith("_json")}
        return {
            **fields,
            "problem": json.loads(self.problem_json),
            "result": {name: value for name, value in self.result.items() if name != "orders"},
            "versions": json.loads(self.versions_json),
        }

    def to_text(self) -> str:
        """One line."""
        result = self.result
        constraints = ", ".join(self.problem.subject_to) or "no constraint"
        made = f"from {self.problem.table}, {constraints}, made {self.created}"
        outcome = f"{result['status']}, {self.problem.minimize} {result['cost']:,.10g}, {result['blocks']} blocks"
        return printable(f"{written_table((self.release_schema, self.release))}: {made}: {outcome}")


def list_releases(database: Database) -> list[CatalogEntry]:
    """The releases in a database, oldest first; none where there is no catalog."""
    with session_for(database, read_only=True) as session:
        return _select(session, session.row(statement("catalog/current"))[0], None, None)


def find_release(session: Session, name: tuple[str, str, str]) -> CatalogEntry | None:
    """The entry of the release with this qualified name, if the catalog of its database has one."""
    database, schema, release = name
    found = _select(session, database, schema, release)
    return found[-1] if found else None


def require_release(session: Session, written: str) -> CatalogEntry:
    """The entry of the release that a user named. Raises :class:`SpecificationError` with near matches."""
    name = place(session, written)
    entry = find_release(session, name)
    if entry is None:
        known = [entry.release for entry in _select(session, name[0], None, None)]
        raise SpecificationError(f"there is no release '{written}' in database '{name[0]}'{near_matches(name[2], known)}")
    return entry


def drop_release(database: Database, written: str) -> None:
    """Drop a release, its blocks and its catalog row in one transaction. Raises :class:`SpecificationError`."""
    refuse_other_kinds(release=(written, TEXT))
    with reported(), session_for(database) as session:
        entry = require_release(session, written)
        with session.transaction():
            remove_release(session, entry)


def remove_release(session: Session, entry: CatalogEntry) -> None:
    """Drop the tables of a release and its catalog row, inside the caller's transaction.

    Raises :class:`SpecificationError` where another table stands in their place.
    """
    refuse_strangers(session, entry)
    session.execute(statement("catalog/drop_table", table=entry.release_name))
    session.execute(statement("catalog/drop_table", table=entry.blocks_name))
    session.execute(
        statement("catalog/delete", catalog=(entry.database, SCHEMA, TABLE)),
        {"release_schema": entry.release_schema, "release": entry.release},
    )


def enter_release(session: Session, entry: CatalogEntry) -> None:
    """Write one catalog row, inside the caller's transaction; makes the catalog where there is none yet."""
    catalog = (entry.database, SCHEMA, TABLE)
    session.execute(statement("catalog/create_schema", schema=(entry.database, SCHEMA)))
    session.execute(statement("catalog/create", catalog=catalog))
    session.execute(
        statement("catalog/insert", catalog=catalog),
        {
            "release_schema": entry.release_schema,
            "release": entry.release,
            "blocks": entry.blocks,
            "problem": entry.problem_json,
            "result": entry.result_json,
            "dictionary": entry.dictionary_json,
            "versions": entry.versions_json,
        },
    )


def _select(session: Session, database: str, schema: str | None, release: str | None) -> list[CatalogEntry]:
    present = session.rows(statement("catalog/relations"), {"database": database, "schema": SCHEMA, "name": TABLE})
    if not present:
        return []
    catalog = (database, SCHEMA, TABLE)
    columns = {column for column, _ in session.rows(statement("catalog/columns"), dict(zip(_PARTS, catalog, strict=True)))}
    if not columns >= _COLUMNS:
        raise SpecificationError(
            f"'{SCHEMA}.{TABLE}' in database '{database}' is not the catalog of this package: give it another name"
        )
    rows = session.rows(statement("catalog/select", catalog=catalog), {"release_schema": schema, "release": release})
    return [CatalogEntry(database, *row) for row in rows]
