"""Columns as they are released: types that outlive the user's own, order and grouping that no collation changes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gensearch_db.database.attributes.families import family_of
from gensearch_db.database.rendering import Sql, statement
from gensearch_db.database.type_names import is_enum, is_nested, rewritten, simple_types

_APPROXIMATE = ("FLOAT", "DOUBLE")
_ORDERED_BY_TEXT_TOO = ("INTERVAL", "JSON", "VARIANT", *_APPROXIMATE)


@dataclass(frozen=True)
class ReleasedColumn:
    """A sensitive or kept column: its name, its type in the source, and where it stands in the table of members."""

    name: str
    source_type: str
    payload: str

    @property
    def type(self) -> str:
        """The type in the release: the source's, with every ENUM as VARCHAR, so that the user's types can be dropped."""
        return released_type(self.source_type)

    def read(self) -> Sql:
        """SQL that reads the column from the source as it is released."""
        same = self.type == self.source_type
        return statement("release/payload", column=self.name, type=self.type, same=same, text=self.type == "VARCHAR")

    def grouping_key(self) -> Sql:
        """SQL over the members that tells every two values apart; NaN is NULL."""
        return statement("audit/key", column=self.payload, kind=key_kind(self.type))

    def order(self) -> list[Sql]:
        """Sort keys that put every two different values in one order, whatever the collation."""
        key = statement("release/order", table="members", column=self.payload, text=key_kind(self.type) == "text")
        return [key, *self.spellings()]

    def spellings(self) -> list[Sql]:
        """Sort keys that tell values apart which are one to DuckDB and yet not the same: 30 days and 1 month."""
        keys = []
        if is_nested(self.type) or self.type in _ORDERED_BY_TEXT_TOO:
            keys.append(statement("release/order", table="members", column=self.payload, text=True))
        if "VARIANT" in simple_types(self.type):
            keys.append(statement("release/variant_bytes", table="members", column=self.payload))
        return keys


def key_kind(type_: str) -> str:
    """How values of a type are told apart: as bytes of text, as numbers that may be NaN, or as they are."""
    if type_ == "VARCHAR" or is_enum(type_):
        return "text"
    return "float" if type_ in _APPROXIMATE else "plain"


def released_type(type_: str) -> str:
    """``type_`` with every ENUM in it, however deep, as VARCHAR.

    >>> released_type("STRUCT(s ENUM('it''s)', 'b'), x INTEGER)")
    'STRUCT(s VARCHAR, x INTEGER)'
    """
    return rewritten(type_, lambda simple: "VARCHAR" if is_enum(simple) else simple)


def any_text(columns: Iterable[tuple[str, str]]) -> list[str]:
    """Of columns (name, type) those whose values, written out, may be any text: all but numbers.

    >>> any_text([("age", "INTEGER"), ("name", "VARCHAR"), ("stay", "INTERVAL")])
    ['name', 'stay']
    """
    return [name for name, type_ in columns if not family_of(type_).numeric]
