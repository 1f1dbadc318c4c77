"""Placing a source into the published blocks, by their typed bounds and value lists alone.

Combinations of values are placed, not rows. Blocks stand in chunks of :data:`PLACES`, as the bits of one bit string: the blocks
that contain a combination are narrowed value by value, those of the attributes with the fewest values first, and chunks in
which no block is left drop out. Combinations that begin alike share that work, so that the cost stays near that of grouping the
rows (one bit string over all blocks per row cost thirty times as much at 32,000 blocks).
"""

from __future__ import annotations

from collections.abc import Sequence

from gensearch_db.database.audit.subject import Scratch, Source, key
from gensearch_db.database.dictionary import QuasiIdentifierColumns, ReleaseDictionary
from gensearch_db.database.rendering import Sql, statement
from gensearch_db.database.session import TableName

PLACES = 64
"""Blocks in a chunk."""


def number_blocks(scratch: Scratch, blocks: TableName) -> TableName:
    """The published blocks numbered from 0 in a temporary table, with the chunk and the place in it of each."""
    numbered = scratch.new("numbered")
    scratch.session.execute(statement("audit/blocks", numbered=numbered, blocks=blocks, places=PLACES))
    return numbered


def value_keys(source: Source, dictionary: ReleaseDictionary) -> list[Sql]:
    """The keys of the source's quasi-identifiers, as a placement has them."""
    return [key(column.name, source.types[column.name]) for column in dictionary.quasi_identifiers]


def place(scratch: Scratch, source: Source, dictionary: ReleaseDictionary, numbered: TableName) -> TableName:
    """A temporary table of the combinations of quasi-identifier values that occur in the source: ``value_0``, … (keys),
    ``matches`` (how many published blocks contain it) and ``block`` (the one, NULL where it is not one)."""
    session = scratch.session
    combinations, coded, placement = scratch.new("combinations"), scratch.new("coded"), scratch.new("placement")
    session.execute(
        statement(
            "audit/placing/combinations",
            combinations=combinations,
            source=source.relation,
            values=value_keys(source, dictionary),
        )
    )
    positions = range(len(dictionary.quasi_identifiers))
    occurring = [_occurring(scratch, combinations, position) for position in positions]
    session.execute(statement("audit/placing/coded", coded=coded, combinations=combinations, occurring=occurring))
    sizes = [session.value(statement("audit/row_count", table=table)) for table in occurring]
    order = sorted(positions, key=lambda position: sizes[position])
    containing = [
        _containing(scratch, column, source, position, occurring[position], numbered)
        for position, column in enumerate(dictionary.quasi_identifiers)
    ]
    narrowed = _narrowed(scratch, coded, containing, order)
    session.execute(
        statement(
            "audit/placing/placement", placement=placement, coded=coded, narrowed=narrowed, positions=positions, places=PLACES
        )
    )
    return placement


def _occurring(scratch: Scratch, combinations: TableName, position: int) -> TableName:
    occurring = scratch.new(f"occurring_{position}")
    scratch.session.execute(
        statement("audit/placing/occurring", occurring=occurring, combinations=combinations, position=position)
    )
    return occurring


def _containing(
    scratch: Scratch,
    column: QuasiIdentifierColumns,
    source: Source,
    position: int,
    occurring: TableName,
    numbered: TableName,
) -> TableName:
    """The chunks and places of the blocks whose published region has each value of one quasi-identifier."""
    containing = scratch.new(f"containing_{position}")
    common = {
        "containing": containing,
        "occurring": occurring,
        "numbered": numbered,
        "position": position,
        "places": PLACES,
    }
    if column.kind == "ordered":
        bounds = {"lower": column.lower, "upper": column.upper, "missing": column.missing}
        scratch.session.execute(statement("audit/placing/containing_intervals", **common, **bounds))
    else:
        member = key("member", column.type)
        scratch.session.execute(statement("audit/placing/containing_values", **common, values=column.values, member=member))
    return containing


def _narrowed(scratch: Scratch, coded: TableName, containing: Sequence[TableName], order: Sequence[int]) -> TableName:
    """The blocks that contain all values of each combination, the attributes taken in ``order``."""
    narrowed = containing[order[0]]
    for done, position in enumerate(order[1:], start=1):
        before, narrowed = narrowed, scratch.new(f"narrowed_{position}")
        scratch.session.execute(
            statement(
                "audit/placing/narrowed",
                narrowed=narrowed,
                before=before,
                coded=coded,
                first=order[:done],
                position=position,
                containing=containing[position],
            )
        )
    return narrowed
