"""Ctrl-C for work that stops between two steps and can be resumed."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def interruptions(terminations: bool = False) -> Iterator[Callable[[], bool]]:
    """Yield a function that says whether Ctrl-C was pressed, for a stop between two iterations; a second one
    interrupts as ever.

    Args:
        terminations: is a request to end (SIGTERM), as a cluster or a shutdown sends it, one too?
    """
    requests: list[int] = []

    def record(number: int, frame: Any) -> None:
        requests.append(number)
        signal.signal(number, before[signal.Signals(number)])

    numbers = (signal.SIGINT, signal.SIGTERM) if terminations else (signal.SIGINT,)
    before = {number: signal.signal(number, record) for number in numbers}
    try:
        yield lambda: bool(requests)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
