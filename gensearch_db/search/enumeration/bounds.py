"""Lower bounds of a box's optimum: the paper's, the tighter ones, look-ahead, and the exact optimum of small boxes.

THEORY 2.1 to 2.7. Every bound holds for all partitions of the box that suppress no more rows than the problem allows.
"""

from __future__ import annotations

import math

from gensearch_db.cost.bounds import balanced_squares, water_filled_squares
from gensearch_db.cost.discernibility import Discernibility
from gensearch_db.domain.region import Block, Interval
from gensearch_db.search.enumeration.harmonic_bound import harmonic
from gensearch_db.search.enumeration.judged_box import Judge, JudgedBox, Option, members
from gensearch_db.search.enumeration.options import Bound, EnumerationOptions
from gensearch_db.search.result import SearchProblem

SMALL_SPACE, SMALL_LEAF = 25_000, 1_000

ALL_THE_WAY = 1 << 30
"""A look-ahead that ends only where boxes can be divided no more: the exact optimum."""


class BoundRule:
    """Works out bounds of boxes, and remembers the best one of each."""

    def __init__(self, judge: Judge, options: EnumerationOptions) -> None:
        self.judge = judge
        self.limit = judge.problem.suppression_limit
        self._kind = options.bound
        self._look_ahead = options.levels
        self._exact_below = options.exact_below or _worth_solving(judge.boxes.root)
        self._smallest = self._smallest_size() if options.bound is not Bound.PAPER else judge.minimum_size
        self._price_cells()

    def of(self, box: JudgedBox) -> float:
        """The bound of a judged box as the options ask for it; inf where no allowed partition of it exists."""
        depth = self._look_ahead
        if self._kind is Bound.EXACT and box.bound_depth < ALL_THE_WAY and _box_count(box) <= self._exact_below:
            depth = ALL_THE_WAY
            self._explore(box)
        return self._looking_ahead(box, depth)

    def options(self, box: JudgedBox) -> list[Option]:
        """The divisions of a box that can lead to an allowed partition, those with the lowest bound first."""
        if box.options is None:
            found = []
            for division in self.judge.divisions(box):
                bound = sum(self.of(child) for child in division.children)
                if bound < math.inf:
                    cost = sum(child.cost for child in division.children)
                    suppressed = sum(child.suppressed for child in division.children)
                    found.append(Option(bound, cost, suppressed, division))
            found.sort(key=lambda option: (option.bound, option.division.split))
            box.options = found
        return box.options

    def _looking_ahead(self, box: JudgedBox, depth: int) -> float:
        if box.bound_depth >= depth:
            return box.bound
        self._begin(box)
        least = self._own_cost(box)
        if depth and box.bound < least:
            for division in self.judge.divisions(box):
                total = 0.0
                for child in division.children:
                    total += self._looking_ahead(child, depth - 1)
                    if total >= least:
                        break
                else:
                    least = total
            box.bound = max(box.bound, least)
        box.bound_depth = depth
        return box.bound

    def _begin(self, box: JudgedBox) -> None:
        if box.bound_depth < 0:
            box.bound, box.bound_depth = self.direct(box), 0
            self.judge.boxes.watch()

    def quick(self, box: JudgedBox) -> float:
        """The best bound known so far, at least that of the box's own cells."""
        self._begin(box)
        return box.bound

    def _explore(self, box: JudgedBox) -> None:
        """Judge all boxes inside a box, level by level in large batches: what its exact optimum will look at."""
        level, seen = [box], {id(box)}
        while level:
            for each in level:
                self._begin(each)
            children = self.judge.divide(each for each in level if each.bound < self._own_cost(each))
            level = [child for child in children if id(child) not in seen and child.bound_depth < ALL_THE_WAY]
            seen.update(map(id, level))

    def _own_cost(self, box: JudgedBox) -> float:
        return box.cost if box.suppressed <= self.limit else math.inf

    def direct(self, box: JudgedBox) -> float:
        """The bound from the box's own cells."""
        if not box.cells:
            return 0.0
        if box.least_suppressed > self.limit:
            return math.inf
        cells = members(box.cells)
        if self._kind is Bound.PAPER or self.limit:
            value = math.fsum(self._prices[cell] for cell in cells)
        else:
            value = self._tight(box, cells)
        return math.ceil(value - 1e-6) if self._integral and value < math.inf else value

    def _tight(self, box: JudgedBox, cells: list[int]) -> float:
        """The best of the bounds that count groups, for problems without suppression."""
        sizes = [self.judge.cell_rows[cell] for cell in cells]
        groups = self._most_groups(box, sizes)
        if groups < 1:
            return math.inf
        if groups == 1 and not self.judge.lengths_limited:
            return box.cost if not box.suppressed else math.inf
        if self._squares:
            needs = [(self._needs[cell], self.judge.cell_rows[cell]) for cell in cells]
            whole = balanced_squares(box.rows, groups)
            return max(whole, water_filled_squares(sizes, self._smallest), harmonic(needs, groups))
        prices = math.fsum(self._prices[cell] for cell in cells)
        return self._cost.lower_bound(sizes, prices, self._smallest, groups)

    def _most_groups(self, box: JudgedBox, sizes: list[int]) -> int:
        """M(B) of THEORY 2.2: no allowed partition of the box has more non-empty blocks."""
        smallest = self._smallest
        big = sum(size >= smallest for size in sizes)
        small_rows = sum(size for size in sizes if size < smallest)
        groups = min(box.rows // smallest, len(sizes), big + small_rows // smallest)
        table = self.judge.problem.table
        if not table.persons and box.statistics is not None:
            for constraint in self.judge.problem.constraints:
                most = constraint.groups_at_most(box.statistics, smallest, table)
                if most is not None:
                    groups = min(groups, most)
        return groups

    def _smallest_size(self) -> int:
        """k_eff of THEORY 2.2: the smallest size that every constraint may accept."""
        problem = self.judge.problem
        size = self.judge.minimum_size
        if not problem.table.persons:
            most = problem.table.statistics.size
            while size <= most and not all(c.size_possible(size, problem.table) for c in problem.constraints):
                size += 1
        return size

    def _price_cells(self) -> None:
        """What each cell costs at least in any allowed partition, and the smallest group that can hold it."""
        judge, problem = self.judge, self.judge.problem
        self._cost = problem.cost
        self._integral = problem.cost.integral
        self._squares = isinstance(problem.cost, Discernibility)
        prices = problem.cost.prices(problem.cells, problem.table, self._smallest, problem.values_labels).tolist()
        self._prices: list[float] = prices
        if self.limit:
            charge = problem.cost.suppression_charge(problem.table)
            self._prices = [min(price, charge * rows) for price, rows in zip(prices, judge.cell_rows, strict=True)]
        self._needs = [max(self._smallest, rows) for rows in judge.cell_rows]
        if self._squares and self._kind is not Bound.PAPER and not problem.table.persons:
            for cell, statistics in enumerate(judge.ask(_finest_blocks(problem))):
                needed = (constraint.size_needed(statistics, problem.table) for constraint in problem.constraints)
                self._needs[cell] = max([self._needs[cell], *needed])


def _finest_blocks(problem: SearchProblem) -> list[Block]:
    """Each cell as a block of its own."""
    attributes = problem.space.attributes
    return [
        tuple(attribute.tight([code]) for attribute, code in zip(attributes, codes, strict=True))
        for codes in problem.cells.codes.tolist()
    ]


def _worth_solving(root: JudgedBox) -> int:
    """Up to how many boxes a leaf is solved exactly: the whole space where that takes seconds, else leaves that take none."""
    return SMALL_SPACE if _box_count(root) <= SMALL_SPACE else SMALL_LEAF


def _box_count(box: JudgedBox) -> int:
    """How many boxes there are inside a box at most: intervals of ordered values, any sets of unordered ones."""
    total = 1
    for region in box.block:
        leaves = region.leaf_total()
        total *= leaves * (leaves + 1) // 2 if isinstance(region, Interval) else (1 << leaves) - 1
    return total
