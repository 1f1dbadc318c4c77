"""A release that was not written, as text: what each of its blocks would print, and how many rows it has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gensearch_db.database.labels import PublishedAttribute, missing_code
from gensearch_db.database.prepared import PreparedTable
from gensearch_db.database.release_plan import published_in
from gensearch_db.domain.labels import label_of
from gensearch_db.domain.region import LeafSet
from gensearch_db.search.result import Partition


@dataclass(frozen=True)
class ListedBlock:
    """One block: its label for each quasi-identifier (None: no value), and its rows."""

    labels: Mapping[str, str | None]
    rows: int

    def to_text(self) -> str:
        """One line: ``age < 20, sex *: 12 rows``."""
        shown = ", ".join(f"{name} {'NULL' if label is None else label}" for name, label in self.labels.items())
        return f"{shown}: {self.rows:,} rows"


@dataclass(frozen=True)
class ListedRelease:
    """The blocks of a release, in canonical order, and how many rows it suppresses."""

    blocks: tuple[ListedBlock, ...]
    rows_suppressed: int

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        blocks = [{"labels": dict(block.labels), "rows": block.rows} for block in self.blocks]
        return {"blocks": blocks, "rows_suppressed": self.rows_suppressed}


def listed_release(prepared: PreparedTable, partition: Partition) -> ListedRelease:
    """What the release of a partition would hold."""
    published = published_in(prepared, partition)
    counts, kept = prepared.cells.counts, partition.block_of_cell >= 0
    rows = np.bincount(partition.block_of_cell[kept], counts[kept], len(partition.blocks))
    names = [name for name, _ in prepared.quasi_identifiers]
    labels = [_labels(attribute) for attribute in published]
    return ListedRelease(
        tuple(
            ListedBlock(dict(zip(names, block, strict=True)), int(size))
            for block, size in zip(zip(*labels, strict=True), rows, strict=True)
        ),
        int(counts[~kept].sum()),
    )


def _labels(published: PublishedAttribute) -> list[str | None]:
    """The label of each block's region."""
    missing = missing_code(published.attribute)
    labels: list[str | None] = []
    for region in published.regions:
        if published.interval:
            codes = (*region.codes, *((missing,) if region.missing and missing is not None else ()))
            labels.append(label_of(published.attribute, LeafSet(sum(1 << code for code in codes)), region.neighbour))
        else:
            labels.append(region.label)
    return [labels[region] for region in published.region_of_block]
