"""Writing a release: the generalised rows, their blocks, the catalog row and the audit, in one transaction.

Rows find their blocks through their cells. The source is read once more, inside the transaction, and counted against the
cells that the search saw: if it has changed, nothing is written.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from threading import Lock
from typing import Any

import numpy as np

from gensearch_db.database.audit import AuditReport, Subject, audit_subject
from gensearch_db.database.audit.subject import Source as AuditSource
from gensearch_db.database.catalog import CatalogEntry, enter_release, find_release, remove_release
from gensearch_db.database.names import target_table, written_table
from gensearch_db.database.prepared import PreparedTable, drop_tables
from gensearch_db.database.region_tables import load, write_regions
from gensearch_db.database.release_plan import ReleasePlan, blocks_name, plan_release, specification
from gensearch_db.database.rendering import statement
from gensearch_db.database.session import Session, TableName
from gensearch_db.database.settings import insertion_order_kept
from gensearch_db.database.source import refuse_other_columns, tables_read, watched
from gensearch_db.database.stranger_tables import refuse_strangers
from gensearch_db.database.type_names import is_enum
from gensearch_db.errors import AuditError, GensearchError, SourceChangedError, SpecificationError
from gensearch_db.privacy.constraint import Constraint
from gensearch_db.problem.problem import Labels
from gensearch_db.search.result import Partition

_ONE_AT_A_TIME = Lock()
"""Cursors of one process publish one after another: two that both make the catalog would undo each other."""


def check_target(session: Session, target: TableName, *, replace: bool) -> None:
    """Refuse a target whose names are taken. With ``replace``, an older release of this package may stand there.

    Raises :class:`SpecificationError` that names what exists.
    """
    entry = find_release(session, target)
    if replace and entry is not None:
        refuse_strangers(session, entry)
        return
    for name in (target, blocks_name(target)):
        database, schema, table = name
        found = session.rows(statement("catalog/relations"), {"database": database, "schema": schema, "name": table})
        if not found:
            continue
        where = f"{found[0][0]} '{database}.{schema}.{found[0][1]}' exists already"
        if entry is not None:
            raise SpecificationError(f"{where}, a release made {entry.created}: ask to replace it, or choose another name")
        raise SpecificationError(f"{where} and is not a release of this package, so it is never replaced: choose another name")


def refuse_own_source(session: Session, source: str, into: str) -> None:
    """Refuse to replace a release that is made from itself: its labels would be generalised anew, and the release lost.

    Raises :class:`SpecificationError`. Names that mean nothing are left to the checks of the whole problem.
    """
    try:
        target = target_table(session, into)
        read = tables_read(session, source)
    except GensearchError:
        return
    if find_release(session, target) is None:
        return
    for table in (target, blocks_name(target)):
        if tuple(part.lower() for part in table) in read:
            raise SpecificationError(
                f"{source} reads '{'.'.join(table)}', which the release {into} would replace:"
                " give the table that the release was made from as the source, or choose another name for the new release"
            )


def write_release(
    prepared: PreparedTable,
    partition: Partition,
    constraints: tuple[Constraint, ...],
    certificate: Mapping[str, Any],
    versions: Mapping[str, str],
    *,
    replace: bool = False,
) -> AuditReport:
    """Write the release of a partition, audit it and enter it in the catalog, all or nothing. Gives the audit.

    ``certificate`` is the search's result as plain values. Raises :class:`SourceChangedError`, :class:`AuditError`,
    :class:`SpecificationError` (the target exists); the database is then as it was.
    """
    session = prepared.session
    plan = plan_release(prepared, partition)
    temporary: list[TableName] = [attribute.regions for attribute in plan.attributes]
    try:
        tables = {name: _new(session, name, temporary) for name in ("assignment", "blocks", "members", "ranked", "again")}
        _load_partition(prepared, partition, plan, tables)
        with insertion_order_kept(session), _ONE_AT_A_TIME, watched(session, prepared.source), session.transaction():
            check_target(session, plan.release, replace=replace)
            _read_members(prepared, plan, tables["members"])
            refuse_other_columns(session, prepared.source)
            _refuse_changed_cells(prepared, tables["members"])
            older = find_release(session, plan.release)
            if older is not None:
                remove_release(session, older)
            _write_tables(session, plan, tables)
            enter_release(session, _catalog_entry(prepared, plan, certificate, versions))
            suppressed = prepared.cells.row_count - plan.dictionary.rows
            report = audit_subject(session, _subject(prepared, plan, constraints, suppressed))
            if not report.passed:
                _refuse_changed_rows(prepared, plan, tables)
                raise AuditError(f"the release failed its audit and was rolled back:\n{report.to_text()}")
        return report
    finally:
        drop_tables(session, temporary)


def _new(session: Session, stem: str, temporary: list[TableName]) -> TableName:
    table = session.temporary_table(stem)
    temporary.append(table)
    return table


def _load_partition(prepared: PreparedTable, partition: Partition, plan: ReleasePlan, tables: dict[str, TableName]) -> None:
    """Bring blocks, the blocks of cells, and the printed regions into temporary tables."""
    session = prepared.session
    kept = np.flatnonzero(partition.block_of_cell >= 0)
    load(session, tables["assignment"], {"cell": kept, "block": partition.block_of_cell[kept]})
    regions = {
        attribute.region_column: np.array(attribute.published.region_of_block, dtype=np.int64) for attribute in plan.attributes
    }
    load(session, tables["blocks"], {"block": np.arange(len(partition.blocks)), **regions})
    for attribute in plan.attributes:
        columns, leaves = attribute.columns, prepared.leaf_tables[attribute.position]
        zone = specification(prepared.problem, columns.name).timezone
        write_regions(session, attribute.published, columns.type, leaves, attribute.regions, zone)


def _read_members(prepared: PreparedTable, plan: ReleasePlan, members: TableName) -> None:
    """Read the source's rows, each with its cell and all that is released of it."""
    prepared.session.execute(
        statement(
            "release/members",
            members=members,
            row_cells=prepared.row_cells,
            cell_column=prepared.cell_column,
            seen=[column.key for column in prepared.sensitive],
            payload=[column.read() for column in plan.released],
        )
    )


def _refuse_changed_cells(prepared: PreparedTable, members: TableName) -> None:
    """Compare the rows with what the search saw. Raises :class:`SourceChangedError`."""
    changed = prepared.session.value(
        statement(
            "release/cells_changed",
            members=members,
            joint=prepared.joint_table,
            maps=[column.value_map for column in prepared.sensitive],
        )
    )
    if changed:
        raise SourceChangedError(
            f"'{prepared.source.name}' changed between the search and the release: {changed} combinations of"
            " its values hold another number of rows now; nothing was written, run it again"
        )


def _refuse_changed_rows(prepared: PreparedTable, plan: ReleasePlan, tables: dict[str, TableName]) -> None:
    """Raise :class:`SourceChangedError` where the source gives other rows now than those that the release was made of.

    Tables cannot within a transaction; files can, and views and functions that give other rows each time.
    """
    _read_members(prepared, plan, tables["again"])
    changed = prepared.session.value(statement("release/rows_changed", first=tables["members"], again=tables["again"]))
    if changed:
        raise SourceChangedError(
            f"'{prepared.source.name}' changed while the release was written and audited: {changed} rows are others now;"
            " nothing was written, run it again"
        )


def _write_tables(session: Session, plan: ReleasePlan, tables: dict[str, TableName]) -> None:
    typed = plan.dictionary.typed_columns
    last = len(plan.attributes) - 1
    shown = [a.context(typed=typed, missing=False, last=a.position == last) for a in plan.attributes]
    session.execute(statement("release/ranked", **tables, attributes=shown, order=plan.label_order()))
    session.execute(
        statement(
            "release/release",
            release=plan.release,
            **tables,
            attributes=shown,
            columns=plan.released,
            order=plan.row_order(),
        )
    )
    session.execute(
        statement(
            "release/blocks",
            release_blocks=plan.blocks,
            **tables,
            attributes=[attribute.context(typed=True, missing=True) for attribute in plan.attributes],
            count=plan.dictionary.count,
            sensitive=plan.distributions(),
        )
    )
    session.execute(statement("release/comment", release_blocks=plan.blocks, dictionary=plan.dictionary.to_json()))


def _catalog_entry(
    prepared: PreparedTable, plan: ReleasePlan, certificate: Mapping[str, Any], versions: Mapping[str, str]
) -> CatalogEntry:
    database, schema, release = plan.release
    return CatalogEntry(
        database=database,
        release_schema=schema,
        release=release,
        blocks=plan.blocks[2],
        problem_json=prepared.problem.to_json(),
        result_json=json.dumps({**certificate, **_orders(prepared, plan)}, allow_nan=False),
        dictionary_json=plan.dictionary.to_json(),
        versions_json=json.dumps(dict(versions)),
        created="",
    )


def _orders(prepared: PreparedTable, plan: ReleasePlan) -> dict[str, dict[str, list[str]]]:
    """The values of sensitive ENUM columns in the ENUM's order, for audits without the source: the release has them as text."""
    domains = prepared.table.sensitive
    orders = {
        column.name: [value for value in domains[column.name].values if value is not None]
        for column in plan.sensitive
        if is_enum(column.source_type) and column.name in domains
    }
    return {"orders": orders} if orders else {}


def _subject(prepared: PreparedTable, plan: ReleasePlan, constraints: tuple[Constraint, ...], suppressed: int) -> Subject:
    source_types = {column.name: column.type for column in prepared.source.columns}
    person = prepared.problem.person
    released = {attribute.columns.label: "VARCHAR" for attribute in plan.attributes}
    released |= {column.name: column.type for column in plan.released}
    if plan.dictionary.typed_columns:
        for attribute in plan.attributes:
            columns = attribute.columns
            names = (columns.lower, columns.upper, columns.values)
            released |= {name: columns.type for name in names if name is not None}
    return Subject(
        name=written_table(plan.release),
        table=plan.release,
        types=released,
        quasi_identifiers=tuple(attribute.columns.label for attribute in plan.attributes),
        sensitive=tuple(column.name for column in plan.sensitive),
        keep=plan.dictionary.keep,
        constraints=constraints,
        domains=prepared.table.sensitive,
        blocks=plan.blocks,
        dictionary=plan.dictionary,
        source=AuditSource(
            prepared.source.relation, source_types, None if person is None else prepared.source.column(person).name
        ),
        suppressed=suppressed,
        shortened=prepared.problem.labels is Labels.VALUES or suppressed > 0,
    )
