"""Ctrl-C for work that stops between two steps and can be resumed."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def interruptions(terminations: bool = False, several: bool = False) -> Iterator[Callable[[], bool]]:
    """Yield a function that says whether Ctrl-C was pressed, for a stop between two iterations; a second one
    interrupts as ever.

    Args:
        terminations: is a request to end (SIGTERM), as a cluster or a shutdown sends it, one too?
        several: is this one of several processes that end together? A second SIGTERM is ignored then, to the
            end of the process: what started them sends another one to all, when it or one of them got one.
    """
    requests: list[int] = []

    def record(number: int, frame: Any) -> None:
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
    """This process is about to end, whoever asks it to."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
