"""Processes of the system, as tests see them."""

from contextlib import suppress
from pathlib import Path


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
