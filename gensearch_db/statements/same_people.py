"""Releases of the same people that are about to be handed out together: whoever has both can intersect their blocks."""

from __future__ import annotations

from collections.abc import Sequence

from gensearch_db.database.catalog import CatalogEntry, require_release
from gensearch_db.database.session import Session
from gensearch_db.database.source import tables_read
from gensearch_db.errors import GensearchError


def notes_on_the_same_people(session: Session, releases: Sequence[str]) -> dict[str, str]:
    """By the name of each release that was made from a table of another one's: what its owner should look at.

    Two releases count as such where their sources read a common table, or are the same file or text.
    """
    entries = list({entry.release_name: entry for entry in (require_release(session, each) for each in releases)}.values())
    sources = [_source(session, entry) for entry in entries]
    notes = {}
    for entry, source in zip(entries, sources, strict=True):
        both = zip(entries, sources, strict=True)
        others = [other.release for other, read in both if other is not entry and not read.isdisjoint(source)]
        if others:
            asked = ", ".join(f"AUDIT {entry.release} WITH {other}" for other in others)
            notes[entry.release] = f"made from the same people as {', '.join(others)}: what they tell together says {asked}"
    return notes


def _source(session: Session, entry: CatalogEntry) -> set[tuple[str, ...]]:
    """The tables that a release was made from; its source as written where it reads none, or is gone."""
    try:
        return tables_read(session, entry.problem.table) or {(entry.problem.table,)}
    except GensearchError:
        return {(entry.problem.table,)}
