"""Faults at the n-th statement that a run sends to the engine, whatever that statement is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from gensearch_db.database.session import Session


class _Counting:
    """A connection that counts what is sent through it and strikes once, before (or after) the statement of that number."""

    def __init__(self, connection: Any, strikes: _Strikes) -> None:
        self._connection = connection
        self._strikes = strikes

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    @property
    def __class__(self) -> type:  # type: ignore[misc]
        """What it is taken for wherever somebody asks."""
        return type(self._connection)

    def execute(self, *arguments: Any, **named: Any) -> Any:
        return self._strikes.around(lambda: self._connection.execute(*arguments, **named))

    def sql(self, *arguments: Any, **named: Any) -> Any:
        return self._strikes.around(lambda: self._connection.sql(*arguments, **named))


class _Strikes:
    def __init__(self, at: int | None, fault: Callable[[], None], after: bool) -> None:
        self.at = at
        self.fault = fault
        self.after = after
        self.count = 0

    def around(self, run: Callable[[], Any]) -> Any:
        self.count += 1
        mine = self.count == self.at
        if mine and not self.after:
            self.fault()
        result = run()
        if mine and self.after:
            self.fault()
        return result


@contextmanager
def struck(at: int | None, fault: Callable[[], None], *, after: bool = False) -> Iterator[_Strikes]:
    """Inside, every session counts its statements; the one numbered ``at`` (from 1) meets the fault."""
    strikes = _Strikes(at, fault, after)
    original = Session.__init__

    def counting(self: Session, connection: Any, **named: Any) -> None:
        original(self, connection, **named)
        self.connection = _Counting(self.connection, strikes)  # type: ignore[assignment]

    Session.__init__ = counting  # type: ignore[method-assign]
    try:
        yield strikes
    finally:
        Session.__init__ = original  # type: ignore[method-assign]


def statement_count(run: Callable[[], Any]) -> int:
    """How many statements an undisturbed run sends."""
    with struck(None, lambda: None) as strikes:
        run()
    return strikes.count
