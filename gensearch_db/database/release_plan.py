"""The columns of a release, named before anything is written: ``r``, ``r_blocks`` and the dictionary agree by construction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gensearch_db.database.columns import ReleasedColumn, key_kind, released_type
from gensearch_db.database.dictionary import Names, QuasiIdentifierColumns, ReleaseDictionary, SensitiveColumn
from gensearch_db.database.labels import PublishedAttribute, published_attributes
from gensearch_db.database.prepared import PreparedTable
from gensearch_db.database.region_tables import is_integral
from gensearch_db.database.rendering import Sql, statement
from gensearch_db.database.session import TableName
from gensearch_db.database.type_names import is_enum
from gensearch_db.domain.attribute import Attribute, OrderedAttribute
from gensearch_db.problem.columns import QuasiIdentifier
from gensearch_db.problem.problem import Labels, Problem
from gensearch_db.search.result import Partition


@dataclass(frozen=True)
class AttributePlan:
    """One quasi-identifier: what it prints, under which names, and the temporary table that will hold its regions."""

    position: int
    published: PublishedAttribute
    columns: QuasiIdentifierColumns
    regions: TableName

    @property
    def region_column(self) -> str:
        """The column of the table of blocks that numbers this attribute's region."""
        return f"region_{self.position}"

    def context(self, *, typed: bool, missing: bool, last: bool = False) -> dict[str, Any]:
        """What the statements that write the release print of it: names of columns and what they show."""
        shown: list[tuple[str | None, str]] = [(self.columns.label, "label")]
        if typed and self.published.interval:
            shown += [(self.columns.lower, "lower"), (self.columns.upper, "upper")]
        elif typed:
            shown += [(self.columns.values, "members")]
        if missing and self.columns.missing is not None:
            shown.append((self.columns.missing, "missing"))
        return {
            "position": self.position,
            "regions": self.regions,
            "region_column": self.region_column,
            "columns": shown,
            "last": last,
        }


@dataclass(frozen=True)
class ReleasePlan:
    """All that is fixed about a release before it is written."""

    release: TableName
    blocks: TableName
    attributes: tuple[AttributePlan, ...]
    released: tuple[ReleasedColumn, ...]
    """The sensitive columns, then the kept ones."""
    dictionary: ReleaseDictionary

    @property
    def sensitive(self) -> tuple[ReleasedColumn, ...]:
        """The sensitive columns."""
        return self.released[: len(self.dictionary.sensitive)]

    def label_order(self) -> list[Sql]:
        """The sort keys of the canonical order of blocks: every label."""
        return [
            statement("release/order", table=f"region_table_{attribute.position}", column="label", text=True)
            for attribute in self.attributes
        ]

    def row_order(self) -> list[Sql]:
        """The sort keys of the canonical order of the rows of a block: every released column."""
        return [key for column in self.released for key in column.order()]

    def distributions(self) -> list[dict[str, Any]]:
        """What ``release/blocks`` prints of each sensitive column."""
        return [
            {
                "name": named.distribution,
                "key": column.grouping_key(),
                "known": statement("audit/key", column=column.payload, kind=_value_kind(column)),
                "spellings": column.spellings() if key_kind(column.type) == "plain" else [],
            }
            for column, named in zip(self.sensitive, self.dictionary.sensitive, strict=True)
        ]


def _value_kind(column: ReleasedColumn) -> str:
    """Distributions show values as they are, but NaN as NULL."""
    return "plain" if key_kind(column.type) == "text" else key_kind(column.type)


def blocks_name(release: TableName) -> TableName:
    """Where the blocks of a release stand: ``<release>_blocks`` beside it."""
    database, schema, table = release
    return (database, schema, f"{table}_blocks")


def plan_release(prepared: PreparedTable, partition: Partition) -> ReleasePlan:
    """Name every column of the release and say what each attribute of each block prints."""
    problem = prepared.problem
    released = _released_columns(prepared)
    source_names = [name for name, _ in prepared.quasi_identifiers] + [column.name for column in released]
    names = Names(source_names)
    attributes = tuple(
        AttributePlan(
            position,
            attribute,
            _quasi_identifier_columns(problem, name, type_, attribute, names),
            prepared.session.temporary_table(f"regions_{position}"),
        )
        for position, (attribute, (name, type_)) in enumerate(
            zip(published_in(prepared, partition), prepared.quasi_identifiers, strict=True)
        )
    )
    sensitive = released[: len(problem.sensitive)]
    kept = partition.block_of_cell >= 0
    dictionary = ReleaseDictionary(
        release=prepared.target[2],
        unit="persons" if problem.person is not None else "rows",
        rows=int(prepared.cells.counts[kept].sum()),
        count=names.new("count"),
        typed_columns=problem.typed_columns,
        quasi_identifiers=tuple(attribute.columns for attribute in attributes),
        sensitive=tuple(
            SensitiveColumn(name=column.name, type=column.type, distribution=names.new(f"{column.name}_distribution"))
            for column in sensitive
        ),
        keep=tuple(column.name for column in released[len(sensitive) :]),
    )
    return ReleasePlan(prepared.target, blocks_name(prepared.target), attributes, released, dictionary)


def published_in(prepared: PreparedTable, partition: Partition) -> tuple[PublishedAttribute, ...]:
    """What each attribute of each block of a partition prints."""
    return published_attributes(
        prepared.space,
        partition,
        prepared.cells.codes,
        values=prepared.problem.labels is Labels.VALUES,
        declared=[
            _is_declared(prepared.problem, attribute, type_)
            for attribute, (_, type_) in zip(prepared.space.attributes, prepared.quasi_identifiers, strict=True)
        ],
    )


def _released_columns(prepared: PreparedTable) -> tuple[ReleasedColumn, ...]:
    asked = (*prepared.problem.sensitive, *prepared.problem.keep)
    columns = [prepared.source.column(name) for name in asked]
    return tuple(ReleasedColumn(column.name, column.type, f"payload_{position}") for position, column in enumerate(columns))


def _quasi_identifier_columns(
    problem: Problem, name: str, type_: str, published: PublishedAttribute, names: Names
) -> QuasiIdentifierColumns:
    if not published.interval:
        return QuasiIdentifierColumns(
            name=name, kind="categorical", type=released_type(type_), label=name, values=names.new(f"{name}_values")
        )
    spec = specification(problem, name)
    domain = (None, None) if spec.domain is None else (str(spec.domain[0]), str(spec.domain[1]))
    return QuasiIdentifierColumns(
        name=name,
        kind="ordered",
        type=type_,
        label=name,
        lower=names.new(f"{name}_lower"),
        upper=names.new(f"{name}_upper"),
        missing=names.new(f"{name}_missing") if published.has_missing else None,
        integral=is_integral(type_),
        domain=domain,
    )


def specification(problem: Problem, name: str) -> QuasiIdentifier:
    """What the problem says of the quasi-identifier that the source calls ``name``."""
    return next(spec for column, spec in problem.quasi_identifiers.items() if column.casefold() == name.casefold())


def _is_declared(problem: Problem, attribute: Attribute, type_: str) -> bool:
    """Whether the leaf values are those of a taxonomy, a list or an ENUM type, all of them whatever the data.

    An ENUM has all its entries as leaves where it is ordered; else its leaves are the values that occur, as with BOOLEAN.
    """
    spec = specification(problem, attribute.name)
    by_type = is_enum(type_) and isinstance(attribute, OrderedAttribute)
    return spec.taxonomy is not None or isinstance(spec.order, tuple) or by_type
