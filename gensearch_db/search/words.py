"""Compiled: the words that name a block: which leaf values of each attribute occur in it, as bits (see ``arrays.py``)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gensearch_db.compilation import compiled
from gensearch_db.search.arrays import RELAXED, SpaceArrays

ZERO, ONE = np.uint64(0), np.uint64(1)
HALF, LOW_HALF = np.uint64(32), np.uint64(0xFFFFFFFF)


@compiled
def bit_count(bits: int) -> int:
    """The number of set bits of a 64-bit word."""
    bits -= (bits >> ONE) & np.uint64(0x5555555555555555)
    bits = (bits & np.uint64(0x3333333333333333)) + ((bits >> np.uint64(2)) & np.uint64(0x3333333333333333))
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((bits * np.uint64(0x0101010101010101)) >> np.uint64(56))


@compiled
def lowest_bit(bits: int) -> int:
    """The position of the lowest set bit of a word that is not zero."""
    position = 0
    if bits & LOW_HALF == ZERO:
        bits >>= HALF
        position = 32
    while bits & np.uint64(0xFF) == ZERO:
        bits >>= np.uint64(8)
        position += 8
    while bits & ONE == ZERO:
        bits >>= ONE
        position += 1
    return position


@compiled
def highest_bit(bits: int) -> int:
    """The position of the highest set bit of a word that is not zero."""
    position = 0
    if bits >> HALF != ZERO:
        bits >>= HALF
        position = 32
    while bits >> np.uint64(8) != ZERO:
        bits >>= np.uint64(8)
        position += 8
    while bits >> ONE != ZERO:
        bits >>= ONE
        position += 1
    return position


@compiled
def join_wide(target: NDArray[np.uint64], source: NDArray[np.uint64], bit_words: int) -> None:
    """The part of :func:`join_words` for wide attributes: smallest and largest code."""
    for w in range(bit_words, len(target)):
        smallest = min(target[w] >> HALF, source[w] >> HALF)
        largest = max(target[w] & LOW_HALF, source[w] & LOW_HALF)
        target[w] = smallest << HALF | largest


@compiled
def join_words(space: SpaceArrays, target: NDArray[np.uint64], source: NDArray[np.uint64]) -> None:
    """Add the leaf values of ``source`` to ``target``."""
    for w in range(space.bit_words):
        target[w] |= source[w]
    join_wide(target, source, space.bit_words)


@compiled
def attribute_mask(space: SpaceArrays, words: NDArray[np.uint64], j: int) -> int:
    """The leaf values of a narrow attribute in ``words``, bit 0 = code 0."""
    leaves = space.leaf_starts[j + 1] - space.leaf_starts[j]
    bits = words[space.word[j]] >> np.uint64(space.shift[j])
    if leaves < 64:
        bits &= (ONE << np.uint64(leaves)) - ONE
    return bits


@compiled
def code_range(space: SpaceArrays, words: NDArray[np.uint64], j: int) -> tuple[int, int]:
    """The smallest code and the largest code + 1 of attribute j in ``words``."""
    if space.wide[j]:
        word = words[space.word[j]]
        return np.int64(word >> HALF), np.int64(word & LOW_HALF) + 1
    bits = attribute_mask(space, words, j)
    return lowest_bit(bits), highest_bit(bits) + 1


@compiled
def lowest_cover(space: SpaceArrays, j: int, lower: int, upper: int) -> int:
    """The lowest taxonomy node of attribute j that covers lower <= code < upper."""
    node = space.leaf_nodes[space.leaf_starts[j] + lower]
    while space.node_upper[node] < upper:
        node = space.node_parent[node]
    return node


@compiled
def sibling_mask(space: SpaceArrays, node: int, bits: int) -> int:
    """The leaf values of the children of ``node`` that hold one of ``bits``; ``bits`` itself at a leaf."""
    covered = ZERO
    for child in range(space.node_first_child[node], space.node_first_child[node] + space.node_child_count[node]):
        width = space.node_upper[child] - space.node_lower[child]
        mask = ((ONE << np.uint64(width)) - ONE) << np.uint64(space.node_lower[child])
        if mask & bits != ZERO:
            covered |= mask
    return covered if space.node_child_count[node] > 0 else bits


@compiled
def region_mask(space: SpaceArrays, words: NDArray[np.uint64], j: int) -> int:
    """The published region of a set attribute: the occurring values, or the siblings that hold them."""
    bits = attribute_mask(space, words, j)
    if space.kinds[j] == RELAXED:
        lower, upper = code_range(space, words, j)
        return sibling_mask(space, lowest_cover(space, j, lower, upper), bits)
    return bits


@compiled
def interval_words(
    space: SpaceArrays, words: NDArray[np.uint64], j: int, lower: int, upper: int, target: NDArray[np.uint64]
) -> None:
    """The words of a block narrowed to lower <= code < upper in attribute j, untightened."""
    target[:] = words
    if space.wide[j]:
        target[space.word[j]] = (np.uint64(lower) << np.uint64(32)) | np.uint64(upper - 1)
        return
    leaves = space.leaf_starts[j + 1] - space.leaf_starts[j]
    whole = ~ZERO if leaves == 64 else (ONE << np.uint64(leaves)) - ONE
    part = ~ZERO if upper - lower == 64 else ((ONE << np.uint64(upper - lower)) - ONE) << np.uint64(lower)
    shift = np.uint64(space.shift[j])
    target[space.word[j]] = (target[space.word[j]] & ~(whole << shift)) | (part << shift)


@compiled
def set_words(space: SpaceArrays, words: NDArray[np.uint64], j: int, mask: int, target: NDArray[np.uint64]) -> None:
    """The words of a block narrowed to the leaf values ``mask`` in a set attribute, untightened."""
    target[:] = words
    leaves = space.leaf_starts[j + 1] - space.leaf_starts[j]
    whole = (ONE << np.uint64(leaves)) - ONE
    shift = np.uint64(space.shift[j])
    target[space.word[j]] = (target[space.word[j]] & ~(whole << shift)) | (mask << shift)
