"""What tests of faults share."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture
def default_handler() -> Iterator[None]:
    """Ctrl-C raises ``KeyboardInterrupt``, as in a program that has changed nothing about it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
