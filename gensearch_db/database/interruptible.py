"""Statements that Ctrl-C stops at once.

DuckDB's Python client looks for signals only between the tasks of a statement, so Ctrl-C may go unnoticed until a long task has
ended. Here statements of the main thread run in a thread beside it, while the main thread waits, free to be interrupted.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from typing import TypeVar

Result = TypeVar("Result")

_PIECE_SECONDS = 0.05
"""How long the main thread waits before it looks up."""

_RETRY_SECONDS = 0.05
"""An interrupt that arrives before the statement has begun is lost, so it is repeated until the statement ends."""


class InterruptibleRunner:
    """Runs one piece of work at a time; ``interrupt`` is called, from the waiting thread, to end it early."""

    def __init__(self, interrupt: Callable[[], None]) -> None:
        self._interrupt = interrupt
        self._beside = ThreadPoolExecutor(max_workers=1, thread_name_prefix="gensearch-statement")

    def run(self, work: Callable[[], Result]) -> Result:
        """The work's result, or what it raised. ``KeyboardInterrupt`` ends the work before it is passed on."""
        if threading.current_thread() is not threading.main_thread():
            return work()  # only the main thread is ever interrupted
        future = self._beside.submit(work)
        try:
            # A signal that comes just before the wait begins would be noticed only at its end, so the wait is taken in pieces.
            while not wait([future], timeout=_PIECE_SECONDS).done:
                pass
            return future.result()
        except KeyboardInterrupt:
            self._end(future)
            raise

    def close(self) -> None:
        """End the thread."""
        self._beside.shutdown(wait=False)

    def _end(self, future: Future[Result]) -> None:
        while not future.done():
            with suppress(KeyboardInterrupt):  # pressed again: what the statement came to is known only when it has ended
                self._interrupt()
                wait([future], timeout=_RETRY_SECONDS)
