"""Processes that end with their parent, so that a killed command leaves no processes behind."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time
from importlib import import_module

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
LOOK_EVERY = 0.2
"""Interval in seconds between two checks if the kernel does not end the process."""


def end_with(parent: int) -> None:
    """End this process immediately and silently when its parent ends.

    On Linux the kernel ends the process (``prctl(2)``). On other systems, a thread checks the parent a few
    times per second. A library that holds the interpreter lock delays the thread.

    Args:
        parent: The process that started this one.
    """
    if not prctl(PR_SET_PDEATHSIG, signal.SIGKILL):
        threading.Thread(target=_look, args=(parent,), daemon=True).start()
    if os.getppid() != parent:  # the parent ended before the call
        os._exit(1)


def prctl(option: int, value: int) -> bool:
    """Call ``prctl`` of Linux, and return whether it exists and succeeds."""
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


def run_with(parent: int, module: str, function: str, *arguments: object) -> None:
    """Run the function with this name in a worker process that ends with its parent.

    The function's module is imported after the process is set up to end, because imports can take seconds.
    """
    end_with(parent)
    getattr(import_module(module), function)(*arguments)
