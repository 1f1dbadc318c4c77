"""What a published label says, read from its text alone as ``docs/release.md`` explains it; no code of the package is used."""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Sequence
from itertools import count, islice

WHOLE = "*"

CALENDAR = {
    r"(?P<year>\d{4})": "1 YEAR",
    r"(?P<year>\d{3}0)s": "10 YEARS",
    r"(?P<year>\d{4})-(?P<month>\d\d)": "1 MONTH",
    r"(?P<year>\d{4})-Q(?P<quarter>[1-4])": "3 MONTHS",
    r"(?P<year>\d{4})-W(?P<week>\d\d)": "7 DAYS",
    r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)": "1 DAY",
}
"""Names of calendar units, and how long each unit is."""


def calendar_unit(text: str, kind: str) -> tuple[str, str] | None:
    """The first day of the unit of time that a label names, and its length as an INTERVAL; None for any other label.

    The name of a day is a unit for timestamps; for dates it is a value.
    """
    if kind not in ("DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE"):
        return None
    for pattern, length in CALENDAR.items():
        found = re.fullmatch(pattern, text)
        if found is None or (length == "1 DAY" and kind == "DATE"):
            continue
        said = {name: int(number) for name, number in found.groupdict().items()}
        if "week" in said:
            return str(datetime.date.fromisocalendar(said["year"], said["week"], 1)), length
        month = said.get("month", 3 * said.get("quarter", 1) - 2)
        return str(datetime.date(said["year"], month, said.get("day", 1))), length
    return None


def is_label_of_set(text: str | None, values: Sequence[str | None], tree: Counter[str] | None) -> bool:
    """Whether a label of categories says just these values, given in their published order.

    ``tree`` counts the names of the nodes above and among the values (None for attributes without a tree). Names of inner nodes
    are not looked into: they say what the owner's taxonomy means by them.
    """
    if text is None or list(values) == [None]:
        return text is None and list(values) == [None]
    if len(values) == 1:
        (value,) = values
        assert value is not None
        return text in (_node_names(value, tree) if tree is not None else {_apart(value)})
    if text.startswith("{"):
        return text == "{" + ", ".join(map(_member, values)) + "}"
    known = [value for value in values if value is not None]
    if tree is None and len(known) > 1 and " .. " in text:
        return text == f"{_apart(known[0])} .. {_apart(known[-1])}" + (" or NULL" if None in values else "")
    if text == WHOLE or tree is None:
        return text == WHOLE or (len(known) == 1 and text == f"{_apart(known[0])} or NULL")
    return any(text in _node_names(name, tree) for name in tree)


def _node_names(name: str, tree: Counter[str]) -> set[str]:
    """What nodes of this name may be called: their name, and where the tree has it more than once the name with a number.

    The caller sees that no two are called the same.
    """
    called = {name}
    if tree[name] > 1:
        numbers = (number for number in count(1) if f"{name} #{number}" not in tree)
        called |= {f"{name} #{number}" for number in islice(numbers, tree[name])}
    return called


def taxonomy_names(rows: Sequence[Sequence[str | None]], values: set[str]) -> Counter[str]:
    """How often a taxonomy has a node of each name: rows of child and parent, or of a leaf and its levels up to the root."""
    cells = [[cell for cell in row if cell not in (None, "")] if row[0] else list(row) for row in rows]
    if all(len(row) == 2 for row in rows):
        parents = {row[1] for row in rows if row[1] not in (None, "", row[0])}
        names = Counter({cell for row in cells for cell in row if cell is not None})
        names.update(parents & values)  # a value that is an inner node is a leaf below it, too
    else:
        names = Counter(row[0] for row in {tuple(row[start:]) for row in cells for start in range(len(row))})
    names[WHOLE] += 1
    return names  # type: ignore[return-value]


def prefix_names(values: set[str]) -> Counter[str]:
    """How often the tree of common prefixes has a node of each name: a group of values shows as much as its siblings do."""
    names = Counter({*values, WHOLE})
    names[WHOLE] = 1 + (WHOLE in values)
    waiting = [values] if len(values) > 1 else []
    while waiting:
        parent = waiting.pop()
        depth = _shared(parent)
        groups = [
            {value for value in parent if value[depth : depth + 1] == key} for key in {v[depth : depth + 1] for v in parent}
        ]
        several = [group for group in groups if len(group) > 1]
        shown = min((_shared(group) for group in several), default=0)
        for group in several:
            lengths = {len(value) for value in group}
            names[next(iter(group))[:shown] + WHOLE * (lengths.pop() - shown if len(lengths) == 1 else 1)] += 1
        waiting += several
    return names


def _shared(values: set[str]) -> int:
    """How many characters all values begin with."""
    first, last = min(values), max(values)
    return next((place for place, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))


def _apart(value: str) -> str:
    """A value by itself; in quotes where it could be read as the label of several."""
    several = value == WHOLE or value[:1] in ("{", "'") or " .. " in value or value.endswith(" or NULL")
    return _in_quotes(value) if several else value


def _member(value: str | None) -> str:
    """A value inside ``{…}``; in quotes where the list could be read otherwise."""
    if value is None:
        return "NULL"
    plain = value not in ("", "NULL") and not any(mark in value for mark in "{},'") and value == value.strip()
    return value if plain else _in_quotes(value)


def _in_quotes(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
