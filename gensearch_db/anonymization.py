"""The whole way: from a problem and a database to an audited release with its certificate.

problem → cells (``database/prepared``) → partition (``search``) → release and audit (``database/release``).
"""

from __future__ import annotations

import math
import platform
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace as replaced
from fractions import Fraction
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import duckdb

from gensearch_db.argument_kinds import PROGRESS, TRUTH, refuse_other_kinds
from gensearch_db.certificate import Release, others_listed, why_not_counted
from gensearch_db.cost.cost import Cost
from gensearch_db.cost.registry import cost_from_text
from gensearch_db.database.audit.report import Verdict
from gensearch_db.database.block_statistics import SqlStatistics
from gensearch_db.database.listed_release import listed_release
from gensearch_db.database.names import target_table
from gensearch_db.database.opening import Database, session_for
from gensearch_db.database.prepared import PreparedTable, Refusal, drop_after_failure, prepare, refuse_none
from gensearch_db.database.release import check_target, refuse_own_source, write_release
from gensearch_db.database.reported import reported
from gensearch_db.database.session import Session
from gensearch_db.database.settings import with_threads
from gensearch_db.database.value_domains import ValueColumn
from gensearch_db.errors import (
    DataError,
    GensearchError,
    InfeasibleError,
    Problems,
    ResourceError,
    SearchInterruptedError,
    SpecificationError,
)
from gensearch_db.privacy.constraint import Constraint
from gensearch_db.privacy.feasibility import check_whole_table
from gensearch_db.privacy.minimum_length import declared_lengths, refuse_value_labels, with_minimum_lengths
from gensearch_db.privacy.registry import constraints_from_texts
from gensearch_db.problem.problem import Problem, StatisticsSource
from gensearch_db.problem.sensitive import sensitive_columns
from gensearch_db.problem.workload import WorkloadSource
from gensearch_db.problem.written import quasi_identifiers
from gensearch_db.search.options import check_options, too_many_values
from gensearch_db.search.result import Progress, SearchProblem, SearchResult, Status, StoppingRule, never_stop
from gensearch_db.search.run import check_strategy, search

if TYPE_CHECKING:
    from gensearch_db.count_queries.workload import Workload

MOST_ROWS = math.isqrt(2**53)
"""The largest table whose discernibility is exact in double precision."""


def problem_from_fields(fields: Mapping[str, Any]) -> Problem:
    """A problem from plain fields in any of the forms that callers use.

    ``quasi_identifiers`` may be names, lines of text (``"age: every 5"``) or a mapping; ``k`` stands for
    ``k_anonymity(k)``. Raises :class:`SpecificationError` with everything that is wrong.
    """
    given = dict(fields)
    problems = Problems(SpecificationError)
    if "quasi_identifiers" in given:
        try:
            given["quasi_identifiers"] = quasi_identifiers(given["quasi_identifiers"])
        except SpecificationError as error:
            problems.absorb(error)
            given["quasi_identifiers"] = {"unreadable": {}}
    if "sensitive" in given:
        try:
            given["sensitive"] = sensitive_columns(given["sensitive"])
        except SpecificationError as error:
            problems.absorb(error)
            given["sensitive"] = {}
    if "k" in given:
        _add_k(problems, given, given.pop("k"))
    problem = problems.result_of(lambda: Problem.from_fields(given))
    if len(problems):
        _check_calls(problems, given)
    problems.raise_if_any()
    assert problem is not None
    return problem


def _add_k(problems: Problems, given: dict[str, Any], k: object) -> None:
    """Put ``k`` among the constraints. A text in their place is left to the check of the fields."""
    written = given.get("subject_to", ())
    if k is None or isinstance(k, bool):
        problems.add(f"k must be a whole number of at least 1, not {k}")
    elif isinstance(written, list | tuple):
        given["subject_to"] = (*written, f"k_anonymity({k})")


def _check_calls(problems: Problems, given: Mapping[str, Any]) -> None:
    """Add what is wrong with constraints, cost and options, which would be read once the other fields are right."""
    constraints, sensitive, minimize = given.get("subject_to"), given.get("sensitive", ()), given.get("minimize")
    if isinstance(constraints, list | tuple) and isinstance(sensitive, Mapping | list | tuple):
        written = [each for each in constraints if isinstance(each, str)]
        problems.result_of(lambda: constraints_from_texts(written, tuple(sensitive)))
    if isinstance(minimize, str):
        problems.result_of(lambda: cost_from_text(minimize))
    searched = {name: given[name] for name in ("strategy", "options", "stop_within") if name in given}
    bare = {"table": "t", "into": "r", "quasi_identifiers": {}}
    problems.result_of(lambda: check_options(Problem.from_fields({**bare, **searched})))


def anonymize(
    database: Database,
    problem: Problem | str | None = None,
    /,
    *,
    replace: bool = False,
    progress: Progress = never_stop,
    release_on_interrupt: bool = False,
    **fields: Any,
) -> Release:
    """Find the best generalization of a table and write it, audited, in one transaction.

    ``problem``: a :class:`Problem`, or the table's name with the other fields of a problem as keywords. ``replace`` lets
    the release take the place of an older one. ``progress`` is called a few times a second and may stop the search;
    ``release_on_interrupt`` then releases the best partition so far. Where it is a context manager too, it is entered for the
    search, so that it knows when that is over.

    Raises :class:`GensearchError` of the fitting class; the database is then as it was before.
    """
    refuse_other_kinds(
        replace=(replace, TRUTH), progress=(progress, PROGRESS), release_on_interrupt=(release_on_interrupt, TRUTH)
    )
    if not isinstance(problem, Problem):
        problem = problem_from_fields({**fields, **({"table": problem} if problem is not None else {})})
    elif fields:
        raise SpecificationError(f"a whole Problem is given, so {', '.join(fields)} cannot be given beside it")
    started = time.perf_counter()
    with reported(), session_for(database, create=True) as session:
        session.refuse_open_transaction()
        with with_threads(session, problem.threads):
            prepared, constraints, cost = prepare_search(session, problem, replace=replace)
            with prepared:
                check_whole_table(prepared.table, constraints, problem.suppress_at_most)
                searched = search_problem(prepared, constraints, cost)
                with progress if isinstance(progress, AbstractContextManager) else nullcontext():
                    result = _search(prepared, searched, progress)
                _refuse_unfinished(result, release_on_interrupt=release_on_interrupt)
                return _released(prepared, constraints, result, started, replace=replace)


Resolved = tuple[PreparedTable, tuple[Constraint, ...], Cost]
"""A problem with everything that it names: its table, its constraints, its cost."""


def prepare_search(session: Session, problem: Problem, *, replace: bool) -> Resolved:
    """As :func:`prepare_problem`, for a search: attributes that its strategy cannot take are reported with the rest."""
    return prepare_problem(session, problem, replace=replace, refusal=partial(too_many_values, problem.strategy))


def prepare_problem(session: Session, problem: Problem, *, replace: bool, refusal: Refusal = refuse_none) -> Resolved:
    """Resolve everything the problem names; all that is wrong with it is reported together."""
    if replace:
        refuse_own_source(session, problem.table, problem.into)
    problems = Problems(DataError)
    problems.result_of(problem.check_roles)
    problems.result_of(lambda: check_options(problem))
    constraints = problems.result_of(lambda: constraints_from_texts(problem.subject_to, tuple(problem.sensitive)))
    lengths = declared_lengths(problem.quasi_identifiers)
    cost = problems.result_of(lambda: cost_from_text(problem.minimize))
    problems.result_of(lambda: check_target(session, target_table(session, problem.into), replace=replace))
    if problem.labels == "values":
        problems.result_of(lambda: refuse_value_labels((*(constraints or ()), *lengths)))
    classes = [ValueColumn(name) for name in cost.class_columns] if cost is not None else []
    workloads = problems.result_of(lambda: _named_workloads(cost))
    prepared = problems.result_of(lambda: prepare(session, problem, classes=classes, problems=problems, refusal=refusal))
    problems.raise_if_any()
    assert prepared is not None
    assert constraints is not None
    assert cost is not None
    return _with_workloads(prepared, cost, workloads or {}), (*constraints, *lengths), cost


def _named_workloads(cost: Cost | None) -> dict[WorkloadSource, Workload]:
    """The workloads that a cost names, read from their files."""
    if cost is None or not cost.workloads:
        return {}
    from gensearch_db.count_queries.coverage import named_workloads

    return named_workloads(cost.workloads)


def _with_workloads(prepared: PreparedTable, cost: Cost, named: dict[WorkloadSource, Workload]) -> PreparedTable:
    """The table with all workloads of a cost laid over it; closed where that fails."""
    if not cost.workloads:
        return prepared
    from gensearch_db.count_queries.coverage import with_workloads

    try:
        return with_workloads(prepared, cost.workloads, named)
    except BaseException:
        drop_after_failure(prepared.session, prepared.temporary_tables)
        raise


def _check_row_count(rows: int) -> None:
    """Refuse tables whose costs (up to the square of their rows) would no longer be exact. Raises :class:`ResourceError`."""
    if rows > MOST_ROWS:
        raise ResourceError(f"the table has {rows:,} rows; costs are exact up to {MOST_ROWS:,} rows: anonymize it in parts")


def search_problem(prepared: PreparedTable, constraints: tuple[Constraint, ...], cost: Cost) -> SearchProblem:
    """The problem as the search sees it. Raises what ANONYMIZE and EXPLAIN tell of the counted table before any search:
    :class:`ResourceError` or :class:`SpecificationError`."""
    _check_row_count(prepared.cells.row_count)
    cost.check(prepared.table)
    space = with_minimum_lengths(prepared.space, constraints)
    searched = SearchProblem(
        space=space,
        cells=prepared.cells,
        table=replaced(prepared.table, space=space),
        constraints=constraints,
        cost=cost,
        suppression_limit=_suppression_limit(prepared),
        values_labels=prepared.problem.labels == "values",
    )
    check_strategy(searched, prepared.problem.strategy)
    return searched


def _search(prepared: PreparedTable, searched: SearchProblem, progress: Progress) -> SearchResult:
    problem = prepared.problem
    return search(
        searched,
        problem.strategy,
        StoppingRule(problem.stop_after, problem.stop_within, problem.node_limit, problem.memory_limit),
        progress,
        problem.options,
        threads=problem.threads,
        statistics=SqlStatistics(prepared) if problem.statistics is StatisticsSource.SQL else None,
    )


def _suppression_limit(prepared: PreparedTable) -> int:
    """The whole rows in a share as the user wrote it: 18.4 % of 375 are 69, though in doubles they fall just short of it."""
    return math.floor(prepared.cells.row_count * Fraction(str(prepared.problem.suppress_at_most)) / 100)


def _refuse_unfinished(result: SearchResult, *, release_on_interrupt: bool) -> None:
    """Raise where there is nothing to release, or where the user broke off and did not ask for the best so far."""
    if result.status is Status.INFEASIBLE:
        raise InfeasibleError("no generalization of this table meets the constraints")
    if result.status is Status.INTERRUPTED and (result.partition is None or not release_on_interrupt):
        raise SearchInterruptedError.after(result.cost, result.lower_bound)
    if result.partition is None:
        raise GensearchError(
            f"the search ended with {result.status.value} before it found any release that meets the constraints:"
            " give it more time or memory"
        )


def _released(
    prepared: PreparedTable, constraints: tuple[Constraint, ...], result: SearchResult, started: float, *, replace: bool
) -> Release:
    partition = result.partition
    assert partition is not None
    kept = int(prepared.cells.counts[partition.block_of_cell >= 0].sum())
    certificate: dict[str, Any] = {
        "status": result.status.value,
        "cost": result.cost,
        "lower_bound": result.lower_bound,
        "blocks": len(partition.blocks),
        "rows_released": kept,
        "rows_suppressed": prepared.cells.row_count - kept,
        "counters": result.counters,
        **({"optimal_count": result.optimal_count} if result.optimal_count is not None else {}),
    }
    alternatives = tuple(listed_release(prepared, each) for each in others_listed(prepared.problem, result))
    uncounted = why_not_counted(prepared.problem, result, _suppression_limit(prepared))
    report = write_release(prepared, partition, constraints, certificate, versions(), replace=replace)
    skipped = tuple(check.message for check in report.checks if check.verdict is Verdict.SKIPPED)
    return Release(
        name=report.release,
        problem=prepared.problem,
        status=result.status,
        cost=result.cost,
        lower_bound=result.lower_bound,
        approximation_factor=result.approximation_factor,
        gap=result.gap,
        blocks=len(partition.blocks),
        rows_released=kept,
        rows_suppressed=prepared.cells.row_count - kept,
        seconds=time.perf_counter() - started,
        counters=result.counters,
        notes=(*result.notes, *uncounted, *skipped),
        audit=report,
        optimal_count=result.optimal_count,
        alternatives=alternatives,
    )


def versions() -> dict[str, str]:
    """The versions that made a release, for the catalog."""
    return {"gensearch-db": version("gensearch-db"), "duckdb": duckdb.__version__, "python": platform.python_version()}
