"""Ctrl-C while the kernel is compiled or loaded: it ends that at numba's next step.

Raised wherever it strikes it could be lost: LLVM calls back into Python, and what is raised there is printed and forgotten. A
thread that compiles would not hear of it at all. So the signal is only noted, and raised where numba says that a step begins.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import Any

from numba.core.event import Event, Listener, install_listener

STEPS = ("numba:compiler_lock", "numba:run_pass")
"""A function begins to be compiled or loaded; one of the passes over it begins."""


@contextmanager
def interruptible_compilation() -> Iterator[None]:
    """Inside, ``KeyboardInterrupt`` of a signal comes when a step begins, in the thread that takes it, or at the end.

    The handler that was set hears every signal at once. In other threads than the main one nothing changes.
    """
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    noted = _Noted(handler)
    mine = noted.hear
    with ExitStack() as listening:
        for step in STEPS:
            listening.enter_context(install_listener(step, noted))
        signal.signal(signal.SIGINT, mine)
        try:
            yield
        finally:
            if signal.getsignal(signal.SIGINT) is mine:  # else the handler has set another one
                signal.signal(signal.SIGINT, handler)
    noted.raise_it()


class _Noted(Listener):
    """Whether the handler has raised ``KeyboardInterrupt``."""

    def __init__(self, handler: Any) -> None:
        self._handler = handler
        self._interrupted = False

    def hear(self, number: int, frame: FrameType | None) -> None:
        """Stand in the handler's place."""
        try:
            self._handler(number, frame)
        except KeyboardInterrupt:
            self._interrupted = True

    def raise_it(self) -> None:
        """Raise what was noted."""
        if self._interrupted:
            raise KeyboardInterrupt

    def on_start(self, event: Event) -> None:
        """A step begins."""
        self.raise_it()

    def on_end(self, event: Event) -> None:
        """A step has ended: nothing to do; what it holds must be given back first."""
