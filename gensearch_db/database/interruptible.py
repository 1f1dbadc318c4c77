"""Statements that Ctrl-C stops at once.

DuckDB's Python client looks for signals only between the tasks of a statement, so Ctrl-C may go unnoticed until a long task has
ended. Here statements of the main thread run in a thread beside it, while the main thread waits, free to be interrupted.

Only the bare locks and threads of ``_thread`` are used: what ``threading`` and ``concurrent.futures`` build of them in Python
may itself be interrupted between two steps, and then leaves a statement running that nobody waits for, or a lock in disorder.
"""

from __future__ import annotations

import _thread
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar

Result = TypeVar("Result")

_PIECE_SECONDS = 0.05
"""How long the main thread waits before it looks up."""

_RETRY_SECONDS = 0.05
"""An interrupt that arrives before the statement has begun is lost, so it is repeated until the statement ends."""


class InterruptibleRunner:
    """Runs one piece of work at a time; ``interrupt`` is called, from the waiting thread, to end it early."""

    def __init__(self, interrupt: Callable[[], None]) -> None:
        self._interrupt = interrupt

    def run(self, work: Callable[[], Result]) -> Result:
        """The work's result, or what it raised. ``KeyboardInterrupt`` ends the work before it is passed on."""
        if threading.current_thread() is not threading.main_thread():
            return work()  # only the main thread is ever interrupted
        task = _Task(work)
        try:
            _thread.start_new_thread(task.carry_out, ())
            # A signal that comes just before the wait begins would be noticed only at its end, so the wait is taken in pieces.
            while not task.wait(_PIECE_SECONDS):
                pass
        except BaseException:
            task.end(self._interrupt)
            raise
        return task.result()


class _Task(Generic[Result]):
    """One piece of work on its way through a thread of its own."""

    def __init__(self, work: Callable[[], Result]) -> None:
        self._work = work
        self._begun = _thread.allocate_lock()
        self._running = _thread.allocate_lock()
        self._running.acquire()
        self._done = False
        self._results: list[Result] = []
        self._error: BaseException | None = None

    def carry_out(self) -> None:
        """Do the work, unless it was called off."""
        if not self._begun.acquire(blocking=False):
            return
        try:
            self._results.append(self._work())
        except BaseException as error:
            self._error = error
        self._done = True
        self._running.release()

    def wait(self, seconds: float) -> bool:
        """Whether the work has ended, after waiting so long for it at most."""
        return self._running.acquire(timeout=seconds) or self._done

    def end(self, interrupt: Callable[[], None]) -> None:
        """Call the work off, or interrupt it and wait for its end."""
        if self._begun.acquire(blocking=False):
            return
        while not self._done:
            with suppress(KeyboardInterrupt):  # pressed again: what the statement came to is known only when it has ended
                interrupt()
                self.wait(_RETRY_SECONDS)

    def result(self) -> Result:
        """What the work came to. The error is not kept: its trace would hold on to everything."""
        error, self._error = self._error, None
        if error is None:
            return self._results.pop()
        try:
            raise error
        finally:
            del error
