"""t-closeness: every block's distribution is within distance t of the whole table's (Li et al. 2007; THEORY 1.1, 1.2).

The distance is the earth mover's distance with one of three ground distances (``ground_distance.py``). The reference is always
the whole table, suppressed rows included, so that it does not move while blocks are chosen. A missing value is a value of
both distributions, at the place that the domain gives it (the last, unless a taxonomy holds it).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import ClassVar, Self

from gensearch_db.domain.cells import BlockStatistics, Table, ValueDomain
from gensearch_db.domain.region import Block
from gensearch_db.errors import SpecificationError
from gensearch_db.privacy import ground_distance
from gensearch_db.privacy.constraint import AuditMeasure, AuditValue, CompiledConstraint, Constraint
from gensearch_db.problem.arguments import bind, written
from gensearch_db.problem.calls import Call, plain

ORDERED, EQUAL, HIERARCHICAL = 6, 7, 8
KINDS = {"ordered": ORDERED, "equal": EQUAL, "hierarchical": HIERARCHICAL}

SIZES_TRIED = 10_000
"""How many sizes are tried for the smallest possible one: with t near 0 only multiples of the table's own size may do."""


@dataclass(frozen=True)
class TCloseness(Constraint):
    """``t_closeness(t, column, distance = ordered | equal | hierarchical)``.

    Without ``distance``: hierarchical for a domain with a taxonomy, ordered for a declared order, equal for other text (the
    alphabet is no order of meaning), ordered for everything else.
    """

    name: ClassVar[str] = "t_closeness"
    quantity: ClassVar[str] = "t"
    higher_is_safer: ClassVar[bool] = False
    t: Fraction
    column: str | None = None
    distance: str | None = None

    @classmethod
    def from_call(cls, call: Call) -> Self:
        """``t_closeness(0.2, income, distance = equal)``; 0 <= t <= 1."""
        usage = "t_closeness(0.2, income, distance = equal)"
        arguments = bind(call, numbers=("t",), names=("column", "distance"), usage=usage)
        t = arguments.number("t", least=0)
        if t > 1:
            raise arguments.fail("t is a distance between 0 and 1")
        return cls(t, arguments.name("column"), arguments.choice("distance", tuple(KINDS), None))

    @property
    def monotone(self) -> bool:
        """The distance to a fixed distribution is convex."""
        return True

    def check(self, table: Table) -> None:
        """A hierarchical distance needs a taxonomy."""
        if self.distance == "hierarchical" and self._domain(table).taxonomy is None:
            raise SpecificationError(
                f"'{self.describe()}': column '{self.column}' has no taxonomy; declare one or use distance = equal"
            )

    def _domain(self, table: Table) -> ValueDomain:
        assert self.column is not None
        return table.sensitive[self.column]

    def _reference(self, table: Table) -> tuple[int, ...]:
        assert self.column is not None
        return table.statistics.sensitive[self.column]

    def distance_in(self, table: Table) -> str:
        """The ground distance that is used: the one asked for, or the one that suits the column."""
        return self._distance_for(self._domain(table))

    def _distance_for(self, domain: ValueDomain) -> str:
        if self.distance is not None:
            return self.distance
        if domain.taxonomy is not None:
            return "hierarchical"
        if domain.order_declared:
            return "ordered"
        return "equal" if domain.nominal else "ordered"

    def scale(self, table: Table) -> int:
        """The factor between the integer distance and the real one; 0 where only one value exists (all distances are 0)."""
        distance = self.distance_in(table)
        if len(self._domain(table).values) < 2:
            return 0
        if distance == "ordered":
            return len(self._domain(table).values) - 1
        return 2 if distance == "equal" else ground_distance.inner_nodes(self._domain(table))[0][0]

    def _integer_distance(self, counts: Sequence[int], table: Table) -> int:
        distance = self.distance_in(table)
        if distance == "ordered":
            return ground_distance.ordered(counts, self._reference(table))
        if distance == "equal":
            return ground_distance.equal(counts, self._reference(table))
        return ground_distance.hierarchical(counts, self._reference(table), ground_distance.inner_nodes(self._domain(table)))

    def exact_distance(self, counts: Sequence[int], table: Table) -> Fraction:
        """The distance of a histogram to the table's, as a fraction."""
        scale = self.scale(table)
        if scale == 0:
            return Fraction(0)
        return Fraction(self._integer_distance(counts, table), scale * sum(counts) * sum(self._reference(table)))

    def holds(self, statistics: BlockStatistics, block: Block, table: Table) -> bool:
        """distance <= t, in rationals."""
        assert self.column is not None
        return self.exact_distance(statistics.sensitive[self.column], table) <= self.t

    def minimum_size(self, table: Table) -> int:
        """The smallest size at which some distribution is close enough."""
        if table.persons:
            return 1
        sizes = range(1, min(SIZES_TRIED, table.statistics.size) + 1)
        return next((size for size in sizes if self.size_possible(size, table)), len(sizes) + (len(sizes) < SIZES_TRIED))

    def size_possible(self, size: int, table: Table) -> bool:
        """Whether the best rounding of the table's distribution to ``size`` tuples is close enough (THEORY 2.2)."""
        scale, reference = self.scale(table), self._reference(table)
        if table.persons or scale == 0:
            return True
        if self.distance_in(table) == "ordered":
            best = ground_distance.ordered(_rounded_prefixes(size, reference), reference)
        else:
            best = ground_distance.equal(_largest_remainders(size, reference), reference)
            scale = 2
        return best <= self._slack(table) * scale * size * sum(reference)

    def _slack(self, table: Table) -> Fraction:
        """t; for a hierarchy the total variation that t allows: two values are at least the lowest node's height apart."""
        if self.distance_in(table) != "hierarchical":
            return self.t
        heights = [height for height, _ in ground_distance.inner_nodes(self._domain(table))]
        return self.t * heights[0] / min(heights)

    def size_needed(self, cell: BlockStatistics, table: Table) -> int:
        """A set of values with table share P has at most share P + t (times m - 1 for ordered): n >= count / (P + t)."""
        assert self.column is not None
        smallest = self.minimum_size(table)
        if table.persons or self.scale(table) == 0:
            return smallest
        total = sum(self._reference(table))
        sets = self._value_sets(cell.sensitive[self.column], table)
        return max([smallest, *(math.ceil(count / (Fraction(share, total) + slack)) for count, share, slack in sets if count)])

    def largest_shares(self, table: Table) -> tuple[Fraction, ...]:
        """P + t, P + t (m - 1) for the ordered distance, as in :meth:`size_needed`."""
        if self.scale(table) == 0:
            return ()
        ordered = self.distance_in(table) == "ordered"
        slack = self.t * self.scale(table) if ordered else self._slack(table)
        total = sum(self._reference(table))
        return tuple(Fraction(share, total) + slack for share in self._reference(table))

    def groups_at_most(self, statistics: BlockStatistics, smallest: int, table: Table) -> int | None:
        """A set of values with table share P has at least share P - t in every group (THEORY 2.2, rule 6)."""
        assert self.column is not None
        if table.persons or self.scale(table) == 0:
            return None
        total = sum(self._reference(table))
        limits = [statistics.size]
        for count, share, slack in self._value_sets(statistics.sensitive[self.column], table):
            for tuples, part in ((count, Fraction(share, total)), (statistics.size - count, 1 - Fraction(share, total))):
                least = math.ceil((part - slack) * smallest)
                if least > 0:
                    limits.append(tuples // least)
        return min(limits)

    def _value_sets(self, counts: Sequence[int], table: Table) -> Iterator[tuple[int, int, Fraction]]:
        """Sets of values as (count, the table's count, how far the shares may differ)."""
        reference = self._reference(table)
        if self.distance_in(table) == "ordered":
            slack = self.t * self.scale(table)
            yield from ((count, share, slack) for count, share in zip(counts, reference, strict=True))
            n, total = sum(counts), sum(reference)
            for count, share in zip(accumulate(counts), accumulate(reference), strict=True):
                yield count, share, slack
                yield n - count, total - share, slack
        else:
            slack = self._slack(table)
            most_concentrated = sorted(
                zip(counts, reference, strict=True), key=lambda pair: pair[0] / pair[1] if pair[1] else math.inf, reverse=True
            )
            count_sum = share_sum = 0
            for count, share in most_concentrated:
                count_sum, share_sum = count_sum + count, share_sum + share
                yield count_sum, share_sum, slack

    def reached(self, statistics: BlockStatistics, block: Block, table: Table) -> float:
        """The distance."""
        assert self.column is not None
        return float(self.exact_distance(statistics.sensitive[self.column], table))

    def describe(self) -> str:
        """``t_closeness(0.2, income, distance = equal)``."""
        distance = f", distance = {self.distance}" if self.distance else ""
        return f"{self.name}({plain(self.t)}, {written(self.column)}{distance})"

    def compiled(self, table: Table) -> CompiledConstraint | None:
        """The limit as whole part, remainder and divisor; the table's total and counts; a hierarchy's nodes.

        ``t_closeness_kernel.py`` reads them.
        S * q <= K * n with t = p / q and K = p * scale * N is the same as S <= n * (K // q) + n * (K % q) // q.
        """
        scale, reference = self.scale(table), self._reference(table)
        total = sum(reference)
        k, q = self.t.numerator * scale * total, self.t.denominator
        if max(total * total * max(scale, 2) * len(reference), total * q) >= 2**62:
            return None
        integers = [k // q, k % q, q, total, *reference]
        distance = self.distance_in(table)
        if distance == "hierarchical" and scale:
            for height, children in ground_distance.inner_nodes(self._domain(table)):
                integers += [height, len(children), *(bound for child in children for bound in child)]
        kind = KINDS[distance] if scale else EQUAL
        return CompiledConstraint(kind, self._position(table), parameters=(float(len(reference)),), integers=tuple(integers))

    def audit_measure(self, domain: ValueDomain | None) -> AuditMeasure | None:
        """The measure of the ground distance; a hierarchy travels as lists: node, height, child and a leaf below that child.

        An order of text travels as a list too; other values have their own order (an empty list). Without a domain nothing
        but the equal distance can be measured.
        """
        distance = self._distance_for(domain) if domain else self.distance
        parameters: dict[str, AuditValue] = {"t_numerator": self.t.numerator, "t_denominator": self.t.denominator}
        if domain is None and distance != "equal":
            return None
        if distance == "hierarchical" and domain is not None:
            if domain.taxonomy is None:
                return None
            parameters |= _node_lists(domain)
        if distance == "ordered" and domain is not None:
            texts: list[str | None] = [value for value in domain.values if isinstance(value, str)]
            parameters["order"] = texts
        return AuditMeasure(f"audit/{self.name}_{distance}", parameters, needs_baseline=True)


def _node_lists(domain: ValueDomain) -> dict[str, AuditValue]:
    rows = [
        (node, height, child, None if code == domain.missing else str(domain.values[code]))
        for node, (height, children) in enumerate(ground_distance.inner_nodes(domain))
        for child, interval in enumerate(children)
        for code in interval.codes()
    ]
    return {
        "nodes": [row[0] for row in rows],
        "heights": [row[1] for row in rows],
        "children": [row[2] for row in rows],
        "leaves": [row[3] for row in rows],
    }


def _rounded_prefixes(size: int, reference: Sequence[int]) -> list[int]:
    """The histogram whose prefix sums are the table's, scaled and rounded: the closest one in the ordered distance."""
    total = sum(reference)
    prefixes = [(2 * size * below + total) // (2 * total) for below in accumulate(reference)]
    return [upper - lower for lower, upper in zip([0, *prefixes], prefixes, strict=False)]


def _largest_remainders(size: int, reference: Sequence[int]) -> list[int]:
    """The histogram of ``size`` tuples with the smallest total variation distance to the table's."""
    total = sum(reference)
    counts = [size * count // total for count in reference]
    by_remainder = sorted(range(len(reference)), key=lambda code: size * reference[code] % total, reverse=True)
    for code in by_remainder[: size - sum(counts)]:
        counts[code] += 1
    return counts
