"""All boxes of a space, numbered: every region of each attribute with its splits, as flat arrays.

The number of a box is the sum over attributes of region number * stride, so the box that a split leads to is one addition
away. Regions are numbered from small to large, so the parts of a box have smaller numbers than the box itself.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gensearch_db.domain.attribute import Attribute, Space
from gensearch_db.domain.region import Region


class BoxRegions(NamedTuple):
    """Attribute j has ``sizes[j]`` regions, which stand at ``starts[j]`` and on in arrays with one entry per region: region i
    has the splits ``split_starts[i] <= s < split_starts[i + 1]``. Split s leads to the regions with the numbers
    ``parts[part_starts[s] : part_starts[s + 1]]`` of the same attribute. ``leaves[leaf_starts[j] + code]`` is the region of one
    leaf value.
    """

    sizes: NDArray[np.int64]
    starts: NDArray[np.int64]
    strides: NDArray[np.int64]
    split_starts: NDArray[np.int64]
    part_starts: NDArray[np.int64]
    parts: NDArray[np.int64]
    leaves: NDArray[np.int64]
    leaf_starts: NDArray[np.int64]


def regions_of(attribute: Attribute) -> list[Region]:
    """Every region that splits lead to, small ones first, the root last."""
    found = {attribute.root}
    waiting: list[Region] = [attribute.root]
    while waiting:
        for parts in attribute.splits(waiting.pop()):
            for part in parts:
                if part not in found:
                    found.add(part)
                    waiting.append(part)
    return sorted(found, key=lambda region: (region.leaf_total(), region.sort_key()))


def box_regions(space: Space, regions: list[list[Region]]) -> BoxRegions:
    """Lay the regions of all attributes out flat."""
    sizes = np.array([len(each) for each in regions], np.int64)
    split_starts, part_starts, parts, leaves = [0], [0], [], []
    for attribute, each in zip(space.attributes, regions, strict=True):
        number = {region: i for i, region in enumerate(each)}
        single = {next(region.codes()): i for region, i in number.items() if region.leaf_total() == 1}
        leaves += [single[code] for code in range(attribute.leaf_count)]
        for region in each:
            for split in attribute.splits(region):
                parts += [number[part] for part in split]
                part_starts.append(len(parts))
            split_starts.append(len(part_starts) - 1)
    return BoxRegions(
        sizes=sizes,
        starts=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        strides=np.concatenate([[1], np.cumprod(sizes)]).astype(np.int64),
        split_starts=np.array(split_starts, np.int64),
        part_starts=np.array(part_starts, np.int64),
        parts=np.array(parts, np.int64),
        leaves=np.array(leaves, np.int64),
        leaf_starts=np.cumsum([0, *(attribute.leaf_count for attribute in space.attributes)], dtype=np.int64),
    )
