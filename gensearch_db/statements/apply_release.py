"""``ANONYMIZE … USING RELEASE``: generalize new rows by the blocks of a release that exists already.

The new rows are cut on the grid of the release's own boundaries, each cell is looked up among its blocks, and every block must
meet the release's constraints with the new rows alone. What lies in no block, or in a block that does not meet them, is held
back. The new release is written and audited as any other. Its bounds are those of the release; a label may be worded otherwise
(``[2020-10-01, 2020-11-01)`` for ``2020-10``; ``{021, 022}`` for ``02*`` where new rows have ``023``, which it does not know).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gensearch_db.anonymization import prepare_problem, versions
from gensearch_db.cost.cost import Cost
from gensearch_db.database.catalog import CatalogEntry, require_release
from gensearch_db.database.dictionary import QuasiIdentifierColumns
from gensearch_db.database.hiding_macros import refuse_hiding_macros
from gensearch_db.database.prepared import PreparedTable, drop_tables
from gensearch_db.database.release import write_release
from gensearch_db.database.rendering import statement
from gensearch_db.database.session import Session, TableName
from gensearch_db.domain.cells import BlockStatistics
from gensearch_db.domain.region import Block, LeafSet
from gensearch_db.errors import InfeasibleError
from gensearch_db.problem.columns import QuasiIdentifier
from gensearch_db.problem.problem import Problem
from gensearch_db.search.enumeration.cell_statistics import statistics_in_memory
from gensearch_db.search.result import Partition, Status

BATCH = 64
"""Blocks whose statistics are summed at once."""


@dataclass(frozen=True)
class AppliedRelease:
    """The outcome: rows released, rows that lie in no block, and rows of blocks that did not meet the constraints."""

    release: str
    blocks: int
    rows_released: int
    rows_outside: int
    rows_in_refused_blocks: int


def apply_release(session: Session, release: str, table: str, into: str, *, replace: bool = False) -> AppliedRelease:
    """Write the release ``into`` of the rows of ``table``, generalized by the blocks of ``release``.

    Raises :class:`InfeasibleError` where no block meets the constraints with the new rows, and what ANONYMIZE raises for
    tables and names; the database is then as it was.
    """
    session.refuse_open_transaction()
    temporary: list[TableName] = []
    try:
        entry, numbered = _read_release(session, release, temporary)
        problem = _problem(session, entry, numbered, table, into)
        return _applied(session, entry, numbered, problem, replace)
    finally:
        drop_tables(session, temporary)


def _read_release(session: Session, release: str, temporary: list[TableName]) -> tuple[CatalogEntry, TableName]:
    """What the catalog says of the release, and its blocks as a temporary table, of one state: others may replace it meanwhile.

    The blocks have numbers for their regions: one for each distinct region of a quasi-identifier.
    """
    refuse_hiding_macros(session)
    with session.one_state():
        entry = require_release(session, release)
        numbered = session.temporary_table("numbered_blocks")
        temporary.append(numbered)
        described = [
            {
                "number": _number(position),
                "values": columns.values,
                "columns": [c for c in (columns.lower, columns.upper, columns.values, columns.missing) if c is not None],
            }
            for position, columns in enumerate(entry.dictionary.quasi_identifiers)
        ]
        session.execute(
            statement("statements/apply_numbered_blocks", table=numbered, blocks=entry.blocks_name, attributes=described)
        )
    return entry, numbered


def _number(position: int) -> str:
    """The column that numbers the regions of a quasi-identifier."""
    return f"gensearch region {position}"


def _applied(session: Session, entry: CatalogEntry, numbered: TableName, problem: Problem, replace: bool) -> AppliedRelease:
    """Write the release of the problem's rows by these blocks."""
    prepared, constraints, cost = prepare_problem(session, problem, replace=replace)
    with prepared:
        found = [each for each in _occupied_blocks(prepared, entry, numbered) if each[1].any()]
        statistics = _statistics(prepared, cost, [block for block, _ in found])
        kept = sorted(
            (
                (block, cells, sums)
                for (block, cells), sums in zip(found, statistics, strict=True)
                if all(constraint.holds(sums, block, prepared.table) for constraint in constraints)
            ),
            key=lambda each: tuple(region.sort_key() for region in each[0]),
        )
        inside = int(prepared.cells.counts[np.any([cells for _, cells in found], axis=0)].sum()) if found else 0
        rows = prepared.cells.row_count
        if not kept:
            raise InfeasibleError(
                f"no block of '{entry.release}' meets its constraints with the rows of {problem.table}:"
                f" {inside:,} of {rows:,} rows lie in its blocks; nothing was written"
            )
        block_of_cell = np.full(prepared.cells.cell_count, -1, dtype=np.int64)
        for number, (_, cells, _) in enumerate(kept):
            block_of_cell[cells] = number
        released = int(prepared.cells.counts[block_of_cell >= 0].sum())
        charge = cost.suppression_charge(prepared.table) * (rows - released) if released < rows else 0
        certificate: dict[str, Any] = {
            "status": Status.HEURISTIC.value,
            "cost": sum(cost.of_block(sums, block, prepared.table) for block, _, sums in kept) + charge,
            "lower_bound": 0,
            "blocks": len(kept),
            "rows_released": released,
            "rows_suppressed": rows - released,
            "counters": {},
            "using_release": entry.release,
        }
        partition = Partition(tuple(block for block, _, _ in kept), block_of_cell)
        report = write_release(prepared, partition, constraints, certificate, versions(), replace=replace)
        return AppliedRelease(report.release, len(kept), released, rows - inside, inside - released)


def _problem(session: Session, entry: CatalogEntry, numbered: TableName, table: str, into: str) -> Problem:
    """The release's problem on the new rows, with its published bounds as the only places to cut."""
    by_folded = {each.name.casefold(): each for each in entry.dictionary.quasi_identifiers}
    attributes = {
        name: _on_grid(session, numbered, specification, by_folded[name.casefold()])
        for name, specification in entry.problem.quasi_identifiers.items()
    }
    return entry.problem.model_copy(
        # Identifiers are never released, so the new rows need not have them.
        update={
            "table": table,
            "into": into,
            "identifiers": (),
            "quasi_identifiers": attributes,
            "suppress_at_most": 100.0,
        }
    )


def _on_grid(
    session: Session, numbered: TableName, specification: QuasiIdentifier, columns: QuasiIdentifierColumns
) -> QuasiIdentifier:
    if columns.kind != "ordered":
        return specification
    sql = statement("statements/apply_boundaries", blocks=numbered, lower=columns.lower, upper=columns.upper)
    bounds = [bound for (bound,) in session.rows(sql)]
    split = "at " + ", ".join(bounds) if bounds else "1 quantiles"
    return specification.model_copy(update={"split": split, "order": None})  # ordered: the line's own order, without a split


def _occupied_blocks(
    prepared: PreparedTable, entry: CatalogEntry, numbered: TableName
) -> list[tuple[Block, NDArray[np.bool_]]]:
    """The release's blocks as blocks of the new rows' space, each with the cells that lie in it."""
    attributes = entry.dictionary.quasi_identifiers
    numbers = [_number(position) for position in range(len(attributes))]
    rows = prepared.session.rows(statement("statements/apply_block_regions", table=numbered, numbers=numbers))
    codes = [
        _codes_of_regions(prepared, numbered, numbers[position], attribute, position)
        for position, attribute in enumerate(attributes)
    ]
    return [found for row in rows if (found := _block(prepared, [codes[j].get(region, []) for j, region in enumerate(row)]))]


def _codes_of_regions(
    prepared: PreparedTable, numbered: TableName, number: str, columns: QuasiIdentifierColumns, position: int
) -> dict[int, list[int]]:
    leaves = prepared.space.attributes[position].leaves
    missing = next((code for code, leaf in enumerate(leaves) if leaf.missing), None)
    context: dict[str, Any] = {"table": numbered, "number": number, "leaves": prepared.leaf_tables[position]}
    if columns.kind == "ordered":
        template = "statements/apply_ordered_leaves"
        context |= {"lower": columns.lower, "upper": columns.upper, "missing": columns.missing}
    else:
        template = "statements/apply_categorical_leaves"
        context |= {"values": columns.values}
    found: dict[int, list[int]] = {}
    for region, code in prepared.session.rows(statement(template, **context), {"missing_code": missing}):
        found.setdefault(region, []).append(code)
    return found


def _block(prepared: PreparedTable, codes: list[list[int]]) -> tuple[Block, NDArray[np.bool_]] | None:
    """The block with these leaf codes and its cells; None where no leaf of the new rows lies in one of its regions.

    A region holds what the release's does and nothing else: where the smallest one around its leaves holds more (values above
    an interval to which missing ones belong, values that the release does not know), it is the set of its leaves.
    """
    inside = np.ones(prepared.cells.cell_count, dtype=np.bool_)
    regions = []
    for position, (attribute, wanted) in enumerate(zip(prepared.space.attributes, codes, strict=True)):
        if not wanted:
            return None
        tight = attribute.tight(wanted)
        region = tight if tight.leaf_total() == len(wanted) else LeafSet(sum(1 << code for code in wanted))
        contained = np.zeros(attribute.leaf_count, dtype=np.bool_)
        contained[wanted] = True
        inside &= contained[prepared.cells.codes[:, position]]
        regions.append(region)
    return tuple(regions), inside


def _statistics(prepared: PreparedTable, cost: Cost, blocks: list[Block]) -> list[BlockStatistics]:
    sums = statistics_in_memory(prepared.space, prepared.cells)
    ask = sums.with_marginals if cost.needs_cells else sums.of_blocks
    return [each for start in range(0, len(blocks), BATCH) for each in ask(blocks[start : start + BATCH])]
