"""Two runs at once in one process, by turns at every statement as chance has it: each ends as if it had been alone."""

from __future__ import annotations

import random
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

import gensearch_db
from gensearch_db.database.session import Session
from gensearch_db.errors import GensearchError
from tests.cases.invariants import Surroundings, fingerprint

from .checks import some
from .problems import Case, cases, other_ways


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Case, Case]:
    """Two problems on one table, into two releases or into one."""
    first = draw(cases(most_rows=15, most_attributes=2))
    ways = {name: draw(other_ways(first, name)) for name in first.problem["quasi_identifiers"]}
    into = draw(st.sampled_from(["second", "rel"]))
    subject_to = [f"k_anonymity({draw(st.integers(1, 4))})"]
    return first, first.with_problem(into=into, quasi_identifiers=ways, subject_to=subject_to)


@contextmanager
def statements_by_turns(seed: int) -> Iterator[None]:
    """Inside, the thread that would send a statement sometimes waits for the others."""
    execute, chance = Session.execute, random.Random(seed)

    def hesitating(session: Session, *arguments: Any, **named: Any) -> Any:
        time.sleep(chance.choice([0, 0, 0.0005, 0.003]))
        return execute(session, *arguments, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Session, "execute", hesitating)
        yield


@pytest.mark.slow
@some(5)
@given(pairs(), st.integers(0, 10**6))
def test_two_runs_at_once(both: tuple[Case, Case], seed: int) -> None:
    alone = [_alone(case) for case in both]
    names = [case.problem["into"] for case in both]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.duckdb"
        with duckdb.connect(path) as connection:
            both[0].create(connection)
            before = Surroundings.of(connection, Path(folder))
            with statements_by_turns(seed):
                errors = _together(connection, both)
            assert [error and type(error).__name__ for error in errors] == [
                end if isinstance(end, str) else None for end in alone
            ]
            allowed: dict[str, list[Any]] = {name: [] for name in names}
            for name, end in zip(names, alone, strict=True):
                allowed[name] += [] if isinstance(end, str) else [end]
            for name, ends in allowed.items():
                if ends:
                    assert fingerprint(connection, name) in ends
                    report = gensearch_db.audit(connection, name)
                    assert report.passed, report.to_text()
            _nothing_else(Surroundings.of(connection, Path(folder)), before, [name for name, ends in allowed.items() if ends])
    event(f"{sum(error is None for error in errors)} releases into {len(set(names))} names")


def _nothing_else(after: Surroundings, before: Surroundings, releases: list[str]) -> None:
    """Nothing is new but the releases (a failed run alone makes no catalog either)."""
    left = Surroundings(frozenset(entry for entry in after.objects if not _belongs(entry, releases)), after.files)
    left.check(before, release=None)


def _belongs(entry: tuple[str, ...], releases: list[str]) -> bool:
    ours = {"gensearch", *releases, *(f"{name}_blocks" for name in releases)}
    return bool(releases) and bool(
        {entry[2], entry[3]} & ours or (entry[0] == "function" and entry[3].startswith(tuple(releases)))
    )


def _alone(case: Case) -> Any:
    """The release to the letter, or the class of the refusal."""
    with duckdb.connect() as connection:
        case.create(connection)
        try:
            gensearch_db.anonymize(connection, **case.problem, replace=True)
        except GensearchError as error:
            return type(error).__name__
        return fingerprint(connection, case.problem["into"])


def _together(connection: duckdb.DuckDBPyConnection, both: tuple[Case, Case]) -> list[GensearchError | None]:
    """Both runs at once, each on a cursor of its own; their errors."""
    errors: list[GensearchError | None] = [None, None]
    strange: list[BaseException] = []

    def run(place: int) -> None:
        with connection.cursor() as cursor:
            try:
                gensearch_db.anonymize(cursor, **both[place].problem, replace=True)
            except GensearchError as error:
                errors[place] = error
            except BaseException as error:
                strange.append(error)

    threads = [threading.Thread(target=run, args=[place]) for place in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
        assert not thread.is_alive(), "a run waits for ever"
    if strange:
        raise strange[0]
    return errors
