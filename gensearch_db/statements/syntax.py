"""What a script consists of: our statements as small frozen records, and everything else as text for DuckDB.

Tables and releases are written as in :class:`~gensearch_db.problem.problem.Problem`: ``t``, ``schema.t``, parts quoted where
needed, a file's path, or a query in parentheses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gensearch_db.problem.problem import Problem

ROLES = ("identifiers", "person", "quasi_identifiers", "sensitive", "keep")
"""The fields of a problem that say what a column is."""


@dataclass(frozen=True)
class EngineStatement:
    """A statement that is not ours, untouched: DuckDB runs ``text``."""

    text: str


@dataclass(frozen=True)
class Place:
    """Where a statement stands: ``script[start:end]``."""

    script: str
    start: int
    end: int


@dataclass(frozen=True, kw_only=True)
class Placed:
    """What all our statements have: their place in a script (None for one that was never written)."""

    place: Place | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Anonymize(Placed):
    """``ANONYMIZE … INTO …``. ``fields`` are those of a :class:`Problem`; without any role they need the column comments."""

    fields: Mapping[str, Any]
    replace: bool = False

    @property
    def names_roles(self) -> bool:
        """Whether the statement itself says what any column is."""
        return any(self.fields.get(role) for role in ROLES)

    def problem(self, roles: Mapping[str, Any] | None = None) -> Problem:
        """The problem, with ``roles`` (from column comments) added. Raises :class:`SpecificationError` for a wrong one."""
        problem = Problem.from_fields({**self.fields, **(roles or {})})
        problem.check_roles()
        return problem


@dataclass(frozen=True)
class ExplainAnonymize(Placed):
    """``EXPLAIN ANONYMIZE …``: what would be searched; writes nothing."""

    anonymize: Anonymize


@dataclass(frozen=True)
class ApplyRelease(Placed):
    """``ANONYMIZE TABLE table INTO into USING RELEASE release``: generalize new rows by the blocks of a release."""

    table: str
    into: str
    release: str
    replace: bool = False


@dataclass(frozen=True)
class Audit(Placed):
    """``AUDIT release [AGAINST table] [WITH other] [SUBJECT TO …]``, or a foreign table with its ``QUASI IDENTIFIERS``."""

    release: str
    against: str | None = None
    quasi_identifiers: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    subject_to: tuple[str, ...] = ()
    together_with: str | None = None


@dataclass(frozen=True)
class Estimate(Placed):
    """``ESTIMATE SELECT COUNT(*) … USING release``. ``query`` is the count query's text, ``before`` the script's before it."""

    query: str
    release: str
    before: str = field(default="", compare=False)

    @property
    def placed_query(self) -> str:
        """The query at its own line and column, blanks before it, so that errors in it point into the script."""
        return "".join(character if character in "\n\t" else " " for character in self.before) + self.query


@dataclass(frozen=True)
class Profile(Placed):
    """``PROFILE table``."""

    table: str


@dataclass(frozen=True)
class ShowReleases(Placed):
    """``SHOW RELEASES``."""


@dataclass(frozen=True)
class DropRelease(Placed):
    """``DROP RELEASE [IF EXISTS] release``."""

    release: str
    if_exists: bool = False


@dataclass(frozen=True)
class Publish(Placed):
    """``PUBLISH release, … TO 'target'``: copy what may be handed out."""

    releases: tuple[str, ...]
    target: str
    replace: bool = False


OwnStatement = Anonymize | ExplainAnonymize | ApplyRelease | Audit | Estimate | Profile | ShowReleases | DropRelease | Publish
Statement = OwnStatement | EngineStatement
