"""Taxonomies as users have them: a table or CSV of leaf plus levels, or of child and parent, or a nested JSON file."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

from gensearch_db.domain.taxonomy import Nested
from gensearch_db.errors import DataError, Problems, SpecificationError, reason

ROOT = "*"
"""The label of the root that is put over several roots."""

Row = tuple[str | None, ...]


@dataclass
class _Node:
    """A node while the tree grows; ``value`` is the text of the leaf value that it stands for. ``inner``: the data alone say
    that there is this leaf; the source has the value as an inner node."""

    label: str
    value: str | None = None
    inner: bool = False
    children: dict[Any, _Node] = field(default_factory=dict)


@dataclass(frozen=True)
class TaxonomyTree:
    """A tree read from a source: nested labels; ``leaves`` are the values of its leaves in depth-first order, ``inner`` those
    that are inner nodes of the source: leaves only because the data have them."""

    label: str
    children: Nested
    leaves: tuple[str, ...]
    inner: frozenset[str] = frozenset()


def tree_from_rows(rows: Iterable[Row], name: str, data_values: Iterable[str], names: Sequence[str] = ()) -> TaxonomyTree:
    """Build a tree from rows of text.

    Two columns (or columns named ``child`` and ``parent``) are edges: child, parent. Otherwise a row is a leaf followed by its
    levels from the lowest to the root; empty levels are skipped, so that rows may be ragged. Siblings are sorted (numbers by
    value), so that the order of rows leaves no trace. Several roots get a root ``*`` above them. A value of the data that is
    an inner node becomes a leaf of its own below it. Raises :class:`DataError` for all contradictions at once: a value with
    two parents, cycles.
    """
    rows = list(rows)
    problems = Problems(DataError)
    edges = _edge_columns(rows, names)
    root = (
        _from_edges([(row[edges[0]], row[edges[1]]) for row in rows], name, set(data_values), problems)
        if edges
        else (_from_levels(rows, name, problems))
    )
    problems.raise_if_any()
    if not root.children:
        raise DataError(f"taxonomy '{name}' is empty")
    while len(root.children) == 1 and (only := next(iter(root.children.values()))).children:
        root = only
    leaves: list[tuple[str, bool]] = []
    nested = _nested(root, leaves)
    inner = frozenset(value for value, is_inner in leaves if is_inner)
    return TaxonomyTree(root.label, nested, tuple(value for value, _ in leaves), inner)


def _edge_columns(rows: Sequence[Row], names: Sequence[str]) -> tuple[int, int] | None:
    folded = [name.casefold() for name in names]
    if "child" in folded and "parent" in folded:
        return folded.index("child"), folded.index("parent")
    return (0, 1) if max((len(row) for row in rows), default=0) == 2 else None


def entries(rows: Iterable[Row], names: Sequence[str] = ()) -> set[str]:
    """The values that the rows say anything of, whatever contradicts itself among them."""
    rows = list(rows)
    columns = _edge_columns(rows, names) or (0,)
    return {text for row in rows for column in columns if (text := row[column]) is not None}


def _from_levels(rows: Sequence[Row], name: str, problems: Problems) -> _Node:
    root = _Node(ROOT)
    paths: dict[str, tuple[str, ...]] = {}
    for row in rows:
        leaf = row[0]
        if leaf is None:
            continue  # NULL is a leaf of its own already
        path = tuple(level for level in row[1:] if level not in (None, ""))
        before = paths.setdefault(leaf, path)
        if before != path:
            low, high = next(((a, b) for a, b in zip(before, path, strict=False) if a != b), (_shown(before), _shown(path)))
            problems.add(
                f"taxonomy '{name}': value {_quoted(leaf)} has two different parents, {_quoted(low)} and {_quoted(high)}"
            )
    for leaf, path in paths.items():
        node = root
        for level in reversed(path):
            node = node.children.setdefault(("node", level), _Node(level))
        node.children[("leaf", leaf)] = _Node(leaf, leaf)
    return root


def _shown(path: tuple[str, ...]) -> str:
    return " < ".join(path) or "(none)"


def _from_edges(edges: Iterable[tuple[str | None, str | None]], name: str, data_values: set[str], problems: Problems) -> _Node:
    parent_of: dict[str, str | None] = {}
    children: dict[str, list[str]] = {}
    for child, parent in edges:
        if child is None:
            continue
        parent = None if parent in (None, "") or parent == child else parent
        before = parent_of.get(child)
        if before is not None and parent is not None and before != parent:
            problems.add(
                f"taxonomy '{name}': value {_quoted(child)} has two different parents, {_quoted(before)} and {_quoted(parent)}"
            )
        elif before is None:
            parent_of[child] = parent
            if parent is not None:
                children.setdefault(parent, []).append(child)
    for parent in children:
        parent_of.setdefault(parent, None)
    _report_cycles(parent_of, name, problems)
    root = _Node(ROOT)
    # Depth first without recursion: a taxonomy may be deep, and a cycle is never reached from a root.
    waiting = [(root, label) for label, parent in parent_of.items() if parent is None]
    while waiting:
        above, label = waiting.pop()
        below = children.get(label, [])
        node = above.children[("node", label)] = _Node(label, None if below else label)
        if below and label in data_values:
            node.children[("leaf", label)] = _Node(label, label, inner=True)
        waiting.extend((node, child) for child in below)
    return root


def _report_cycles(parent_of: dict[str, str | None], name: str, problems: Problems) -> None:
    settled: set[str] = set()
    for start in parent_of:
        path: list[str] = []
        node: str | None = start
        while node is not None and node not in settled:
            settled.add(node)
            path.append(node)
            node = parent_of[node]
        if node in path:
            cycle = path[path.index(node) :]
            problems.add(f"taxonomy '{name}' has a cycle: {' < '.join(_quoted(label) for label in [*cycle, cycle[0]])}")


def _nested(node: _Node, leaves: list[tuple[str, bool]]) -> Nested:
    nested: Nested = []
    for child in sorted(node.children.values(), key=_natural):
        if child.value is not None:
            leaves.append((child.value, child.inner))
            nested.append((child.label, []))
        else:
            nested.append((child.label, _nested(child, leaves)))
    return nested


def _natural(node: _Node) -> tuple[int, float, str, bool]:
    """Numbers by value and before words; words by their characters; a leaf before a node of the same name."""
    try:
        number = float(node.label)
    except ValueError:
        return (1, 0.0, node.label, node.value is None)
    return (0, number, node.label, node.value is None) if number == number else (1, 0.0, node.label, node.value is None)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def rows_from_csv(path: Path, data_values: Iterable[str]) -> tuple[list[Row], tuple[str, ...]]:
    """The rows of a CSV file with ``;``, tab or ``,``, and its header's names if it has a header.

    A first row is a header if its first cell is no value of the data and it shares no other cell with any other row (rows of
    a taxonomy share at least their root).
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise SpecificationError(f"taxonomy file '{path}' does not exist") from error
    except (OSError, ValueError) as error:  # not readable; not UTF-8, a NUL in the name
        raise SpecificationError(f"taxonomy file '{path}' cannot be read: {reason(error)}") from error
    first_line = text.lstrip("\n").split("\n", 1)[0]
    delimiter = next((mark for mark in (";", "\t", ",") if mark in first_line), ",")
    try:
        rows: list[Row] = [tuple(row) for row in csv.reader(StringIO(text, newline=""), delimiter=delimiter) if row]
    except csv.Error as error:  # a quote that is never closed makes the rest one field, for which there is a limit
        raise SpecificationError(f"taxonomy file '{path}' cannot be read: {error}") from error
    if len(rows) > 1 and rows[0][0] not in set(data_values):
        others = {cell for row in rows[1:] for cell in row}
        if not any(cell in others for cell in rows[0]):
            return rows[1:], tuple(cell or "" for cell in rows[0])
    return rows, ()


def rows_from_json(path: Path) -> list[Row]:
    """The leaves with their levels of a nested JSON file: objects with a label (``cat``, ``name``, ``label`` or ``value``)
    and a list of children (``subcats`` or ``children``)."""
    try:
        tree = json.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError as error:
        raise SpecificationError(f"taxonomy file '{path}' does not exist") from error
    except (OSError, ValueError) as error:  # not readable; not JSON, not UTF-8, a NUL in the name
        raise SpecificationError(f"taxonomy file '{path}' cannot be read: {reason(error)}") from error
    rows: list[Row] = []
    waiting: list[tuple[Any, Row]] = [(tree, ())]
    while waiting:
        node, above = waiting.pop()
        label = (
            next((node[key] for key in ("cat", "name", "label", "value") if key in node), None)
            if isinstance(node, dict)
            else None
        )
        if label is None:
            raise DataError(f"taxonomy file '{path}': a node has no 'cat', 'name', 'label' or 'value'")
        children = node.get("subcats") or node.get("children") or []
        path_up = (str(label), *above)
        if not children:
            rows.append(path_up)
        waiting.extend((child, path_up) for child in children)
    width = max(3, *(len(row) for row in rows))
    return [(*row, *[None] * (width - len(row))) for row in rows]
