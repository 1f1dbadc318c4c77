"""Choosing the kind of each quasi-identifier and making its leaf values."""

from __future__ import annotations

from collections.abc import Sequence
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
from gensearch_db.database.source import source_relation
from gensearch_db.database.taxonomies import TaxonomyTree, rows_from_csv, rows_from_json, tree_from_rows
from gensearch_db.domain.attribute import (
    Attribute,
    OrderedAttribute,
    RelaxedTaxonomyAttribute,
    TaxonomyAttribute,
    UnorderedAttribute,
)
from gensearch_db.domain.taxonomy import Taxonomy
from gensearch_db.errors import DataError, Problems, SpecificationError
from gensearch_db.problem.problem import is_file

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
    try:
        plan, kind, taxonomy = _Resolver(session, values, problems).plan()
    except DataError as error:
        problems.add(str(error))
        return None
    if len(problems) > before:
        return None
    leaves = make_leaves(session, values, plan, temporary_tables)
    specification = values.specification
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


def read_tree(session: Session, source: str, data_values: Sequence[str]) -> TaxonomyTree:
    """A taxonomy from a table, query or Parquet file, a CSV file, or a nested JSON file."""
    path = Path(source)
    names: Sequence[str] = ()
    if path.suffix.lower() == ".json":
        rows = rows_from_json(path)
    elif is_file(source) and ".parquet" not in path.name.lower():
        rows, names = rows_from_csv(path, data_values)
    else:
        relation = source_relation(session, source)
        names = [row[0] for row in session.rows(statement("source/columns", relation=relation))]
        rows = session.rows(statement("taxonomies/rows", relation=relation, columns=names))
    return tree_from_rows(rows, source, data_values, names)


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
        return self.values.family.numeric or self.values.family.temporal

    def categories(self) -> DistinctValues:
        """The values with their texts, also for a column of numbers or dates that is used as categories."""
        if not self.on_a_line:
            return self.values
        shown = statement("attributes/text", family=Sql(self.values.family.value))
        rows = self.session.rows(statement("attributes/read_values", table=self.values.table, shown=shown))
        return replace(self.values, texts=[row[0] for row in rows])

    def tree(self, source: str) -> Resolution:
        values = self.categories()
        tree = read_tree(self.session, source, values.texts)
        return self.with_tree(*trees.from_tree(values, tree, source, self.problems))

    def with_tree(self, plan: Plan, taxonomy: Taxonomy) -> Resolution:
        return plan, RelaxedTaxonomyAttribute if self.specification.relaxed else TaxonomyAttribute, taxonomy

    def ordered(self) -> Plan:
        order = self.specification.order
        if self.specification.split is not None and parse_split(self.specification.split) != Anywhere():
            raise SpecificationError(f"column '{self.name}': an order can be split anywhere, not '{self.specification.split}'")
        if isinstance(order, tuple):
            return categories.in_order(self.categories(), order, self.problems)
        return numeric.anywhere(self.values, self.domain()) if self.on_a_line else self.own_order()

    def own_order(self) -> Plan:
        levels: Sequence[str] = ()
        if self.values.family is Family.ENUM:
            levels = enum_levels(self.session, self.values.column.type)
        return categories.own_order(self.values, levels)

    def category(self) -> Resolution:
        if self.specification.split is not None:
            if parse_split(self.specification.split) != Anywhere():
                raise SpecificationError(
                    f"column '{self.name}' is of type {self.values.column.type};"
                    f" '{self.specification.split}' needs numbers or dates"
                )
            return self.own_order(), OrderedAttribute, None
        if self.values.count <= FLAT_VALUES:
            return self.with_tree(*trees.flat(self.values))
        return self.own_order(), OrderedAttribute, None

    def interval(self) -> Plan:
        split = self.split()
        domain = self.domain()
        if self.values.count == 0:
            return Plan((), numeric.no_codes())
        try:
            if isinstance(split, Anywhere):
                return numeric.anywhere(self.values, domain)
            if isinstance(split, Quantiles):
                return numeric.quantiles(self.values, split.count, domain)
            if isinstance(split, At):
                return numeric.at(self.values, [self.place(point, "cut point") for point in split.points], domain)
            if split.unit is not None:
                return temporal.calendar(self.values, split, self.local_times(), self.instants, domain)
            return numeric.every(self.values, split.width, domain)
        except SpecificationError as error:
            raise SpecificationError(f"column '{self.name}': {error}") from error

    def split(self) -> Split:
        temporal_column = self.values.family.temporal
        if temporal_column and self.values.family is Family.TIMESTAMPTZ and self.specification.timezone is None:
            raise SpecificationError(
                f"column '{self.name}' is of type TIMESTAMP WITH TIME ZONE: name the zone whose calendar counts,"
                " for example timezone = 'Europe/Berlin'"
            )
        if self.specification.split is not None:
            split = parse_split(self.specification.split)
            if isinstance(split, Every) and (split.unit is not None) != temporal_column:
                wanted = "a unit of time, as in 'every month'" if temporal_column else "a number, as in 'every 5'"
                raise SpecificationError(
                    f"column '{self.name}' is of type {self.values.column.type}: '{self.specification.split}' needs {wanted}"
                )
            return split
        if temporal_column:
            return temporal.default_split(self.local_times(), self.values.family)
        return Anywhere() if self.values.count <= numeric.FEW_VALUES else Quantiles(numeric.DEFAULT_QUANTILES)

    def place(self, text: str, what: str) -> Any:
        """A cut point or bound as the column's type reads it. Raises :class:`SpecificationError` if the type cannot hold it."""
        family, type_name = self.values.family, self.values.column.type
        zone = self.specification.timezone
        typed = statement("attributes/typed", text=Sql("$text"), type=type_name, family=Sql(family.value))
        parameters = {"text": text, "zone": zone} if family is Family.TIMESTAMPTZ else {"text": text}
        found = self.session.value(statement("attributes/place", place=position_sql(typed, family)), parameters)
        if found is None or not numeric.same_number(text, found, family):
            raise SpecificationError(f"column '{self.name}': {what} '{text}' is not a value of type {type_name}")
        return found

    def domain(self) -> numeric.Domain:
        """The declared domain as half-open places on the line. Values outside it are a problem."""
        declared = self.specification.domain
        if declared is None:
            return None
        low, high = (self.place(str(bound), "domain bound") for bound in declared)
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
