"""A time limit for a part of a command, such as the processing of untrusted input."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def at_most(seconds: float, error: Exception) -> Iterator[None]:
    """Raise the error if the body takes longer than ``seconds``.

    The limit is an alarm signal. It only works in the main thread; in other threads, there is no limit. A
    library that holds the interpreter lock delays the signal.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:
        raise error

    before = signal.signal(signal.SIGALRM, ring)
    try:
        # repeat the alarm, because an exception during finalisation is lost
        signal.setitimer(signal.ITIMER_REAL, seconds, min(seconds, 1.0))
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
