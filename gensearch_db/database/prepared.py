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
    found = Problems(DataError) if problems is None else problems
    temporary_tables: list[TableName] = []
    try:
        target = target_table(session, problem.into)
        source = open_source(session, problem.table, temporary_tables)
        with watched(session, source):
            return _Preparation(session, problem, target, source, found, temporary_tables).run(wanted, list(classes), refusal)
    except BaseException:
        drop_after_failure(session, temporary_tables)
        raise


def drop_after_failure(session: Session, tables: list[TableName]) -> None:
    """Drop what can be dropped: where a user's transaction was aborted, its end drops the tables."""
    with suppress(GensearchError):
        drop_tables(session, tables)


@dataclass(frozen=True, eq=False)
class _Preparation:
    """What each step reads, and the two lists it adds to: the problems found, and the temporary tables made."""

    session: Session
    problem: Problem
    target: TableName
    source: Source
    problems: Problems
    temporary_tables: list[TableName]

    def run(self, sensitive: list[ValueColumn], classes: list[ValueColumn], refusal: Refusal) -> PreparedTable:
        """Check, make leaf values, map values to codes, count. All that is wrong is raised together, before the cells."""
        attributes = self._attributes(self._suitable_columns([*sensitive, *classes]))
        for message in filter(None, (refusal(each.attribute) for each in attributes)):
            self.problems.add(message)
        mapped = [
            value_domain(self.session, self.source, column, self.problems, self.temporary_tables)
            for column in (*sensitive, *classes)
            if self.source.find(column.name) is not None
        ]
        self.problems.raise_if_any()
        keyed = [
            KeyedColumn(self.source.column(name), attribute.leaves.value_map)
            for name, attribute in zip(self.problem.quasi_identifiers, attributes, strict=True)
        ]
        split = len(sensitive)
        person = self.source.column(self.problem.person) if self.problem.person else None
        counted = count_cells(self.session, self.source, keyed, mapped[:split], mapped[split:], person, self.temporary_tables)
        return self._assembled(attributes, keyed, counted, mapped)

    def _suitable_columns(self, value_columns: list[ValueColumn]) -> list[Column]:
        """The quasi-identifiers that can be read as such. An empty source ends here: it has no values to make anything of."""
        suitable = check_columns(self.source, self.problem, [column.name for column in value_columns], self.problems)
        if self.source.row_count == 0:
            self.problems.add(f"{self.problem.table}: source has 0 rows")
            self.problems.raise_if_any()
        return finite_columns(self.session, self.source, suitable, self.problems)

    def _attributes(self, columns: Sequence[Column]) -> list[ResolvedAttribute]:
        """The attributes of the given columns in order; where some cannot be made, they are left out and the reasons added."""
        found: list[ResolvedAttribute] = []
        for name, specification in self.problem.quasi_identifiers.items():
            column = self.source.find(name)
            if column is None or column not in columns:
                continue
            family = family_of(column.type)
            values = distinct_values(self.session, self.source, column, family, specification, self.temporary_tables)
            attribute = resolve(self.session, values, self.problems, self.temporary_tables)
            if attribute is not None:
                found.append(attribute)
        return found

    def _assembled(
        self,
        attributes: list[ResolvedAttribute],
        keyed: list[KeyedColumn],
        counted: CountedCells,
        mapped: list[MappedDomain],
    ) -> PreparedTable:
        space = Space(tuple(resolved.attribute for resolved in attributes))
        relation, cell_column = self.source.relation, self._cell_column()
        return PreparedTable(
            session=self.session,
            problem=self.problem,
            source=self.source,
            target=self.target,
            space=space,
            cells=counted.cells,
            table=whole_table(space, counted.cells),
            quasi_identifiers=tuple((column.column.name, column.column.type) for column in keyed),
            value_maps=tuple(resolved.leaves.value_map for resolved in attributes),
            leaf_tables=tuple(resolved.leaves.leaf_table for resolved in attributes),
            cells_table=counted.cells_table,
            joint_table=counted.joint,
            sensitive=tuple(KeyedColumn(domain.column, domain.value_map) for domain in mapped[: len(counted.cells.sensitive)]),
            row_cells=statement(
                "row_cells", relation=relation, cell_column=cell_column, attributes=keyed, cells=counted.cells_table
            ),
            cell_column=cell_column,
            temporary_tables=self.temporary_tables,
        )

    def _cell_column(self) -> str:
        """A name for the cell's number that no column of the source has."""
        name = "cell"
        while self.source.find(name) is not None:
            name += "_"
        return name
