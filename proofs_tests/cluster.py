"""A Dask cluster of real processes on this machine, for tests; and the processes below one."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

LONG = 120.0
"""Seconds after which a test gives up."""
Cluster = tuple[Path, list["subprocess.Popen[bytes]"]]


def children(pid: int) -> list[int]:
    """All below a process."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            found += [child, *children(child)]
    return found


def wait_until(true: Callable[[], object], process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + LONG
    while not true():
        assert time.monotonic() < end and process.poll() is None
        time.sleep(0.05)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """A scheduler and two workers with their nannies; the file of the scheduler, and the nannies."""
    pytest.importorskip("distributed")
    file = tmp_path / "scheduler.json"
    options = ["--scheduler-file", str(file)]
    start = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": tmp_path}
    scheduler = subprocess.Popen([*start, *options, "--no-dashboard"], **quiet)
    wait_until(file.exists, scheduler)
    worker = [sys.executable, "-m", "distributed.cli.dask_worker", *options, "--nthreads", "1"]
    nannies = [subprocess.Popen([*worker, "--no-dashboard"], **quiet) for _ in range(2)]
    yield file, nannies
    for process in [*nannies, scheduler]:
        process.terminate()
    for process in [*nannies, scheduler]:
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
