"""Volume metric (VM): each tuple pays the volume of its block (paper section 3; THEORY 2.0, 2.5).

* ``volume``: in unit cells of the split set's finest partition; of a taxonomy the leaves that occur in the table. Integers.
* ``volume(real)``: the product of real lengths, in units of each attribute's smallest leaf.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gensearch_db.cost.cost import CompiledCost, Cost, Rows
from gensearch_db.cost.small_cells import product_prices
from gensearch_db.domain.attribute import Attribute
from gensearch_db.domain.cells import BlockStatistics, Cells, Table
from gensearch_db.domain.region import Block, Region
from gensearch_db.problem.arguments import bind
from gensearch_db.problem.calls import Call

UNIT_CELLS_KIND, REAL_KIND = 4, 5


@dataclass(frozen=True)
class Volume(Cost):
    """``volume`` or ``volume(real)``."""

    name: ClassVar[str] = "volume"
    real: bool = False

    @classmethod
    def from_call(cls, call: Call) -> Self:
        """``volume(real)`` measures real lengths, ``volume`` counts unit cells."""
        return cls(bind(call, names=("unit",), usage="volume(real)").choice("unit", ("cells", "real"), "cells") == "real")

    @property
    def integral(self) -> bool:
        """Unit cells are counted, lengths are not."""
        return not self.real

    @property
    def monotone(self) -> bool:
        """A part of a box is smaller."""
        return True

    def of_block(self, statistics: BlockStatistics, block: Block, table: Table) -> float:
        """Rows times the block's volume."""
        return statistics.rows * self._volume(block, table)

    def _volume(self, block: Block, table: Table) -> float:
        edges = [self._edge(attribute, region) for attribute, region in zip(table.space.attributes, block, strict=True)]
        return math.prod(edges)

    def _edge(self, attribute: Attribute, region: Region) -> float:
        return attribute.length(region) / smallest_width(attribute) if self.real else attribute.occurring(region)

    def suppression_charge(self, table: Table) -> float:
        """The volume of the undivided space."""
        return float(self._volume(table.space.root, table))

    def describe(self) -> str:
        """``volume`` or ``volume(real)``."""
        return "volume(real)" if self.real else "volume"

    def prices(self, cells: Cells, table: Table, smallest: Rows, values_labels: bool) -> NDArray[np.float64]:
        """The volume of the cell; of a small one that of its smallest extension."""
        widths = {attribute.name: smallest_width(attribute) for attribute in table.space.attributes}

        def measure(attribute: Attribute, region: Region) -> float:
            """The edge along one attribute."""
            return attribute.length(region) / widths[attribute.name] if self.real else attribute.occurring(region)

        return product_prices(cells, table.space.attributes, measure, smallest, values_labels)

    def compiled(self, table: Table) -> tuple[CompiledCost, ...] | None:
        """Unit cells need nothing; lengths need each attribute's unit."""
        if not self.real:
            return (CompiledCost(UNIT_CELLS_KIND),)
        return (CompiledCost(REAL_KIND, parameters=tuple(smallest_width(attribute) for attribute in table.space.attributes)),)


def smallest_width(attribute: Attribute) -> float:
    """The width of the attribute's smallest leaf that has one; 1 for categories."""
    widths = [leaf.end - leaf.start for leaf in attribute.leaves if leaf.end > leaf.start]
    return min(widths, default=1.0)


def kernel_unit_cells(rows: int, edges: NDArray[np.float64]) -> float:
    """The cost as the kernel compiles it."""
    return float(rows * np.prod(edges))


def kernel_real(rows: int, lengths: NDArray[np.float64], units: NDArray[np.float64]) -> float:
    """The cost as the kernel compiles it."""
    value = float(rows)
    for j in range(len(lengths)):
        value *= lengths[j] / units[j]
    return value
