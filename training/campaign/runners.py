"""Where the runs of a campaign are done: in processes of this machine, or on the workers of a Dask cluster
that see the campaign's folder and the data.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Protocol

from automata.errors import InputError
from automata.files import write_whole
from training.campaign.job import STOP

UNKNOWN_END = -9
"""The exit status of a run whose worker ended again and again."""
MOST_SAID = 20_000
"""Characters of what a run said that a worker sends."""
LOST = 3
"""So often a run goes on on another worker, where its own died."""


class Runner(Protocol):
    """Does runs.

    Attributes:
        jobs: how many at once.
    """

    jobs: int

    def run(self, name: str, said: dict[str, Any]) -> tuple[int, str]:
        """Do one, by the words of :mod:`training.campaign.job`; its exit status, and what it said."""

    def end(self) -> None:
        """Have all of them keep what they have, and end."""


class LocalRunner:
    """Processes of this machine.

    Args:
        jobs: how many at once.
    """

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self._running: dict[str, subprocess.Popen[str]] = {}

    def run(self, name: str, said: dict[str, Any]) -> tuple[int, str]:
        """In a process of its own."""
        self._running[name] = process = start(said)
        _, words = process.communicate()
        del self._running[name]
        return process.returncode, words

    def end(self) -> None:
        """By SIGTERM."""
        for process in list(self._running.values()):
            process.send_signal(signal.SIGTERM)


class ClusterRunner:
    """Workers of a Dask cluster, a run each at a time; a run whose worker died goes on on another one.

    Args:
        where: the scheduler's file, or its address.
        folder: of the campaign.

    Raises :class:`~automata.errors.InputError`: Dask is not installed, or there is no such scheduler.
    """

    def __init__(self, where: str, folder: Path) -> None:
        from ratproof.hunting.cluster_client import connected

        self.client = connected(where)
        self.folder = folder
        self.jobs = max(1, sum(self.client.nthreads().values()))
        self._lock = threading.Lock()
        (folder / STOP).unlink(missing_ok=True)

    def run(self, name: str, said: dict[str, Any]) -> tuple[int, str]:
        """On a worker."""
        from distributed.scheduler import KilledWorker

        for _ in range(LOST):
            with self._lock:
                future: Any = self.client.submit(on_a_worker, json.dumps(said), pure=False, retries=0)
            try:
                status, words = future.result()
                return int(status), str(words)
            except KilledWorker:
                continue
            except Exception as error:  # whatever a worker raises
                why = " ".join(str(error).split())
                raise InputError(f"{name}: on the cluster, {type(error).__name__}: {why:.200}") from None
        return UNKNOWN_END, f"{LOST} workers died of it; its folder has what it had kept"

    def end(self) -> None:
        """By a file in the campaign's folder, at which runs look."""
        write_whole(self.folder / STOP, "")


def on_a_worker(said: str) -> tuple[int, str]:
    """A run, in a process of the worker's, which ends with it: its exit status, and what it said."""
    process = start({**json.loads(said), "parent": os.getpid()})
    _, words = process.communicate()
    return process.returncode, words[-MOST_SAID:]


def start(said: dict[str, Any]) -> subprocess.Popen[str]:
    """The process of a run, on one core."""
    return subprocess.Popen(
        [sys.executable, "-m", "training.campaign.job", json.dumps(said)],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
