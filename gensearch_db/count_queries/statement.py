"""The estimate as SQL: one grouped statement over ``<release>_blocks`` for any number of counts, for any DuckDB client.

Model: within a block the tuples lie independently and uniformly over the block's region; a sensitive column is independent
of the place within the block, and several sensitive columns are independent of each other. Hard bounds assume none of this:
a block counts fully from below only where every value of its region satisfies the query, and from above wherever some value
can; sensitive counts enter exactly, and several sensitive columns by Fréchet's inequalities.

What is asked travels as relations, so the text (and the time to plan it) does not grow with the workload; only conditions on
listed values stand in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gensearch_db.count_queries.cases import Cases, Classes, conditions, stretches
from gensearch_db.count_queries.diagram import Node
from gensearch_db.count_queries.expressions import around, known, open_ends, position_of, scale, upper_of
from gensearch_db.count_queries.relations import BoundRelations, Relation
from gensearch_db.count_queries.release import Kind, PublishedColumn, Release
from gensearch_db.database.rendering import Sql, identifier, qualified, statement

Writer = Callable[[Relation], Sql]
"""How a relation enters a statement: as parameters, or written out."""


def estimate_rows(release: Release, nodes: Sequence[Node]) -> list[tuple[Any, ...]]:
    """The estimates of one count per diagram: number, estimate, deviation, lower and upper bound, number of blocks."""
    relations = BoundRelations()
    rendered = _statement(release, qualified(release.blocks), nodes, relations.bind)
    return release.session.rows(rendered, relations.parameters)


def estimate_text(release: Release, nodes: Sequence[Node]) -> Sql:
    """The same statement with everything written out. It needs no more than the blocks table of the open database."""
    return _statement(release, qualified(release.blocks_shown), nodes, Relation.written_out)


def _statement(release: Release, blocks: Sql, nodes: Sequence[Node], write: Writer) -> Sql:
    cases = Cases(nodes)
    columns = [_column(classes, cases.places[number], write) for number, classes in sorted(cases.classes.items())]
    return statement(
        "estimate/estimate",
        blocks=blocks,
        count=release.dictionary.count,
        columns=columns,
        cases=write(cases.cases()),
        parts=write(cases.parts()),
        slots=range(1, cases.slots + 1),
        secrets=range(1, cases.secrets + 1),
        single=cases.single,
        several=cases.several,
        number_count=cases.number_count,
    )


def _column(classes: Classes, place: int, write: Writer) -> dict[str, object]:
    """What the template needs to know of a column."""
    column = classes.column
    fields: dict[str, object] = {"kind": column.kind.value, "place": place, "cover": f"cover of {column.name}"}
    if column.kind is Kind.ORDERED:
        lower, upper = identifier(column.lower_name), identifier(column.upper_name)
        names = ", ".join(f"{name}_{place} AS {name}" for name in ("lower", "upper", "missing"))
        return fields | interval_classes(column, classes, write) | {
            "regions": Sql(f"SELECT DISTINCT region_{place} AS region, {names} FROM blocks"),
            "lower": position_of(column.family, lower),
            "upper": upper_of(column.family, lower, upper),
            "missing": Sql("'no'") if column.missing_name is None else identifier(column.missing_name),
        }  # fmt: skip
    member = Sql('member."value"') if column.kind is Kind.SENSITIVE else Sql("member")
    return fields | list_classes(classes) | {
        "regions": Sql(f"SELECT DISTINCT region_{place} AS region, members_{place} AS members FROM blocks"),
        "list": identifier(column.list_name),
        "value": known(column.family, member),
    }  # fmt: skip


def interval_classes(column: PublishedColumn, classes: Classes, write: Writer) -> dict[str, object]:
    """What ``estimate/interval_cover`` needs to know of the classes of an ordered column."""
    first, last = around(column.family, Sql("low"), Sql("high"), Sql("anchor"))
    return open_ends(column.family) | {
        "counted": column.counted,
        "stretches": write(stretches(column, classes.numbers)),
        "scale": scale("first", "last"),
        "guessed_first": first,
        "guessed_last": last,
    }


def list_classes(classes: Classes) -> dict[str, object]:
    """What ``estimate/list_cover`` needs to know of the classes of a listed column."""
    return {"conditions": conditions(classes.numbers)}
