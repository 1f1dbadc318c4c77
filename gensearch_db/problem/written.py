"""Quasi-identifiers written as one line of text: ``age``, ``age: every 5``, ``zip: prefix``, ``"post code": taxonomy towns``.

The command line and the Python call take this form; TOML files and SQL have their own, and all end in
:class:`~gensearch_db.problem.columns.QuasiIdentifier`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from gensearch_db.argument_kinds import IN_ORDER, has_no_order
from gensearch_db.errors import Problems, SpecificationError

FORMS = (
    "every 5, every month, at 18, 65, 16 quantiles, anywhere, prefix, ordered, order low, mid, high, "
    "taxonomy TABLE_OR_CSV, relaxed taxonomy TABLE_OR_CSV, unordered"
)
"""The forms a specification may take, for messages."""

_QUOTED = re.compile(r'\s*"((?:[^"]|"")+)"\s*(?::(.*))?', re.DOTALL)
_SPLIT = re.compile(r"(every|at)\s+\S.*|\d+\s+quantiles?|anywhere", re.IGNORECASE | re.DOTALL)
_TAXONOMY = re.compile(r"(relaxed\s+)?taxonomy\s+(\S.*)", re.IGNORECASE | re.DOTALL)
_ORDER = re.compile(r"order\s+(\S.*)", re.IGNORECASE | re.DOTALL)


def quasi_identifier(text: str) -> tuple[str, dict[str, Any]]:
    """Read ``name`` or ``name: specification``; gives the name and the fields of its ``QuasiIdentifier``.

    A name with a colon in it is written in double quotes. Raises :class:`SpecificationError`.

    >>> quasi_identifier("age: every 5")
    ('age', {'split': 'every 5'})
    """
    name, written = after_quotes(text) or text.partition(":")[::2]
    if not name:
        raise SpecificationError(f"{text!r} names no column; write NAME or 'NAME: {FORMS.split(',')[0]}'")
    return name, specification(written, name)


def after_quotes(text: str) -> tuple[str, str] | None:
    """The name of a line that begins with a name in double quotes, and what stands after its colon; None for other lines.

    >>> after_quotes('"x: y": ordered')
    ('x: y', ' ordered')
    """
    quoted = _QUOTED.fullmatch(text)
    return (quoted[1].replace('""', '"'), quoted[2] or "") if quoted else None


def specification(text: str, name: str) -> dict[str, Any]:
    """Read what stands after the colon. Raises :class:`SpecificationError` that lists the forms."""
    text = text.strip()
    word = text.lower()
    if not text:
        return {}
    if word in ("prefix", "unordered"):
        return {word: True}
    if word == "ordered":
        return {"order": True}
    if _SPLIT.fullmatch(text):
        return {"split": text}
    taxonomy = _TAXONOMY.fullmatch(text)
    if taxonomy:
        return {"taxonomy": taxonomy[2], **({"relaxed": True} if taxonomy[1] else {})}
    order = _ORDER.fullmatch(text)
    if order:
        return {"order": [value.strip() for value in order[1].split(",")]}
    raise SpecificationError(f"quasi-identifier '{name}': cannot read {text!r}; write one of: {FORMS}")


def quasi_identifiers(given: Mapping[str, Any] | Iterable[str]) -> dict[str, Any]:
    """Accept every form a caller may use: lines of text, names, or a mapping of names to fields, text or None.

    Raises :class:`SpecificationError` for all that cannot be read and for names given twice.
    """
    if not isinstance(given, Iterable):
        raise SpecificationError(f"quasi_identifiers: must be a list of names, or a group of named values, not {given!r}")
    if has_no_order(given):
        raise SpecificationError(f"quasi_identifiers: {IN_ORDER}")
    problems = Problems(SpecificationError)
    read: dict[str, Any] = {}
    written = (
        given.items()
        if isinstance(given, Mapping)
        else [(None, text) for text in ([given] if isinstance(given, str) else given)]
    )
    for key, spec in written:
        try:
            if not isinstance(spec if key is None else key, str):
                raise SpecificationError(
                    f"quasi_identifiers: a column's name must be a text, not {spec if key is None else key!r}"
                )
            if key is None:
                name, fields = quasi_identifier(spec)
            else:
                name, fields = key, specification(spec, key) if isinstance(spec, str) else (spec or {})
        except SpecificationError as error:
            problems.absorb(error)
            continue
        if name in read:
            problems.add(f"column '{name}' is named twice as quasi-identifier")
        read[name] = fields
    problems.raise_if_any()
    return read
