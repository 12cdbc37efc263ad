"""Where the runs of a campaign are done: processes of this machine; ``cluster_runner.py`` has a cluster."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import Any, Protocol


class Runner(Protocol):
    """Does runs.

    Attributes:
        notes: what happened to the workers.
    """

    notes: list[str]

    @property
    def jobs(self) -> int:
        """How many at once, as of now."""

    def run(self, name: str, said: dict[str, Any]) -> tuple[int, str]:
        """Do one, by the words of :mod:`training.campaign.job`; its exit status, and what it said."""

    def end(self) -> None:
        """Have all of them keep what they have, and end."""

    def close(self) -> None:
        """Nothing more is to be run."""


class LocalRunner:
    """Processes of this machine.

    Args:
        jobs: how many at once.
    """

    def __init__(self, jobs: int) -> None:
        self.jobs, self.notes = jobs, list[str]()
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

    def close(self) -> None:
        """Nothing is left."""


def start(said: dict[str, Any]) -> subprocess.Popen[str]:
    """The process of a run, on one core."""
    return subprocess.Popen(
        [sys.executable, "-m", "training.campaign.job", json.dumps(said)],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
