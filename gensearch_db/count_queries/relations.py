"""Relations that travel with a statement: as bound lists (short text, any number of rows) or written out in the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from gensearch_db.count_queries.expressions import number
from gensearch_db.database.rendering import Sql, identifier


@dataclass(frozen=True)
class Relation:
    """A small table. ``types`` name its columns and their DuckDB types; values are None, bool, int or float."""

    name: str
    types: dict[str, str]
    rows: Sequence[tuple[Any, ...]]

    def written_out(self) -> Sql:
        """The relation as SQL that needs no parameters."""
        columns = ", ".join(f"CAST({identifier(name)} AS {type_}) AS {identifier(name)}" for name, type_ in self.types.items())
        names = ", ".join(identifier(name) for name in self.types)
        rows = self.rows or [(None,) * len(self.types)]
        values = ",\n        ".join(f"({', '.join(_literal(value) for value in row)})" for row in rows)
        only = "" if self.rows else " WHERE FALSE"
        return Sql(f"SELECT {columns} FROM (VALUES\n        {values}\n    ) AS given({names}){only}")


@dataclass
class BoundRelations:
    """Collects relations as parameters: one list per column."""

    parameters: dict[str, list[Any]] = field(default_factory=dict)

    def bind(self, relation: Relation) -> Sql:
        """The relation as SQL over its parameters."""
        columns = []
        for place, (name, type_) in enumerate(relation.types.items()):
            parameter = f"{relation.name}_{name}"
            self.parameters[parameter] = [row[place] for row in relation.rows]
            columns.append(f"unnest(CAST(${parameter} AS {type_}[])) AS {identifier(name)}")
        return Sql(f"SELECT {', '.join(columns)}")


def _literal(value: Any) -> Sql:
    if value is None:
        return Sql("NULL")
    if isinstance(value, bool):
        return Sql("TRUE" if value else "FALSE")
    return number(value)
