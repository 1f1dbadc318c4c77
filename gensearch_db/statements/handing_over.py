"""What a publication may take the place of, and how a file takes it together with the one that describes it.

A reader finds the old publication or the new one (:mod:`gensearch_db.staging`), and never a file beside a wrong description.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from gensearch_db.errors import SpecificationError
from gensearch_db.staging import take_permissions

DICTIONARY = "dictionary.json"
"""What says of a folder that it is a publication, and which files belong to it."""


def file_of(table: str, suffix: str) -> str:
    """The name of a table's file in a folder."""
    return quote(table, safe=" ") + suffix


def refuse_files(paths: Sequence[Path], *, replace: bool) -> None:
    """Refuse files that exist, unless they are to be replaced, what is no file there, and folders that do not exist."""
    if not paths[0].parent.is_dir():
        raise SpecificationError(f"cannot write to '{paths[0]}': the folder '{paths[0].parent}' does not exist")
    existing = [path for path in paths if path.exists()]
    strangers = [str(path) for path in existing if not path.is_file()]
    if strangers:
        raise SpecificationError(f"cannot write to '{', '.join(strangers)}': that is no file, so choose another target")
    if existing and not replace:
        written = ", ".join(str(path) for path in existing)
        raise SpecificationError(f"{written} exists already; say REPLACE to overwrite it, or choose another target")


def refuse_folder(folder: Path, *, replace: bool) -> None:
    """Refuse a folder that holds anything but a publication that is to be replaced: it would be handed out too, or lost."""
    if not folder.name or not folder.parent.is_dir():
        raise SpecificationError(f"cannot write to '{folder}': name a folder for the publication in one that exists")
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    strangers = _strangers(folder)
    if strangers:
        raise SpecificationError(
            f"'{folder}' holds what is no part of a publication ({', '.join(strangers[:3])}): choose a folder of its own for it"
        )
    if not replace:
        raise SpecificationError(f"{folder} exists already; say REPLACE to overwrite it, or choose another target")


def _strangers(folder: Path) -> list[str]:
    """What stands in a place and is not listed in its dictionary; everything where there is no dictionary."""
    if not folder.is_dir():
        return [folder.name]
    try:
        content = json.loads((folder / DICTIONARY).read_text(encoding="utf-8"))
        suffix = Path(content["target"]).suffix
        tables = [table["table"] for release in content["releases"] for table in release["tables"]]
        known = {DICTIONARY, *(file_of(table, suffix) for table in tables)}
    except (OSError, ValueError, KeyError, TypeError):
        known = set()
    return sorted(path.name for path in folder.iterdir() if path.name not in known)


@contextmanager
def one_at_a_time(folder: Path) -> Iterator[None]:
    """Inside, no other publication takes its place in a folder."""
    lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def place_files(staging: Path, target: Path, companion: Path, *, replace: bool) -> None:
    """Move a file and the one that describes it. The old description goes first, the new one comes last: never a wrong one.

    Each keeps the permissions of the older one; where a description was lost, those of the file that it described. Without
    ``replace`` nothing is overwritten that came there in the meantime: raises :class:`SpecificationError`.
    """
    if replace:
        take_permissions(staging / companion.name, companion, target)
        take_permissions(staging / target.name, target)
        companion.unlink(missing_ok=True)
        os.replace(staging / target.name, target)
    else:
        refuse_files([target, companion], replace=False)
        _move_where_nothing_is(staging / target.name, target)
    os.replace(staging / companion.name, companion)


def _move_where_nothing_is(source: Path, target: Path) -> None:
    """Move a file; another program may make one of the target's name at the same moment, which is then refused."""
    try:
        os.link(source, target)
    except FileExistsError:
        refuse_files([target], replace=False)
    except OSError:  # a file system without links
        os.replace(source, target)
