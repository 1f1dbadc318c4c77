"""The search problem as flat arrays: what the compiled kernel reads, and the scratch space it writes to.

Words. A set of leaf values of all attributes at once is a row of ``word_count`` 64-bit words: an attribute with at most 64
leaves owns one bit per leaf inside a word (several attributes share a word), a wider one owns a whole word that holds its
smallest code in the upper and its largest code in the lower half. The words of a block are those of its cells, joined; they
determine its tight region, hence its cells, so they are its exact key in the search's memory. Where minimum edge lengths
forbid tightening (THEORY 2.1), the words of a block are those of its region instead.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gensearch_db.domain.attribute import (
    Attribute,
    OrderedAttribute,
    RelaxedTaxonomyAttribute,
    Space,
    TaxonomyAttribute,
    UnorderedAttribute,
)
from gensearch_db.domain.cells import Cells, Distribution
from gensearch_db.domain.set_limits import beyond_masks
from gensearch_db.errors import SpecificationError
from gensearch_db.search.bounds import SQUARES

ORDERED, TAXONOMY, RELAXED, UNORDERED = 0, 1, 2, 3
WORD_BITS = 64
EMPTY_WIDE = np.uint64(0xFFFFFFFF00000000)
"""The word of a wide attribute without any code: smallest = 2^32 - 1, largest = 0."""


class SpaceArrays(NamedTuple):
    """The attributes. Arrays with one entry per leaf are indexed by ``leaf_starts[j] + code``; those with one entry per
    boundary (prefix sums) by ``leaf_starts[j] + j + code``. ``counts_rows``: 1 if the cost reads the table's rows in a set.
    ``child_of[child_offsets[node] + code]``: which child of a taxonomy node a leaf code falls into.
    """

    kinds: NDArray[np.int64]
    leaf_starts: NDArray[np.int64]
    word: NDArray[np.int64]
    shift: NDArray[np.int64]
    wide: NDArray[np.int64]
    bit_words: int
    empty_words: NDArray[np.uint64]
    categorical: NDArray[np.int64]
    starts: NDArray[np.float64]
    ends: NDArray[np.float64]
    points: NDArray[np.int64]
    occurring_before: NDArray[np.int64]
    rows_before: NDArray[np.int64]
    occurring_masks: NDArray[np.uint64]
    whole_lengths: NDArray[np.float64]
    whole_spans: NDArray[np.float64]
    minimum_lengths: NDArray[np.float64]
    values_labels: int
    tightening: int
    counts_rows: int
    leaf_nodes: NDArray[np.int64]
    node_lower: NDArray[np.int64]
    node_upper: NDArray[np.int64]
    node_parent: NDArray[np.int64]
    node_first_child: NDArray[np.int64]
    node_child_count: NDArray[np.int64]
    child_offsets: NDArray[np.int64]
    child_of: NDArray[np.int64]


class CellArrays(NamedTuple):
    """The cells. ``features``: per cell what bounds add up (see :mod:`gensearch_db.search.bounds`); ``featured``: whether any
    is not 0; ``cost_columns``: how many of the first ones the cost reads. Column ``c`` of the
    histograms (sensitive columns first, then classes) has the entries ``starts[c, cell] <= e < starts[c, cell + 1]``.
    ``pairs`` is empty unless persons are the unit of protection.
    """

    codes: NDArray[np.int32]
    rows: NDArray[np.int64]
    words: NDArray[np.uint64]
    features: NDArray[np.float64]
    featured: NDArray[np.bool_]
    cost_columns: int
    histogram_starts: NDArray[np.int64]
    histogram_codes: NDArray[np.int64]
    histogram_counts: NDArray[np.int64]
    histogram_pairs: NDArray[np.int64]
    paired: NDArray[np.int64]
    person_starts: NDArray[np.int64]
    persons: NDArray[np.int64]


class Accumulators(NamedTuple):
    """Scratch: sums of one block by leaf value, the words of each leaf value's cells, the attributes that have several, and
    stamps for distinct counting."""

    rows: NDArray[np.int64]
    features: NDArray[np.float64]
    words: NDArray[np.uint64]
    suffix_words: NDArray[np.uint64]
    left_words: NDArray[np.uint64]
    right_words: NDArray[np.uint64]
    left_features: NDArray[np.float64]
    right_features: NDArray[np.float64]
    block_features: NDArray[np.float64]
    divided: NDArray[np.int64]
    person_stamps: NDArray[np.int64]
    pair_stamps: NDArray[np.int64]
    clock: NDArray[np.int64]


def attribute_kind(attribute: Attribute) -> int:
    """The kernel's number for the geometry of an attribute."""
    if isinstance(attribute, RelaxedTaxonomyAttribute):
        return RELAXED
    if isinstance(attribute, TaxonomyAttribute):
        return TAXONOMY
    if isinstance(attribute, OrderedAttribute):
        return ORDERED
    assert isinstance(attribute, UnorderedAttribute)
    return UNORDERED


def space_arrays(space: Space, cells: Cells, values_labels: bool) -> SpaceArrays:
    """Lay the attributes out flat. Raises :class:`SpecificationError` for a set attribute with too many values."""
    attributes = space.attributes
    for attribute in attributes:
        too_many = beyond_masks(attribute)
        if too_many is not None:
            raise SpecificationError(too_many)
    leaf_starts = np.cumsum([0, *(attribute.leaf_count for attribute in attributes)], dtype=np.int64)
    word, shift, wide, bit_words = _word_layout([attribute.leaf_count for attribute in attributes])
    rows_by_leaf = [
        np.bincount(cells.codes[:, j], weights=cells.counts, minlength=attribute.leaf_count).astype(np.int64)
        for j, attribute in enumerate(attributes)
    ]
    leaves = [leaf for attribute in attributes for leaf in attribute.leaves]
    empty = np.zeros(bit_words + int(wide.sum()), dtype=np.uint64)
    empty[bit_words:] = EMPTY_WIDE
    return SpaceArrays(
        kinds=np.array([attribute_kind(attribute) for attribute in attributes], dtype=np.int64),
        leaf_starts=leaf_starts,
        word=word,
        shift=shift,
        wide=wide,
        bit_words=bit_words,
        empty_words=empty,
        categorical=np.array([_categorical(attribute) for attribute in attributes], dtype=np.int64),
        starts=np.array([leaf.start for leaf in leaves], dtype=np.float64),
        ends=np.array([leaf.end for leaf in leaves], dtype=np.float64),
        points=np.array([leaf.point for leaf in leaves], dtype=np.int64),
        occurring_before=np.concatenate([np.cumsum([0, *(leaf.occurs for leaf in a.leaves)]) for a in attributes]).astype(
            np.int64
        ),
        rows_before=np.concatenate([np.cumsum([0, *rows]) for rows in rows_by_leaf]).astype(np.int64),
        occurring_masks=np.array([_occurring_mask(attribute) for attribute in attributes], dtype=np.uint64),
        whole_lengths=np.array([attribute.length(attribute.root) for attribute in attributes], dtype=np.float64),
        whole_spans=np.array([_whole_span(attribute) for attribute in attributes], dtype=np.float64),
        minimum_lengths=np.array([attribute.minimum_length for attribute in attributes], dtype=np.float64),
        values_labels=int(values_labels),
        counts_rows=0,
        tightening=int(not any(attribute.minimum_length > 0 for attribute in attributes)),
        **_node_arrays(attributes, leaf_starts),
    )


def _categorical(attribute: Attribute) -> bool:
    return not isinstance(attribute, OrderedAttribute) or attribute.categorical


def _occurring_mask(attribute: Attribute) -> int:
    if attribute.leaf_count > WORD_BITS:
        return 0
    return sum(1 << code for code, leaf in enumerate(attribute.leaves) if leaf.occurs)


def _whole_span(attribute: Attribute) -> float:
    occurring = attribute.occurring_leaves
    if _categorical(attribute):
        return float(max(0, len(occurring) - 1))
    return float(occurring[-1].start - occurring[0].start) if occurring else 0.0


def _word_layout(leaf_counts: list[int]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], int]:
    """Place each attribute: largest first into the first word with room; wide ones own a word after all bit words."""
    attribute_count = len(leaf_counts)
    word = np.zeros(attribute_count, dtype=np.int64)
    shift = np.zeros(attribute_count, dtype=np.int64)
    wide = np.array([count > WORD_BITS for count in leaf_counts], dtype=np.int64)
    used: list[int] = []
    for j in sorted(range(attribute_count), key=lambda j: -leaf_counts[j]):
        if wide[j]:
            continue
        place = next((w for w, bits in enumerate(used) if bits + leaf_counts[j] <= WORD_BITS), len(used))
        if place == len(used):
            used.append(0)
        word[j], shift[j] = place, used[place]
        used[place] += leaf_counts[j]
    word[wide == 1] = len(used) + np.arange(int(wide.sum()))
    return word, shift, wide, len(used)


def _node_arrays(attributes: tuple[Attribute, ...], leaf_starts: NDArray[np.int64]) -> dict[str, NDArray[np.int64]]:
    """Taxonomy nodes of all attributes, breadth first within each, so that the children of a node stand in a row."""
    leaf_nodes = np.full(int(leaf_starts[-1]), -1, dtype=np.int64)
    rows: list[tuple[int, int, int, int, int]] = []
    for j, attribute in enumerate(attributes):
        if not isinstance(attribute, TaxonomyAttribute):
            continue
        queue = [(attribute.taxonomy.root, -1)]
        base = len(rows)
        position = 0
        while position < len(queue):
            node, parent = queue[position]
            first_child = base + len(queue) if node.children else -1
            rows.append((node.interval.lower, node.interval.upper, parent, first_child, len(node.children)))
            queue.extend((child, base + position) for child in node.children)
            if not node.children:
                leaf_nodes[leaf_starts[j] + node.interval.lower] = base + position
            position += 1
    table = np.array(rows, dtype=np.int64).reshape(-1, 5)
    names = ("node_lower", "node_upper", "node_parent", "node_first_child", "node_child_count")
    columns = {name: np.ascontiguousarray(table[:, i]) for i, name in enumerate(names)}
    widths = table[:, 1] - table[:, 0]
    child_of = [np.zeros(0, np.int64)]
    for lower, upper, _, first, count in rows:
        starts = table[first : first + count, 0] if count else np.array([lower])
        child_of.append(np.searchsorted(starts, np.arange(lower, upper), side="right") - 1)
    offsets = np.cumsum(widths) - widths - table[:, 0]
    return {"leaf_nodes": leaf_nodes, **columns, "child_offsets": offsets, "child_of": np.concatenate(child_of)}


def cell_words(space: SpaceArrays, codes: NDArray[np.int32]) -> NDArray[np.uint64]:
    """The words of each cell: one bit, or one equal pair of codes, per attribute."""
    words = np.zeros((len(codes), len(space.empty_words)), dtype=np.uint64)
    for j in range(codes.shape[1]):
        column = codes[:, j].astype(np.uint64)
        if space.wide[j]:
            words[:, space.word[j]] = column << np.uint64(32) | column
        else:
            words[:, space.word[j]] |= np.uint64(1) << (column + np.uint64(space.shift[j]))
    return words


def cell_arrays(space: SpaceArrays, cells: Cells, features: NDArray[np.float64]) -> CellArrays:
    """Lay the cells, their distributions and their persons out flat."""
    codes = np.ascontiguousarray(cells.codes, dtype=np.int32)
    columns: tuple[Distribution, ...] = (*cells.sensitive, *cells.classes)
    entry_starts = np.cumsum([0, *(len(column.codes) for column in columns)], dtype=np.int64)
    starts = np.array([column.starts + entry_starts[c] for c, column in enumerate(columns)], dtype=np.int64)
    pairs = [column.pairs if column.pairs is not None else np.full(len(column.codes), -1) for column in columns]
    persons = cells.persons
    return CellArrays(
        codes=codes,
        rows=np.ascontiguousarray(cells.counts, dtype=np.int64),
        words=cell_words(space, codes),
        features=features,
        featured=features.any(axis=1),
        cost_columns=int(features[:, SQUARES].any()),
        histogram_starts=starts.reshape(len(columns), cells.cell_count + 1),
        histogram_codes=_joined([column.codes for column in columns]),
        histogram_counts=_joined([column.counts for column in columns]),
        histogram_pairs=_joined(pairs),
        paired=np.array([column.pairs is not None for column in columns], dtype=np.int64),
        person_starts=np.zeros(0, np.int64) if persons is None else np.ascontiguousarray(persons.starts, dtype=np.int64),
        persons=np.zeros(0, np.int64) if persons is None else np.ascontiguousarray(persons.persons, dtype=np.int64),
    )


def accumulators(space: SpaceArrays, cells: CellArrays) -> Accumulators:
    """Scratch space for one worker."""
    leaves = int(space.leaf_starts[-1])
    words = len(space.empty_words)
    features = cells.features.shape[1]
    return Accumulators(
        rows=np.zeros(leaves, np.int64),
        features=np.zeros((leaves, features)),
        words=np.zeros((leaves, words), np.uint64),
        suffix_words=np.zeros((leaves + 1, words), np.uint64),
        left_words=np.zeros(words, np.uint64),
        right_words=np.zeros(words, np.uint64),
        left_features=np.zeros(features),
        right_features=np.zeros(features),
        block_features=np.zeros(features),
        divided=np.zeros(cells.codes.shape[1], np.int64),
        person_stamps=np.zeros(int(cells.persons.max(initial=-1)) + 1, np.int64),
        pair_stamps=np.zeros(int(cells.histogram_pairs.max(initial=-1)) + 1, np.int64),
        clock=np.zeros(1, np.int64),
    )


def _joined(
    parts: list[NDArray[np.int64]] | list[NDArray[np.int32]] | list[NDArray[np.int64] | NDArray[np.int32]],
) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(0, np.int64), *(np.asarray(part, dtype=np.int64) for part in parts)])
