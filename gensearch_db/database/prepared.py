"""From a problem to what a search needs: names resolved, values mapped to leaf codes, cells counted.

``prepare`` makes the only pass over whole rows before a release is written. What it leaves in the database are temporary tables
with names of our own, dropped by :meth:`PreparedTable.close`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from gensearch_db.database.attributes.families import family_of
from gensearch_db.database.attributes.resolve import ResolvedAttribute, resolve
from gensearch_db.database.attributes.values import distinct_values
from gensearch_db.database.cells import CountedCells, KeyedColumn, count_cells
from gensearch_db.database.checks import check_columns, finite_columns
from gensearch_db.database.hiding_macros import refuse_hiding_macros
from gensearch_db.database.names import target_table
from gensearch_db.database.rendering import Sql, statement
from gensearch_db.database.session import Session, TableName
from gensearch_db.database.source import Column, Source, open_source, watched
from gensearch_db.database.value_domains import MappedDomain, ValueColumn, declared_columns, value_domain
from gensearch_db.domain.attribute import Attribute, Space
from gensearch_db.domain.cells import Cells, Table
from gensearch_db.domain.statistics import whole_table
from gensearch_db.errors import DataError, GensearchError, Problems
from gensearch_db.problem.problem import Problem

Refusal = Callable[[Attribute], str | None]
"""Why an attribute cannot be used for what comes after, with what to do; None where it can."""


def refuse_none(attribute: Attribute) -> None:
    """Every attribute can be used."""


@dataclass(frozen=True, eq=False)
class PreparedTable:
    """A source table made ready for a search, and for the release that follows it.

    ``source`` is what to read (``source.relation`` stands after FROM; ``source.columns``), ``target`` where the release goes.
    ``space``, ``cells`` and ``table`` are the search's view. In the order of the quasi-identifiers: ``quasi_identifiers``
    (columns in the source's spelling, with type), ``value_maps`` (temporary tables ``value``, ``code``; text as its bytes) and
    ``leaf_tables`` (temporary tables ``code INTEGER``, ``lower``, ``upper``, ``point_lower``, ``point_upper`` in the column's
    type, ``label VARCHAR``; see ``docs/attributes.md``). ``cells_table`` is the temporary table ``cell BIGINT, code_0 …
    code_<d-1> INTEGER, row_count BIGINT``; ``joint_table`` splits it by value and person (``finest_cells.sql``), by the codes
    that the maps of ``sensitive`` give; ``workload_tables`` do so by the queries of a cost's workload, where SQL is to count.

    ``row_cells`` is a relation to put after FROM: every source row once, all source columns, and its cell number as
    ``cell_column`` (BIGINT; NULL for a row that was not there when the cells were counted: the source has changed).
    """

    session: Session
    problem: Problem
    source: Source
    target: TableName
    space: Space
    cells: Cells
    table: Table
    quasi_identifiers: tuple[tuple[str, str], ...]
    value_maps: tuple[TableName, ...]
    leaf_tables: tuple[TableName, ...]
    cells_table: TableName
    joint_table: TableName
    sensitive: tuple[KeyedColumn, ...]
    row_cells: Sql
    cell_column: str
    temporary_tables: list[TableName] = field(default_factory=list)
    workload_tables: Mapping[str, TableName] = field(default_factory=dict)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Drop the temporary tables. May be called twice."""
        drop_tables(self.session, self.temporary_tables)


def drop_tables(session: Session, tables: list[TableName]) -> None:
    """Drop temporary tables, the last one first, and empty the list. A failure is raised after all of them were tried: Ctrl-C
    where it is among them, as those after it may only follow from it."""
    failures: list[GensearchError | KeyboardInterrupt] = []
    while tables:
        try:
            session.insist(statement("drop_temporary_table", table=tables.pop()))
        except (GensearchError, KeyboardInterrupt) as error:
            failures.append(error)
    if failures:
        raise next((error for error in failures if isinstance(error, KeyboardInterrupt)), failures[0])


def prepare(
    session: Session,
    problem: Problem,
    sensitive: Sequence[ValueColumn] | None = None,
    classes: Sequence[ValueColumn] = (),
    problems: Problems | None = None,
    refusal: Refusal = refuse_none,
) -> PreparedTable:
    """Resolve the problem's names, make the leaf values of each quasi-identifier, count the cells.

    ``sensitive`` and ``classes`` are the columns whose distributions the constraints and costs need (default for ``sensitive``:
    the problem's own, as it declares them). ``refusal``: what the search to come cannot use.
    Raises :class:`SpecificationError` for what is wrong with the request and
    :class:`DataError` for what is wrong with the data, with everything that was found, ``problems`` that the caller found
    before included; nothing is left behind then.
    """
    refuse_hiding_macros(session)
    wanted = declared_columns(problem) if sensitive is None else list(sensitive)
    temporary_tables: list[TableName] = []
    try:
        return _prepare(
            session,
            problem,
            wanted,
            list(classes),
            temporary_tables,
            Problems(DataError) if problems is None else problems,
            refusal,
        )
    except BaseException:
        drop_after_failure(session, temporary_tables)
        raise


def drop_after_failure(session: Session, tables: list[TableName]) -> None:
    """Drop what can be dropped: where a user's transaction was aborted, its end drops the tables."""
    with suppress(GensearchError):
        drop_tables(session, tables)


def _prepare(
    session: Session,
    problem: Problem,
    sensitive: list[ValueColumn],
    classes: list[ValueColumn],
    temporary_tables: list[TableName],
    problems: Problems,
    refusal: Refusal,
) -> PreparedTable:
    target = target_table(session, problem.into)
    source = open_source(session, problem.table, temporary_tables)
    with watched(session, source):
        return _read(session, problem, target, source, sensitive, classes, temporary_tables, problems, refusal)


def _read(
    session: Session,
    problem: Problem,
    target: TableName,
    source: Source,
    sensitive: list[ValueColumn],
    classes: list[ValueColumn],
    temporary_tables: list[TableName],
    problems: Problems,
    refusal: Refusal,
) -> PreparedTable:
    suitable = check_columns(source, problem, [column.name for column in (*sensitive, *classes)], problems)
    if source.row_count == 0:
        problems.add(f"{problem.table}: source has 0 rows")
        problems.raise_if_any()
    finite = finite_columns(session, source, suitable, problems)
    attributes = _attributes(session, source, problem, finite, problems, temporary_tables)
    for message in filter(None, (refusal(each.attribute) for each in attributes)):
        problems.add(message)
    mapped = [
        value_domain(session, source, column, problems, temporary_tables)
        for column in (*sensitive, *classes)
        if source.find(column.name) is not None
    ]
    problems.raise_if_any()
    keyed = [
        KeyedColumn(source.column(name), attribute.leaves.value_map)
        for name, attribute in zip(problem.quasi_identifiers, attributes, strict=True)
    ]
    split = len(sensitive)
    person = source.column(problem.person) if problem.person else None
    counted = count_cells(session, source, keyed, mapped[:split], mapped[split:], person, temporary_tables)
    return _assembled(session, problem, source, target, attributes, keyed, counted, mapped, temporary_tables)


def _attributes(
    session: Session,
    source: Source,
    problem: Problem,
    columns: Sequence[Column],
    problems: Problems,
    temporary_tables: list[TableName],
) -> list[ResolvedAttribute]:
    """The attributes of the given columns in order; where some cannot be made, they are left out and the reasons added."""
    found: list[ResolvedAttribute] = []
    for name, specification in problem.quasi_identifiers.items():
        column = source.find(name)
        if column is None or column not in columns:
            continue
        values = distinct_values(session, source, column, family_of(column.type), specification, temporary_tables)
        attribute = resolve(session, values, problems, temporary_tables)
        if attribute is not None:
            found.append(attribute)
    return found


def _assembled(
    session: Session,
    problem: Problem,
    source: Source,
    target: TableName,
    attributes: list[ResolvedAttribute],
    keyed: list[KeyedColumn],
    counted: CountedCells,
    mapped: list[MappedDomain],
    temporary_tables: list[TableName],
) -> PreparedTable:
    space = Space(tuple(resolved.attribute for resolved in attributes))
    cell_column = "cell"
    while source.find(cell_column) is not None:
        cell_column += "_"
    row_cells = statement(
        "row_cells", relation=source.relation, cell_column=cell_column, attributes=keyed, cells=counted.cells_table
    )
    return PreparedTable(
        session=session,
        problem=problem,
        source=source,
        target=target,
        space=space,
        cells=counted.cells,
        table=whole_table(space, counted.cells),
        quasi_identifiers=tuple((column.column.name, column.column.type) for column in keyed),
        value_maps=tuple(resolved.leaves.value_map for resolved in attributes),
        leaf_tables=tuple(resolved.leaves.leaf_table for resolved in attributes),
        cells_table=counted.cells_table,
        joint_table=counted.joint,
        sensitive=tuple(KeyedColumn(domain.column, domain.value_map) for domain in mapped[: len(counted.cells.sensitive)]),
        row_cells=row_cells,
        cell_column=cell_column,
        temporary_tables=temporary_tables,
    )
