"""What a workload asks of the blocks, as relations: the cases of its conditions and the classes of values they consist of.

A case is a conjunction of classes, one per column; the cases of a condition exclude each other. A condition that is a single
conjunction needs no more than that case. For any other the cases of its opposite are listed too, because a block satisfies
it for certain where no case of the opposite can occur.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from gensearch_db.count_queries.diagram import Node, Region
from gensearch_db.count_queries.formula import condition_sql
from gensearch_db.count_queries.relations import Relation
from gensearch_db.count_queries.release import Family, Kind, PublishedColumn
from gensearch_db.count_queries.segments import Segments
from gensearch_db.database.rendering import Sql

Part = tuple[PublishedColumn, Region]

_POSITION_TYPES = {Family.FLOAT: "DOUBLE", Family.DATE: "BIGINT"}


@dataclass
class Classes:
    """The classes of one column's values that are asked for, each once. ``place`` is the column's place in the statement."""

    column: PublishedColumn
    numbers: dict[Region, int] = field(default_factory=dict)


def cases_of(node: Node, parts: tuple[Part, ...] = ()) -> Iterator[tuple[bool, tuple[Part, ...]]]:
    """The cases of a diagram: whether the condition holds there, and the classes of the columns that decide it."""
    if isinstance(node, bool):
        yield node, parts
        return
    for region, child in node.classes:
        yield from cases_of(child, (*parts, (node.column, region)))


def is_conjunction(node: Node) -> bool:
    """Whether the condition holds in at most one case, and that looks at no more than one sensitive column."""
    cases = list(cases_of(node))
    joint = any(sum(column.kind is Kind.SENSITIVE for column, _ in parts) > 1 for _, parts in cases)
    return not joint and sum(holds for holds, _ in cases) < 2


@dataclass(frozen=True)
class _Case:
    """One conjunction of classes: the number of its condition, and whether that holds here.

    ``several`` tells that the condition has other cases too, ``joint`` that one of them looks at several sensitive columns.
    """

    number: int
    holds: bool
    several: bool
    joint: bool
    parts: tuple[Part, ...]

    @property
    def secrets(self) -> tuple[Part, ...]:
        """The parts on sensitive columns."""
        return tuple(part for part in self.parts if part[0].kind is Kind.SENSITIVE)

    @property
    def others(self) -> tuple[Part, ...]:
        """The parts on all other columns."""
        return tuple(part for part in self.parts if part[0].kind is not Kind.SENSITIVE)


class Cases:
    """The cases of all diagrams of a workload, with columns and classes numbered.

    Classes count from 1 in the order of their appearance, 0 is a class of all values, for cases that look at fewer columns
    than others. ``places`` number the columns from 1 in the order of the release.
    """

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.number_count = len(nodes)
        self.classes: dict[int, Classes] = {}
        self._class_count = 0
        self._cases: list[_Case] = []
        for number, node in enumerate(nodes):
            self._add(number, node)
        self.places = {column: place for place, column in enumerate(sorted(self.classes), start=1)}

    def _add(self, number: int, node: Node) -> None:
        cases = list(cases_of(node))
        joint = any(sum(column.kind is Kind.SENSITIVE for column, _ in parts) > 1 for _, parts in cases)
        several = not is_conjunction(node)
        for holds, parts in cases:
            if not holds and not several:
                continue
            for column, region in parts:
                numbers = self.classes.setdefault(column.number, Classes(column)).numbers
                if region not in numbers:
                    self._class_count += 1
                    numbers[region] = self._class_count
            self._cases.append(_Case(number, holds, several, joint, parts))

    @property
    def slots(self) -> int:
        """The most columns, not counting sensitive ones, that a case looks at; at least 1."""
        return max((len(case.others) for case in self._cases), default=0) or 1

    @property
    def secrets(self) -> int:
        """The most sensitive columns that a case looks at."""
        return max((len(case.secrets) for case in self._cases), default=0)

    @property
    def single(self) -> bool:
        """Whether some condition is a single conjunction (or nothing at all is asked)."""
        return not self._cases or not all(case.several for case in self._cases)

    @property
    def several(self) -> bool:
        """Whether some condition falls into several cases."""
        return any(case.several for case in self._cases)

    def cases(self) -> Relation:
        """One row per case."""
        types = {"path": "INTEGER", "number": "INTEGER", "truth": "BOOLEAN", "several": "BOOLEAN", "joint": "BOOLEAN"}
        most, nowhere = self.secrets, (0, len(self.places) + 1)
        for secret in range(1, most + 1):
            types |= {f"secret_{secret}": "INTEGER", f"secret_place_{secret}": "INTEGER"}
        rows = []
        for path, case in enumerate(self._cases):
            secrets = [self._placed(part)[::-1] for part in case.secrets]
            secrets += [nowhere] * (most - len(secrets))
            rows.append(
                (path, case.number, case.holds, case.several, case.joint, *(one for secret in secrets for one in secret))
            )
        return Relation("cases", types, rows)

    def parts(self) -> Relation:
        """One row per case and column (sensitive ones apart): the class of its values."""
        rows = [(path, *self._placed(part)) for path, case in enumerate(self._cases) for part in case.others]
        return Relation("parts", {"path": "INTEGER", "place": "INTEGER", "class": "INTEGER"}, rows)

    def _placed(self, part: Part) -> tuple[int, int]:
        column, region = part
        return self.places[column.number], self.classes[column.number].numbers[region]


def stretches(column: PublishedColumn, numbers: Mapping[Region, int]) -> Relation:
    """The classes of an ordered column as stretches of its line: one row per stretch, and one where NULL belongs to a class.

    ``low`` and ``high`` are the reach of the query where too little is published to place open ends (see ``segments.py``).
    """
    position = _POSITION_TYPES.get(column.family, "HUGEINT")
    types = {
        "class": "INTEGER", "absent": "BOOLEAN", "start": position, "starts_closed": "BOOLEAN", "stop": position,
        "stops_closed": "BOOLEAN", "low": position, "high": position,
    }  # fmt: skip
    rows: list[tuple[int | float | None, ...]] = []
    for region, number in numbers.items():
        assert isinstance(region, Segments)
        reach = region.reach or (None, None)
        for one in region.stretches:
            rows.append((number, False, one.start, one.starts_closed, one.end, one.ends_closed, *reach))
        if region.missing:
            rows.append((number, True, None, False, None, False, *reach))
    return Relation(f"stretches_{column.number}", types, rows)


def conditions(numbers: Mapping[Region, int]) -> list[tuple[int, Sql]]:
    """The classes of a listed column: number and condition on ``value``."""
    return [(number, condition_sql(region)) for region, number in numbers.items() if not isinstance(region, Segments)]
