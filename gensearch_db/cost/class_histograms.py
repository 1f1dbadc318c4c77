"""Class columns: finding the one a cost names, and its histogram in each cell."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gensearch_db.domain.cells import Cells, Table
from gensearch_db.errors import SpecificationError, near_matches


def class_position(column: str, table: Table) -> tuple[str, int]:
    """The column's own spelling and its position in ``Cells.classes``. Raises :class:`SpecificationError` if not counted."""
    for position, name in enumerate(table.classes):
        if name.casefold() == column.casefold():
            return name, position
    raise SpecificationError(f"the class column '{column}' does not exist{near_matches(column, table.classes)}")


def histograms_by_cell(cells: Cells, position: int) -> NDArray[np.int64]:
    """Rows by cell and class value, shape (cell count, value count)."""
    distribution = cells.classes[position]
    counts = np.zeros((cells.cell_count, len(distribution.domain.values)), dtype=np.int64)
    cell_of_entry = np.repeat(np.arange(cells.cell_count), np.diff(distribution.starts))
    np.add.at(counts, (cell_of_entry, distribution.codes), distribution.counts)
    return counts
