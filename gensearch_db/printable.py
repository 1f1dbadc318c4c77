"""Text that may be shown at a terminal, whatever values of the data stand in it."""

from __future__ import annotations

import re

_ACTS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Characters that a terminal obeys instead of showing them: controls but for line end and tab, and changes of direction."""


def printable(text: str) -> str:
    r"""The text with its control characters written out: a value cannot clear the screen, or hide or rearrange what is said.

    >>> printable("red: \x1b[31m")
    'red: \\x1b[31m'
    """
    return _ACTS.sub(lambda found: found.group().encode("unicode_escape").decode("ascii"), text)


def blob_text(value: bytes) -> str:
    r"""Bytes as DuckDB prints them.

    >>> blob_text(b"a\0")
    'a\\x00'
    """
    return "".join(chr(byte) if 32 <= byte < 127 and byte not in b"\"'\\" else f"\\x{byte:02X}" for byte in value)


def printable_json(text: str) -> str:
    r"""JSON that says the same, with what :func:`printable` writes out as JSON's own escapes.

    >>> printable_json('["\x9b31m"]')
    '["\\u009b31m"]'
    """
    return _ACTS.sub(lambda found: f"\\u{ord(found.group()):04x}", text)
