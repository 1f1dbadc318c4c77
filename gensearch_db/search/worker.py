"""One worker of the compiled search: builds its arrays, lends them room, turns its answers into partitions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gensearch_db.compilation import announce
from gensearch_db.cost.cost import CompiledCost
from gensearch_db.cost.discernibility import KIND as SQUARED_SIZES
from gensearch_db.cost.kernel import (
    MARGINAL_NONUNIFORMITY,
    NON_UNIFORM_ENTROPY,
    REGION_KINDS,
    BlockContext,
    cost_arrays,
)
from gensearch_db.domain.attribute import OrderedAttribute
from gensearch_db.domain.region import Block, Region
from gensearch_db.errors import SpecificationError
from gensearch_db.privacy.k_anonymity import KAnonymity
from gensearch_db.privacy.kernel import constraint_arrays
from gensearch_db.search.arrays import ORDERED, TAXONOMY, CellArrays, SpaceArrays, accumulators, cell_arrays, space_arrays
from gensearch_db.search.block_kernel import evaluate_block, gather
from gensearch_db.search.bounds import PRICE_REST, BoundArrays, cell_features, order_features
from gensearch_db.search.candidates import MOST_EXACT_PARTS, MOST_TRIED_PARTS
from gensearch_db.search.extraction import extract, list_tree, refresh
from gensearch_db.search.memory import Tree, bytes_per_slot, grown, new_memory, remember_tree
from gensearch_db.search.own_costs import own_costs
from gensearch_db.search.partitions import partition_of_words
from gensearch_db.search.prices import cell_prices, least_rows, needed_rows
from gensearch_db.search.result import Partition, SearchProblem
from gensearch_db.search.rollout import LEVELS, rollout
from gensearch_db.search.solver import DONE, MEMORY_FULL, PAUSED, advance, known, push_frame, space_of
from gensearch_db.search.state import (
    UNLIMITED,
    Children,
    Frames,
    Guide,
    Kernel,
    new_candidates,
    new_children,
    new_counters,
    new_frames,
    twin,
)
from gensearch_db.search.structures import structure

Slice = tuple[int, int, NDArray[np.uint64]]
"""Cells ``order[start:end]`` and the words of the block they make."""

FIRST_SLOTS = 1 << 14
LARGEST_EXACT = 2.0**53
"""Integers up to here are exact in float64."""


@dataclass(frozen=True)
class Switches:
    """Which bounds and speed-ups are on; each can be switched off, with the same answer."""

    balanced: bool = True
    water_fill: bool = True
    prices: bool = True
    needs: bool = True
    """Least rows of a feasible block from all constraints together, and for each cell from its values."""
    labels: bool = True
    """Classes that no feasible block can have as its majority."""
    single_groups: bool = True
    """Blocks too small to be divided are known without a look at their cells."""
    cheapest_boxes: bool = True
    """Prices from the cheapest box around each cell (``box_prices.py``)."""

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Switches:
        """Those named in the options of a problem; the rest stays on."""
        return cls(**{name: bool(options[name]) for name in cls.__dataclass_fields__ if name in options})


class Worker:
    """Arrays, memory and stack for one problem."""

    def __init__(
        self,
        problem: SearchProblem,
        switches: Switches | None = None,
        memory_limit: int | None = None,
        kernel: Kernel | None = None,
    ) -> None:
        """``kernel``: that of another worker on the same problem, whose unchanging arrays are shared."""
        announce(advance.__module__)
        self.problem = problem
        self.switches = switches or Switches()
        self.kernel = build_kernel(problem, self.switches) if kernel is None else twin(kernel)
        self.compiled = structure(self.kernel)
        self.space = space_of(self.compiled)
        self.most_splits = _most_splits(problem)
        self.most_parts = int(max([2, *self.kernel.space.node_child_count]))
        megabytes = memory_limit if memory_limit is not None else _default_megabytes()
        slot_bytes = bytes_per_slot(len(self.kernel.space.empty_words))
        self.most_slots = max(FIRST_SLOTS, 1 << int(np.log2(max(1, megabytes * 2**20 / slot_bytes / 1.5))))
        self.forgotten = 0
        self.root_words = self.words_of(0, self.cell_count)
        if not self.kernel.space.tightening:
            self.root_words = words_of_regions(self.kernel.space, problem.space.root)

    @property
    def cell_count(self) -> int:
        """The number of cells of the problem."""
        return self.problem.cells.cell_count

    @property
    def tries_all_splits(self) -> bool:
        """Whether no set has so many parts that only some of its divisions are tried."""
        attributes = zip(self.problem.space.attributes, self.kernel.space.kinds, strict=True)
        return all(kind <= TAXONOMY or attribute.leaf_count <= MOST_EXACT_PARTS for attribute, kind in attributes)

    @property
    def visited(self) -> int:
        """Blocks looked at so far."""
        return int(self.kernel.counters.visited[0])

    @property
    def effort(self) -> int:
        """What the blocks looked at took so far, in values of cells read."""
        return int(self.kernel.counters.effort[0])

    def words_of(self, start: int, end: int) -> NDArray[np.uint64]:
        """The words of the cells ``order[start:end]`` together."""
        words = np.zeros_like(self.kernel.space.empty_words)
        gather(self.compiled, start, end, words)
        return words

    def words_of_block(self, block: Block, start: int, end: int) -> NDArray[np.uint64]:
        """The words of a given block that holds the cells ``order[start:end]``: those of its regions where regions stay
        untightened."""
        if self.kernel.space.tightening:
            return self.words_of(start, end)
        return words_of_regions(self.kernel.space, block)

    def cost_of(self, slices: list[Slice]) -> float:
        """The cost of a partition, summed over its blocks in order."""
        return math.fsum(self.evaluate(*part)[3] for part in slices)

    def ask(self, start: int, end: int, words: NDArray[np.uint64], limit: float) -> None:
        """Begin to solve the block ``order[start:end]`` against a limit. Nothing else may be in progress."""
        push_frame(self.compiled, start, end, words, limit)

    def work(self, last_effort: int) -> bool:
        """Go on until the question is answered (True) or ``last_effort`` was made in all, or until stopped."""
        self.kernel.counters.last_effort[0] = last_effort
        while True:
            code = advance(self.compiled, self.most_splits, self.most_parts)
            if code in (DONE, PAUSED):
                return bool(code == DONE)
            if code == MEMORY_FULL:
                self.more_memory()
            else:
                self._enlarge_stack()

    def stop(self) -> None:
        """Make the search pause at its next block; may be called from another thread."""
        self.kernel.counters.last_effort[0] = 0

    def visit_at_most(self, blocks: int) -> None:
        """Pause once so many more blocks were visited, whatever effort is allowed."""
        self.kernel.counters.last_block[0] = self.visited + blocks

    @property
    def stopped(self) -> bool:
        """Whether :meth:`stop` was called since the last question."""
        return bool(self.kernel.counters.last_effort[0] == 0)

    def abandon(self) -> None:
        """Drop the question in progress; what was learnt stays in memory."""
        self.kernel.counters.depth[0] = -1

    def refresh(self, whole: Slice) -> float:
        """Carry cheaper partitions of parts up to the best known partition of a block; its cost."""
        return float(refresh(self.compiled, *whole, self.most_parts))

    def _replace(self, **groups: Any) -> None:
        self.kernel = self.kernel._replace(**groups)
        self.compiled = structure(self.kernel)

    def _enlarge_stack(self) -> None:
        kernel = self.kernel
        self._replace(
            frames=Frames(*(_doubled(array) for array in kernel.frames)),
            children=Children(*(_doubled(array) for array in kernel.children)),
            candidates=kernel.candidates._replace(
                attribute=_doubled(kernel.candidates.attribute),
                position=_doubled(kernel.candidates.position),
                bound=_doubled(kernel.candidates.bound),
            ),
        )

    def roll(self, whole: Slice, level: int, last_effort: int) -> bool:
        """Find a good partition of a block by rollouts and remember it. False: halted at ``last_effort`` in all; go on by
        calling again."""
        guide, counters = self.kernel.guide, self.kernel.counters
        counters.last_effort[0] = last_effort
        start, end, words = whole
        while True:
            guide.halted[0] = 0
            self.kernel.candidates.top[0] = 0
            rollout(self.compiled, start, end, words, level, self.most_splits, self.most_parts)
            if guide.halted[0] == 0:
                return True
            if self.effort >= counters.last_effort[0] or self.visited >= counters.last_block[0]:
                return False
            if 2 * (self.kernel.memory.entries[0] + 2) > len(self.kernel.memory.used):
                self.more_memory()
            else:
                self._enlarge_stack()

    def more_memory(self) -> None:
        """Make room in the memory: a larger table, or, at the limit, one that forgets the entries cheapest to learn."""
        memory, forgotten = grown(self.kernel.memory, self.most_slots)
        self._replace(memory=memory)
        self.forgotten += forgotten

    def notes(self) -> tuple[str, ...]:
        """What the user must know about how the space was searched."""
        if not self.kernel.counters.restricted[0]:
            return ()
        return (
            f"Sets of more than {MOST_EXACT_PARTS} values were divided along candidate orders only: "
            "cost and bound are those of this restricted split set.",
        )

    @property
    def answer(self) -> tuple[float, float]:
        """Lower bound and best known cost of the block that was solved last."""
        return float(self.kernel.counters.answer[0]), float(self.kernel.counters.answer[1])

    def known(self, words: NDArray[np.uint64]) -> tuple[float, float]:
        """What the memory knows of a block: lower bound, best cost."""
        lower, upper = known(self.compiled, words)
        return float(lower), float(upper)

    def slices(self, start: int, end: int, words: NDArray[np.uint64]) -> list[Slice]:
        """The best partition known of a block, as slices of ``order`` with their words. Parts whose partition was forgotten are
        completed greedily, so their cost (:meth:`cost_of`) may be above the one remembered."""
        found, forgotten = self.pieces(start, end, words)
        for part in forgotten:
            self.kernel.counters.last_block[0] = UNLIMITED
            self.roll(part, 0, UNLIMITED)
            found.extend(self.slices(*part))
        return sorted(found, key=lambda part: part[0])

    def pieces(self, start: int, end: int, words: NDArray[np.uint64]) -> tuple[list[Slice], list[Slice]]:
        """Cut a block along the best partition known: its blocks, and the parts whose partition was forgotten."""
        size, word_count = end - start, len(words)
        ends, block_words = np.zeros(size, np.int64), np.zeros((size, word_count), np.uint64)
        pending_ends, pending_words = np.zeros(size + 1, np.int64), np.zeros((size + 1, word_count), np.uint64)
        count, _ = extract(self.compiled, start, end, words, ends, block_words, pending_ends, pending_words, self.most_parts)
        found: list[Slice] = []
        forgotten: list[Slice] = []
        for i in range(count):
            to = abs(int(ends[i]))
            (forgotten if ends[i] < 0 else found).append((start, to, block_words[i].copy()))
            start = to
        return found, forgotten

    def tree(self, whole: Slice) -> Tree:
        """The best partition tree known of a block, for another worker to take in."""
        room = 2 * (whole[1] - whole[0])
        words = np.zeros((room, len(whole[2])), np.uint64)
        numbers, costs = np.zeros((room, 2), np.int64), np.zeros(room)
        count = list_tree(self.compiled, *whole, 0, words, numbers, costs, self.most_parts)
        return Tree(words[:count].copy(), numbers[:count].copy(), costs[:count].copy())

    def take_in(self, tree: Tree) -> None:
        """Remember another worker's tree where it is cheaper than what is known."""
        while 2 * (self.kernel.memory.entries[0] + len(tree.costs) + 2) > len(self.kernel.memory.used):
            self.more_memory()
        remember_tree(self.kernel.memory, *tree)

    def partition(self, slices: list[Slice]) -> Partition:
        """The partition that slices of ``order`` make."""
        members = [self.kernel.order[start:end] for start, end, _ in slices]
        return partition_of_words(self.problem, self.kernel.space, np.array([words for _, _, words in slices]), members)

    def partition_of(self, groups: Iterable[tuple[bytes, bytes]]) -> Partition:
        """The partition that groups of cells make, each given by its cell numbers and its words as bytes."""
        members, words = zip(*groups, strict=True)
        table = np.array([np.frombuffer(each, np.uint64) for each in words])
        return partition_of_words(self.problem, self.kernel.space, table, [np.frombuffer(each, np.int64) for each in members])

    def evaluate(self, start: int, end: int, words: NDArray[np.uint64]) -> tuple[int, int, bool, float]:
        """Rows, size, feasibility and cost of the block ``order[start:end]``."""
        rows, size, feasible, cost = evaluate_block(self.compiled, start, end, words, self.kernel.cells.features.shape[1])
        return int(rows), int(size), bool(feasible), float(cost)


def _doubled(array: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate([array, np.zeros_like(array)])


def _default_megabytes() -> int:
    """Half of the machine's memory, 2 GB where that is unknown."""
    import os

    try:
        return int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**21)
    except (ValueError, OSError, AttributeError):
        return 2048


def _most_splits(problem: SearchProblem) -> int:
    """At most so many splits of one block."""
    total = 0
    for attribute in problem.space.attributes:
        leaves = attribute.leaf_count
        exact = 2 ** (min(leaves, MOST_EXACT_PARTS) - 1)
        total += 4 * leaves + exact
    return total


def words_of_regions(space: SpaceArrays, block: Block) -> NDArray[np.uint64]:
    """The words that hold every leaf value of a block's regions."""
    words = space.empty_words.copy()
    for j, region in enumerate(block):
        add_region(space, words, j, region)
    return words


def add_region(space: SpaceArrays, words: NDArray[np.uint64], j: int, region: Region) -> None:
    """Add every leaf value of a region of attribute j to words that hold none of it yet."""
    codes = list(region.codes())
    if space.wide[j]:
        words[space.word[j]] = np.uint64(codes[0] << 32 | codes[-1])
    else:
        words[space.word[j]] |= np.uint64(sum(1 << code for code in codes) << int(space.shift[j]))


def _context(space: SpaceArrays, cells: CellArrays, marginals: NDArray[np.int64], widest: int) -> BlockContext:
    attributes = len(space.kinds)
    columns = cells.histogram_starts.shape[0]
    return BlockContext(
        lower=np.zeros(attributes, np.int64),
        upper=np.zeros(attributes, np.int64),
        leaf_totals=np.zeros(attributes),
        masks=np.zeros(attributes, np.uint64),
        edges=np.zeros(attributes),
        lengths=np.zeros(attributes),
        losses=np.zeros(attributes),
        spans=np.zeros(attributes),
        region_rows=np.zeros(attributes, np.int64),
        histograms=np.zeros((columns, widest), np.int64),
        leaf_starts=space.leaf_starts,
        marginals=marginals,
    )


def build_kernel(problem: SearchProblem, switches: Switches) -> Kernel:
    """The arrays of a problem. Raises :class:`SpecificationError` where they could not be exact."""
    constraints = [constraint.compiled(problem.table) for constraint in problem.constraints]
    summands = problem.cost.compiled(problem.table)
    assert summands is not None
    _guard_exactness(problem)
    price = float(problem.suppression_price)
    minimum_rows = max([1, *(constraint.minimum_size(problem.table) for constraint in problem.constraints if not price)])
    needed = np.full(problem.cells.cell_count, minimum_rows, np.int64)
    if switches.needs:
        minimum_rows = least_rows(problem)
        needed = needed_rows(problem, minimum_rows)
    integral = problem.cost.integral and price.is_integer()
    squares_weight = sum(summand.weight for summand in summands if summand.kind == SQUARED_SIZES)
    space = space_arrays(problem.space, problem.cells, problem.values_labels)
    space = space._replace(counts_rows=int(any(summand.kind == NON_UNIFORM_ENTROPY for summand in summands)))
    rows = problem.cells.counts
    features = cell_features(rows, minimum_rows, needed, squares_weight, np.zeros(len(rows)))
    if any(
        kind > TAXONOMY and a.leaf_count > MOST_TRIED_PARTS
        for kind, a in zip(space.kinds, problem.space.attributes, strict=True)
    ):
        features = np.concatenate([features, order_features(problem.cells.codes, rows, space.kinds == ORDERED)], axis=1)
    cells = cell_arrays(space, problem.cells, features)
    sums = accumulators(space, cells)
    columns = (*problem.cells.sensitive, *problem.cells.classes)
    widest = max([0, *(len(column.domain.values) for column in columns)])
    word_count = len(space.empty_words)
    guide = _guide(problem, summands, float(squares_weight), minimum_rows)
    single_groups = switches.single_groups and not price and guide.sizes_decide and _regions_tell(space, summands)
    bounds = BoundArrays(
        minimum_rows,
        float(squares_weight),
        int(integral),
        int(switches.balanced),
        int(switches.water_fill),
        int(single_groups),
    )
    kernel = Kernel(
        space=space,
        cells=cells,
        constraints=constraint_arrays([constraint for constraint in constraints if constraint is not None]),
        monotone=int(all(constraint.monotone_in(problem.table) for constraint in problem.constraints)),
        costs=cost_arrays(summands, price),
        bounds=bounds,
        guide=guide,
        context=_context(space, cells, sums.rows, widest),
        left=_context(space, cells, np.zeros_like(sums.rows), widest),
        right=_context(space, cells, np.zeros_like(sums.rows), widest),
        sums=sums,
        order=np.arange(len(rows), dtype=np.int64),
        spare=np.zeros(len(rows), np.int64),
        memory=new_memory(FIRST_SLOTS, word_count),
        frames=new_frames(256, word_count),
        children=new_children(2048, word_count),
        candidates=new_candidates(4 * _most_splits(problem) + 4096),
        counters=new_counters(),
    )
    if switches.prices:
        prices = cell_prices(problem, needed, labels=switches.labels)
        if problem.cost.monotone:
            rest = tuple(summand for summand in summands if summand.kind != SQUARED_SIZES)
            prices = np.maximum(prices, _own_costs(kernel, rest))
        kernel.cells.features[:, PRICE_REST] = prices
    return kernel


def _guide(problem: SearchProblem, summands: tuple[CompiledCost, ...], squares_weight: float, minimum_rows: int) -> Guide:
    """How greedy searches and rollouts rank splits: by what regions and sizes tell of the cost."""
    rest = [summand for summand in summands if summand.kind != SQUARED_SIZES]
    marginal = (MARGINAL_NONUNIFORMITY, NON_UNIFORM_ENTROPY)
    told = tuple(summand for summand in rest if summand.kind in REGION_KINDS or summand.kind in marginal)
    ordered = [j for j, attribute in enumerate(problem.space.attributes) if isinstance(attribute, OrderedAttribute)]
    checks = 1 if len(told) == len(rest) else 12 if told or squares_weight else 1 << 30
    return Guide(
        costs=cost_arrays(told),
        tie_weight=0.0 if rest else 0.01 * minimum_rows * squares_weight / len(problem.space.attributes),
        reads_marginals=int(any(summand.kind in marginal for summand in told)),
        first_ordered=ordered[0] if ordered else -1,
        checks=checks,
        sizes_decide=int(
            problem.cells.persons is None and all(isinstance(constraint, KAnonymity) for constraint in problem.constraints)
        ),
        widths=np.ones(LEVELS, np.int64),
        random=np.array([0x9E3779B97F4A7C15], np.uint64),
        epoch=np.zeros(1, np.int64),
        halted=np.zeros(1, np.int64),
    )


def _regions_tell(space: SpaceArrays, summands: tuple[CompiledCost, ...]) -> bool:
    """Whether the words of a block tell its regions, and those with its size its cost; and cutting off empty space is free."""
    told = all(summand.kind in REGION_KINDS for summand in summands)
    hidden = space.values_labels == 1 and bool((space.wide & space.categorical).any())
    return told and not hidden and space.tightening == 1


def _own_costs(kernel: Kernel, summands: tuple[CompiledCost, ...]) -> NDArray[np.float64]:
    """The cost of each cell as a block of its own: a price, because a monotone cost only falls when blocks are cut finer."""
    costs = cost_arrays(summands)
    prices = np.zeros(len(kernel.order))
    if summands:
        own_costs(structure(kernel._replace(costs=costs)), prices)
    return prices


def _guard_exactness(problem: SearchProblem) -> None:
    rows = problem.cells.row_count
    if problem.cost.integral and rows * rows > LARGEST_EXACT:
        raise SpecificationError(
            f"{rows} rows are too many for an exact {problem.cost.describe()}: its values would pass 2^53; "
            "choose another cost, such as ncp"
        )
