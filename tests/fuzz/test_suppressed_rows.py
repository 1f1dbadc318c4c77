"""What only suppressed rows have cannot be told from a release: with other such values, it is the same to the letter."""

from __future__ import annotations

import datetime
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from gensearch_db import anonymization
from gensearch_db.search.result import Partition, SearchProblem, SearchResult
from tests.cases.invariants import Surroundings, published_text

from .checks import attempt, check, some
from .columns import KINDS
from .problems import Case, cases
from .test_second_releases import place

SIZES_ONLY = ("discernibility", "average_class_size", "discernibility_entropy")
"""Costs that lengths have no part in: other values of a quasi-identifier in the same order change no search."""

Rename = Callable[[Any], Sequence[Any]]
NEIGHBOURS: dict[str, Rename] = {
    "VARCHAR": lambda value: [value + "!", value + "\u00e9"],
    "DATE": lambda value: [value + datetime.timedelta(days=step) for step in (-1, 1) if value.year not in (1, 9999)],
    "DECIMAL(18,3)": lambda value: [value + Decimal(step).scaleb(-3) for step in (-1, 1)],
    **{kind: lambda value: [value - 1, value + 1] for kind in ("TINYINT", "INTEGER", "BIGINT", "HUGEINT", "UBIGINT")},
}
"""Values next to a value, by type."""


@contextmanager
def blocks_suppressed(chance: int) -> Iterator[None]:
    """Inside, about half of the blocks of what a search finds are suppressed instead: searches alone suppress too seldom."""
    search = anonymization.search

    def suppressing(problem: SearchProblem, *arguments: Any, **named: Any) -> SearchResult:
        result = search(problem, *arguments, **named)
        if result.partition is None:
            return result
        blocks, placed = result.partition.blocks, result.partition.block_of_cell
        kept = [number for number in range(len(blocks)) if chance >> number % 16 & 1 or len(blocks) == 1]
        places = np.array([kept.index(number) if number in kept else -1 for number in placed.tolist()], np.int64)
        return replace(result, partition=Partition(tuple(blocks[number] for number in kept), places))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(anonymization, "search", suppressing)
        yield


@st.composite
def suppressing(draw: st.DrawFn) -> Case:
    """A case that may suppress, most often by a cost that looks at sizes alone."""
    case = draw(cases())
    cost = draw(st.sampled_from([case.problem.get("minimize"), *SIZES_ONLY]))
    return case.with_problem(suppress_at_most=100, minimize=cost, person=None, memory_limit=None)


@pytest.mark.slow
@some(1)
@given(suppressing(), st.integers(1, 2**16 - 1), st.data())
def test_values_of_suppressed_rows_leave_no_trace(case: Case, chance: int, data: st.DataObject) -> None:
    with blocks_suppressed(chance), duckdb.connect() as connection, tempfile.TemporaryDirectory() as folder:
        case.create(connection)
        before = Surroundings.of(connection, Path(folder))
        error = attempt(connection, case)
        check(connection, case, before, Path(folder), error)
        if error is not None:
            return
        kept = set(place(connection, "rel", "src"))
        text = published_text(connection, "rel")
    lost = [row for row in range(case.rows) if row not in kept]
    other = _with_other_values(case, lost, data)
    if other == case:
        return
    event("compared")
    with blocks_suppressed(chance), duckdb.connect() as connection:
        other.create(connection)
        assert attempt(connection, other) is None
        assert published_text(connection, "rel") == text


def _with_other_values(case: Case, lost: list[int], data: st.DataObject) -> Case:
    """The same rows, but for values that only the suppressed ones have."""
    columns = []
    for name, kind, values in case.columns:
        if name == "kept" or (name == "who" and "who" not in case.problem.get("minimize", "")):
            new = [data.draw(KINDS[kind].values) if row in lost else value for row, value in enumerate(values)]
        elif _may_be_renamed(case, name, kind):
            renamed = _renamed(values, lost, kind)
            new = [renamed.get(value, value) for value in values]
        else:
            new = list(values)
        if tuple(new) != values:
            event(f"other values: {'a quasi-identifier' if name in case.problem['quasi_identifiers'] else name}")
        columns.append((name, kind, tuple(new)))
    return replace(case, columns=tuple(columns))


def _may_be_renamed(case: Case, name: str, kind: str) -> bool:
    """Whether nothing but the order of a column's values has a part in the search, and no value is declared."""
    if name in case.sensitive:
        return kind in NEIGHBOURS and case.sensitive[name] in ({}, {"order": True})
    ways = case.problem["quasi_identifiers"].get(name)
    if ways is None or kind not in NEIGHBOURS or case.problem.get("minimize") not in SIZES_ONLY:
        return False
    single = ways == {} if kind != "DATE" else ways.get("split") == "anywhere"
    return single or ways in ({"split": "anywhere"}, {"unordered": True}, {"order": True})


def _renamed(values: Sequence[Any], lost: list[int], kind: str) -> dict[Any, Any]:
    """Another value, in the same place of the order, for each value that only suppressed rows have."""
    known = sorted({value for value in values if value is not None}, key=_place)
    taken = {value for row, value in enumerate(values) if row not in lost}
    renamed = {}
    for before, value, after in zip([None, *known], known, [*known[1:], None], strict=False):
        low = renamed.get(before, before)
        free = [
            each
            for each in NEIGHBOURS[kind](value)
            if (low is None or _place(low) < _place(each)) and (after is None or _place(each) < _place(after))
        ]
        if value not in taken and free:
            renamed[value] = free[-1]
    return {old: new for old, new in renamed.items() if _fits(new, kind)}


def _place(value: Any) -> Any:
    """Text is ordered by its bytes."""
    return value.encode() if isinstance(value, str) else value


def _fits(value: Any, kind: str) -> bool:
    """Whether a number is one of its type."""
    bits = {"TINYINT": 8, "INTEGER": 32, "BIGINT": 64, "HUGEINT": 128}.get(kind)
    if kind == "UBIGINT":
        return bool(0 <= value < 2**64)
    return bits is None or bool(-(2 ** (bits - 1)) <= value < 2 ** (bits - 1))
