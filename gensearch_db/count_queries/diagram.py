"""A condition that mixes columns, expanded into cases that exclude each other: a decision diagram over columns.

Each branching looks at one column and parts its values into classes; within a class the rest of the condition is the same.
Under the uniformity assumption columns are independent inside a block, so the share of a block that satisfies the
condition is the sum over classes of the class's share times the share of what is left: exact, with no inclusion-exclusion.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from gensearch_db.count_queries.expressions import Position
from gensearch_db.count_queries.formula import Condition, Cut, Every, Formula, No, Points, Some, atoms_of, decided, tests_of
from gensearch_db.count_queries.release import Kind, PublishedColumn
from gensearch_db.count_queries.segments import Line, Segments
from gensearch_db.errors import QueryError

_MOST_PATHS = 20_000
_MOST_ENUMERATED = 5
_ORDER = {Kind.SENSITIVE: 0, Kind.ORDERED: 1, Kind.CATEGORICAL: 2}

Region = Segments | Condition
"""The values of one class: a part of the line of an ordered column, or a condition on the members of a list."""


@dataclass(frozen=True)
class Branch:
    """A branching on one column. The regions of its classes are disjoint and cover every value of the column."""

    column: PublishedColumn
    classes: tuple[tuple[Region, Node], ...]


Node = bool | Branch

Occurring = Callable[[PublishedColumn, Sequence[Condition]], Sequence[tuple[bool, ...]]]
"""Tells which combinations of conditions on a listed column occur among its published values."""


class DiagramTooLargeError(QueryError):
    """The condition falls into too many cases."""


class DiagramBuilder:
    """Builds the diagram of one condition. ``occurring`` is asked only where a column has many conditions."""

    def __init__(self, formula: Formula, columns: Sequence[PublishedColumn], occurring: Occurring) -> None:
        tests = tests_of(formula)
        self._formula = formula
        self._occurring = occurring
        self._order = [column for column in sorted(columns, key=lambda one: _ORDER[one.kind]) if column.number in tests]
        self._lines = {
            column.number: _line(tests[column.number], column) for column in self._order if column.kind is Kind.ORDERED
        }
        self._nodes: dict[Formula, Node] = {}
        self._paths: dict[Formula, int] = {}

    def build(self) -> Node:
        """The diagram. Raises :class:`DiagramTooLargeError`."""
        return self._node(self._formula, 0)[0]

    def _node(self, formula: Formula, start: int) -> tuple[Node, int]:
        if isinstance(formula, bool):
            return formula, 1
        if formula in self._nodes:
            return self._nodes[formula], self._paths[formula]
        tests = tests_of(formula)
        place = next(place for place in range(start, len(self._order)) if self._order[place].number in tests)
        column = self._order[place]
        conditions = tuple(tests[column.number])
        classes: list[tuple[Region, Node]] = []
        paths = 0
        for rest, region in self._classes(formula, column, conditions):
            child, child_paths = self._node(rest, place + 1)
            classes.append((region, child))
            paths += child_paths
            if paths > _MOST_PATHS:
                raise DiagramTooLargeError(
                    "the condition mixes too many predicates of different columns; ask for its parts one by one"
                )
        node = Branch(column, tuple(classes))
        self._nodes[formula], self._paths[formula] = node, paths
        return node, paths

    def _classes(
        self, formula: Formula, column: PublishedColumn, conditions: tuple[Condition, ...]
    ) -> list[tuple[Formula, Region]]:
        """What is left of the formula in each class of the column's values, and the class."""
        if column.kind is Kind.ORDERED:
            line = self._lines[column.number]
            answers = {piece: tuple(line.satisfies(piece, one) for one in conditions) for piece in line.pieces}
            parted = _grouped(formula, column, conditions, list(dict.fromkeys(answers.values())))
            return [
                (rest, line.covered([piece for piece in line.pieces if answers[piece] in set(members)]))
                for rest, members in parted.items()
            ]
        if len(conditions) <= _MOST_ENUMERATED:
            combinations: Sequence[tuple[bool, ...]] = list(product((True, False), repeat=len(conditions)))
        else:
            combinations = self._occurring(column, conditions)
        parted = _grouped(formula, column, conditions, combinations)
        return [(rest, _union(conditions, members)) for rest, members in parted.items()]


def _line(conditions: Mapping[Condition, None], column: PublishedColumn) -> Line:
    cuts: set[Position] = set()
    for condition in conditions:
        for atom in atoms_of(condition):
            if isinstance(atom, Cut):
                cuts.add(atom.position)
            elif isinstance(atom, Points):
                cuts |= atom.positions
    return Line(sorted(cuts), counted=column.counted, anchored=column.anchored)


def _grouped(
    formula: Formula, column: PublishedColumn, conditions: tuple[Condition, ...], combinations: Sequence[tuple[bool, ...]]
) -> dict[Formula, list[tuple[bool, ...]]]:
    if len(combinations) > _MOST_PATHS:
        raise DiagramTooLargeError(f"column '{column.name}' stands in too many conditions; ask for parts of the query")
    parted: dict[Formula, list[tuple[bool, ...]]] = {}
    for combination in combinations:
        rest = decided(formula, column.number, dict(zip(conditions, combination, strict=True)))
        parted.setdefault(rest, []).append(combination)
    return parted


def _union(conditions: tuple[Condition, ...], combinations: Sequence[tuple[bool, ...]]) -> Condition:
    cases: list[Condition] = []
    for combination in combinations:
        literals = tuple(one if wanted else No(one) for one, wanted in zip(conditions, combination, strict=True))
        cases.append(literals[0] if len(literals) == 1 else Every(literals))
    return cases[0] if len(cases) == 1 else Some(tuple(cases))
