"""Types as DuckDB prints them, read and rewritten: ``STRUCT("a b" INTEGER, s ENUM('x', 'y'))[]``.

Field names may look like types (``STRUCT(HUGEINT INTEGER)``) and hold anything in quotes, so they are read and kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_WORDS = re.compile(r'"(?:[^"]|"")*"|\w+(?: \w+)*')
_FIELD = re.compile(r'"(?:[^"]|"")*"|[^\s"]+')
_ARGUMENTS = re.compile(r"\((?:'(?:[^']|'')*'|[^()'])*\)")
_LISTS = re.compile(r"(?:\[\d*\])*")
_NAMED, _UNNAMED = ("STRUCT", "UNION"), ("MAP", "TUPLE")


def is_nested(type_: str) -> bool:
    """Whether values of a type hold other values: lists, arrays, structures, maps, unions, tuples.

    >>> is_nested("INTEGER[2]"), is_nested("ENUM('[')")
    (True, False)
    """
    return type_.endswith("]") or type_.startswith(tuple(f"{word}(" for word in (*_NAMED, *_UNNAMED)))


def is_enum(type_: str) -> bool:
    """Whether a type is an ENUM; a list of one begins alike.

    >>> is_enum("ENUM('a', 'b')"), is_enum("ENUM('a', 'b')[]")
    (True, False)
    """
    return type_.startswith("ENUM(") and not is_nested(type_)


def rewritten(type_: str, simple: Callable[[str], str]) -> str:
    """``type_`` with each simple type in it, however deep, as ``simple`` gives it.

    >>> rewritten("STRUCT(INT INT, s ENUM('it''s)'))[]", lambda name: "VARCHAR" if is_enum(name) else name)
    'STRUCT(INT INT, s VARCHAR)[]'
    """
    result, end = _rewritten(type_, 0, simple)
    if end != len(type_):
        raise ValueError(f"cannot read the type {type_!r} from its character {end}")
    return result


def without_entries(type_: str) -> str:
    """A type as messages name it: without the entries of the ENUMs in it, which are values of people, and may be many.

    >>> without_entries("ENUM('a', 'b')[]")
    'ENUM(…)[]'
    """
    return rewritten(type_, lambda simple: "ENUM(…)" if is_enum(simple) else simple)


def simple_types(type_: str) -> set[str]:
    """The simple types in a type, however deep.

    >>> sorted(simple_types('STRUCT("VARIANT" INTEGER, v DATE[])[]'))
    ['DATE', 'INTEGER']
    """
    found: set[str] = set()

    def note(simple: str) -> str:
        """Keep a simple type, and leave it as it is."""
        found.add(simple)
        return simple

    rewritten(type_, note)
    return found


def _rewritten(text: str, start: int, simple: Callable[[str], str]) -> tuple[str, int]:
    """The type that begins at ``start``, and where it ends."""
    word = _matched(_WORDS, text, start)
    position = start + len(word)
    if word in (*_NAMED, *_UNNAMED) and text.startswith("(", position):
        result, position = _members(text, position, simple, named=word in _NAMED)
        result = word + result
    else:
        arguments = _ARGUMENTS.match(text, position)
        position = arguments.end() if arguments else position
        result = simple(text[start:position])
    lists = _matched(_LISTS, text, position)
    return result + lists, position + len(lists)


def _members(text: str, position: int, simple: Callable[[str], str], *, named: bool) -> tuple[str, int]:
    """What stands between the parentheses that open at ``position``, and where they have closed."""
    members = []
    while text[position] != ")":
        position += 1 if text[position] == "(" else len(", ")
        field = f"{_matched(_FIELD, text, position)} " if named else ""
        member, position = _rewritten(text, position + len(field), simple)
        members.append(field + member)
    return f"({', '.join(members)})", position + 1


def _matched(pattern: re.Pattern[str], text: str, position: int) -> str:
    found = pattern.match(text, position)
    if found is None:
        raise ValueError(f"cannot read the type {text!r} from its character {position}")
    return found[0]
