"""What a person at a terminal sees while a command takes its time, and how Ctrl-C ends a search.

The first Ctrl-C in a search ends the search, any other one the program.
"""

from __future__ import annotations

import math
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any, Self

from gensearch_db.errors import SearchInterruptedError
from gensearch_db.search.result import Moment

PATIENCE = 2.0
"""Seconds before progress is shown."""


class Display:
    """A line on stderr (a terminal only) with a sign that moves, from two seconds after it was made until it is closed."""

    def __init__(self, line: str) -> None:
        self._line = line
        self._status: Any = None
        self._closed = False
        self._lock = threading.Lock()
        self._timer = threading.Timer(PATIENCE, self._show)
        self._timer.daemon = True
        if sys.stderr.isatty():
            self._timer.start()

    def update(self, line: str) -> None:
        """Say something else."""
        with self._lock:
            self._line = line
            if self._status is not None:
                self._status.update(line)

    def _show(self) -> None:
        from rich.console import Console
        from rich.status import Status

        with self._lock:
            if not self._closed:
                self._status = Status(self._line, console=Console(stderr=True))
                self._status.start()

    def close(self) -> None:
        """Take the line away: before anything is printed, because it erases the lines above it when it goes."""
        self._timer.cancel()
        with self._lock:
            self._closed = True
            if self._status is not None:
                self._status.stop()


@contextmanager
def waited(line: str) -> Iterator[None]:
    """Show this line while the block runs, where that takes its time."""
    display = Display(line)
    try:
        yield
    finally:
        display.close()


@contextmanager
def watched(*, release_on_interrupt: bool = False) -> Iterator[Watcher]:
    """A progress callback that shows cost, bound and gap on stderr (a terminal only) and stops the search at Ctrl-C.

    Outside the search (no callback is running for it yet) Ctrl-C ends the program as usual. ``release_on_interrupt``: as the
    search is told; else nothing comes of a search in which Ctrl-C was pressed, though it ended before it heard of it.
    """
    before = signal.getsignal(signal.SIGINT) or signal.default_int_handler  # none: a handler that Python does not know
    watcher = Watcher(before, release_on_interrupt=release_on_interrupt)
    on_main_thread = threading.current_thread() is threading.main_thread()
    if on_main_thread:
        signal.signal(signal.SIGINT, watcher.interrupt)
    try:
        yield watcher
    finally:
        try:
            watcher.close()
        finally:  # Ctrl-C may strike in between, too
            if on_main_thread:
                signal.signal(signal.SIGINT, before)


class Watcher:
    """What a search calls (:data:`gensearch_db.search.result.Progress`), what Ctrl-C calls, and the display. ``before``: the
    handler of Ctrl-C that it takes the place of.

    It is entered for the search: when that is over, Ctrl-C ends the program again. Leaving it raises
    :class:`SearchInterruptedError` where Ctrl-C was pressed meanwhile, unless the best so far is to be released, and
    ``KeyboardInterrupt`` where it was pressed again.
    """

    def __init__(self, before: Any, *, release_on_interrupt: bool) -> None:
        self._before = before
        self._release_on_interrupt = release_on_interrupt
        self._moment = Moment(0.0, math.inf, 0.0)
        self.searching = False
        self.stop = False
        self._ended = False
        self._display = Display("reading the table")

    def __enter__(self) -> Self:
        self._ended = False
        self._display.update("preparing the search (the first one on a machine compiles it: about half a minute)")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.searching = False
        if error is None and self._ended:
            raise KeyboardInterrupt  # the search took it for the first one
        if error is None and self.stop and not self._release_on_interrupt:
            raise SearchInterruptedError.after(self._moment.cost, self._moment.lower_bound)
        self._display.update("writing the release and auditing it (Ctrl-C undoes it)")

    def interrupt(self, number: int, frame: FrameType | None) -> None:
        """Called at Ctrl-C. Where it ends the program it goes first: no ``finally`` is sure to be reached, for Ctrl-C may
        strike at its first line."""
        if not self.searching or self.stop:
            signal.signal(signal.SIGINT, self._before)
            self._ended = True
            raise KeyboardInterrupt
        self.stop = True

    def __call__(self, moment: Moment, counters: dict[str, int | float]) -> bool:
        """Called a few times a second by the search."""
        self.searching = True
        self._moment = moment
        self._display.update(progress_line(moment))
        return self.stop

    def close(self) -> None:
        """Take the display away, before anything is printed."""
        self._display.close()


def progress_line(moment: Moment) -> str:
    """How far a search is, for a person."""
    if moment.cost < float("inf"):
        gap = (moment.cost - moment.lower_bound) / moment.cost if moment.cost > 0 else 0.0
        found = f"cost {moment.cost:,.6g}, at least {moment.lower_bound:,.6g}, gap {gap:.2%}"
    else:
        found = "no release found yet"
    return f"searching for {moment.seconds:.0f} s: {found} (Ctrl-C ends the search)"
