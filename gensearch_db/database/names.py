"""Names of tables as users write them: ``t``, ``schema.t``, ``"odd name".t``, quoted as in SQL."""

from __future__ import annotations

import re

from gensearch_db.errors import SpecificationError

_PART = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([^\s".;,()\']+))\s*(\.|$)')


def parse_table_name(text: str) -> tuple[str, ...]:
    """The one to three unquoted parts of a table name.

    >>> parse_table_name('hr."my table"')
    ('hr', 'my table')

    Raises :class:`SpecificationError` for anything else.
    """
    parts: list[str] = []
    position = 0
    while True:
        match = _PART.match(text, position)
        if match is None:
            raise SpecificationError(
                f'{text!r} is not a table name; put names with special characters in double quotes: "my table"'
            )
        quoted, bare, end = match.groups()
        part = quoted.replace('""', '"') if quoted is not None else bare
        if not part or "\0" in part:
            raise SpecificationError(f"{text!r} is not a table name: a part of it is empty")
        parts.append(part)
        position = match.end()
        if not end:
            break
    if len(parts) > 3:
        raise SpecificationError(f"{text!r} has {len(parts)} parts; a table name has at most three: database.schema.table")
    return tuple(parts)
