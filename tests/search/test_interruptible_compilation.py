"""Ctrl-C during compilation: raised at the next step, wherever it strikes, and never printed and forgotten."""

from __future__ import annotations

import ctypes
import signal
import sys
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any

import pytest
from numba import njit

from gensearch_db.interruptible_compilation import interruptible_compilation


def press() -> None:
    signal.raise_signal(signal.SIGINT)


@pytest.mark.usefixtures("default_handler")
def test_an_interrupt_in_a_callback_of_c_is_raised_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Found 2026-11-29: it was printed as ignored, and the search went on."""
    printed: list[Any] = []
    steps: list[str] = []
    monkeypatch.setattr(sys, "unraisablehook", printed.append)
    called = ctypes.CFUNCTYPE(None)(press)

    def load() -> None:
        with interruptible_compilation():
            called()
            steps.append("loaded")

    with pytest.raises(KeyboardInterrupt):
        load()
    assert (steps, printed) == (["loaded"], [])
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("default_handler")
@pytest.mark.parametrize("by_another_thread", [True, False])
def test_the_next_step_raises_it(by_another_thread: bool) -> None:
    """Whichever thread takes that step; the compiler can be used again afterwards, by all of them."""
    function: Any = njit(lambda number: number + 1)
    steps: list[str] = []

    def compile_it(pool: Executor) -> None:
        with interruptible_compilation():
            press()
            steps.append("pressed")
            assert pool.submit(function, 1).result() == 2 if by_another_thread else function(1) == 2
            steps.append("compiled")

    with ThreadPoolExecutor(1) as pool:
        with pytest.raises(KeyboardInterrupt):
            compile_it(pool)
        assert steps == ["pressed"]
        assert pool.submit(function, 1).result() == function(1) == 2


def test_a_handler_that_does_not_raise_decides() -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    try:
        with interruptible_compilation():
            press()
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        assert heard == [signal.SIGINT]
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN  # set inside, it stays
    finally:
        signal.signal(signal.SIGINT, before)
