"""Compiling the kernel: one decorator, one announcement. Where the code is kept: ``kept_code.py``.

numba's own cache notices changes of the file that a function stands in, not of the files whose functions it calls. So compiled
code is kept in a folder named after a digest of the function's module and of all our modules that it imports: whatever
changes, nothing stale is ever loaded. Import this module only where numba is needed; it is slow to import.
"""

from __future__ import annotations

import hashlib
import logging
import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba import njit
from numba.core import config

from gensearch_db.kept_code import KeptCode, cache_folder

F = TypeVar("F", bound=Callable[..., Any])

_IMPORT = re.compile(r"^from (gensearch_db\.(?:privacy|cost|search)[\w.]*) import ([^(\n]+|\([^)]+\))", re.MULTILINE)

STRUCTURES = "gensearch_db.search.structures"
"""How groups are laid out is part of all code that reads them, though its modules do not import this one."""

logger = logging.getLogger("gensearch_db")


def compiled(function: F) -> F:
    """Compile a function on its first call, without the GIL, cached across processes."""
    settings: Any = config
    before = settings.CACHE_DIR
    settings.CACHE_DIR = str(cache_folder() / module_digest(function.__module__))
    try:
        dispatcher: Any = njit(nogil=True)(function)
        dispatcher._cache = KeptCode(function)
    finally:
        settings.CACHE_DIR = before
    return dispatcher  # type: ignore[no-any-return]


@cache
def module_digest(module: str) -> str:
    """A digest of the sources of a module, of all modules of ours that it imports, however far, and of the structures."""
    digest = hashlib.sha256(f"{numba.__version__} {sys.version}".encode())
    found: dict[str, bytes] = {}
    pending = [module]
    while pending:
        name = pending.pop()
        source = _source(name)
        if name in found or source is None:
            continue
        found[name] = source
        for imported, members in _IMPORT.findall(source.decode()):
            pending.append(imported)
            pending.extend(f"{imported}.{member}" for member in re.findall(r"\w+", members))
    found[STRUCTURES] = _source(STRUCTURES) or b""
    for name in sorted(found):
        digest.update(name.encode() + b"\0" + found[name])
    return digest.hexdigest()[:16]


@cache
def _source(module: str) -> bytes | None:
    package = Path(__file__).parent
    path = package.joinpath(*module.split(".")[1:]).with_suffix(".py")
    return path.read_bytes() if path.is_file() else None


@cache
def announce(module: str) -> None:
    """Say once that compilation takes a while, if nothing of this module is cached yet."""
    if not any((cache_folder() / module_digest(module)).rglob("*.nbi")):
        logger.warning("Compiling the search for this machine: once, about half a minute.")
