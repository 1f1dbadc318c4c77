"""A table macro per release: ranges and lists of values as parameters, the estimate as the answer.

``FROM adult_release_estimate(age_from := 37, age_to := 77, sex_in := ['Female'])`` runs in any DuckDB client that has the
blocks table. It answers conjunctions only; every other condition has a statement of its own (``estimate_sql``).
"""

from __future__ import annotations

from gensearch_db.argument_kinds import TEXT, refuse_other_kinds
from gensearch_db.count_queries.expressions import open_ends, position_of, scale, upper_of
from gensearch_db.count_queries.release import Family, Kind, PublishedColumn, Release, open_release
from gensearch_db.database.dictionary import Names
from gensearch_db.database.opening import Database, session_for
from gensearch_db.database.rendering import Sql, identifier, qualified, statement, type_name


def estimate_macro(database: Database, release: str) -> str:
    """The statement that creates the macro ``<release>_estimate``.

    Its parameters: ``<column>_from`` and ``<column>_to`` (both included) for intervals, ``<column>_in`` for lists of values
    and sensitive columns; what is not given does not restrict. Columns with too few published bounds to place their open
    ends are left out.
    """
    refuse_other_kinds(release=(release, TEXT))
    with session_for(database, read_only=True) as session:
        return session.in_one_state(lambda: _macro(open_release(session, release)))


def _macro(opened: Release) -> str:
    names = Names([])
    parameters: list[str] = []
    columns: list[dict[str, object]] = []
    for column in opened.columns:
        if column.kind is Kind.ORDERED and not column.anchored:
            continue
        suffixes = ("from", "to") if column.kind is Kind.ORDERED else ("in",)
        own = [names.new(f"{column.name}_{suffix}") for suffix in suffixes]
        parameters += own
        columns.append(_column(column, [identifier(name) for name in own]))
    macro = (*opened.blocks_shown[:-1], f"{opened.dictionary.release}_estimate")
    return statement(
        "estimate/macro",
        macro=macro,
        blocks=qualified(opened.blocks_shown),
        count=opened.dictionary.count,
        parameters=parameters,
        columns=columns,
    )


def _column(column: PublishedColumn, parameters: list[Sql]) -> dict[str, object]:
    fields: dict[str, object] = {"kind": column.kind.value, "number": column.number}
    if column.kind is not Kind.ORDERED:
        members, among = f"members_{column.number}", parameters[0]
        share = f"len(list_filter({members}, lambda one: list_contains({among}, one))) / CAST(len({members}) AS DOUBLE)"
        if column.kind is Kind.SENSITIVE:
            kept = f"list_filter({members}, lambda one: list_contains({among}, one.value))"
            share = f"coalesce(list_sum(list_transform({kept}, lambda one: one.count)), 0) / CAST(tuples AS DOUBLE)"
        return fields | {
            "list": identifier(column.list_name),
            "share": Sql(f"CASE WHEN {among} IS NULL THEN 1 ELSE {share} END"),
        }
    lower, upper = identifier(column.lower_name), identifier(column.upper_name)
    missing = Sql("'no'") if column.missing_name is None else identifier(column.missing_name)
    return fields | {
        **open_ends(column.family),
        "lower": position_of(column.family, lower),
        "upper": upper_of(column.family, lower, upper),
        "missing": missing,
        "share": _interval_share(column, *parameters),
    }


def _interval_share(column: PublishedColumn, low: Sql, high: Sql) -> Sql:
    number = column.number
    first, last = f"coalesce(lower_{number}, first_{number})", f"coalesce(upper_{number}, last_{number})"
    start, end = _bound(column, low, "ceil"), _bound(column, high, "floor")
    possible = f"CASE WHEN missing_{number} = 'possible' THEN 1 ELSE 0 END"
    if column.counted:
        covered = f"greatest(0, least({last}, {end} + 1) - greatest({first}, {start}))"
        share = f"CAST({covered} AS DOUBLE) / CAST({last} - {first} + {possible} AS DOUBLE)"
    else:
        scaled = scale(first, last)
        covered = f"greatest(0, least({last}, {end}) * {scaled} - greatest({first}, {start}) * {scaled})"
        inside = f"coalesce({first} >= {start}, TRUE) AND coalesce({first} <= {end}, TRUE)"
        alone = f"CAST({inside} AS DOUBLE) / (1 + {possible})"
        share = f"CASE WHEN {first} = {last} THEN {alone} ELSE {covered} / ({last} * {scaled} - {first} * {scaled}) END"
    return Sql(f"CASE WHEN {low} IS NULL AND {high} IS NULL THEN 1 WHEN missing_{number} = 'only' THEN 0 ELSE {share} END")


def _bound(column: PublishedColumn, parameter: Sql, rounding: str) -> Sql:
    """The position of a bound; fractions of whole numbers are rounded inwards."""
    if column.family is Family.WHOLE:
        return Sql(f"CAST({rounding}({parameter}) AS HUGEINT)")
    return position_of(column.family, Sql(f"CAST({parameter} AS {type_name(column.type)})"))
