"""Processes that end with the one that started them, however that one ends: a killed command leaves nothing
running.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time
from importlib import import_module
from typing import Any

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
LOOK_EVERY = 0.2
"""Seconds, where the kernel does not tell."""


def end_with(parent: int) -> None:
    """End this process, at once and without a word, when its parent ends.

    On Linux the kernel sees to it (``prctl(2)``), whatever this process is doing; elsewhere a thread looks a
    few times a second, which a library that keeps the interpreter's lock delays.

    Args:
        parent: the process that started this one.
    """
    if not prctl(PR_SET_PDEATHSIG, signal.SIGKILL):
        threading.Thread(target=_look, args=(parent,), daemon=True).start()
    if os.getppid() != parent:  # it ended before the call
        os._exit(1)


def prctl(option: int, value: int) -> bool:
    """The Linux call of that name; false where it is not there."""
    if sys.platform != "linux":
        return False
    try:
        return bool(ctypes.CDLL(None).prctl(option, value, 0, 0, 0) == 0)
    except (OSError, AttributeError):
        return False


def _look(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK_EVERY)
    os._exit(1)


def run_with(parent: int, module: str, function: str, *arguments: Any) -> None:
    """Run the function of that name, in a worker process that ends with its parent.

    The module is imported after that is seen to, since imports can take seconds.
    """
    end_with(parent)
    getattr(import_module(module), function)(*arguments)
