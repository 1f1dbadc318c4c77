"""What is audited: the written tables, what was required of them, and the source where it is at hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from gensearch_db.database.columns import key_kind
from gensearch_db.database.dictionary import ReleaseDictionary
from gensearch_db.database.prepared import drop_after_failure, drop_tables
from gensearch_db.database.rendering import Sql, statement
from gensearch_db.database.session import Session, TableName
from gensearch_db.domain.cells import ValueDomain
from gensearch_db.privacy.constraint import Constraint


@dataclass(frozen=True)
class Source:
    """The source of a release. ``relation`` is SQL that stands in a FROM clause; ``types`` are its columns' types."""

    relation: Sql
    types: dict[str, str]
    person: str | None = None


@dataclass(frozen=True)
class Subject:
    """One table under audit, ``name`` in messages.

    ``types`` are the types of its columns; ``quasi_identifiers`` and ``sensitive`` name columns. ``blocks`` and
    ``dictionary`` are there for releases of this package. ``suppressed`` is the number of suppressed rows that the catalog
    states; ``domains`` are those of sensitive columns that some measure depends on, ``unknown_domains`` says of others why they
    are not known. ``marker`` is the text that marks suppressed
    rows of a foreign table. ``shortened``: less is printed of a region than was chosen (labels of values; values that only
    suppressed rows have).
    """

    name: str
    table: TableName
    types: dict[str, str]
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    domains: Mapping[str, ValueDomain] = field(default_factory=dict)
    unknown_domains: Mapping[str, str] = field(default_factory=dict)
    blocks: TableName | None = None
    dictionary: ReleaseDictionary | None = None
    source: Source | None = None
    suppressed: int | None = None
    marker: str | None = None
    shortened: bool = False

    @property
    def unit(self) -> str:
        """What sizes protect: ``rows`` or ``persons``."""
        return self.dictionary.unit if self.dictionary is not None else "rows"

    @property
    def required_k(self) -> int:
        """The largest k that a k-anonymity constraint asks for; 0 where none does."""
        return largest_k(self.constraints)

    def keys(self) -> list[Sql]:
        """The grouping keys of the quasi-identifier columns."""
        return [key(column, self.types[column]) for column in self.quasi_identifiers]


def largest_k(constraints: Iterable[Constraint]) -> int:
    """The largest k that a k-anonymity constraint asks for; 0 where none does."""
    return max((getattr(constraint, "k", 0) for constraint in constraints if constraint.name == "k_anonymity"), default=0)


def key(column: str, type_: str) -> Sql:
    """A column as a grouping key: every two values apart, whatever the collation; NaN is NULL."""
    return statement("audit/key", column=column, kind=key_kind(type_))


def listed_value(type_: str) -> Sql:
    """The text ``member`` of a list, as it compares with the text of a column's grouping key."""
    return statement("audit/key", column="member", kind="text" if key_kind(type_) == "text" else "plain")


@dataclass
class Scratch:
    """Temporary tables of one audit, all dropped in the end."""

    session: Session
    tables: list[TableName] = field(default_factory=list)

    def new(self, stem: str) -> TableName:
        """The name of a temporary table that is about to be made; it clashes with nobody's."""
        table = self.session.temporary_table(f"audit_{stem}")
        self.tables.append(table)
        return table


@contextmanager
def scratch(session: Session) -> Iterator[Scratch]:
    """Temporary tables for one audit. After an error nothing can be dropped in a transaction: its rollback does it."""
    space = Scratch(session)
    try:
        yield space
    except BaseException:
        drop_after_failure(session, space.tables)
        raise
    drop_tables(session, space.tables)
