"""What the owner of releases should look at before they are handed out: releases of the same people, which whoever has both can
intersect, kept columns whose values are somebody's own, and values that a spreadsheet would not show but calculate.
"""

from __future__ import annotations

from collections.abc import Sequence

from gensearch_db.database.audit.kept import kept_checks
from gensearch_db.database.audit.report import Verdict
from gensearch_db.database.audit.subject import largest_k
from gensearch_db.database.catalog import CatalogEntry, require_release
from gensearch_db.database.columns import any_text
from gensearch_db.database.rendering import Sql, statement
from gensearch_db.database.session import Session
from gensearch_db.database.source import tables_read
from gensearch_db.errors import GensearchError
from gensearch_db.privacy.registry import constraints_from_texts

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def notes_for_the_owner(session: Session, releases: Sequence[str]) -> dict[str, str]:
    """By the name of each release about which something should be known: what that is."""
    entries = list({entry.release_name: entry for entry in (require_release(session, each) for each in releases)}.values())
    together = _made_from_the_same_people(session, entries)
    notes = {entry.release: [*together.get(entry.release, ()), *_own_values(session, entry)] for entry in entries}
    return {release: "; ".join(found) for release, found in notes.items() if found}


def formula_notes(session: Session, tables: Sequence[tuple[str, Sql, Sequence[tuple[str, str]]]]) -> dict[str, str]:
    """By the name of each release with names or values that spreadsheets take for formulas: what its owner should know.

    ``tables``: for each table its release, the query that reads it, and its columns (name, type).
    """
    found: dict[str, dict[str, None]] = {}
    for release, rows, columns in tables:
        texts = any_text(columns)
        by_value = session.row(statement("statements/publish_formulas", rows=rows, columns=texts))
        with_formulas = dict(zip(texts, by_value, strict=True))
        for name, _ in columns:
            if with_formulas.get(name) or name.startswith(_FORMULA_STARTS):
                found.setdefault(release, {})[name] = None
    return {
        release: f"spreadsheets take the names or values of {', '.join(columns)} for formulas (they begin with = + - @, a tab"
        " or a carriage return) and calculate them: hand out Parquet, or have all columns read as text"
        for release, columns in found.items()
    }


def _own_values(session: Session, entry: CatalogEntry) -> list[str]:
    """The audit's warnings about kept columns."""
    database, schema, name = entry.release_name
    types = dict(session.rows(statement("catalog/columns"), {"database": database, "schema": schema, "name": name}))
    keep = [column for column in entry.dictionary.keep if column in types]
    k = largest_k(constraints_from_texts(entry.problem.subject_to, tuple(entry.problem.sensitive)))
    checks = kept_checks(session, entry.release_name, keep, types, k)
    return [f"kept column {check.message}" for check in checks if check.verdict is Verdict.WARNING]


def _made_from_the_same_people(session: Session, entries: Sequence[CatalogEntry]) -> dict[str, list[str]]:
    """For each release that was made from a table of another one's, which these are. Two releases count as such where their
    sources read a common table, or are the same file or text."""
    sources = [_source(session, entry) for entry in entries]
    notes = {}
    for entry, source in zip(entries, sources, strict=True):
        both = zip(entries, sources, strict=True)
        others = [other.release for other, read in both if other is not entry and not read.isdisjoint(source)]
        if others:
            asked = ", ".join(f"AUDIT {entry.release} WITH {other}" for other in others)
            notes[entry.release] = [f"made from the same people as {', '.join(others)}: what they tell together says {asked}"]
    return notes


def _source(session: Session, entry: CatalogEntry) -> set[tuple[str, ...]]:
    """The tables that a release was made from; its source as written where it reads none, or is gone."""
    try:
        return tables_read(session, entry.problem.table) or {(entry.problem.table,)}
    except GensearchError:
        return {(entry.problem.table,)}
