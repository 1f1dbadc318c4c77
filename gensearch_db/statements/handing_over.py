"""How a publication takes its place: put together in a hidden folder beside its target, and moved there whole.

A reader finds the old publication or the new one. A process that dies leaves at most the hidden folder, which the next
publication to the same target recognises by its name, and by its lock that nobody holds, and removes.
"""

from __future__ import annotations

import ctypes
import fcntl
import glob
import json
import os
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from gensearch_db.errors import SpecificationError

DICTIONARY = "dictionary.json"
"""What says of a folder that it is a publication, and which files belong to it."""

_MARK = ".gensearch-"
_AWAY = "-old"
"""The ending of a folder's name while it waits for the new one to take its place."""

_AT_WORKING_DIRECTORY, _EXCHANGE = -100, 2
"""AT_FDCWD and RENAME_EXCHANGE, of Linux's renameat2."""


def file_of(table: str, suffix: str) -> str:
    """The name of a table's file in a folder."""
    return quote(table, safe=" ") + suffix


@contextmanager
def staged(target: Path) -> Iterator[Path]:
    """A hidden folder beside ``target``, this process's own, to put a publication together in; it goes when the block ends."""
    _remove_leftovers(target)
    while True:
        folder = target.with_name(f".{target.name}{_MARK}{secrets.token_hex(4)}")
        folder.mkdir()
        lock = os.open(folder, os.O_RDONLY)
        fcntl.flock(lock, fcntl.LOCK_EX)
        if folder.exists():  # else another process took it for a leftover before it was locked
            break
        os.close(lock)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _remove_leftovers(target: Path) -> None:
    """Remove what publications to this target left when they were killed; put the old one back if it was away just then."""
    for path in sorted(target.parent.glob(f".{glob.escape(target.name)}{_MARK}*")):
        if path.name.endswith(_AWAY):
            if not target.exists():
                path.rename(target)
            shutil.rmtree(path, ignore_errors=True)
            continue
        with suppress(OSError):  # locked: another process is at work there
            lock = os.open(path, os.O_RDONLY)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path)
            finally:
                os.close(lock)


def refuse_files(paths: Sequence[Path], *, replace: bool) -> None:
    """Refuse files that exist, unless they are to be replaced, folders in their place, and folders that do not exist."""
    if not paths[0].parent.is_dir():
        raise SpecificationError(f"cannot write to '{paths[0]}': the folder '{paths[0].parent}' does not exist")
    existing = [str(path) for path in paths if path.exists()]
    if existing and not (replace and all(Path(path).is_file() for path in existing)):
        raise SpecificationError(f"{', '.join(existing)} exists already; say REPLACE to overwrite it, or choose another target")


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

    Without ``replace`` nothing is overwritten that came there in the meantime: raises :class:`SpecificationError`.
    """
    if replace:
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


@contextmanager
def overwriting(target: Path) -> Iterator[Path]:
    """Where to write what takes a file's place whole, with the older one's permissions, or else leaves that as it is.

    What is no file (a pipe, a terminal) is written to directly.
    """
    place = Path(os.path.realpath(target))
    if place.exists() and not place.is_file():
        yield place
        return
    with staged(place) as staging:
        written = staging / place.name
        yield written
        if place.exists():
            shutil.copymode(place, written)
        os.replace(written, place)


def place_folder(staging: Path, target: Path, *, replace: bool) -> None:
    """Let a folder take its place, with ``replace`` that of an older one: in one step where the system can do that.

    Where it cannot, there is a moment with no publication at all. Raises ``OSError`` where there is one that may not go.
    """
    if not (replace and target.exists() and any(target.iterdir())):
        os.rename(staging, target)
    elif not _exchange(staging, target):
        away = target.with_name(f".{target.name}{_MARK}{secrets.token_hex(4)}{_AWAY}")
        os.rename(target, away)
        os.rename(staging, target)
        shutil.rmtree(away, ignore_errors=True)


def _exchange(first: Path, second: Path) -> bool:
    """Let two folders change places in one step; False where the system cannot do that."""
    try:
        exchange = ctypes.CDLL(None).renameat2
    except (OSError, AttributeError):
        return False
    names = os.fsencode(first), os.fsencode(second)
    return bool(exchange(_AT_WORKING_DIRECTORY, names[0], _AT_WORKING_DIRECTORY, names[1], _EXCHANGE) == 0)
