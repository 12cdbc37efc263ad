"""A Dask cluster of real processes on this machine, whose processes tests can kill."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from proofs_tests.processes import descendants

LONG = 300.0
"""Seconds after which a test gives up."""
PARENT = """
import json, os, signal, sys
from distributed import Nanny, Scheduler, Worker
from distributed.cli import dask_scheduler, dask_worker

signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the system removes children that ended
for line in sys.stdin:
    program, *options = json.loads(line)
    child = os.fork()
    if not child:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.dup2(os.open(os.devnull, os.O_RDWR), 0)
        os.dup2(0, 1)
        {"scheduler": dask_scheduler, "worker": dask_worker}[program].main(options)
    print(child, flush=True)
"""
"""Source of a program that starts schedulers and workers, and imports Dask only once.

It reads their command lines, and prints their process ids.
"""


class Cluster:
    """A scheduler and two workers.

    Args:
        folder: The folder of the cluster, with the scheduler's file.
        path: Folder that the processes search for modules first.
        nanny: Whether the first workers have nannies, which restart them.
        more: Additional environment variables.
    """

    def __init__(self, folder: Path, path: Path | None = None, nanny: bool = False, **more: str) -> None:
        self.file = folder / "scheduler.json"
        before = [str(path)] if path else []
        env = {**os.environ, "PYTHONPATH": os.pathsep.join([*before, os.environ.get("PYTHONPATH", "")])}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        command = [sys.executable, "-c", PARENT]
        self.parent = subprocess.Popen(command, cwd=folder, env=env | more, text=True, **pipes)
        self.start("--nanny" if nanny else "--no-nanny")

    def _run(self, program: str, *options: str) -> int:
        line = json.dumps([program, "--scheduler-file", str(self.file), "--no-dashboard", *options])
        self.parent.stdin.write(f"{line}\n")
        self.parent.stdin.flush()
        return int(self.parent.stdout.readline())

    def start(self, nanny: str = "--no-nanny") -> None:
        """Start a scheduler and two workers."""
        self.file.unlink(missing_ok=True)
        self.scheduler = self._run("scheduler", "--host", "127.0.0.1", "--port", "0")
        end = time.monotonic() + LONG
        while not self.file.exists():
            assert time.monotonic() < end
            time.sleep(0.05)
        self.workers = [self._run("worker", "--nthreads", "1", nanny) for _ in range(2)]
        """The process ids of the workers, or of their nannies."""

    def restart(self) -> None:
        """Kill the scheduler, and start a new scheduler and workers on another port; the old workers end."""
        os.kill(self.scheduler, signal.SIGKILL)
        self.start()

    def end(self) -> None:
        """Kill all processes."""
        below = descendants(self.parent.pid)
        self.parent.kill()
        self.parent.communicate()
        for pid in below:  # nannies before the workers that they restart
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
