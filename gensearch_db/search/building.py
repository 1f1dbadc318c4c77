"""The kernel of a problem: its arrays, its bounds and how greedy searches rank its splits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gensearch_db.cost.cost import CompiledCost
from gensearch_db.cost.discernibility import KIND as SQUARED_SIZES
from gensearch_db.cost.kernel import (
    MARGINAL_NONUNIFORMITY,
    NON_UNIFORM_ENTROPY,
    REGION_KINDS,
    V_OPTIMAL,
    BlockContext,
    cost_arrays,
)
from gensearch_db.domain.attribute import OrderedAttribute
from gensearch_db.errors import SpecificationError
from gensearch_db.privacy.k_anonymity import KAnonymity
from gensearch_db.privacy.kernel import constraint_arrays
from gensearch_db.search.arrays import ORDERED, TAXONOMY, CellArrays, SpaceArrays, accumulators, cell_arrays, space_arrays
from gensearch_db.search.bounds import PRICE_REST, BoundArrays, cell_features, order_features
from gensearch_db.search.memory import new_memory
from gensearch_db.search.own_costs import own_costs
from gensearch_db.search.prices import cell_prices, least_rows, needed_rows
from gensearch_db.search.result import SearchProblem
from gensearch_db.search.rollout import LEVELS
from gensearch_db.search.set_divisions import MOST_EXACT_PARTS, MOST_TRIED_PARTS
from gensearch_db.search.state import Guide, Kernel, new_candidates, new_children, new_counters, new_frames
from gensearch_db.search.structures import structure

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
    small_blocks: bool = True
    """Improvers solve small blocks and subtrees exactly."""
    grids: bool = True
    """Improvers search the top of the tree along grids (``grids.py``)."""
    coarse_spaces: bool = True
    """Or rather in coarse spaces, where squared sizes are all of the cost (``coarse_spaces.py``)."""
    blurred_spaces: bool = True
    """The prover bounds all boxes of blurred spaces, where squared sizes are all of the cost (``blurred_spaces.py``)."""
    assistant: bool = True
    """A second worker proves while the first proof may end soon (``assistant.py``)."""

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Switches:
        """Those named in the options of a problem; the rest stays on."""
        return cls(**{name: bool(options[name]) for name in cls.__dataclass_fields__ if name in options})


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
    reads_squares = any(summand.kind == V_OPTIMAL for summand in summands)
    features = cell_features(rows, minimum_rows, needed, squares_weight, reads_squares)
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
        candidates=new_candidates(4 * most_splits(problem) + 4096),
        counters=new_counters(),
    )
    if switches.prices:
        prices = cell_prices(problem, needed, labels=switches.labels)
        if problem.cost.monotone:
            rest = tuple(summand for summand in summands if summand.kind != SQUARED_SIZES)
            prices = np.maximum(prices, _own_costs(kernel, rest))
        set_prices(kernel.cells, prices)
    return kernel


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
        exact_rows=np.zeros(1),
        exact_effort=np.zeros(1, np.int64),
        grid=np.zeros(sum(attribute.leaf_count for attribute in problem.space.attributes), np.bool_),
        grid_rows=np.zeros(1, np.int64),
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


def set_prices(cells: CellArrays, prices: NDArray[np.float64]) -> None:
    """Set the price of every summand but the squared sizes."""
    cells.features[:, PRICE_REST] = prices
    cells.featured[:] = cells.features.any(axis=1)


def most_splits(problem: SearchProblem) -> int:
    """At most so many splits of one block."""
    total = 0
    for attribute in problem.space.attributes:
        leaves = attribute.leaf_count
        exact = 2 ** (min(leaves, MOST_EXACT_PARTS) - 1)
        total += 4 * leaves + exact
    return total
