"""What a person at a terminal sees while a search runs, and how Ctrl-C ends it.

The first Ctrl-C ends the search, the next one the program.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from gensearch_db.search.result import Moment

PATIENCE = 2.0
"""Seconds before progress is shown."""


@contextmanager
def watched() -> Iterator[Watcher]:
    """A progress callback that shows cost, bound and gap on stderr (a terminal only) and stops the search at Ctrl-C.

    Outside the search (no callback is running for it yet) Ctrl-C ends the program as usual.
    """
    before = signal.getsignal(signal.SIGINT) or signal.default_int_handler  # none: a handler that Python does not know
    watcher = Watcher(before)
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
    handler of Ctrl-C that it takes the place of."""

    def __init__(self, before: Any) -> None:
        self._before = before
        self.searching = False
        self.stop = False
        self._display: Any = None

    def interrupt(self, number: int, frame: FrameType | None) -> None:
        """Called at Ctrl-C. Where it ends the program it goes first: no ``finally`` is sure to be reached, for Ctrl-C may
        strike at its first line."""
        if not self.searching or self.stop:
            signal.signal(signal.SIGINT, self._before)
            raise KeyboardInterrupt
        self.stop = True

    def __call__(self, moment: Moment, counters: dict[str, int | float]) -> bool:
        """Called a few times a second by the search."""
        self.searching = True
        if moment.seconds >= PATIENCE and sys.stderr.isatty():
            self._show(moment)
        return self.stop

    def _show(self, moment: Moment) -> None:
        from rich.console import Console
        from rich.status import Status

        line = progress_line(moment)
        if self._display is None:
            self._display = Status(line, console=Console(stderr=True))
            self._display.start()
        self._display.update(line)

    def close(self) -> None:
        """Take the display away: before anything is printed, because it erases the lines above it when it goes."""
        if self._display is not None:
            self._display.stop()


def progress_line(moment: Moment) -> str:
    """How far a search is, for a person."""
    if moment.cost < float("inf"):
        gap = (moment.cost - moment.lower_bound) / moment.cost if moment.cost > 0 else 0.0
        found = f"cost {moment.cost:,.6g}, at least {moment.lower_bound:,.6g}, gap {gap:.2%}"
    else:
        found = "no release found yet"
    return f"searching for {moment.seconds:.0f} s: {found} (Ctrl-C ends the search)"
