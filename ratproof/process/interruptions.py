"""Ctrl-C for work that stops between two steps and can be resumed."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def interruptions() -> Iterator[Callable[[], bool]]:
    """Yield a function that says whether Ctrl-C was pressed, for a stop between two iterations; a second one
    interrupts as ever.
    """
    requests: list[int] = []

    def record(number: int, frame: Any) -> None:
        requests.append(number)
        signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, record)
    try:
        yield lambda: bool(requests)
    finally:
        signal.signal(signal.SIGINT, before)
