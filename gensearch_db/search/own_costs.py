"""Compiled: what each cell costs as a block of its own, a price for every monotone cost (THEORY 2.5, finest)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gensearch_db.compilation import compiled
from gensearch_db.search.block_kernel import evaluate_block
from gensearch_db.search.state import Kernel


@compiled
def own_costs(kernel: Kernel, prices: NDArray[np.float64]) -> None:
    """Fill ``prices`` with the cost of each cell alone. The order of cells must be the one they are numbered in."""
    for cell in range(len(prices)):
        prices[cell] = evaluate_block(kernel, cell, cell + 1, kernel.cells.words[cell], kernel.cells.cost_columns)[3]
