"""PUBLISH: copy what may be handed out of a release, the two tables and a dictionary, and nothing else."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace as replaced
from pathlib import Path
from typing import Any

from gensearch_db.database.catalog import CatalogEntry, require_release
from gensearch_db.database.columns import any_text, released_type
from gensearch_db.database.dictionary import ReleaseDictionary
from gensearch_db.database.names import written_name
from gensearch_db.database.rendering import Sql, statement
from gensearch_db.database.session import Session, TableName
from gensearch_db.database.settings import insertion_order_kept
from gensearch_db.database.type_names import is_nested
from gensearch_db.errors import GensearchError, SpecificationError, reason
from gensearch_db.staging import place_folder, staged
from gensearch_db.statements.handing_over import (
    DICTIONARY,
    file_of,
    one_at_a_time,
    place_files,
    refuse_files,
    refuse_folder,
)
from gensearch_db.statements.older_database import guarded
from gensearch_db.statements.owner_notes import formula_notes, notes_for_the_owner
from gensearch_db.statements.parquet import parquet_type, refuse_variants
from gensearch_db.statements.reader import written_string
from gensearch_db.statements.unchanged import refuse_changed


@dataclass(frozen=True)
class PublishedTable:
    """One table that was handed out: where it went, how many rows it has, and what its owner should know of its release."""

    release: str
    table: str
    file: str
    rows: int
    note: str | None = None


@dataclass(frozen=True)
class _Part:
    """One table to hand out: the query that reads it and its columns (name, type as published)."""

    entry: CatalogEntry
    name: str
    table: TableName
    columns: tuple[tuple[str, str], ...]
    suffix: str

    def rows(self, nested_as_json: bool = False) -> Sql:
        """The query that reads the table; nested values as JSON text on request."""
        columns = [
            {
                "name": name,
                "type": published if published != own else None,
                "nested": nested_as_json and (is_nested(published) or published == "VARIANT"),
            }
            for (name, own), (_, published) in zip(self.columns, self.published_columns, strict=True)
        ]
        return statement("statements/publish_rows", table=self.table, columns=columns)

    @property
    def published_columns(self) -> tuple[tuple[str, str], ...]:
        """Name and type of each column as handed out."""
        as_type = parquet_type if self.suffix == ".parquet" else released_type
        return tuple((name, as_type(own)) for name, own in self.columns)


def publish(session: Session, releases: Sequence[str], target: str | Path, replace: bool = False) -> list[PublishedTable]:
    """Copy ``releases`` to ``target``: a ``.duckdb`` file, or ``folder/*.parquet`` or ``folder/*.csv``.

    What is read is one state of the database, and a reader of the target finds a whole publication, the old or the new one
    (:mod:`gensearch_db.staging`). Beside a file goes ``<file>.dictionary.json``, into a folder
    ``dictionary.json``. An existing target is overwritten with ``replace`` only, a database only if it is a publication. Raises
    :class:`SpecificationError` for unknown releases, those whose tables were changed since, clashing names, targets that cannot
    be written, and inside a transaction of the user's, :class:`DataError` for values that Parquet cannot hold. Releases of the
    same people that go out together have a note, and those with kept columns whose values are somebody's own, and CSV files
    with what spreadsheets take for formulas.
    """
    if not releases:
        raise SpecificationError("name at least one release to publish")
    path = Path(target)
    session.refuse_open_transaction()
    to_database, to_folder = path.suffix.lower() in (".duckdb", ".db"), path.name in ("*.parquet", "*.csv")
    if not to_database and not to_folder:
        raise SpecificationError(
            f"cannot publish to '{target}': write a file 'x.duckdb', or 'folder/*.parquet' or 'folder/*.csv'"
        )
    notes = notes_for_the_owner(session, releases)
    try:
        if to_database:
            published = _to_database(session, releases, path, replace)
        else:
            published = _to_folder(session, releases, path.parent, path.suffix, replace)
    except OSError as error:
        raise SpecificationError(f"cannot write '{target}': {reason(error)}") from error
    return [replaced(each, note="; ".join(filter(None, (notes.get(each.release), each.note))) or None) for each in published]


def _all_parts(session: Session, releases: Sequence[str], suffix: str) -> list[_Part]:
    """The tables of all releases, for files of this kind.

    Raises :class:`SpecificationError` where one does not exist, was changed since it was written, or two have one name.
    """
    entries = [require_release(session, written) for written in releases]
    parts = [part for entry in entries for part in _parts(session, entry, suffix)]
    names = [part.name.casefold() for part in parts]
    for part in parts:
        if names.count(part.name.casefold()) > 1:
            raise SpecificationError(
                f"two of the tables to publish are called '{part.name}'; publish them to different targets"
            )
    return parts


def _parts(session: Session, entry: CatalogEntry, suffix: str) -> list[_Part]:
    parts = []
    for database, schema, name in (entry.release_name, entry.blocks_name):
        columns = session.rows(statement("catalog/columns"), {"database": database, "schema": schema, "name": name})
        if not columns:
            raise SpecificationError(f"table '{name}' of release '{entry.release}' is missing; anonymize again")
        parts.append(_Part(entry, name, (database, schema, name), tuple(columns), suffix))
    refuse_changed(session, entry)
    return parts


def _to_database(session: Session, releases: Sequence[str], path: Path, replace: bool) -> list[PublishedTable]:
    dictionary_path = path.with_name(path.name + ".dictionary.json")
    refuse_files([path, dictionary_path], replace=replace)
    with guarded(session, path), session.one_state():
        _all_parts(session, releases, path.suffix)  # what is wrong with the request is told before anything is made
    alias = session.temporary_name("handout")
    published = []
    with staged(path) as staging:
        session.execute(statement("statements/publish_attach", path=str(staging / path.name), alias=alias, read_only=False))
        try:
            with insertion_order_kept(session), session.transaction():
                parts = _all_parts(session, releases, path.suffix)
                for part in parts:
                    name = (alias, "main", part.name)
                    session.execute(statement("statements/publish_table", target=name, rows=part.rows()))
                    if part.name == part.entry.blocks:
                        text = part.entry.dictionary.to_json()
                        session.execute(statement("release/comment", release_blocks=name, dictionary=text))
                    published.append(_published(session, part, name, path))
        finally:
            session.execute(statement("statements/publish_detach", alias=alias))
        _write(staging / dictionary_path.name, _dictionary(parts, str(path.name), None))
        with one_at_a_time(path.parent), guarded(session, path):
            place_files(staging, path, dictionary_path, replace=replace)
    return published


def _to_folder(session: Session, releases: Sequence[str], folder: Path, suffix: str, replace: bool) -> list[PublishedTable]:
    refuse_folder(folder, replace=replace)
    published = []
    place = Path(os.path.realpath(folder))
    with staged(place) as staging:
        files = staging / place.name
        files.mkdir()
        with insertion_order_kept(session), session.transaction():
            parts = _all_parts(session, releases, suffix)
            if suffix == ".parquet":
                refuse_variants(session, [(part.table, part.published_columns) for part in parts])
            marker = _marker(session, parts) if suffix == ".csv" else None
            as_text = [(part.entry.release, part.rows(True), part.columns) for part in parts]
            notes = formula_notes(session, as_text) if suffix == ".csv" else {}
            for part in parts:
                name = file_of(part.name, suffix)
                written = str(files / name)
                if marker is None:
                    session.execute(statement("statements/publish_parquet", path=written, rows=part.rows()))
                else:
                    rows = part.rows(nested_as_json=True)
                    session.execute(statement("statements/publish_csv", path=written, rows=rows, marker=marker))
                handed_out = _published(session, part, part.table, folder / name)
                published.append(replaced(handed_out, note=notes.get(part.entry.release)))
        _write(files / DICTIONARY, _dictionary(parts, f"{folder.name}/*{suffix}", marker))
        with one_at_a_time(place.parent):
            refuse_folder(place, replace=replace)  # what came there in the meantime is not lost either
            place_folder(files, place, replace=replace)
    return published


def _published(session: Session, part: _Part, table: TableName, path: Path) -> PublishedTable:
    count = session.value(statement("statements/count_rows", table=table))
    return PublishedTable(part.entry.release, part.name, str(path), count)


def _marker(session: Session, parts: list[_Part]) -> str:
    """What stands for NULL in CSV files: a text that no value equals, so that NULL and '' stay apart for every reader."""
    for number in range(100):
        marker = "\\N" if number == 0 else f"\\N{number}"
        for part in parts:
            texts, rows = any_text(part.columns), part.rows(nested_as_json=True)
            sql = statement("statements/publish_marker_occurs", rows=rows, columns=texts)
            if session.value(sql, {"marker": marker}):
                break
        else:
            return marker
    raise GensearchError("every text that could stand for NULL in the CSV files occurs as a value; publish as Parquet")


def _write(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _dictionary(parts: list[_Part], target: str, marker: str | None) -> dict[str, Any]:
    """The data dictionary: every table and column with type and meaning, the constraints, and how to check them again."""
    releases = []
    for entry in dict.fromkeys(part.entry for part in parts):
        own = [part for part in parts if part.entry is entry]
        tables = [
            {"table": part.name, "columns": [_column(entry.dictionary, name, kind) for name, kind in part.published_columns]}
            for part in own
        ]
        releases.append(
            {
                "release": entry.release,
                "dictionary": json.loads(entry.dictionary.to_json()),
                "subject_to": list(entry.problem.subject_to),
                "tables": tables,
                "verify": _verification(entry, target),
            }
        )
    content: dict[str, Any] = {"format": 1, "target": target, "releases": releases}
    if marker is not None:
        content["csv"] = {
            "null": marker,
            "nested": "lists and structures are JSON text",
            "header": True,
            "encoding": "UTF-8",
            "spreadsheets": "values are as they are: read all columns as text, or those that begin with = + - @ are calculated",
        }
    return content


def _column(dictionary: ReleaseDictionary, name: str, kind: str) -> dict[str, str]:
    return {"name": name, "type": kind, "meaning": _meaning(dictionary, name)}


def _meaning(dictionary: ReleaseDictionary, name: str) -> str:
    """What a published column says, from the release's dictionary."""
    if name == dictionary.count:
        return f"number of {dictionary.unit} in the block"
    for each in dictionary.quasi_identifiers:
        meanings = {
            each.label: f"quasi-identifier, generalized: the region of {each.name} that the row's block covers",
            each.lower: f"lowest value of {each.name} in the region (inclusive; NULL: open)",
            each.upper: f"end of the region of {each.name} (exclusive unless equal to the lowest value; NULL: open)",
            each.values: f"the values of {each.name} that the label stands for",
            each.missing: f"whether rows without {each.name} belong to the region: no, possible or only",
        }
        if name in meanings:
            return meanings[name]
    for sensitive in dictionary.sensitive:
        if name == sensitive.distribution:
            return f"how often each value of {sensitive.name} occurs in the block"
        if name == sensitive.name:
            return "sensitive, as in the source"
    return "kept as in the source"


def _verification(entry: CatalogEntry, target: str) -> dict[str, str]:
    """How the receiver checks the release again: with this package, or with nothing but SQL."""
    labels = ", ".join('"' + each.label.replace('"', '""') + '"' for each in entry.dictionary.quasi_identifiers)
    name = written_name(entry.release)
    folder, _, pattern = target.rpartition("/")
    if pattern.startswith("*."):
        reader = "read_csv" if pattern == "*.csv" else "read_parquet"
        path = f"{folder}/{file_of(entry.release, pattern[1:])}"
        rows = f"{reader}({written_string(path)})"
        return {"sql": f"SELECT min(size) AS k FROM (SELECT count(*) AS size FROM {rows} GROUP BY {labels})"}
    requirements = " ".join(f"--subject-to {shlex.quote(constraint)}" for constraint in entry.problem.subject_to)
    return {
        "command": f"gensearch audit {shlex.quote(target)} {shlex.quote(name)} {requirements}".rstrip(),
        "sql": f"SELECT min(size) AS k FROM (SELECT count(*) AS size FROM {name} GROUP BY {labels})",
    }
