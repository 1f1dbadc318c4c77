"""DuckDB's errors in our words: what happened, where, what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import duckdb

from gensearch_db.errors import (
    DataError,
    GensearchError,
    LockError,
    ReadOnlyError,
    ResourceError,
    SpecificationError,
    sentence,
)

_DISK_FULL = ("No space left on device", "File too large", "Disk quota exceeded")
"""The operating system's words (ENOSPC, EFBIG, EDQUOT) inside DuckDB's errors of several kinds."""


@contextmanager
def translated(*, opening: str | None = None) -> Iterator[None]:
    """Run statements so that they raise this package's errors, and ``KeyboardInterrupt`` where they were interrupted.

    ``opening`` is the file that is being opened: not all of DuckDB's errors name it.
    """
    try:
        yield
    except duckdb.InterruptException as error:
        raise KeyboardInterrupt from error
    except duckdb.Error as error:
        raise in_our_words(error, opening) from error
    except RuntimeError as error:
        # The Python client reports Ctrl-C during a statement in this way.
        if "interrupted" in str(error).lower():
            raise KeyboardInterrupt from error
        raise


def in_our_words(error: duckdb.Error, opening: str | None = None) -> GensearchError:
    """The error to raise for one of DuckDB's."""
    text = str(error)
    if "Could not set lock on file" in text:
        return _locked(text)
    if "different configuration" in text:
        return LockError(
            f"{_file(opening)} is open in this process already with another configuration (for example read-only):"
            " close that connection first, or open it in the same way"
        )
    if "read-only mode!" in text or "read-only transaction" in text:
        return ReadOnlyError(f"the database is read-only, nothing can be written to it ({_first_line(text)})")
    if any(reason in text for reason in _DISK_FULL):
        return ResourceError(
            f"the disk is full, or its quota is used up: {sentence(_first_line(text))} Make room and run it again"
        )
    if isinstance(error, duckdb.OutOfMemoryException):
        return ResourceError(
            f"memory or disk space ran out: {sentence(_first_line(text))} Raise the limit (SET memory_limit,"
            " max_temp_directory_size) or use fewer threads (SET threads)"
        )
    if isinstance(error, duckdb.TransactionException):
        return GensearchError(f"the transaction failed and was undone: {_first_line(text)}")
    unreadable = "Failed to cast value" in text or "Python integer too large" in text  # a value that no type can hold
    if unreadable or isinstance(error, duckdb.ConversionException | duckdb.OutOfRangeException | duckdb.DataError):
        return DataError(_first_line(text))
    return SpecificationError(_first_line(text))


def _locked(text: str) -> LockError:
    file = re.search(r'lock on file "([^"]*)"', text)
    holder = re.search(r"PID (\d+)", text)
    where = _file(file.group(1) if file else None)
    who = f"another process (PID {holder.group(1)})" if holder else "another process"
    return LockError(f"{where} is locked by {who}: close it there, or work on a copy of the file")


def _file(path: str | None) -> str:
    return f"database file '{path}'" if path else "the database file"


def _first_line(text: str) -> str:
    """DuckDB's message without the kind in front and the query below: ``Table with name x does not exist! Did you mean …``.

    Helper tables of ours are nothing that anybody meant.
    """
    head = text.split("\n\n")[0].replace("\n", " ").strip()
    head = re.sub(r' Did you mean "(temp\.)?(main\.)?gensearch_[0-9a-f]{12}_.*', "", head)
    return re.sub(r"^[A-Za-z ]+ Error: ", "", head)
