"""Random workloads: range and list predicates on the quasi-identifiers of a release, the same for the same seed.

The domains are taken from the published blocks, so that a recipient can generate the workload too.
"""

from __future__ import annotations

import datetime
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

from gensearch_db.argument_kinds import NUMBER, TEXT, WHOLE_NUMBER, WHOLE_NUMBERS, refuse_other_kinds
from gensearch_db.count_queries.expressions import WITH_ZONE, decimal_at, moment_at, position_of, typed_literal, upper_of
from gensearch_db.count_queries.release import Family, Kind, PublishedColumn, Release, open_release
from gensearch_db.database.names import parse_table_name
from gensearch_db.database.opening import Database, session_for
from gensearch_db.database.rendering import Sql, identifier, qualified, statement
from gensearch_db.database.session import Session
from gensearch_db.errors import Problems, SpecificationError

_MOST_VALUES = 10_000
_DRAWS = 5


@dataclass(frozen=True)
class Domain:
    """What predicates on a column may speak of: literals of its values, or the first and the last position."""

    column: PublishedColumn
    values: tuple[Sql, ...] = ()
    first: int | float = 0
    last: int | float = 0

    @property
    def wide(self) -> bool:
        """Whether it has two values or more."""
        return len(self.values) > 1 or self.last > self.first

    @property
    def steps(self) -> float:
        """How many values there are to choose from; infinitely many where the column is floating-point."""
        if self.values:
            return len(self.values)
        return self.last - self.first if self.column.counted else math.inf


def generate_workload(
    database: Database,
    release: str,
    *,
    queries: int = 100,
    predicates: Sequence[int] | None = None,
    selectivity: float = 0.1,
    seed: int = 0,
    table: str | None = None,
) -> str:
    """A ``.sql`` workload of conjunctive count queries.

    ``predicates`` are the numbers of predicates that a query may have (drawn evenly; default: 1, 2 or 3). ``selectivity`` is
    the share of the space that each query covers, as nearly as the chosen columns allow: with p predicates each covers about
    the p-th root of it of its column's domain. Of several draws of columns and bounds the nearest is taken.
    ``table`` is the name to write after FROM (default: the release's). Deterministic in all arguments. Raises
    :class:`SpecificationError`.
    """
    refuse_other_kinds(
        release=(release, TEXT),
        queries=(queries, WHOLE_NUMBER),
        predicates=(predicates, WHOLE_NUMBERS.or_none()),
        selectivity=(selectivity, NUMBER),
        seed=(seed, WHOLE_NUMBER),
        table=(table, TEXT.or_none()),
    )
    with session_for(database, read_only=True) as session:
        opened, domains = session.in_one_state(lambda: _domains(session, release))
    problems = Problems(SpecificationError)
    if queries < 1:
        problems.add(f"the number of queries must be at least 1, not {queries}")
    if not 0 < selectivity <= 1:
        problems.add(f"selectivity must be above 0 and at most 1, not {selectivity}")
    sizes = list(range(1, min(3, len(domains)) + 1)) if predicates is None else list(predicates)
    if not domains:
        problems.add(
            "no query can be drawn on this release: no column shows two values or bounds (a declared domain is published)"
        )
    elif not sizes or min(sizes) < 1 or max(sizes) > len(domains):
        problems.add(f"a query can have 1 to {len(domains)} predicates on this release")
    problems.raise_if_any()
    name = qualified((opened.dictionary.release,) if table is None else parse_table_name(table))
    comment = f"-- {queries} random count queries: {sizes} predicates, selectivity {selectivity}, seed {seed}"
    return "\n".join([comment, *queries_over(domains, queries, sizes, selectivity, seed, name)]) + "\n"


def _domains(session: Session, name: str) -> tuple[Release, list[Domain]]:
    """The release, and the domains of its quasi-identifiers that have two values or more."""
    release = open_release(session, name)
    domains = [_domain(release, column) for column in release.columns if column.kind is not Kind.SENSITIVE]
    return release, [domain for domain in domains if domain.wide]


def queries_over(
    domains: Sequence[Domain], queries: int, sizes: Sequence[int], selectivity: float, seed: int, table: Sql
) -> list[str]:
    """Random conjunctions over these domains, one a line; the parameters are those of :func:`generate_workload`."""
    draw = random.Random(seed)
    lines: list[str] = []
    for _ in range(queries):
        size = draw.choice(sizes)
        _, conditions = min(
            (_conjunction(draw, domains, size, selectivity) for _ in range(_DRAWS)),
            key=lambda drawn: round(abs(math.log(drawn[0] / selectivity)), 1),
        )
        lines.append(f"SELECT COUNT(*) FROM {table} WHERE {' AND '.join(conditions)};")
    return lines


def _conjunction(draw: random.Random, domains: Sequence[Domain], size: int, selectivity: float) -> tuple[float, list[str]]:
    """Predicates on ``size`` columns, and the share of the space that they cover together.

    A short list of values offers few shares, so it comes first, and what it misses the finer columns make good.
    """
    places = draw.sample(range(len(domains)), size)
    conditions: dict[int, str] = {}
    covered = 1.0
    for drawn, place in enumerate(sorted(places, key=lambda place: domains[place].steps)):
        share = min(1.0, (selectivity / covered) ** (1 / (size - drawn)))
        conditions[place], reached = _predicate(draw, domains[place], share)
        covered *= reached
    return covered, [conditions[place] for place in sorted(conditions)]


def _domain(release: Release, column: PublishedColumn) -> Domain:
    blocks = qualified(release.blocks)
    if column.kind is Kind.ORDERED:
        lower, upper = identifier(column.lower_name), identifier(column.upper_name)
        ends = statement(
            "workload/interval_domain",
            blocks=blocks,
            lower=position_of(column.family, lower),
            upper=upper_of(column.family, lower, upper),
        )
        first, last = release.session.row(ends)
        return Domain(column, first=first or 0, last=last or 0)
    rows = release.session.rows(
        statement(
            "estimate/group_members",
            blocks=blocks,
            list=identifier(column.list_name),
            value=Sql("member"),
            type=column.type,
            as_text=True,
            limit=_MOST_VALUES,
        )
    )
    return Domain(column, tuple(typed_literal(text, column.type) for _, text, _ in rows if text is not None))


def _predicate(draw: random.Random, domain: Domain, share: float) -> tuple[str, float]:
    """A condition that covers about this share of a domain, and the share that it does cover."""
    name = identifier(domain.column.name)
    if domain.values:
        count = max(1, round(share * len(domain.values)))
        members = [domain.values[place] for place in sorted(draw.sample(range(len(domain.values)), count))]
        return f"{name} IN ({', '.join(members)})", count / len(domain.values)
    span = domain.last - domain.first
    if not domain.column.counted:
        width = share * span
        start = domain.first + draw.random() * (span - width)
        return f"{name} BETWEEN {start!r} AND {start + width!r}", share
    steps = max(1, round(share * span))
    first = int(domain.first) + draw.randrange(int(span) - steps + 1)
    low, high = _value_text(domain.column, first), _value_text(domain.column, first + steps - 1)
    return f"{name} BETWEEN {low} AND {high}", steps / int(span)


def _value_text(column: PublishedColumn, position: int) -> str:
    """The value at a position, as SQL."""
    if column.family is Family.WHOLE:
        return str(position)
    if column.family is Family.DECIMAL:
        return f"{decimal_at(column.type, position):f}"
    try:
        return _moment_text(column, position)
    except OverflowError:  # of a year that Python lacks
        moment = moment_at(column.family, Sql(str(position)))
        return f"timezone('UTC', {moment})" if column.type == WITH_ZONE else f"({moment})"


def _moment_text(column: PublishedColumn, position: int) -> str:
    if column.family is Family.DATE:
        return f"DATE '{datetime.date(1970, 1, 1) + datetime.timedelta(days=position)}'"
    microseconds = position // 1000 if column.family is Family.NANOSECONDS else position
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=microseconds)
    return f"TIMESTAMPTZ '{moment}+00'" if column.type == WITH_ZONE else f"TIMESTAMP '{moment}'"
