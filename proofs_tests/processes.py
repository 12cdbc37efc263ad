"""Processes of the system, as tests see them."""

import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any


def python(*arguments: str | Path, check: bool = False, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run Python with these arguments in a new process, and return its exit status and output."""
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=check, **options)


def descendants(pid: int) -> list[int]:
    """Return the process ids of all descendants of a process."""
    pids = [pid]
    for one in pids:
        for task in Path(f"/proc/{one}/task").glob("*/children"):  # each thread has its own children
            with suppress(OSError):  # the process has ended
                pids += map(int, task.read_text().split())
    return pids[1:]


def alive(pid: int) -> bool:
    """Return whether there is such a process and it is not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
