"""Reading when to stop: seconds, distance from optimal, nodes, memory, threads."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from gensearch_db.problem.durations import seconds
from gensearch_db.statements.reader import Reader
from gensearch_db.tokens import Kind

TIME_UNITS = ("MILLISECOND", "SECOND", "MINUTE", "HOUR", "DAY")
MEMORY_UNITS = {"KB": Fraction(1, 1000), "MB": Fraction(1), "GB": Fraction(1000), "TB": Fraction(1000_000)} | {
    f"{unit}IB": Fraction(1024**power, 1000_000) for power, unit in enumerate("KMGT", start=1)
}


def read_stop_after(reader: Reader) -> dict[str, Any]:
    """``INTERVAL 1 MINUTE`` or ``INTERVAL '1 minute'``: seconds."""
    first = reader.position
    reader.take("INTERVAL")
    if (token := reader.current) is not None and token.kind is Kind.STRING:
        text = reader.string()
        try:
            duration = seconds(text)
        except ValueError as error:
            raise reader.wrap(first, str(error)) from None
    else:
        duration = float(_duration(reader))
    if not duration > 0:
        raise reader.wrap(first, "the time to stop after must be greater than 0")
    return {"stop_after": duration}


def _duration(reader: Reader) -> Fraction:
    """``1 MINUTE``, ``1 HOUR 30 MINUTES``."""
    total = Fraction(0)
    while True:
        value = reader.number("a duration, as in INTERVAL 1 MINUTE or INTERVAL '90 seconds'")
        unit = reader.current
        if unit is None or unit.text.upper().removesuffix("S") not in TIME_UNITS:
            raise reader.expected("a unit of time", known=TIME_UNITS)
        reader.position += 1
        total += value * Fraction(str(seconds(f"1 {unit.text}")))
        if reader.current is None or reader.current.kind is not Kind.NUMBER:
            return total


def read_stop_within(reader: Reader) -> dict[str, Any]:
    """``5 PERCENT OF OPTIMAL`` or ``1.05 OF OPTIMAL``: a factor."""
    first = reader.position
    value = reader.number("a percentage or a factor")
    factor = 1 + value / 100 if reader.take("PERCENT") or reader.take_symbol("%") else value
    if factor < 1:
        raise reader.wrap(first, "write how far from optimal is good enough: 5 PERCENT, or a factor of at least 1 as in 1.05")
    reader.require("OF", "OPTIMAL")
    return {"stop_within": float(factor)}


def read_memory_limit(reader: Reader) -> dict[str, Any]:
    """``'2 GB'``, ``512 MB``; a bare number is megabytes."""
    first = reader.position
    if (token := reader.current) is not None and token.kind is Kind.STRING:
        text = reader.string()
    else:
        reader.number("an amount of memory, as in '2 GB'")
        if (token := reader.current) is not None and token.text.upper() in MEMORY_UNITS:
            reader.position += 1
        text = reader.text_since(first)
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", text, re.ASCII)
    unit = (match[2].upper() or "MB") if match else ""
    if match is None or unit not in MEMORY_UNITS:
        raise reader.wrap(first, f"expected an amount of memory, as in '2 GB'; units are {', '.join(MEMORY_UNITS)}")
    megabytes = int(Fraction(match[1]) * MEMORY_UNITS[unit])
    if megabytes < 1:
        raise reader.wrap(first, "the memory limit must be at least 1 MB")
    return {"memory_limit": megabytes}


def read_threads(reader: Reader) -> dict[str, Any]:
    """A number of threads."""
    return {"threads": reader.whole_number("a number of threads")}


def read_node_limit(reader: Reader) -> dict[str, Any]:
    """A number of nodes (blocks or partitions, as the strategy counts)."""
    return {"node_limit": reader.whole_number("a number of nodes")}
