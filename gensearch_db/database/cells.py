"""Counting the finest cells: one grouped statement over the rows, and the arrays that a search reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gensearch_db.database.attributes.families import key_sql
from gensearch_db.database.rendering import Sql, statement
from gensearch_db.database.session import Session, TableName
from gensearch_db.database.source import Column, Source
from gensearch_db.database.value_domains import MappedDomain
from gensearch_db.domain.cells import Cells, Distribution, PersonLists
from gensearch_db.errors import DataError, SourceChangedError


@dataclass(frozen=True)
class KeyedColumn:
    """A column of the source with the table that maps its values (``value``) to numbers (``code``)."""

    column: Column
    value_map: TableName

    @property
    def key(self) -> Sql:
        """The value of the source's row as it stands in the map."""
        return key_sql(self.column.name, self.column.type)


@dataclass(frozen=True, eq=False)
class CountedCells:
    """The cells, as arrays and as the temporary table of ``docs/architecture.md``; ``joint`` splits them by value, person."""

    cells: Cells
    cells_table: TableName
    joint: TableName


def count_cells(
    session: Session,
    source: Source,
    attributes: Sequence[KeyedColumn],
    sensitive: Sequence[MappedDomain],
    classes: Sequence[MappedDomain],
    person: Column | None,
    temporary_tables: list[TableName],
) -> CountedCells:
    """Group the rows by leaf codes, values and persons in one pass, then sum that up.

    Raises :class:`SourceChangedError` if these are not the rows whose values were numbered.
    """
    joint, cells_table = session.temporary_table("joint"), session.temporary_table("cells")
    temporary_tables.extend([joint, cells_table])
    domains = [*sensitive, *classes]
    persons = number_persons(session, source, person, temporary_tables) if person else None
    session.execute(
        statement(
            "finest_cells",
            joint=joint,
            relation=source.relation,
            attributes=attributes,
            values=[KeyedColumn(mapped.column, mapped.value_map) for mapped in domains],
            person=KeyedColumn(person, persons) if person and persons else None,
        )
    )
    session.execute(statement("cells", cells=cells_table, joint=joint, attributes=range(len(attributes))))
    maps = [*(column.value_map for column in attributes), *(mapped.value_map for mapped in domains)]
    _check_numbered(session, source, joint, maps, len(attributes))
    columns = session.columns(statement("read_cells", cells=cells_table))
    codes = np.column_stack([columns[f"code_{position}"] for position in range(len(attributes))]).astype(np.int32, copy=False)
    counts = np.asarray(columns["row_count"], np.int64)
    # Constraints protect persons; costs speak of rows, also where a class column is a sensitive one.
    distributions = [
        _distribution(session, joint, position, mapped, len(counts), by_person=person is not None and position < len(sensitive))
        for position, mapped in enumerate(domains)
    ]
    cells = Cells(
        codes,
        counts,
        tuple(distributions[: len(sensitive)]),
        tuple(distributions[len(sensitive) :]),
        _person_lists(session, joint, len(counts)) if person else None,
    )
    return CountedCells(cells, cells_table, joint)


def _check_numbered(session: Session, source: Source, joint: TableName, maps: Sequence[TableName], attributes: int) -> None:
    """Hold the rows of each code against those that were numbered: the columns were read one by one, the cells after them."""
    names = [f"code_{number}" if number < attributes else f"value_{number - attributes}" for number in range(len(maps))]
    coded = [{"name": Sql(name), "map": value_map} for name, value_map in zip(names, maps, strict=True)]
    counted, changed = session.row(statement("cells_numbered", joint=joint, columns=coded))
    if counted != source.row_count or changed:
        raise SourceChangedError(
            f"'{source.name}' changed while it was read: {source.row_count:,} rows at first, {counted:,} now,"
            f" and {changed:,} values have another number of rows; nothing was written, run it again"
            " (a view that gives other rows each time must be made a table first)"
        )


def number_persons(session: Session, source: Source, person: Column, temporary_tables: list[TableName]) -> TableName:
    """A table that numbers the persons. Raises :class:`DataError` for rows that belong to nobody."""
    table = session.temporary_table("persons")
    temporary_tables.append(table)
    session.execute(statement("persons", persons=table, relation=source.relation, key=key_sql(person.name, person.type)))
    nobody = session.value(statement("rows_without_person", relation=source.relation, key=key_sql(person.name, person.type)))
    if nobody:
        raise DataError(f"person column '{person.name}' is NULL in {nobody} rows: each row must belong to a person")
    return table


def _distribution(
    session: Session, joint: TableName, position: int, mapped: MappedDomain, cell_count: int, *, by_person: bool
) -> Distribution:
    template = "person_distribution" if by_person else "distribution"
    columns = session.columns(statement(template, joint=joint, value=Sql(f"value_{position}")))
    return Distribution(
        mapped.domain,
        _starts(columns["cell"], cell_count),
        np.asarray(columns["value"], np.int32),
        np.asarray(columns["count"], np.int64),
        np.asarray(columns["pair"], np.int64) if by_person else None,
    )


def _person_lists(session: Session, joint: TableName, cell_count: int) -> PersonLists:
    columns = session.columns(statement("person_lists", joint=joint))
    persons = np.asarray(columns["person"], np.int64)
    return PersonLists(_starts(columns["cell"], cell_count), persons, int(persons.max()) + 1 if len(persons) else 0)


def _starts(cell_of_entry: NDArray[np.int64], cell_count: int) -> NDArray[np.int64]:
    """Where each cell's entries begin in a list sorted by cell; one more than there are cells."""
    return np.searchsorted(np.asarray(cell_of_entry), np.arange(cell_count + 1)).astype(np.int64)
