"""Handling of Ctrl-C for work that can stop between two steps and be resumed later."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def interruptions(terminations: bool = False, several: bool = False) -> Iterator[Callable[[], bool]]:
    """Yield a function that returns whether Ctrl-C was pressed, so that work can stop between iterations.

    A second Ctrl-C raises ``KeyboardInterrupt`` as usual.

    Args:
        terminations: Whether to also react to SIGTERM, which a cluster or a shutdown sends.
        several: Whether this is one of several processes that end together. If so, further SIGTERMs are
            ignored until the process ends, because the parent sends SIGTERM to all processes after one of
            them receives it.
    """
    requests: list[int] = []

    def record(number: int, frame: FrameType | None) -> None:
        requests.append(number)
        again = before[signal.Signals(number)]
        signal.signal(number, signal.SIG_IGN if several and number == signal.SIGTERM else again)

    numbers = (signal.SIGINT, signal.SIGTERM) if terminations else (signal.SIGINT,)
    before = {number: signal.signal(number, record) for number in numbers}
    try:
        yield lambda: bool(requests)
    finally:
        for number, handler in before.items():
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, handler)


def ignore_terminations() -> None:
    """Ignore SIGTERM, because this process is already ending."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
