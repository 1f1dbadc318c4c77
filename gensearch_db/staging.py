"""How files take their place: put together in a hidden folder beside their target, and moved there whole.

A reader finds the old files or the new ones. A process that dies leaves at most the hidden folder, which the next one to write
to the same target recognises by its name, and by its lock that nobody holds, and removes.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import glob
import operator
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import reduce
from pathlib import Path

_MARK = ".gensearch-"
_AWAY = "-old"
"""The ending of a folder's name while it waits for the new one to take its place."""

_AT_WORKING_DIRECTORY, _EXCHANGE = -100, 2
"""AT_FDCWD and RENAME_EXCHANGE, of Linux's renameat2."""


@contextmanager
def staged(target: Path) -> Iterator[Path]:
    """A hidden folder beside ``target``, this process's own, to put its files together in; it goes when the block ends.

    Only this user may look into it: what is put together there may take the place of what others must not read.
    """
    _remove_leftovers(target)
    while True:
        folder = target.with_name(f".{target.name}{_MARK}{secrets.token_hex(4)}")
        folder.mkdir(mode=0o700)
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
    """Remove what writers to this target left when they were killed; put the old one back if it was away just then."""
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
        take_permissions(written, place)
        os.replace(written, place)


def take_permissions(new: Path, *older: Path) -> None:
    """Give a file or folder the permissions of the first of these that exists."""
    for path in older:
        if path.exists():
            shutil.copymode(path, new)
            return


def place_folder(folder: Path, target: Path, *, replace: bool) -> None:
    """Let a folder take its place, with ``replace`` that of an older one: in one step where the system can do that.

    It and its files take the permissions of what was there, as :func:`_keep_permissions` says. What it took the place of is
    left in its own, or removed. Where the system cannot exchange folders, there is a moment with neither. Raises ``OSError``
    where there is an older one that may not go.
    """
    if target.exists():
        if not os.access(target, os.W_OK):  # nor could the new one move, or be removed, once it has these permissions
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))
        _keep_permissions(folder, target)
    if not (replace and target.exists() and any(target.iterdir())):
        os.rename(folder, target)
    elif not _exchange(folder, target):
        away = target.with_name(f".{target.name}{_MARK}{secrets.token_hex(4)}{_AWAY}")
        os.rename(target, away)
        try:
            os.rename(folder, target)
        except OSError:
            os.rename(away, target)
            raise
        shutil.rmtree(away, ignore_errors=True)


def _keep_permissions(folder: Path, older: Path) -> None:
    """Give a folder and its files the permissions of an older one's; a file that is new there, what all older ones allow."""
    take_permissions(folder, older)
    modes = [path.stat().st_mode for path in older.iterdir()]
    for path in folder.iterdir():
        if (older / path.name).exists():
            take_permissions(path, older / path.name)
        else:
            path.chmod(reduce(operator.and_, modes, stat.S_IMODE(path.stat().st_mode)))


def _exchange(first: Path, second: Path) -> bool:
    """Let two folders change places in one step; False where the system cannot do that."""
    try:
        exchange = ctypes.CDLL(None).renameat2
    except (OSError, AttributeError):
        return False
    names = os.fsencode(first), os.fsencode(second)
    return bool(exchange(_AT_WORKING_DIRECTORY, names[0], _AT_WORKING_DIRECTORY, names[1], _EXCHANGE) == 0)
