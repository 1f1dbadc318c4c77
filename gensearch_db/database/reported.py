"""Ctrl-C after a commit: the work is done, so the caller is told of it and not of the interrupt.

A signal comes between any two steps of Python, so a ``try`` around the commit would leave gaps. Instead the handler itself is
changed: from just before COMMIT until the outermost request is answered, what the handler raises goes no further.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any


class _Requests:
    """Requests of the main thread, which alone is interrupted: how many stand in each other, and the handler put aside.

    Python looks for signals where something is called or a loop goes on, so none comes between counting and ``try``.
    """

    depth = 0
    handler: Any = None


@contextmanager
def reported() -> Iterator[None]:
    """A request to this package: once it has committed, it ends with its answer, whatever is pressed.

    The handler that was set still hears every signal. An interrupt during COMMIT and after it is then forgotten; only where
    several requests follow one another (a script) the next ones are carried out too.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _Requests.depth += 1
    try:
        yield
    except SystemError as error:  # so numba reports what is raised while it unpacks a function
        if isinstance(error.__cause__, KeyboardInterrupt):
            raise error.__cause__ from None
        raise
    finally:
        _Requests.depth -= 1
        if _Requests.depth == 0 and _Requests.handler is not None:
            handler, _Requests.handler = _Requests.handler, None
            signal.signal(signal.SIGINT, handler)  # the last step, because from here on Ctrl-C ends the caller's program


def commit_begins() -> None:
    """From here to the end of the request no ``KeyboardInterrupt`` comes from a signal. Outside any request nothing changes."""
    set_now = signal.getsignal(signal.SIGINT)
    inside = _Requests.depth and threading.current_thread() is threading.main_thread()
    if inside and _Requests.handler is None and callable(set_now):
        _Requests.handler = set_now
        signal.signal(signal.SIGINT, _hear)


def commit_failed() -> None:
    """The commit did not happen: Ctrl-C is again what it was."""
    if _Requests.handler is not None and threading.current_thread() is threading.main_thread():
        handler, _Requests.handler = _Requests.handler, None
        signal.signal(signal.SIGINT, handler)


def _hear(number: int, frame: FrameType | None) -> None:
    handler = _Requests.handler
    if handler is not None:  # else it is about to be set again
        with suppress(KeyboardInterrupt):
            handler(number, frame)
