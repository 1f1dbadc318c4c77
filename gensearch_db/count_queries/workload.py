"""Workloads: count queries from a file, run on releases and compared with the truth.

A workload is a ``.sql`` file of count queries. They are estimated together by grouped statements; true counts are taken from
the source table only where the caller names it, by running the query itself there.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median, quantiles
from typing import Any

from gensearch_db.argument_kinds import PATH, TEXT, TEXTS, Kind, refuse_other_kinds
from gensearch_db.count_queries.estimating import Estimate, estimate_all, group_text
from gensearch_db.count_queries.group_values import group_key, rows_in_python
from gensearch_db.count_queries.model import CountQuery
from gensearch_db.count_queries.reading import read_queries
from gensearch_db.count_queries.release import open_release
from gensearch_db.database.names import existing_table
from gensearch_db.database.opening import Database, session_for
from gensearch_db.database.rendering import Sql, literal, qualified, statement
from gensearch_db.database.session import Session
from gensearch_db.errors import QueryError, SpecificationError, reason
from gensearch_db.problem.files import is_file
from gensearch_db.tokens import error_at


@dataclass(frozen=True)
class Workload:
    """Count queries with the name of where they came from."""

    name: str
    queries: tuple[CountQuery, ...]


@dataclass(frozen=True)
class Outcome:
    """One count of one query on one release. ``truth`` is None where no source was named.

    ``absolute_error`` is |estimate - truth|, ``relative_error`` the same divided by max(truth, 1) (THEORY 4).
    """

    release: str
    text: str
    estimate: Estimate
    truth: int | None

    @property
    def absolute_error(self) -> float | None:
        """|estimate - truth|."""
        return None if self.truth is None else abs(self.estimate.estimate - self.truth)

    @property
    def relative_error(self) -> float | None:
        """|estimate - truth| / max(truth, 1)."""
        return None if self.truth is None else abs(self.estimate.estimate - self.truth) / max(self.truth, 1)

    def to_dict(self) -> dict[str, Any]:
        """The outcome as plain values."""
        one = self.estimate
        return {
            "release": self.release,
            "query": one.query,
            "text": self.text,
            "counted": one.label,
            "group": ", ".join(map(group_text, one.group)) or None,
            "truth": self.truth,
            "estimate": one.estimate,
            "deviation": one.deviation,
            "lower": one.lower,
            "upper": one.upper,
            "blocks": one.blocks,
            "absolute_error": self.absolute_error,
            "relative_error": self.relative_error,
        }


@dataclass(frozen=True)
class Summary:
    """Relative and absolute errors of a release over the workload: mean, median, 90th percentile."""

    release: str
    counts: int
    mean_relative_error: float
    median_relative_error: float
    p90_relative_error: float
    mean_absolute_error: float
    median_absolute_error: float
    p90_absolute_error: float


@dataclass(frozen=True)
class WorkloadReport:
    """What a workload gave on the releases, in the order they were named."""

    workload: str
    outcomes: tuple[Outcome, ...]

    def summaries(self) -> tuple[Summary, ...]:
        """The errors of each release; none where there are no true counts."""
        found: list[Summary] = []
        for release in dict.fromkeys(outcome.release for outcome in self.outcomes):
            mine = [outcome for outcome in self.outcomes if outcome.release == release]
            relative = [one.relative_error for one in mine if one.relative_error is not None]
            absolute = [one.absolute_error for one in mine if one.absolute_error is not None]
            if relative:
                measures = (*_three(relative), *_three(absolute))
                found.append(Summary(release, len(relative), *measures))
        return tuple(found)


def _three(values: Sequence[float]) -> tuple[float, float, float]:
    ninetieth = quantiles(values, n=10, method="inclusive")[-1] if len(values) > 1 else values[0]
    return fmean(values), median(values), ninetieth


def queries_folder() -> Path:
    """Where the bundled workloads are: ``queries/`` beside the package in a checkout, inside it when installed."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "queries"
    return installed if installed.is_dir() else package.parent / "queries"


def read_workload(source: str | Path) -> Workload:
    """Read a ``.sql`` file of count queries, or a bundled workload by its name (``adult_paper``, ``demo``).

    Raises :class:`SpecificationError` where there is no such file, :class:`QueryError` where a query cannot be read.
    """
    refuse_other_kinds(source=(source, PATH))
    path = Path(source)
    try:
        if not path.exists() and path.parent == Path():
            path = queries_folder() / f"{path.name.removesuffix('.sql')}.sql"
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        bundled = ", ".join(sorted(file.stem for file in queries_folder().glob("*.sql")))
        raise SpecificationError(f"workload '{source}' does not exist; bundled ones are {bundled}") from None
    except (OSError, ValueError) as error:  # not readable; not UTF-8, a NUL in the name
        raise SpecificationError(f"workload '{source}' cannot be read: {reason(error)}") from error
    try:
        return Workload(path.stem, read_queries(text))
    except QueryError as error:
        raise QueryError(f"{path}: {error}") from error


_WORKLOAD = Kind(
    "a file, the name of a bundled workload, or a Workload", lambda given: PATH.fits(given) or isinstance(given, Workload)
)


def run_workload(
    database: Database,
    releases: Sequence[str],
    workload: Workload | str | Path,
    *,
    source: str | None = None,
) -> WorkloadReport:
    """Estimate the workload on each release; with ``source`` (a table or file) also count the truth.

    Raises :class:`QueryError` for what cannot be answered, :class:`SpecificationError` for unknown releases and sources.
    """
    refuse_other_kinds(releases=(releases, TEXTS), workload=(workload, _WORKLOAD), source=(source, TEXT.or_none()))
    loaded = workload if isinstance(workload, Workload) else read_workload(workload)
    with session_for(database, read_only=True) as session:
        outcomes = session.in_one_state(lambda: _outcomes(session, releases, loaded, source))
    return WorkloadReport(loaded.name, tuple(outcomes))


def _outcomes(session: Session, releases: Sequence[str], loaded: Workload, source: str | None) -> list[Outcome]:
    """The outcomes of :func:`run_workload`, release by release."""
    truths = None if source is None else _truths(session, source, loaded.queries)
    outcomes: list[Outcome] = []
    for name in releases:
        answers = estimate_all(open_release(session, name), loaded.queries)
        for number, answer in enumerate(answers):
            estimates = answer.estimates
            truth = truths[number] if truths is not None else None
            if truth is not None:
                estimates = (*estimates, *_unforeseen(number, answer.query, estimates, truth))
            for one in estimates:
                actual = None if truth is None else truth.counts.get((group_key(one.group), one.label), 0)
                outcomes.append(Outcome(name, answer.query.text, one, actual))
    return outcomes


_Key = tuple[tuple[Hashable, ...], str]


@dataclass(frozen=True)
class _Truth:
    """What a query counts on the source, and the values of its groups; the keys are those of a group and a counted column."""

    counts: dict[_Key, int]
    groups: dict[_Key, tuple[Any, ...]]


def _unforeseen(number: int, query: CountQuery, estimates: Sequence[Estimate], truth: _Truth) -> list[Estimate]:
    """Groups of the truth that the release cannot hold (their rows were suppressed): estimated as 0."""
    known = {(group_key(one.group), one.label) for one in estimates}
    missing = [key for key in truth.groups if key not in known] if query.groups else []
    return [Estimate(number + 1, key[1], truth.groups[key], 0.0, 0.0, 0, 0, 0) for key in missing]


def _truths(session: Session, source: str, queries: Sequence[CountQuery]) -> list[_Truth]:
    """What the queries count on the source, a table or file. Raises :class:`SpecificationError` where there is none."""
    table = Sql(literal(source)) if is_file(source) else qualified(existing_table(session, source))
    if is_file(source) and not Path(source).is_file():
        raise SpecificationError(f"file '{source}' does not exist")
    return [_truth(session, table, query) for query in queries]


def _truth(session: Session, table: Sql, query: CountQuery) -> _Truth:
    """What the query itself counts on a table: by group and counted column."""
    for position, group in enumerate(query.groups):
        if position not in query.shown:
            message = "GROUP BY columns must stand in the SELECT list where true counts are wanted"
            raise error_at(query.script, group.place.start, group.place.end, message)
    before = query.script[query.place.start : query.table.start]
    after = query.script[query.table.end : query.place.end]
    own_name = query.script[query.table.start : query.table.end].rpartition(".")[2]
    alias = "" if query.aliased or own_name.startswith("'") else f" AS {own_name}"
    text = Sql(f"{before}{table}{alias}{after}")
    types = [row[1] for row in session.rows(statement("workload/types", query=text))]
    rows = rows_in_python(session, types, lambda as_text: statement("workload/true_counts", query=text, as_text=as_text))
    truth = _Truth({}, {})
    for row in rows:
        values = tuple(row[query.shown.index(position)] for position in range(len(query.groups)))
        counted = [value for value, position in zip(row, query.shown, strict=True) if position is None]
        for count, value in zip(query.counts, counted, strict=True):
            key = (group_key(values), count.label)
            truth.groups.setdefault(key, values)
            truth.counts[key] = truth.counts.get(key, 0) + int(value or 0)
    return truth
