"""Boxes: interned blocks with their available splits, as sets of split ids. What partition trees are made of.

Two families. :class:`Boxes` covers the whole space, empty parts included, as the paper's enumeration does.
:class:`OccupiedBoxes` cuts off empty space at every step: a box is the smallest block around its cells, and each way of
grouping the *cells* is one partition. Empty blocks cost nothing and satisfy everything, so nothing is lost unless a minimum
edge length is asked for (THEORY 2.1).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from gensearch_db.domain.attribute import OrderedAttribute, Space
from gensearch_db.domain.region import Block, LeafSet, Region
from gensearch_db.domain.splits import SplitSet


class Box:
    """A block as an object of its own; equal blocks of one family are the same object.

    ``crossing`` and ``available`` are sets of split ids (bits): the splits that run through the block, and those that may
    divide it. ``cells`` is the set of its cells (bits), 0 where the family knows no cells.
    """

    __slots__ = ("available", "block", "cells", "crossing", "divisions")

    def __init__(self, block: Block, cells: int, available: int, crossing: int) -> None:
        self.block = block
        self.cells = cells
        self.available = available
        self.crossing = crossing
        self.divisions: tuple[Division[Any], ...] | None = None


BoxT = TypeVar("BoxT", bound=Box)


class Division(NamedTuple, Generic[BoxT]):
    """One split of a box: its id, the boxes it makes (two or more), and the splits that still cross one of them."""

    split: int
    children: tuple[BoxT, ...]
    crossing: int


class Boxes(Generic[BoxT]):
    """The boxes of a whole space, empty ones included. ``box_type`` is what they are made as."""

    def __init__(self, split_set: SplitSet, box_type: type[BoxT]) -> None:
        self.split_set = split_set
        self.space: Space = split_set.space
        self._box_type = box_type
        self._by_block: dict[Block, BoxT] = {}
        self.watch: Callable[[], None] = lambda: None
        """Called before each piece of long work on boxes; may raise to end a search."""

    @property
    def root(self) -> BoxT:
        """The undivided space."""
        return self.box(self.space.root)

    @property
    def count(self) -> int:
        """How many boxes were made so far."""
        return len(self._by_block)

    def box(self, block: Block) -> BoxT:
        """The box of a block."""
        box = self._by_block.get(block)
        if box is None:
            box = self._by_block[block] = self._make(block, self._cells(block))
        return box

    def divisions(self, box: BoxT) -> tuple[Division[BoxT], ...]:
        """Every split that may divide the box, by ascending id; splits that a lower id makes out of sequence are left out.

        A split is left out if, once it is made, the box has a cut with a lower id (Definition 7): then the same partition
        is reached with that cut first.
        """
        if box.divisions is None:
            found: list[Division[BoxT]] = []
            for position, region in enumerate(box.block):
                for split, parts in self.split_set.divisions(position, region):
                    self.watch()
                    children = self._children(box, position, parts)
                    crossing = 0
                    for child in children:
                        crossing |= child.crossing
                    if not box.available & ~crossing & ((1 << split) - 1):
                        found.append(Division(split, children, crossing))
            found.sort(key=lambda division: division.split)
            box.divisions = tuple(found)
        return box.divisions

    def _make(self, block: Block, cells: int) -> BoxT:
        available = crossing = 0
        for position, region in enumerate(block):
            available |= self.split_set.available(position, region)
            crossing |= self.split_set.crossing(position, region)
        return self._box_type(block, cells, available, crossing)

    def _cells(self, block: Block) -> int:
        return 0

    def _children(self, box: BoxT, position: int, parts: tuple[Region, ...]) -> tuple[BoxT, ...]:
        before, after = box.block[:position], box.block[position + 1 :]
        return tuple(self.box((*before, part, *after)) for part in parts)


def _cells_by_code(codes: NDArray[np.int32]) -> dict[int, int]:
    """For each code that occurs the set of cells that have it, ascending."""
    order = np.argsort(codes, kind="stable")
    found, firsts = np.unique(codes[order], return_index=True)
    column: dict[int, int] = {}
    for code, first, last in zip(found.tolist(), firsts, [*firsts[1:], len(codes)], strict=True):
        there = np.zeros(len(codes) // 8 + 1, np.uint8)
        np.bitwise_or.at(there, order[first:last] >> 3, np.uint8(1) << (order[first:last] & 7).astype(np.uint8))
        column[code] = int.from_bytes(there.tobytes(), "little")
    return column


class CellIndex:
    """Which cells lie in a region, as sets of cell numbers (bits). ``codes``: one row of leaf codes per cell."""

    def __init__(self, space: Space, codes: NDArray[np.int32]) -> None:
        self.space = space
        self.everything = (1 << len(codes)) - 1
        self._by_code: list[dict[int, int]] = []
        for position in range(len(space.attributes)):
            self._by_code.append(_cells_by_code(codes[:, position]))
        self._by_region: list[dict[Region, int]] = [{} for _ in space.attributes]

    def in_region(self, position: int, region: Region) -> int:
        """The cells whose code of one attribute lies in ``region``."""
        known = self._by_region[position].get(region)
        if known is None:
            known = 0
            for code, cells in self._by_code[position].items():
                if region.contains(code):
                    known |= cells
            self._by_region[position][region] = known
        return known

    def in_block(self, block: Block) -> int:
        """The cells in a block."""
        cells = self.everything
        for position, region in enumerate(block):
            cells &= self.in_region(position, region)
        return cells

    def smallest_block(self, cells: int) -> Block:
        """The smallest block around a non-empty set of cells."""
        return tuple(
            attribute.tight(code for code, there in column.items() if there & cells)
            for attribute, column in zip(self.space.attributes, self._by_code, strict=True)
        )

    def with_values(self, block: Block, cells: int) -> Block:
        """The block with the sets of categories that occur in ``cells`` in place of its regions; numbers keep intervals."""
        return tuple(
            region
            if isinstance(attribute, OrderedAttribute) and not attribute.categorical
            else LeafSet(sum(1 << code for code, there in column.items() if there & cells))
            for attribute, region, column in zip(self.space.attributes, block, self._by_code, strict=True)
        )


class BoxesWithCells(Boxes[BoxT]):
    """The boxes of a whole space, each with the set of its cells (0: an empty box)."""

    def __init__(self, split_set: SplitSet, box_type: type[BoxT], index: CellIndex) -> None:
        super().__init__(split_set, box_type)
        self.index = index

    def _cells(self, block: Block) -> int:
        return self.index.in_block(block)


class OccupiedBoxes(BoxesWithCells[BoxT]):
    """Boxes without empty margins: each is the smallest block around its cells, and none is empty."""

    def __init__(self, split_set: SplitSet, box_type: type[BoxT], index: CellIndex) -> None:
        super().__init__(split_set, box_type, index)
        self._by_cells: dict[int, BoxT] = {}

    @property
    def root(self) -> BoxT:
        """The smallest block around all cells."""
        return self.of_cells(self.index.everything)

    @property
    def count(self) -> int:
        """How many boxes were made so far."""
        return len(self._by_cells)

    def box(self, block: Block) -> BoxT:
        """The smallest box around the cells of ``block``, which must hold some."""
        return self.of_cells(self.index.in_block(block))

    def of_cells(self, cells: int) -> BoxT:
        """The smallest box around a set of cells."""
        box = self._by_cells.get(cells)
        if box is None:
            box = self._by_cells[cells] = self._make(self.index.smallest_block(cells), cells)
        return box

    def _children(self, box: BoxT, position: int, parts: tuple[Region, ...]) -> tuple[BoxT, ...]:
        shares = (box.cells & self.index.in_region(position, part) for part in parts)
        return tuple(self.of_cells(share) for share in shares if share)
