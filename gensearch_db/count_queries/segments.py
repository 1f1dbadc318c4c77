"""The line of an ordered column, cut where the comparisons of a query change their truth.

Between two neighbouring cuts nothing changes, so a case of the query covers whole pieces: open stretches between cuts, the
cuts themselves, and the missing value. Stretches of counted columns are half-open integer ranges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from gensearch_db.count_queries.expressions import Position
from gensearch_db.count_queries.formula import Atom, Condition, Cut, Known, MissingValue, Points, holds


@dataclass(frozen=True)
class Stretch:
    """A part of the line; None is an open end. For counted columns ``start <= x < end``, both flags being fixed so."""

    start: Position | None
    starts_closed: bool
    end: Position | None
    ends_closed: bool


@dataclass(frozen=True)
class Segments:
    """The part of an ordered column that one case of a query covers.

    ``reach`` holds the first and the last cut of the query on this column where too few bounds are published to place open
    ends; None where there are enough, or no cut.
    """

    stretches: tuple[Stretch, ...]
    missing: bool
    reach: tuple[Position, Position] | None


class Line:
    """All pieces of one ordered column in one query. ``cuts`` ascend.

    Piece ``2 * i`` is the open stretch before cut ``i``, piece ``2 * i + 1`` is cut ``i`` itself, -1 the missing value.
    """

    def __init__(self, cuts: Sequence[Position], *, counted: bool, anchored: bool) -> None:
        self.cuts = tuple(cuts)
        self.counted = counted
        self.reach = None if anchored or not self.cuts else (self.cuts[0], self.cuts[-1])

    @cached_property
    def ranks(self) -> dict[Position, int]:
        """The piece of each cut."""
        return {position: 2 * number + 1 for number, position in enumerate(self.cuts)}

    @cached_property
    def pieces(self) -> tuple[int, ...]:
        """The pieces that hold values, ascending, and -1 for the missing value."""
        stretches = [index for index in range(2 * len(self.cuts) + 1) if not self._empty(index)]
        return (*stretches, -1)

    @cached_property
    def _places(self) -> dict[int, int]:
        return {piece: place for place, piece in enumerate(self.pieces)}

    def _empty(self, index: int) -> bool:
        inner = index % 2 == 0 and 0 < index < 2 * len(self.cuts)
        return inner and self.counted and self.cuts[index // 2] - self.cuts[index // 2 - 1] == 1

    def satisfies(self, piece: int, condition: Condition) -> bool:
        """Whether the values of a piece satisfy a condition."""

        def truth(atom: Atom) -> bool | None:
            """Whether an atom holds on the piece; None: unknown."""
            if isinstance(atom, MissingValue):
                return piece == -1
            if piece == -1:
                return None
            if isinstance(atom, Known):
                return True
            if isinstance(atom, Points):
                return piece % 2 == 1 and self.cuts[piece // 2] in atom.positions
            assert isinstance(atom, Cut)
            cut = self.ranks[atom.position]
            return atom.at if piece == cut else atom.below if piece < cut else atom.above

        return holds(condition, truth)

    def covered(self, pieces: Sequence[int]) -> Segments:
        """The union of pieces (ascending, -1 last)."""
        line = [piece for piece in pieces if piece != -1]
        runs: list[list[int]] = []
        for piece in line:
            if runs and self._places[piece] == self._places[runs[-1][-1]] + 1:
                runs[-1].append(piece)
            else:
                runs.append([piece])
        return Segments(tuple(self._stretch(run[0], run[-1]) for run in runs), -1 in pieces, self.reach)

    def _stretch(self, first: int, last: int) -> Stretch:
        start = self.cuts[(first - 1) // 2] if first > 0 else None
        end = self.cuts[last // 2] if last < 2 * len(self.cuts) else None
        starts_closed, ends_closed = first % 2 == 1, last % 2 == 1
        if self.counted:
            start = start + 1 if start is not None and not starts_closed else start
            end = end + 1 if end is not None and ends_closed else end
            return Stretch(start, True, end, False)
        return Stretch(start, starts_closed, end, ends_closed)
