"""How long something takes."""

from __future__ import annotations

import time
from collections.abc import Callable


def median(run: Callable[[], object], times: int) -> float:
    """The median of several runs, in seconds; before several, one that is not counted."""
    if times > 1:
        run()
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        run()
        taken.append(time.perf_counter() - started)
    return sorted(taken)[times // 2]
