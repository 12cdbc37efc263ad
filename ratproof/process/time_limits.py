"""A limit on the time of something that somebody else sent, inside a command that goes on."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def at_most(seconds: float, error: Exception) -> Iterator[None]:
    """Raise the error where what runs inside takes longer.

    It is an alarm of the system, which the main thread alone has: elsewhere there is no limit. A library that
    keeps the interpreter to itself ends before it.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(number: int, frame: Any) -> None:
        raise error

    before = signal.signal(signal.SIGALRM, ring)
    try:
        # again and again: what is raised while an object is finalised is lost
        signal.setitimer(signal.ITIMER_REAL, seconds, min(seconds, 1.0))
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
