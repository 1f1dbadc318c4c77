"""Choosing the kind of each quasi-identifier and making its leaf values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gensearch_db.database.attributes import categories, numeric, temporal, trees
from gensearch_db.database.attributes.families import Family, position_sql
from gensearch_db.database.attributes.leaves import Leaves, Plan, make_leaves
from gensearch_db.database.attributes.splits import Anywhere, At, Every, Quantiles, Split, parse_split
from gensearch_db.database.attributes.values import DistinctValues
from gensearch_db.database.rendering import Sql, qualified, statement
from gensearch_db.database.session import Session, TableName
from gensearch_db.database.settings import in_zone
from gensearch_db.database.source import source_relation
from gensearch_db.database.taxonomies import Row, TaxonomyTree, entries, rows_from_csv, rows_from_json, tree_from_rows
from gensearch_db.database.type_names import without_entries
from gensearch_db.domain.attribute import (
    Attribute,
    OrderedAttribute,
    RelaxedTaxonomyAttribute,
    TaxonomyAttribute,
    UnorderedAttribute,
)
from gensearch_db.domain.taxonomy import Taxonomy
from gensearch_db.errors import DataError, Problems, SpecificationError, near_matches
from gensearch_db.problem.files import is_file

FLAT_VALUES = 2
"""Up to this many values, categories without a specification hang directly below ``*``; more are ordered."""


@dataclass(frozen=True)
class ResolvedAttribute:
    """A quasi-identifier as the search sees it, and its tables."""

    attribute: Attribute
    leaves: Leaves


def resolve(
    session: Session, values: DistinctValues, problems: Problems, temporary_tables: list[TableName]
) -> ResolvedAttribute | None:
    """Make the attribute of a column. What is wrong with its data goes to ``problems``, and the result is then None."""
    before = len(problems)
    specification = values.specification
    try:
        with in_zone(session, _zone(session, values)):
            plan, kind, taxonomy = _Resolver(session, values, problems).plan()
            if len(problems) > before:
                return None
            leaves = make_leaves(session, values, plan, temporary_tables)
    except (SpecificationError, DataError) as error:
        problems.absorb(error)
        return None
    common: dict[str, Any] = {
        "name": values.column.name,
        "leaves": leaves.leaves,
        "weight": specification.weight,
        "minimum_length": specification.minimum_length,
    }
    if taxonomy is not None:
        common["taxonomy"] = taxonomy
    if kind is OrderedAttribute:
        common["categorical"] = plan.categorical
    return ResolvedAttribute(kind(**common), leaves)


def _zone(session: Session, values: DistinctValues) -> str | None:
    """The zone whose calendar counts. Raises :class:`SpecificationError` where it is missing, unknown, or not needed."""
    zone, name = values.specification.timezone, values.column.name
    if values.family is not Family.TIMESTAMPTZ and zone is not None:
        raise SpecificationError(
            f"column '{name}' is of type {without_entries(values.column.type)}:"
            " only a TIMESTAMP WITH TIME ZONE can have a timezone"
        )
    if values.family is Family.TIMESTAMPTZ and zone is None:
        raise SpecificationError(
            f"column '{name}' is of type TIMESTAMP WITH TIME ZONE: name the zone whose calendar counts,"
            " for example timezone = 'Europe/Berlin'"
        )
    if zone is not None:
        known = [row[0] for row in session.rows(statement("attributes/zones"))]
        if zone.casefold() not in {each.casefold() for each in known}:
            raise SpecificationError(f"column '{name}': there is no time zone '{zone}'{near_matches(zone, known)}")
    return zone


def read_tree(session: Session, source: str, values: DistinctValues) -> TaxonomyTree:
    """A taxonomy from a table, query or Parquet file, a CSV file, or a nested JSON file.

    Raises :class:`SpecificationError` or :class:`DataError`; each problem names the column that the taxonomy is for. Where it
    contradicts itself, values without an entry are reported too.
    """
    rows: list[Row] = []
    names: Sequence[str] = ()
    try:
        found, names = _taxonomy_rows(session, source, values.texts)
        rows = list(found)
        return tree_from_rows(rows, source, values.texts, names)
    except (SpecificationError, DataError) as error:
        problems = Problems(type(error))
        for message in error.problems or (str(error),):
            problems.add(f"column '{values.column.name}': {message}")
        if rows:
            categories.report_missing_entries(values, entries(rows, names), f"taxonomy '{source}'", problems)
        problems.raise_if_any()
        raise


def _taxonomy_rows(session: Session, source: str, data_values: Sequence[str]) -> tuple[Iterable[Row], Sequence[str]]:
    """The rows of a taxonomy, and the names of its columns where it has any."""
    path = Path(source)
    if path.suffix.lower() == ".json":
        return rows_from_json(path), ()
    if is_file(source) and ".parquet" not in path.name.lower():
        return rows_from_csv(path, data_values)
    relation = source_relation(session, source)
    names = [row[0] for row in session.rows(statement("source/columns", relation=relation))]
    return session.rows(statement("taxonomies/rows", relation=relation, columns=names)), names


def enum_levels(session: Session, type_name: str) -> list[str]:
    """The levels of an ENUM type in their order."""
    return [row[0] for row in session.rows(statement("attributes/enum_levels", type=type_name))]


Resolution = tuple[Plan, type[Attribute], Taxonomy | None]


class _Resolver:
    """The choice of one attribute's kind: specification first, then the column's type."""

    def __init__(self, session: Session, values: DistinctValues, problems: Problems) -> None:
        self.session = session
        self.values = values
        self.specification = values.specification
        self.problems = problems
        self.name = values.column.name

    def plan(self) -> Resolution:
        """How the leaf values are made, as which attribute, with which taxonomy."""
        specification = self.specification
        if specification.domain is not None and not self.on_a_line:
            raise SpecificationError(f"column '{self.name}': only a number, date or timestamp can have a domain")
        if specification.taxonomy is not None:
            return self.tree(specification.taxonomy)
        if specification.prefix:
            return self.with_tree(*trees.prefixes(self.values))
        if specification.unordered:
            return categories.unordered(self.categories()), UnorderedAttribute, None
        if specification.order not in (None, False):
            return self.ordered(), OrderedAttribute, None
        if self.on_a_line:
            return self.interval(), OrderedAttribute, None
        return self.category()

    @property
    def on_a_line(self) -> bool:
        """Whether the values are numbers, dates or times."""
        return self.values.family.numeric or self.values.family.temporal

    def categories(self) -> DistinctValues:
        """The values with their texts, also for a column of numbers or dates that is used as categories."""
        if not self.on_a_line:
            return self.values
        shown = statement("attributes/text", family=Sql(self.values.family.value))
        rows = self.session.rows(statement("attributes/read_values", table=self.values.table, shown=shown))
        return replace(self.values, texts=[row[0] for row in rows])

    def tree(self, source: str) -> Resolution:
        """A taxonomy from a table or a file."""
        values = self.categories()
        tree = read_tree(self.session, source, values)
        self.report_other_texts(tree.leaves, f"taxonomy '{source}'")
        return self.with_tree(*trees.from_tree(values, tree, source, self.problems))

    def with_tree(self, plan: Plan, taxonomy: Taxonomy) -> Resolution:
        """A plan whose attribute has a taxonomy, relaxed where the request says so."""
        return plan, RelaxedTaxonomyAttribute if self.specification.relaxed else TaxonomyAttribute, taxonomy

    def ordered(self) -> Plan:
        """Categories in a declared order or in the column's own."""
        order = self.specification.order
        if self.specification.split is not None and self.written_split(self.specification.split) != Anywhere():
            raise SpecificationError(f"column '{self.name}': an order can be split anywhere, not '{self.specification.split}'")
        if isinstance(order, tuple):
            self.report_other_texts(order, "the order")
            return categories.in_order(self.categories(), order, self.problems)
        return numeric.anywhere(self.values, self.domain()) if self.on_a_line else self.own_order()

    def report_other_texts(self, texts: Sequence[str], where: str) -> None:
        """Declared values that the column's type cannot have: they could not be published beside the others."""
        if self.values.family in (Family.TEXT, Family.ENUM):
            return
        found = self.session.rows(
            statement("attributes/other_texts", type=self.values.column.type), {"texts": list(dict.fromkeys(texts))}
        )
        if found:
            named = categories.quoted([text for (text,) in found[:20]]) + (
                f" and {len(found) - 20} more" if len(found) > 20 else ""
            )
            self.problems.add(
                f"column '{self.name}': {where} names what is no value of type {self.values.column.type} as DuckDB prints it:"
                f" {named}; take them out, or cast the column to VARCHAR"
            )

    def own_order(self) -> Plan:
        """The column's own order: an ENUM's, or that of its values."""
        levels: Sequence[str] = ()
        if self.values.family is Family.ENUM:
            levels = enum_levels(self.session, self.values.column.type)
        return categories.own_order(self.values, levels)

    def category(self) -> Resolution:
        """Categories without an order."""
        if self.specification.split is not None:
            if self.written_split(self.specification.split) != Anywhere():
                raise SpecificationError(
                    f"column '{self.name}' is of type {without_entries(self.values.column.type)};"
                    f" '{self.specification.split}' needs numbers or dates"
                )
            return self.own_order(), OrderedAttribute, None
        if self.values.count <= FLAT_VALUES:
            return self.with_tree(*trees.flat(self.values))
        return self.own_order(), OrderedAttribute, None

    def interval(self) -> Plan:
        """Intervals on a line, cut where the request says."""
        split = self.split()
        domain = self.domain()
        if self.values.count == 0:
            return Plan((), numeric.no_codes())
        if isinstance(split, Anywhere):
            return numeric.anywhere(self.values, domain)
        if isinstance(split, Quantiles):
            return numeric.quantiles(self.values, split.count, domain)
        if isinstance(split, At):
            return numeric.at(self.values, self.places(split.points, "cut point"), domain)
        if split.unit is not None:
            return temporal.calendar(self.values, split, self.local_times(), self.instants, domain)
        return numeric.every(self.values, split.width, domain)

    def split(self) -> Split:
        """Where to cut: as the request says, else as suits the column."""
        temporal_column = self.values.family.temporal
        if self.specification.split is not None:
            split = self.written_split(self.specification.split)
            if isinstance(split, Every) and (split.unit is not None) != temporal_column:
                wanted = "a unit of time, as in 'every month'" if temporal_column else "a number, as in 'every 5'"
                raise SpecificationError(
                    f"column '{self.name}' is of type {self.values.column.type}: '{self.specification.split}' needs {wanted}"
                )
            return split
        if temporal_column:
            return temporal.default_split(self.local_times(), self.values.family)
        return Anywhere() if self.values.count <= numeric.FEW_VALUES else Quantiles(numeric.DEFAULT_QUANTILES)

    def written_split(self, text: str) -> Split:
        """A split as the user wrote it. Raises :class:`SpecificationError` where it cannot be read."""
        try:
            return parse_split(text)
        except SpecificationError as error:
            raise SpecificationError(f"column '{self.name}': {error}") from error

    def places(self, texts: Sequence[str], what: str) -> list[Any]:
        """Cut points or bounds as the column's type reads them. Raises :class:`SpecificationError` for all that it cannot
        hold exactly, infinite ones included."""
        family, type_name = self.values.family, self.values.column.type
        typed = statement("attributes/typed", text=Sql("$text"), type=type_name, family=Sql(family.value))
        place = statement("attributes/place", place=position_sql(typed, family))
        found = [self.session.value(place, {"text": text}) for text in texts]
        problems = Problems(SpecificationError)
        for text, position in zip(texts, found, strict=True):
            if position is None or not numeric.same_number(text, position, family):
                problems.add(f"column '{self.name}': {what} '{text}' is not a value of type {type_name}")
        problems.raise_if_any()
        return found

    def domain(self) -> numeric.Domain:
        """The declared domain as half-open places on the line. Values outside it are a problem."""
        declared = self.specification.domain
        if declared is None:
            return None
        low, high = self.places([str(bound) for bound in declared], "domain bound")
        if low > high:
            raise SpecificationError(f"column '{self.name}': the domain [{declared[0]}, {declared[1]}] ends before it begins")
        outside = sum(
            rows for place, rows in zip(self.values.positions, self.values.counts, strict=True) if not low <= place <= high
        )
        if outside:
            self.problems.add(
                f"column '{self.name}': {outside} rows lie outside the declared domain [{declared[0]}, {declared[1]}]"
            )
        return low, numeric.next_place(high, self.values.family, self.values.column.type)

    def local_times(self) -> Sequence[int]:
        """Each value's time in the calendar's zone, in the order of the ordinals."""
        if self.values.family is not Family.TIMESTAMPTZ:
            return self.values.positions
        table = qualified(self.values.table)
        rows = self.session.rows(statement("attributes/local_times", table=table), {"zone": self.specification.timezone})
        return [row[0] for row in rows]

    def instants(self, local: Sequence[int]) -> Sequence[int]:
        """The places on the line of times in the calendar's zone."""
        if self.values.family is not Family.TIMESTAMPTZ:
            return local
        rows = self.session.rows(statement("attributes/instants"), {"zone": self.specification.timezone, "times": list(local)})
        return [row[0] for row in rows]
