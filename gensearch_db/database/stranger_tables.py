"""Tables under the names of a release that are not the release: somebody put them there since, and they are never dropped, nor
handed out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gensearch_db.database.dictionary import ReleaseDictionary
from gensearch_db.database.rendering import statement
from gensearch_db.database.session import Session
from gensearch_db.errors import SpecificationError

if TYPE_CHECKING:
    from gensearch_db.database.catalog import CatalogEntry


_NOT_DROPPED = "it is not dropped: rename it, or drop it yourself"


def refuse_strangers(session: Session, entry: CatalogEntry, consequence: str = _NOT_DROPPED) -> None:
    """Raise :class:`SpecificationError` where a table of the release has other columns than the release has, or is a view.

    ``consequence`` ends the message: what is not done, and what to do. Tables that are gone are no strangers.
    """
    dictionary = entry.dictionary
    for name, columns in ((entry.release_name, columns_of_release(dictionary)), (entry.blocks_name, _of_blocks(dictionary))):
        place = dict(zip(("database", "schema", "name"), name, strict=True))
        kinds = {kind for kind, *_ in session.rows(statement("catalog/relations"), place)}
        found = {column.casefold() for column, _ in session.rows(statement("catalog/columns"), place)}
        if kinds and (kinds != {"table"} or found != {column.casefold() for column in columns if column is not None}):
            raise SpecificationError(
                f"'{'.'.join(name)}' is not the table that was written for the release '{entry.release}': its columns are"
                f" others, so somebody put it there or changed it since, and {consequence}"
            )


def columns_of_release(dictionary: ReleaseDictionary) -> set[str | None]:
    """The columns that a release was written with (None stands for what it has none of)."""
    columns: set[str | None] = {each.label for each in dictionary.quasi_identifiers}
    if dictionary.typed_columns:
        columns |= {name for each in dictionary.quasi_identifiers for name in (each.lower, each.upper, each.values)}
    return columns | {each.name for each in dictionary.sensitive} | set(dictionary.keep)


def _of_blocks(dictionary: ReleaseDictionary) -> set[str | None]:
    """The columns of its blocks."""
    columns: set[str | None] = {dictionary.count, *(each.distribution for each in dictionary.sensitive)}
    for each in dictionary.quasi_identifiers:
        columns |= {each.label, each.lower, each.upper, each.missing, each.values}
    return columns
