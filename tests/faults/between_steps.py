"""Ctrl-C between two steps of Python: a trace function raises the signal before a line of the package is run."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

import gensearch_db
from gensearch_db.database import session

COUNTED = "reported"
"""The function that counts requests. Python looks for signals where something is called, and nothing is called between its
counting and its ``try``; a trace function could strike there, too."""

PACKAGE = str(Path(gensearch_db.__file__).parent)

Line = tuple[CodeType, int]
"""A function and the number of one of its lines."""

Run = Callable[[Path, dict[str, Any]], None]
"""A way to anonymize: the database and the fields of the problem."""


@contextmanager
def at_the_commit(act: Callable[[], None]) -> Iterator[None]:
    """Inside, ``act`` is called where COMMIT is near, before the package makes ready for it."""
    begins = session.commit_begins

    def commit_begins() -> None:
        act()
        begins()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session, "commit_begins", commit_begins)
        yield


class Steps:
    """The lines of the package that the calling thread runs while it is traced: the latest one comes last.

    ``strikes``: told the lines so far, whether the signal is raised now, before the last one is run. It is raised once.
    """

    def __init__(self, strikes: Callable[[list[Line]], bool]) -> None:
        self.lines: list[Line] = []
        self.struck = False
        self._strikes = strikes

    def begin(self) -> None:
        """Trace from here on, also the functions that are running."""
        frame: FrameType | None = sys._getframe()
        sys.settrace(self._trace)
        while frame is not None:
            frame.f_trace = self._trace(frame, "call", None)
            frame = frame.f_back

    def end(self) -> None:
        """Trace no more."""
        sys.settrace(None)

    def _trace(self, frame: FrameType, event: str, argument: Any) -> Callable[..., Any] | None:
        if not frame.f_code.co_filename.startswith(PACKAGE):
            return None
        if event == "line" and frame.f_code.co_name != COUNTED:
            self.lines.append((frame.f_code, frame.f_lineno))
            if self._strikes(self.lines):
                self.struck = True
                self.end()
                signal.raise_signal(signal.SIGINT)
        return self._trace
