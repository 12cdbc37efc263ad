"""A Dask cluster of real processes on this machine, whose processes tests can kill."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from proofs_tests.processes import descendants

LONG = 300.0
"""Seconds after which a test gives up."""


class Cluster:
    """A scheduler and workers with their nannies.

    Args:
        folder: The folder of the cluster, with the scheduler's file.
        path: Folder that the processes search for modules first.
        more: Additional environment variables.
    """

    def __init__(self, folder: Path, path: Path | None = None, **more: str) -> None:
        self.file = folder / "scheduler.json"
        before = [str(path)] if path else []
        env = {**os.environ, "PYTHONPATH": os.pathsep.join([*before, os.environ.get("PYTHONPATH", "")])}
        env |= more
        self.how: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.how |= {"cwd": folder, "env": env}
        self.nannies: list[subprocess.Popen[bytes]] = []
        self.old: list[subprocess.Popen[bytes]] = []
        """Processes of a scheduler that was killed, which are about to end."""
        self.start()

    def _run(self, module: str, *options: str) -> subprocess.Popen[bytes]:
        arguments = ["--scheduler-file", str(self.file), "--no-dashboard", *options]
        return subprocess.Popen([sys.executable, "-m", f"distributed.cli.{module}", *arguments], **self.how)

    def start(self) -> None:
        """Start a scheduler and two workers."""
        self.file.unlink(missing_ok=True)
        self.scheduler = self._run("dask_scheduler", "--host", "127.0.0.1", "--port", "0")
        wait_until(self.file.exists, self.scheduler)
        self.nannies = [self._run("dask_worker", "--nthreads", "1") for _ in range(2)]

    def restart(self) -> None:
        """Kill the scheduler, and start a new scheduler and workers on another port; the old workers end."""
        self.scheduler.kill()
        self.scheduler.wait()
        self.old += self.nannies
        self.start()

    def end(self) -> None:
        """Kill all processes."""
        for process in [*self.old, *self.nannies, self.scheduler]:
            below = descendants(process.pid)
            process.kill()  # nannies first, because they restart workers
            process.wait()
            for pid in below:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def wait_until(true: Callable[[], object], process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + LONG
    while not true():
        assert time.monotonic() < end and process.poll() is None
        time.sleep(0.05)
