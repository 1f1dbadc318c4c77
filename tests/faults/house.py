"""The house that faults strike: a table of people, an old release, and what must be true of it afterwards."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import duckdb

import gensearch_db
from tests.cases.invariants import Surroundings, check_release, fingerprint

PEOPLE = """
CREATE TABLE people AS
SELECT i AS id, (20 + hash(i) % 60)::INTEGER AS age, ['a', 'b', 'c', 'd'][(1 + hash(i, 1) % 4)::INTEGER] AS town,
  'd' || hash(i, 2) % 5 AS illness
FROM range(400) r(i)
"""


def problem(into: str = "rel", k: int = 10) -> dict[str, Any]:
    """The release that the faulty run asks for: it replaces the old one of the same name."""
    return {
        "table": "people",
        "into": into,
        "identifiers": ["id"],
        "quasi_identifiers": {"age": {"split": "every 10"}, "town": {"unordered": True}},
        "sensitive": ["illness"],
        "subject_to": [f"k_anonymity({k})"],
        "strategy": "enumeration",  # nothing to compile, so that processes start quickly
        "node_limit": 100,
    }


OLD = problem(k=40)
NEW = problem(k=10)


@dataclass(frozen=True)
class House:
    """A database file with an old release in it, as it was before the fault."""

    path: Path
    pristine: Path
    surroundings: Surroundings = field(repr=False)
    old: Any = field(repr=False)

    @classmethod
    def build(cls, path: Path) -> House:
        """Make the file; the old release is made by a run that nothing disturbs."""
        with duckdb.connect(path) as connection:
            connection.execute(PEOPLE)
            gensearch_db.anonymize(connection, **OLD)
            connection.execute("CHECKPOINT")
            return cls(path, path, Surroundings.of(connection, path.parent), fingerprint(connection, "rel"))

    def copied_to(self, path: Path) -> House:
        """The same house in a file of its own, alone in its folder."""
        shutil.copyfile(self.pristine, path)
        return replace(self, path=path)

    def restore(self) -> None:
        """As it was before the fault."""
        self.path.with_name(self.path.name + ".wal").unlink(missing_ok=True)
        shutil.copyfile(self.pristine, self.path)

    def check_as_before(self, connection: duckdb.DuckDBPyConnection) -> None:
        """The old release is there, untouched; nothing else is."""
        Surroundings.of(connection, self.path.parent).check(self.surroundings, release=None)
        assert fingerprint(connection, "rel") == self.old, "the old release has changed"

    def check_old_or_new(self, connection: duckdb.DuckDBPyConnection) -> str:
        """The old release whole, or the new one whole (the fault came after the commit); says which."""
        Surroundings.of(connection, self.path.parent).check(self.surroundings, release="rel")
        if fingerprint(connection, "rel") == self.old:
            return "old"
        check_release(connection, NEW)
        assert gensearch_db.audit(connection, "rel").passed
        return "new"

    def check_next_run_works(self, connection: duckdb.DuckDBPyConnection) -> None:
        """The same request goes through on the same connection or file."""
        gensearch_db.anonymize(connection, replace=True, **NEW)
        check_release(connection, NEW)
