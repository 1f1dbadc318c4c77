"""Compiling before the clock starts: a tiny problem is solved once per process, so that no user's time limit pays for it.

All problems run the same compiled functions on arrays of the same types (``structures.py``), so any problem will do.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from gensearch_db.cost.ncp import NormalizedCertaintyPenalty
from gensearch_db.domain.attribute import Leaf, OrderedAttribute, Space
from gensearch_db.domain.cells import Cells
from gensearch_db.domain.statistics import whole_table
from gensearch_db.privacy.k_anonymity import KAnonymity
from gensearch_db.search.block_graph import block_graph_search
from gensearch_db.search.result import SearchProblem, StoppingRule, never_stop

SIDE = 6
"""Leaves of each of two attributes: enough for every part of the search to be called."""


@cache
def warm_up() -> None:
    """Compile the search, or load it from the cache of an earlier process."""
    leaves = tuple(Leaf(str(code), start=float(code), end=float(code + 1), point=True) for code in range(SIDE))
    space = Space((OrderedAttribute("a", leaves), OrderedAttribute("b", leaves)))
    codes = np.array([(row, column) for row in range(SIDE) for column in range(SIDE)], np.int32)
    cells = Cells(codes, np.arange(1, SIDE * SIDE + 1, dtype=np.int64) % 3 + 1)
    problem = SearchProblem(space, cells, whole_table(space, cells), (KAnonymity(4),), NormalizedCertaintyPenalty())
    block_graph_search(problem, StoppingRule(), never_stop, {}, threads=1)
