"""PROFILE: what each column of a table looks like (identifier, quasi-identifier, sensitive), and a statement to start from.

The rows stay in the engine: one grouped statement measures all columns, another how the quasi-identifier candidates single
rows out together. Only counts come back, never a value of a row.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from gensearch_db.database.rendering import statement
from gensearch_db.database.session import Session
from gensearch_db.database.source import Column, Source
from gensearch_db.database.type_names import is_nested, without_entries
from gensearch_db.problem.columns import QuasiIdentifier, SensitiveColumn
from gensearch_db.problem.problem import Problem
from gensearch_db.statements.canonical import statement_of


class Verdict(StrEnum):
    """What a column looks like. Append-only."""

    IDENTIFIER = "identifier"
    QUASI_IDENTIFIER = "quasi-identifier candidate"
    SENSITIVE = "sensitive candidate"
    CONSTANT = "constant"
    UNSUPPORTED = "unsupported type"


@dataclass(frozen=True)
class ColumnMeasures:
    """Counts of one column. ``separated_pairs``: the share of all pairs of rows with different values in it (NULLs alike)."""

    column: Column
    rows: int
    nulls: int
    distinct: int
    unique: int
    separated_pairs: float

    @property
    def unique_share(self) -> float:
        """The share of rows whose value no other row has."""
        return self.unique / self.rows if self.rows else 0.0


@dataclass(frozen=True)
class ColumnProfile:
    """A column's measures and verdict. ``unique_with_others``: the share of rows that are unique on all quasi-identifier
    candidates together; ``unique_without``: the same with this column left out. None for columns that are no candidates."""

    measures: ColumnMeasures
    verdict: Verdict
    reason: str
    unique_with_others: float | None = None
    unique_without: float | None = None


_IDENTIFIER_NAMES = re.compile(
    r"(^|_)(id|uuid|guid|ssn|name|firstname|lastname|surname|email|e_?mail|phone|mobile|fax|iban|passport|licen[cs]e|account|login|"
    r"user|username|address|street|ip|vorname|nachname|telefon|strasse|url)(_|$)|_id$|number$|_no$|nummer$",
    re.IGNORECASE,
)
_SENSITIVE_NAMES = re.compile(
    r"diagnos|disease|illness|condition|disorder|symptom|medic|drug|treatment|therapy|prescription|hiv|mental|disab|income|salary|"
    r"wage|earning|debt|credit|religio|faith|politic|party|union|orientation|sexual|crime|criminal|convict|gene|addict|gehalt|krank",
    re.IGNORECASE,
)
_CODE_NAMES = re.compile(r"zip|post|plz|(^|_)code", re.IGNORECASE)
_OPAQUE = re.compile(r"^(BLOB|BIT|VARIANT|GEOMETRY)", re.IGNORECASE)
_NUMERIC = re.compile(r"^U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?$|^(DOUBLE|FLOAT|DECIMAL|BIGNUM)", re.IGNORECASE)
_TEMPORAL = re.compile(r"^(DATE|TIMESTAMP)", re.IGNORECASE)
_INSTANT = re.compile(r"^TIMESTAMP.*(ZONE|TZ)", re.IGNORECASE)
_CLOCK = re.compile(r"^(TIME(?!STAMP)|INTERVAL|UUID)", re.IGNORECASE)
_MEASURED = re.compile(r"^(DOUBLE|FLOAT|DECIMAL|DATE|TIME|INTERVAL|BOOLEAN)", re.IGNORECASE)

MOST_QUASI_IDENTIFIERS = 8
"""A start statement names no more: with many, every block spans most of each domain."""


def profile(session: Session, source: Source) -> list[ColumnProfile]:
    """The profile of every column, in the table's order."""
    measured = _measure(session, source)
    first_look = [(measures, *_verdict(measures)) for measures in measured]
    candidates = [measures for measures, verdict, _ in first_look if verdict is Verdict.QUASI_IDENTIFIER]
    together, without = _combined(session, source, candidates)
    profiles = []
    for measures, verdict, reason in first_look:
        if verdict is not Verdict.QUASI_IDENTIFIER:
            profiles.append(ColumnProfile(measures, verdict, reason))
            continue
        left_out = without[measures.column.name]
        reason = (
            f"{together:.1%} of the rows are unique on all candidates together, {left_out:.1%} without this column; {reason}"
        )
        profiles.append(ColumnProfile(measures, verdict, reason, together, left_out))
    return profiles


def _measure(session: Session, source: Source) -> list[ColumnMeasures]:
    supported = [column for column in source.columns if not _cannot_be_generalized(column.type)]
    counts: dict[str, tuple[int, int, int, int, float]] = {}
    if supported:
        sql = statement("statements/profile_columns", source=source.relation, columns=[_measurable(c) for c in supported])
        for position, rows, nulls, distinct, unique, squares in session.rows(sql):
            counts[supported[position].name] = (rows, nulls, distinct, unique, squares)
    measured = []
    for column in source.columns:
        rows, nulls, distinct, unique, squares = counts.get(
            column.name, (source.row_count, 0, 0, 0, float(source.row_count) ** 2)
        )
        pairs = rows * (rows - 1)
        separated = 1 - (squares - rows) / pairs if pairs else 0.0
        measured.append(ColumnMeasures(column, rows, nulls, distinct, unique, separated))
    return measured


def _cannot_be_generalized(type_: str) -> bool:
    return is_nested(type_) or bool(_OPAQUE.search(type_))


def _measurable(column: Column) -> dict[str, str | bool]:
    return {"name": column.name, "floating": column.type in ("DOUBLE", "FLOAT")}


def _combined(session: Session, source: Source, candidates: Sequence[ColumnMeasures]) -> tuple[float, dict[str, float]]:
    """The share of rows that are unique on all candidates, and on all but each one."""
    if not candidates:
        return 0.0, {}
    columns = [_measurable(measures.column) for measures in candidates]
    sql = statement("statements/profile_combinations", source=source.relation, columns=columns)
    unique = dict(session.rows(sql))
    rows = candidates[0].rows
    shares = {measures.column.name: unique.get(i, 0) / rows for i, measures in enumerate(candidates, start=1)}
    return unique.get(0, 0) / rows, shares


def _verdict(measures: ColumnMeasures) -> tuple[Verdict, str]:
    name, type_name = measures.column.name, measures.column.type
    filled = measures.rows - measures.nulls
    if _cannot_be_generalized(type_name):
        return Verdict.UNSUPPORTED, f"{without_entries(type_name)} cannot be generalized; take its parts out with a query"
    if measures.distinct + (measures.nulls > 0) <= 1:
        return Verdict.CONSTANT, "all rows hold the same value, so it tells nobody apart"
    if _SENSITIVE_NAMES.search(name) and measures.distinct < max(2, filled):
        return Verdict.SENSITIVE, "its name speaks of something people do not want known"
    named = _IDENTIFIER_NAMES.search(name)
    if named and measures.unique > filled / 2:
        return (
            Verdict.IDENTIFIER,
            f"its name suggests one, and {measures.unique_share:.1%} of the rows have a value of their own",
        )
    if filled >= 20 and measures.unique >= 0.9 * filled and not _MEASURED.search(type_name):
        return Verdict.IDENTIFIER, f"{measures.unique_share:.1%} of the rows have a value of their own"
    return Verdict.QUASI_IDENTIFIER, f"alone it tells {measures.separated_pairs:.1%} of all pairs of rows apart"


def start_statement(profiles: Sequence[ColumnProfile], table: str, into: str) -> str | None:
    """An ANONYMIZE statement to start from; None where no column is a quasi-identifier candidate that can be generalized."""
    candidates = [each for each in profiles if each.verdict is Verdict.QUASI_IDENTIFIER]
    specified = {each: spec for each in candidates if (spec := _specification(each.measures)) is not None}
    strongest = sorted(specified, key=lambda each: (each.unique_without or 0.0, -each.measures.separated_pairs))
    chosen = set(strongest[:MOST_QUASI_IDENTIFIERS])
    if not chosen:
        return None
    rows = profiles[0].measures.rows
    sensitive = [each.measures.column.name for each in profiles if each.verdict is Verdict.SENSITIVE]
    diverse = [
        f"distinct_l_diversity(2, {_quoted(each.measures.column.name)})"
        for each in profiles
        if each.verdict is Verdict.SENSITIVE and each.measures.distinct >= 2
    ]
    problem = Problem(
        table=table,
        into=into,
        identifiers=tuple(each.measures.column.name for each in profiles if each.verdict is Verdict.IDENTIFIER),
        quasi_identifiers={each.measures.column.name: spec for each, spec in specified.items() if each in chosen},
        sensitive={name: SensitiveColumn() for name in sensitive},
        subject_to=(f"k_anonymity({10 if rows >= 100 else 2})", *diverse),
    )
    return statement_of(problem)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _specification(measures: ColumnMeasures) -> QuasiIdentifier | None:
    """How to generalize the column, by its type and number of values; None where it needs a taxonomy or another type."""
    type_name = measures.column.type
    if _NUMERIC.search(type_name):
        return QuasiIdentifier(split="16 quantiles") if measures.distinct > 40 else QuasiIdentifier()
    if _CLOCK.search(type_name):
        return None
    if _TEMPORAL.search(type_name):
        return QuasiIdentifier(split="every year", timezone="UTC" if _INSTANT.search(type_name) else None)
    if _CODE_NAMES.search(measures.column.name) and type_name == "VARCHAR":
        return QuasiIdentifier(prefix=True)
    if measures.distinct <= 8:
        return QuasiIdentifier(unordered=True) if type_name == "VARCHAR" else QuasiIdentifier()
    return QuasiIdentifier(order=True) if measures.distinct <= 200 else None
