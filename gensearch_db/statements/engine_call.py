"""One function in a module of its own, so that DuckDB's replacement scans find the caller's variables and none of ours.

DuckDB looks for ``FROM df`` in the frames of the Python callers, nearest first, locals before globals. This frame is the
nearest: whatever it names would hide a DataFrame of the same name.
"""

from __future__ import annotations as _annotations


def call_engine(_gensearch_method, /, *_gensearch_positional, **_gensearch_named):  # type: ignore[no-untyped-def]
    """Call a method of DuckDB's connection."""
    return _gensearch_method(*_gensearch_positional, **_gensearch_named)
