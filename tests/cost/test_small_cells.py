"""The smallest extension of a leaf value: by neighbours as by all pairs, and in a time that grows as the values do."""

from __future__ import annotations

import random
import time

import numpy as np
import pytest

from gensearch_db.cost.cost import Cost
from gensearch_db.cost.gcp import GlobalCertaintyPenalty
from gensearch_db.cost.ncp import NormalizedCertaintyPenalty
from gensearch_db.cost.small_cells import smallest_extensions
from gensearch_db.cost.volume import Volume
from gensearch_db.domain.attribute import Leaf, OrderedAttribute, Space
from gensearch_db.domain.cells import Cells
from gensearch_db.domain.region import LeafSet
from gensearch_db.domain.statistics import whole_table
from tests.oracles.problems import TAXONOMIES, problem_of, random_rows, random_space, taxonomy

MANY = 30_000


def test_neighbours_make_the_smallest_regions() -> None:
    chance = random.Random(2)
    compared = 0
    for _ in range(200):
        space = random_space(chance, most_cells=60)
        problem = problem_of(space, random_rows(chance, space, 12), (), NormalizedCertaintyPenalty())
        measure = problem.cost.region_measure(problem.table)
        assert measure is not None
        for attribute in space.attributes:
            for by_value in (False, True):
                found = smallest_extensions(attribute, measure, by_value)
                sets = by_value and not isinstance(attribute, OrderedAttribute)
                for code in range(attribute.leaf_count):
                    others = [o for o, leaf in enumerate(attribute.leaves) if leaf.occurs and o != code]
                    regions = [LeafSet(1 << code | 1 << o) if sets else attribute.tight([code, o]) for o in others]
                    assert found[code] == min((measure(attribute, r) for r in regions), default=np.inf)
                    compared += 1
    assert compared > 1000


@pytest.mark.parametrize("name", sorted(TAXONOMIES))
def test_the_lowest_cover_is_the_smallest_node_that_holds_both(name: str) -> None:
    tree = taxonomy("q", TAXONOMIES[name]).taxonomy
    for low in range(len(tree.leaves)):
        for high in range(low, len(tree.leaves)):
            holding = [node for node in tree.nodes if node.interval.contains(low) and node.interval.contains(high)]
            assert tree.lowest_cover([high, low]) == min(holding, key=lambda node: node.interval.leaf_total())


@pytest.mark.parametrize("cost", [NormalizedCertaintyPenalty(), GlobalCertaintyPenalty(), Volume(real=True), Volume()])
def test_prices_of_many_leaf_values_take_no_longer_than_a_look_at_each(cost: Cost) -> None:
    """They took a look at each pair, before the clock of the search was ever read: minutes."""
    leaves = tuple(Leaf(str(i), i, i + 1, float(i), float(i + 1), True) for i in range(MANY))
    space = Space((OrderedAttribute("q", leaves),))
    cells = Cells(np.arange(MANY, dtype=np.int32)[:, None], np.ones(MANY, np.int64))
    table = whole_table(space, cells)
    started = time.process_time()
    cost.prices(cells, table, 2, False)
    assert time.process_time() - started < 5
