"""Where compiled code is kept, and how several processes keep it at once.

numba keeps an index per function that says which file has the code for which types and which processor. Of two processes (or
two machines with one home folder) that save at once, the later writes its index over the other's. So no two of them ever choose
the same name for a file of code: an entry of the index may be lost, and its code compiled again, but none names other code.
"""

from __future__ import annotations

import logging
import os
import pickle
import secrets
import stat
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile

TORN = (EOFError, pickle.UnpicklingError)
"""What reading a file raises whose end was lost when the machine went down."""

USER = os.getuid() if hasattr(os, "getuid") else 0

logger = logging.getLogger("gensearch_db")


class CodeFiles(IndexDataCacheFile):
    """The index and the files of code of one function. A torn file counts as none."""

    def _data_name(self, number: int) -> str:
        """A name that nobody else chooses, in place of a small ``number``."""
        return str(super()._data_name(secrets.randbits(64)))

    def _load_index(self) -> dict[Any, str]:
        try:
            return dict(super()._load_index())
        except TORN:
            return {}

    def load(self, key: Any) -> Any:
        """The code for some types and a processor, None where there is none."""
        try:
            return super().load(key)
        except TORN:
            return None


class KeptCode(FunctionCache):
    """What is kept of one function. What cannot be kept, because the disk is full for example, is compiled again next time."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file = CodeFiles(self.cache_path, self._impl.filename_base, self._impl.locator.get_source_stamp())

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep code for the types ``sig``, if that can be done."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _tell_not_kept(error.strerror or str(error))


@cache
def _tell_not_kept(reason: str) -> None:
    logger.warning("Compiled code cannot be kept in %s (%s): it will be compiled again next time.", cache_folder(), reason)


@cache
def cache_folder() -> Path:
    """Where compiled code is kept: the user's cache, or a temporary folder where that cannot be written."""
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = Path(caches) / "gensearch-db"
    if _is_there(folder) and os.access(folder, os.W_OK):
        return folder
    folder = Path(tempfile.gettempdir()) / f"gensearch-db-{USER}"
    if _is_there(folder) and _is_private(folder):
        return folder
    return Path(tempfile.mkdtemp(prefix="gensearch-db-"))


def _is_there(folder: Path) -> bool:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return False
    return True


def _is_private(folder: Path) -> bool:
    """Whether nobody else can write to a folder that lies among those of other users: the code that is found there is run."""
    status = folder.lstat()
    others = stat.S_IWGRP | stat.S_IWOTH
    return stat.S_ISDIR(status.st_mode) and status.st_uid == USER and not status.st_mode & others
