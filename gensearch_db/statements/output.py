"""Printing results: tables for people, JSON and CSV for scripts."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from datetime import timedelta
from decimal import Decimal
from enum import StrEnum
from typing import IO, Any

from gensearch_db.printable import blob_text, printable, printable_json


class Mode(StrEnum):
    """How results are printed."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


MOST_ROWS = 200
"""Rows that a table for people shows; JSON and CSV are always complete."""


def write_result(
    columns: Sequence[str], rows: Sequence[Sequence[Any]], mode: Mode, stream: IO[str], width: int | None = None
) -> None:
    """Print one result. JSON is one array of objects on one line; CSV writes NULL as nothing and an empty string as ``""``
    (both as that where a row is one value).

    Nothing is rounded: a DECIMAL is a string in JSON, as readers of JSON turn its numbers into doubles; so are bytes, as
    DuckDB prints them. Python has no months, nanoseconds or infinite dates: queries with times are run by
    :func:`~gensearch_db.statements.times_as_text.times_as_text`. Control characters of values are written out (``\\x1b``) in
    tables, and escaped in JSON; CSV has them as they are.
    """
    if mode is Mode.JSON:
        objects = [dict(zip(_distinct(columns), map(_plain, row), strict=True)) for row in rows]
        unicode = (getattr(stream, "encoding", None) or "utf-8").lower().startswith("utf")
        stream.write(printable_json(json.dumps(objects, ensure_ascii=not unicode, allow_nan=False)) + "\n")
    elif mode is Mode.CSV:
        for line in (columns, *rows):
            # A line of nothing would be the one between two results, and readers of CSV leave it out.
            stream.write((",".join(map(_csv_field, line)) or '""') + "\n")
    else:
        _write_table(columns, rows, stream, width)


def _write_table(columns: Sequence[str], rows: Sequence[Sequence[Any]], stream: IO[str], width: int | None) -> None:
    """A table where its columns fit beside each other, else one line per value."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(file=stream, width=width, highlight=False)
    columns = [printable(name) for name in columns]
    shown = [["NULL" if value is None else printable(_shown(value)) for value in row] for row in rows[:MOST_ROWS]]
    least = [_least_width([name, *(row[position] for row in shown)]) for position, name in enumerate(columns)]
    if sum(least) + 3 * len(least) + 1 <= console.width:
        table = Table(show_lines=any("\n" in text for row in shown for text in row))
        for position, name in enumerate(columns):
            numeric = any(
                isinstance(row[position], int | float | Decimal) and not isinstance(row[position], bool) for row in rows
            )
            table.add_column(Text(name), justify="right" if numeric else "left", overflow="fold", min_width=least[position])
        for row in shown:
            table.add_row(*map(Text, row))
        console.print(table)
    else:
        _write_records(columns, shown, stream)
    limit = f", the first {MOST_ROWS} shown" if len(rows) > MOST_ROWS else ""
    console.print(f"{len(rows)} row{'' if len(rows) == 1 else 's'}{limit}")


def _least_width(texts: Iterable[str]) -> int:
    """The width below which a column would be torn apart: its longest word, or a fair share of a long one."""
    return min(18, max((len(word) for text in texts for word in text.split()), default=1))


def _write_records(columns: Sequence[str], shown: Sequence[Sequence[str]], stream: IO[str]) -> None:
    indent = max(map(len, columns)) + 2
    for number, row in enumerate(shown, start=1):
        stream.write(f"-- {number} --\n")
        for name, text in zip(columns, row, strict=True):
            stream.write(f"{name:<{indent}}" + text.replace("\n", "\n" + " " * indent) + "\n")


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, bytes | timedelta):
        return str(_plain(value))
    if isinstance(value, list | dict | tuple):
        return json.dumps(_plain(value), ensure_ascii=False)
    if isinstance(value, float):
        return f"{value:,.6g}" if abs(value) < 1e6 else f"{value:,.0f}" if math.isfinite(value) else str(value)
    return str(value)


def _csv_field(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list | dict | tuple):
        text = json.dumps(_plain(value), ensure_ascii=False)
    elif isinstance(value, bool):
        text = str(value).lower()
    elif isinstance(value, Decimal):
        text = f"{value:f}"
    else:
        text = "nan" if isinstance(value, float) and math.isnan(value) else str(_plain(value))
    if text == "" or any(character in text for character in ',"\n\r') or text != text.strip():
        return '"' + text.replace('"', '""') + '"'
    return text


def _plain(value: Any) -> Any:
    """A value as JSON has it; what JSON cannot say becomes text, NaN becomes null."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None if math.isnan(value) else str(value)
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, bytes):
        return blob_text(value)
    if isinstance(value, timedelta):
        return _interval(value)
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(each) for each in value]
    return str(value)


def _interval(value: timedelta) -> str:
    """An interval as DuckDB prints it: ``3 days 01:00:00.5``."""
    seconds, micros = value.seconds, value.microseconds
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}" + (f".{micros:06}".rstrip("0") if micros else "")
    days = f"{value.days} day{'' if abs(value.days) == 1 else 's'}" if value.days else ""
    return f"{days} {clock}".strip() if seconds or micros or not days else days


def _distinct(columns: Iterable[str]) -> list[str]:
    """Column names as keys: repeated ones get a number, as in ``count``, ``count_2``."""
    keys: list[str] = []
    for name in columns:
        key, number = name, 1
        while key in keys:
            number += 1
            key = f"{name}_{number}"
        keys.append(key)
    return keys
