"""The ways to write sensitive columns: names, lines of text (``stage: order I, II``, ``diagnosis: taxonomy icd``), mappings.

TOML files and SQL have forms of their own; all end in :class:`~gensearch_db.problem.columns.SensitiveColumn`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from gensearch_db.argument_kinds import IN_ORDER, has_no_order
from gensearch_db.errors import Problems, SpecificationError
from gensearch_db.problem.written import after_quotes, specification

FORMS = "ordered, order low, mid, high, taxonomy TABLE_OR_FILE"
"""The forms a declaration may take, for messages."""


def by_name(given: Any) -> Any:
    """A list of plain names as a mapping; anything else as it is. Raises :class:`ValueError` for names given twice."""
    if isinstance(given, str) or not isinstance(given, (list, tuple)):
        return given
    for name in given:
        if not isinstance(name, str):
            raise ValueError(f"a list of columns holds names, not {name!r}")
        if given.count(name) > 1:
            raise ValueError(f"column '{name}' is named twice as sensitive")
    return {name: {} for name in given}


def sensitive_columns(given: Mapping[str, Any] | Iterable[str]) -> dict[str, Any]:
    """Accept every form a caller may use: names, lines of text (``"stage: order I, II"``), or a mapping of names to fields,
    text or None.

    Raises :class:`SpecificationError` for all that cannot be read and for names given twice.
    """
    if not isinstance(given, Iterable):
        raise SpecificationError(f"sensitive: must be a list of names, or a group of named values, not {given!r}")
    if has_no_order(given):
        raise SpecificationError(f"sensitive: {IN_ORDER}")
    problems = Problems(SpecificationError)
    read: dict[str, Any] = {}
    lines = [given] if isinstance(given, str) else given
    entries = given.items() if isinstance(given, Mapping) else [(None, line) for line in lines]
    for key, declared in entries:
        try:
            if not isinstance(declared if key is None else key, str):
                raise SpecificationError(f"sensitive: a column's name must be a text, not {declared if key is None else key!r}")
            name, fields = _line(declared) if key is None else (key, _fields(declared, key))
        except SpecificationError as error:
            problems.absorb(error)
            continue
        if name in read:
            problems.add(f"column '{name}' is named twice as sensitive")
        read[name] = fields
    problems.raise_if_any()
    return read


def _fields(declared: Any, name: str) -> Any:
    """What a mapping says of a column: text, nothing, or fields."""
    return _declaration(declared, name) if isinstance(declared, str) else {} if declared is None else declared


def _line(text: str) -> tuple[str, dict[str, Any]]:
    """``name`` or ``name: declaration``. A colon in double quotes, or without a space behind it, is the name's."""
    if quoted := after_quotes(text):
        name, declared = quoted
        return name, _declaration(declared, name)
    found = re.fullmatch(r"(.+?):\s+(\S.*)", text, re.DOTALL)
    return (found[1], _declaration(found[2], found[1])) if found else (text, {})


def _declaration(text: str, name: str) -> dict[str, Any]:
    try:
        fields = specification(text, name)
    except SpecificationError:
        fields = {"unreadable": True}
    if not fields.keys() <= {"order", "taxonomy"}:
        raise SpecificationError(f"sensitive column '{name}': cannot read {text!r}; write one of: {FORMS}")
    return fields
