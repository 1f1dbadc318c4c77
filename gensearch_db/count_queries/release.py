"""The published side of a release, and the only thing an estimate reads: ``<release>_blocks`` and its dictionary.

Columns a query may speak of are the quasi-identifiers (bounds or lists of values per block) and the sensitive columns (an
exact distribution per block). Each kind of column knows how a position on a line is made of its values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from gensearch_db.database.dictionary import ReleaseDictionary
from gensearch_db.database.names import parse_table_name
from gensearch_db.database.rendering import Sql, statement
from gensearch_db.database.session import Session, TableName
from gensearch_db.errors import SpecificationError, near_matches, sentence


class Kind(StrEnum):
    """How a column is published."""

    ORDERED = "ordered"
    CATEGORICAL = "categorical"
    SENSITIVE = "sensitive"


class Family(StrEnum):
    """How values of a type become positions on a line (``sql/estimate/position.sql``), and which value to try it with."""

    WHOLE = "whole"
    DECIMAL = "decimal"
    FLOAT = "float"
    DATE = "date"
    TIMESTAMP = "timestamp"
    MICROSECONDS = "microseconds"
    NANOSECONDS = "nanoseconds"
    BOOLEAN = "boolean"
    OTHER = "other"


_FAMILIES = {
    Family.WHOLE: r"U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)",
    Family.DECIMAL: r"DECIMAL.*",
    Family.FLOAT: r"FLOAT|DOUBLE",
    Family.DATE: r"DATE",
    Family.TIMESTAMP: r"TIMESTAMP|TIMESTAMP_S|TIMESTAMP_MS",
    Family.MICROSECONDS: r"TIME|TIMESTAMP WITH TIME ZONE",
    Family.NANOSECONDS: r"TIMESTAMP_NS",
    Family.BOOLEAN: r"BOOLEAN",
}


def family_of(type_name: str) -> Family:
    """The family of a type as DuckDB prints it."""
    return next((family for family, pattern in _FAMILIES.items() if re.fullmatch(pattern, type_name)), Family.OTHER)


@dataclass(frozen=True)
class PublishedColumn:
    """One column that queries may use. ``number`` is its place among them; ``list_name`` holds values or a distribution."""

    number: int
    name: str
    kind: Kind
    type: str
    lower_name: str = ""
    upper_name: str = ""
    missing_name: str | None = None
    list_name: str = ""
    anchored: bool = True
    """Whether enough bounds are published to place the open ends of an ordered column."""

    @property
    def family(self) -> Family:
        """How its values become positions."""
        return family_of(self.type)

    @property
    def counted(self) -> bool:
        """Whether an interval holds a number of values that can be counted; only floating-point columns are measured."""
        return self.family is not Family.FLOAT


def beyond_128_bits(message: str, columns: Iterable[PublishedColumn]) -> str:
    """The message of an engine that has perhaps no number beyond a value to measure its interval with, and what to do then;
    as it is where the columns are of narrower types."""
    wide = [
        one for one in columns if one.kind is Kind.ORDERED and ("HUGEINT" in one.type or one.type.startswith("DECIMAL(38,"))
    ]
    if not wide:
        return message
    named = " and ".join(f"'{column.name}' ({column.type})" for column in sorted(wide, key=lambda column: column.number))
    advice = f"Values at the very ends of {named} cannot be measured: where there are such, anonymize a narrower number"
    return f"{sentence(message)} {advice}"


@dataclass(frozen=True)
class Release:
    """A release as its recipient has it: the blocks table and what its columns mean.

    ``bounds_published`` tells how many different bounds each ordered column shows (two are enough to place its open ends).
    """

    session: Session
    blocks: TableName
    dictionary: ReleaseDictionary
    bounds_published: Mapping[str, int]

    @cached_property
    def columns(self) -> tuple[PublishedColumn, ...]:
        """The quasi-identifiers, then the sensitive columns."""
        columns: list[PublishedColumn] = []
        for entry in self.dictionary.quasi_identifiers:
            columns.append(
                PublishedColumn(
                    len(columns), entry.name, Kind(entry.kind), entry.type, entry.lower or "", entry.upper or "",
                    entry.missing, entry.values or "", self.bounds_published.get(entry.name, 2) >= 2,
                )
            )  # fmt: skip
        for sensitive in self.dictionary.sensitive:
            columns.append(
                PublishedColumn(len(columns), sensitive.name, Kind.SENSITIVE, sensitive.type, list_name=sensitive.distribution)
            )
        return tuple(columns)

    @cached_property
    def blocks_shown(self) -> TableName | tuple[str, str]:
        """The blocks table as a recipient would name it: without the database's name where it is the one that is open.

        A file that is handed out may be opened under any name.
        """
        own = self.blocks[0] == self.session.value(statement("estimate/open_database"))
        return self.blocks[1:] if own else self.blocks

    def find(self, name: str) -> PublishedColumn | str:
        """The column of this name (case does not matter), or the reason why no query can use it."""
        for column in self.columns:
            if column.name.casefold() == name.casefold():
                return column
        if name.casefold() in (kept.casefold() for kept in self.dictionary.keep):
            return f"column '{name}' is kept in the rows of release '{self.dictionary.release}' but not in its blocks"
        near = near_matches(name, [column.name for column in self.columns])
        return f"column '{name}' is not in release '{self.dictionary.release}'{near}"


def open_release(session: Session, name: str) -> Release:
    """The release of this name: ``r``, ``schema.r``, ``database.schema.r``, or the name of its blocks table.

    Raises :class:`SpecificationError` with near matches where there is none.
    """
    *place, wanted = parse_table_name(name)
    schema = place[-1] if place else None
    database = place[-2] if len(place) == 2 else None
    found = session.rows(statement("estimate/blocks_tables"), {"database": database, "schema": schema})
    tables = {(row[0], row[1], row[2]): row[3] for row in found}
    names = [
        key
        for key in tables
        if key[2].casefold() in (f"{wanted}_blocks".casefold(), wanted.casefold())
    ]  # fmt: skip
    dictionaries = {key: ReleaseDictionary.from_json(comment) for key, comment in tables.items()}
    names = names or [key for key, entry in dictionaries.items() if entry.release.casefold() == wanted.casefold()]
    if not names:
        known = [entry.release for entry in dictionaries.values()]
        raise SpecificationError(
            f"there is no release '{name}': no table '{wanted}_blocks' with a dictionary in its comment"
            f"{near_matches(wanted, known)}"
        )
    dictionary = dictionaries[names[0]]
    return Release(session, names[0], dictionary, _bounds_published(session, names[0], dictionary))


def _bounds_published(session: Session, blocks: TableName, dictionary: ReleaseDictionary) -> Mapping[str, int]:
    ordered = [entry for entry in dictionary.quasi_identifiers if entry.kind == "ordered"]
    if not ordered:
        return {}
    bounds = [(entry.lower, entry.upper) for entry in ordered]
    row = session.row(statement("estimate/bounds_published", blocks=blocks, bounds=bounds))
    return {entry.name: count for entry, count in zip(ordered, row, strict=True)}


def position(family: Family, value: Sql) -> Sql:
    """The position of a value on its line, as SQL."""
    return statement("estimate/position", family=family.value, value=value)
