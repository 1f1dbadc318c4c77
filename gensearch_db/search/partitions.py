"""From the words of blocks to a partition, all at once, because there may be tens of thousands; and from regions to words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gensearch_db.domain.attribute import Attribute, RelaxedTaxonomyAttribute, TaxonomyAttribute, UnorderedAttribute
from gensearch_db.domain.region import Block, Interval, LeafSet, Region
from gensearch_db.search.arrays import SpaceArrays
from gensearch_db.search.result import Partition, SearchProblem


def partition_of_words(
    problem: SearchProblem, space: SpaceArrays, words: NDArray[np.uint64], members: Sequence[NDArray[np.int64]]
) -> Partition:
    """The partition whose block ``i`` has the words ``words[i]`` and the cells ``members[i]``; other cells are suppressed.

    A block's regions are the tight ones, or the regions themselves where those stay untightened. Blocks are numbered in the
    canonical order.
    """
    regions: list[list[Region]] = []
    ranks: list[NDArray[np.int64]] = []
    for j, attribute in enumerate(problem.space.attributes):
        own = words[:, space.word[j]]
        if not space.wide[j]:
            own = (own >> np.uint64(space.shift[j])) & np.uint64((1 << attribute.leaf_count) - 1)
        distinct, number = np.unique(own, return_inverse=True)
        found = [_region(attribute, bool(space.wide[j]), word) for word in distinct.tolist()]
        place = {key: rank for rank, key in enumerate(sorted({region.sort_key() for region in found}))}
        regions.append([found[i] for i in number.tolist()])
        ranks.append(np.array([place[region.sort_key()] for region in found], np.int64)[number])
    ranking = np.lexsort(ranks[::-1])
    blocks: list[Block] = list(zip(*regions, strict=True))
    block_of_cell = np.full(problem.cells.cell_count, -1, np.int64)
    ordered = [members[i] for i in ranking.tolist()]
    block_of_cell[np.concatenate(ordered)] = np.repeat(np.arange(len(blocks)), [len(cells) for cells in ordered])
    return Partition(tuple(blocks[i] for i in ranking.tolist()), block_of_cell)


def _region(attribute: Attribute, wide: bool, word: int) -> Region:
    """The region that one attribute's part of a block's words stands for: a range of codes, or bits (``arrays.py``)."""
    if isinstance(attribute, RelaxedTaxonomyAttribute | UnorderedAttribute):
        return attribute.tight(LeafSet(word).codes())
    lower, upper = (word >> 32, (word & 0xFFFFFFFF) + 1) if wide else ((word & -word).bit_length() - 1, word.bit_length())
    return attribute.tight((lower, upper - 1)) if isinstance(attribute, TaxonomyAttribute) else Interval(lower, upper)


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
