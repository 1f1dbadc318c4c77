"""What must hold after any run, and the settings of all fuzz tests."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, Phase, event, settings

import gensearch_db
from gensearch_db import anonymization
from gensearch_db.errors import GensearchError, InfeasibleError
from gensearch_db.search.result import SearchProblem, SearchResult, Status
from tests.cases.invariants import Surroundings, check_release
from tests.cases.naming import quoted
from tests.oracles.brute_force import optimum

from .problems import Case
from .requirements import broken, column_of
from .sensitive import distance_of

LONG = "GENSEARCH_FUZZ" in os.environ
EXAMPLES = int(os.environ.get("GENSEARCH_FUZZ", "8"))

MOST_CELLS = 10
"""The largest space (occupied or empty cells) whose partitions are all looked at."""

SHRINK = "GENSEARCH_SHRINK" in os.environ

# The short form repeats the same examples, so that a run of all tests depends on nothing but the code. What is found is made
# smaller only on request (``GENSEARCH_SHRINK=1``, best with the seed that found it): that takes minutes.
fuzzed = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=not LONG,
    phases=tuple(phase for phase in Phase if SHRINK or phase is not Phase.shrink),
    suppress_health_check=list(HealthCheck),
)


def some(part: int) -> settings:
    """The same settings with a fraction of the examples."""
    return settings(fuzzed, max_examples=max(3, EXAMPLES // part))


few = settings(fuzzed, max_examples=2)
"""One or two examples a seed, for what takes seconds each."""

INTERNAL = ("INTERNAL Error", "Binder Error", "Parser Error", "Traceback", "Catalog Error", "Conversion Error")
"""Words that no message of ours may pass on: they speak of our SQL, not of the user's request."""


def attempt(connection: Any, case: Case, **more: Any) -> GensearchError | None:
    """Make the release; the error where it is refused. Anything but an error of our own ends the test."""
    try:
        gensearch_db.anonymize(connection, **case.problem, **more)
    except GensearchError as error:
        refusal = error
    else:
        event("a release" if case.rows else "an empty release")
        return None
    event(f"refused: {type(refusal).__name__}")
    assert not any(word in str(refusal) for word in INTERNAL), f"{type(refusal).__name__}: {refusal}"
    return refusal


def check(connection: duckdb.DuckDBPyConnection, case: Case, before: Surroundings, folder: Path, error: Any) -> None:
    """What must hold after a run that raised ``error`` or nothing."""
    after = Surroundings.of(connection, folder)
    if error is not None:
        after.check(before, release=None)
        assert not (case.only_k and case.rows >= case.k > 0), f"refused what any table can give: {error}"
        assert error is None or not (case.only_k and case.rows) or isinstance(error, InfeasibleError), repr(error)
        return
    after.check(before, release="rel")
    check_content(connection, case)
    report = gensearch_db.audit(connection, "rel")
    assert report.passed, report.to_text()


def check_content(connection: duckdb.DuckDBPyConnection, case: Case, release: str = "rel") -> None:
    """The invariants, the share of suppressed rows, and every constraint recomputed."""
    problem = {**case.problem, "into": release}
    if "person" not in problem:
        assert case.rows >= case.k or case.rows == 0, "a release of fewer rows than k"
    (released,) = connection.execute(f"SELECT count(*) FROM {release}").fetchone() or (0,)
    if released:
        measures = check_release(connection, problem)
        assert measures.suppressed * 100 <= case.rows * problem.get("suppress_at_most", 0) + 1e-9, (
            "more suppressed than allowed"
        )
        if "person" not in problem:
            check_constraints(connection, case, release)
    else:
        assert case.rows == 0 or problem.get("suppress_at_most") == 100, "an empty release of a table with rows"


def check_constraints(connection: duckdb.DuckDBPyConnection, case: Case, release: str, table: str = "src") -> None:
    """Every block of the written release against every constraint, by the definitions (``requirements.py``)."""
    labels = ", ".join(quoted(name) for name in case.problem["quasi_identifiers"])
    for column, declared in case.sensitive.items():
        texts = [text for text in case.problem["subject_to"][1:] if column_of(text, [column])]
        whole = Counter(occurring(connection, table, column))
        distance = distance_of(case.type_of(column), declared, case.trees, list(whole))
        blocks = connection.execute(f"SELECT list({column}::VARCHAR) FROM {release} GROUP BY {labels}").fetchall()
        wrong = [broken(text, Counter(values), whole, distance) for (values,) in blocks for text in texts]
        assert not any(wrong), [each for each in wrong if each]


def occurring(connection: duckdb.DuckDBPyConnection, table: str, column: str) -> dict[str | None, int]:
    """How often each value of a column occurs, in the column's own order, the missing one last."""
    counted = f"SELECT {column}::VARCHAR, count(*) FROM {table} GROUP BY {column} ORDER BY {column} ASC NULLS LAST"
    return dict(connection.execute(counted).fetchall())


@contextmanager
def searches_seen() -> Iterator[list[tuple[SearchProblem, SearchResult]]]:
    """Inside, what searches are given and what they find is written down."""
    seen: list[tuple[SearchProblem, SearchResult]] = []
    search = anonymization.search

    def watched(problem: SearchProblem, *arguments: Any, **named: Any) -> SearchResult:
        result = search(problem, *arguments, **named)
        seen.append((problem, result))
        return result

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(anonymization, "search", watched)
        yield seen


def check_optimum(problem: SearchProblem, result: SearchResult, within: float = 1.0) -> bool:
    """Hold cost, bound and status against the optimum, if the space is small enough; whether it was."""
    if math.prod(attribute.leaf_count for attribute in problem.space.attributes) > MOST_CELLS:
        return False
    best, groupings = optimum(problem)
    tolerance = 1e-9 * max(1.0, abs(best)) if math.isfinite(best) else 0.0
    assert result.lower_bound <= best + tolerance, f"{result.status}: the bound is above the optimum"
    assert result.cost >= best - tolerance, f"{result.status}: the cost is below the optimum"
    if result.status is Status.OPTIMAL:
        assert result.cost <= best + tolerance, "called optimal, and there is a cheaper release"
    if result.status is Status.WITHIN_FACTOR:
        assert result.cost <= best * within + tolerance, f"called within {within}, and there is a cheaper release"
    if result.status is Status.INFEASIBLE:
        assert math.isinf(best), f"called infeasible, and there is a release of cost {best}"
    if result.optimal_count is not None:
        assert result.optimal_count == len(groupings), f"{result.optimal_count} optimal releases, not {len(groupings)}"
    return True
