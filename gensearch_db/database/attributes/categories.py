"""Categories without a tree: in order (the column's own, or a list), or unordered."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from gensearch_db.database.attributes.families import Family
from gensearch_db.database.attributes.leaves import LeafPlan, Plan
from gensearch_db.database.attributes.values import DistinctValues
from gensearch_db.errors import Problems, SpecificationError


def in_order(values: DistinctValues, order: Sequence[str], problems: Problems) -> Plan:
    """Leaves in the given order. Values that the order lacks are added to ``problems``; entries no row has stay leaves."""
    repeated = sorted({value for value in order if list(order).count(value) > 1})
    if repeated:
        raise SpecificationError(f"column '{values.column.name}': the order names {quoted(repeated)} twice")
    ordinal_of = {text: ordinal for ordinal, text in enumerate(values.texts)}
    report_missing_entries(values, set(order), "the order", problems)
    return category_plan(values, [(value, ordinal_of.get(value)) for value in order])


def own_order(values: DistinctValues, enum_levels: Sequence[str]) -> Plan:
    """Leaves in the column's own order: the position for ENUM, false before true, else the bytes of the text."""
    if values.family is Family.ENUM:
        ordinal_of = {text: ordinal for ordinal, text in enumerate(values.texts)}
        return category_plan(values, [(level, ordinal_of.get(level)) for level in enum_levels])
    return category_plan(values, [(text, ordinal) for ordinal, text in enumerate(values.texts)])


def unordered(values: DistinctValues) -> Plan:
    """One leaf per value that occurs."""
    return category_plan(values, [(text, ordinal) for ordinal, text in enumerate(values.texts)])


def category_plan(values: DistinctValues, members: Iterable[tuple[str, int | None]]) -> Plan:
    """Leaves of single values, ``(text, ordinal or None where no row has it)``, in the order of their codes."""
    leaves: list[LeafPlan] = []
    codes = np.zeros(values.count, np.int32)
    for code, (text, ordinal) in enumerate(members):
        leaves.append(LeafPlan(point=ordinal, label=text, occurs=ordinal is not None))
        if ordinal is not None:
            codes[ordinal] = code
    return Plan(tuple(leaves), codes, categorical=True)


def report_missing_entries(values: DistinctValues, known: set[str], where: str, problems: Problems) -> None:
    """Add one problem that lists the values without an entry, with the number of rows they have."""
    gaps = [(text, rows) for text, rows in zip(values.texts, values.counts, strict=True) if text not in known]
    if not gaps:
        return
    shown = ", ".join(
        f"{described(text, known)} ({rows} rows)" if rows != 1 else f"{described(text, known)} (1 row)"
        for text, rows in gaps[:20]
    )
    more = f" and {len(gaps) - 20} more" if len(gaps) > 20 else ""
    problems.add(
        f"column '{values.column.name}': {where} has no entry for {len(gaps)} value{'s' if len(gaps) != 1 else ''}"
        f" ({sum(rows for _, rows in gaps)} rows): {shown}{more}"
    )


def described(text: str, known: Iterable[str]) -> str:
    """A value in quotes; with its code points where it looks like a known one but is not (another Unicode form)."""
    import unicodedata

    folded = unicodedata.normalize("NFC", text)
    if not text.isascii() and any(unicodedata.normalize("NFC", other) == folded for other in known if not other.isascii()):
        points = " ".join(f"U+{ord(character):04X}" for character in text)
        return f"{quoted([text])} [{points}; the same letters are there in another Unicode form]"
    return quoted([text])


def quoted(texts: Iterable[str]) -> str:
    """Values in single quotes, as SQL writes them."""
    return ", ".join("'" + text.replace("'", "''") + "'" for text in texts)
