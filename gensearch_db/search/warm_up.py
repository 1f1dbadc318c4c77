"""Compiling before the clock starts: a tiny problem is solved once per process, so that no user's time limit pays for it.

All problems run the same compiled functions on arrays of the same types (``structures.py``), so any problem will do.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from gensearch_db.cost.discernibility import Discernibility
from gensearch_db.cost.ncp import NormalizedCertaintyPenalty
from gensearch_db.domain.attribute import Leaf, OrderedAttribute, Space
from gensearch_db.domain.cells import Cells
from gensearch_db.domain.statistics import whole_table
from gensearch_db.interruptible_compilation import interruptible_compilation
from gensearch_db.privacy.k_anonymity import KAnonymity
from gensearch_db.search.block_graph import BlockGraphSearch
from gensearch_db.search.blurred_spaces import BlurredSpaces
from gensearch_db.search.box_program import BoxProgram
from gensearch_db.search.coarse_spaces import CoarseSpaces
from gensearch_db.search.memory import news
from gensearch_db.search.result import SearchProblem, StoppingRule, never_stop
from gensearch_db.search.state import UNLIMITED
from gensearch_db.search.worker import Worker

SIDE = 6
"""Leaves of each of two attributes: enough for every part of the search to be called."""


@cache
def warm_up() -> None:
    """Compile the search, or load it from the cache of an earlier process. Ctrl-C ends that, and the next call does it anew."""
    leaves = tuple(Leaf(str(code), start=float(code), end=float(code + 1), point=True) for code in range(SIDE))
    space = Space((OrderedAttribute("a", leaves), OrderedAttribute("b", leaves)))
    codes = np.array([(row, column) for row in range(SIDE) for column in range(SIDE)], np.int32)
    cells = Cells(codes, np.arange(1, SIDE * SIDE + 1, dtype=np.int64) % 3 + 1)
    problem = SearchProblem(space, cells, whole_table(space, cells), (KAnonymity(4),), NormalizedCertaintyPenalty())
    with interruptible_compilation():
        search = BlockGraphSearch(problem, StoppingRule(), never_stop, {}, threads=1)
        search.run(None)
        compile_what_small_problems_never_call(search)


def compile_what_small_problems_never_call(search: BlockGraphSearch) -> None:
    """What only larger problems come to: subtrees, trees that improvers tell each other, a table that grows, all boxes,
    coarse and blurred spaces."""
    first, second = search.team.improvers
    first.worker.roll(first.whole, 0, UNLIMITED)
    first.worker.tries_all_splits_of(first.whole)
    first.worker.refresh(first.whole)
    first.subtrees(first.worker.problem.cells.row_count)
    second.worker.take_in(first.worker.tree(first.whole))
    second.worker.more_memory()
    second.worker.share_done()
    second.worker.tell(news(first.worker.kernel.memory))
    for _ in BoxProgram(search.team.prover.worker).run():
        pass
    squares = Worker(replace(first.worker.problem, cost=Discernibility()))
    squares.roll(first.whole, 0, UNLIMITED)
    for _ in CoarseSpaces(squares, 0).solve(first.whole, SIDE**4, 1.0):
        pass
    for _ in BlurredSpaces(squares).bound(SIDE**4, UNLIMITED, squares.known(squares.root_words)[1]):
        pass
