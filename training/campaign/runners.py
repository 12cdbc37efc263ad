"""Runners of a campaign's jobs, in processes on this machine or on workers of a cluster."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from automata.errors import FormatError
from automata.io.files import write_whole
from ratproof.jobs.installation import installation_of_runs
from ratproof.jobs.local_executor import Executor, ExecutorTask, LocalExecutor
from ratproof.process.exit_statuses import INTERRUPTED
from training.campaign.job import STOP, TAKEN

UNKNOWN_END = -9
"""The exit status that is reported for a run after ``LOST`` workers ended."""
MOST_SAID = 20_000
"""The number of characters at the end of a run's standard error that are returned."""
LOST = 3
"""The number of workers that end during a run before it is abandoned."""
PATIENCE = 120.0
"""The seconds that a resumed run waits for its previous worker to end."""
LOOK_EVERY = 0.2
"""The seconds between two checks of the runs, and between two checks whether a worker is ending."""
_ending = threading.Event()
"""An event that is set when the runs of this process should save their state and end."""


@dataclass
class _JobRun:
    """A run that was submitted to an executor.

    Attributes:
        name: the name of the run.
        arguments: the arguments of :mod:`training.campaign.job`.
        deaths: the number of workers that ended during the run.
    """

    name: str
    arguments: dict[str, Any]
    deaths: int = 0


class Runner:
    """A runner that submits runs to an executor.

    If the worker of a run ends, the run is resumed on another worker. If the scheduler disappears, all runs
    are resumed when it is available again.

    Args:
        executor: the executor of the runs.
        folder: the campaign's folder.
    """

    def __init__(self, executor: Executor, folder: Path) -> None:
        self.executor, self.folder, self.notes = executor, folder, executor.notes
        self.is_far = not isinstance(executor, LocalExecutor)
        self._going: dict[ExecutorTask, _JobRun] = {}
        self._threads, self._is_ending = 1, False
        self._more: dict[str, Any] = {}
        _ending.clear()
        # left by an interrupted campaign on a cluster; every run obeys it
        (folder / STOP).unlink(missing_ok=True)
        if self.is_far:
            self._more = {"installation": installation_of_runs()}

    @property
    def jobs(self) -> int:
        """Return the number of runs that can currently run at the same time."""
        self._threads = self.executor.threads() or self._threads
        return self._threads

    def submit(self, name: str, arguments: dict[str, Any]) -> None:
        """Submit a run, with the arguments of :mod:`training.campaign.job`."""
        self._submit(_JobRun(name, {**arguments, **self._more}))

    def ready(self, seconds: float) -> Iterator[tuple[str, int, str]]:
        """Yield the name, exit status and standard error of each run that ends within the given seconds."""
        for task, answer in self.executor.ready(seconds):
            run = self._going.pop(task)
            if answer is None:
                run.deaths += 1
                if run.deaths == LOST:
                    yield (
                        run.name,
                        UNKNOWN_END,
                        f"{LOST} workers ended during the run; the last checkpoint is in its folder",
                    )
                    continue
            else:
                status, words = read(answer, run.name)
                if not (self.is_far and self._goes_on(status, task, run)):
                    yield run.name, status, words
                    continue
            run.arguments = {**run.arguments, "patience": PATIENCE}
            self._submit(run)
        if self._is_ending:
            for task in self.executor.drop_unbegun():
                yield self._going.pop(task).name, INTERRUPTED, ""

    def end(self) -> None:
        """Ask all runs to save their state and end, and cancel runs that have not started.

        Local runs receive SIGTERM. Runs on a cluster find the file ``STOP`` in the campaign's folder.
        """
        self._is_ending = True
        if self.is_far:
            write_whole(self.folder / STOP, "")
        else:
            _ending.set()

    def close(self) -> None:
        """Close the executor."""
        self.executor.close()

    def _submit(self, run: _JobRun) -> None:
        function = on_a_worker if self.is_far else run_here
        self._going[self.executor.submit(function, json.dumps(run.arguments))] = run

    def _goes_on(self, status: int, task: ExecutorTask, run: _JobRun) -> bool:
        """Return whether to submit the run again.

        This is the case if its worker ended and saved the run's state. It is also the case once if the
        scheduler disappeared, because the previous worker may still be working on the run.
        """
        if status == INTERRUPTED:
            return not (self._is_ending or (self.folder / STOP).exists())
        return status == TAKEN and task.times > 1 and "patience" not in run.arguments


def read(answer: bytes, name: str) -> tuple[int, str]:
    """Parse a worker's reply about the run ``name``: a JSON list of the exit status and standard error.

    >>> read(b'[0, "done"]', "cr/rrnn-b/seed-0")
    (0, 'done')

    Raises:
        FormatError: If the reply has a different form.
    """
    try:
        message = json.loads(answer)
    except (ValueError, RecursionError):
        message = None
    if not (
        isinstance(message, list)
        and len(message) == 2
        and type(message[0]) is int
        and isinstance(message[1], str)
    ):
        raise FormatError(f"{name}: a cluster worker must return a JSON list of an exit status and a text")
    return message[0], message[1]


def run_here(arguments: str) -> bytes:
    """Execute a run in a process on this machine; return its exit status and standard error as JSON."""
    return _run(json.loads(arguments), _ending.is_set)


def on_a_worker(arguments: str) -> bytes:
    """Execute a run in a child process of a cluster's worker; the process ends if the worker ends."""
    from distributed import get_worker
    from distributed.worker import WORKER_ANY_RUNNING

    worker: Any = get_worker()
    ends = lambda: worker.status not in WORKER_ANY_RUNNING
    return _run({**json.loads(arguments), "parent": os.getpid()}, ends)


def _run(arguments: dict[str, Any], ends: Callable[[], bool]) -> bytes:
    """Execute a run on one core; when ``ends`` returns true, ask the run to save its state and end."""
    process = subprocess.Popen(
        [sys.executable, "-m", "training.campaign.job", json.dumps(arguments)],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    requested = False
    while True:
        try:
            _, words = process.communicate(timeout=LOOK_EVERY)
            return json.dumps([process.returncode, words[-MOST_SAID:]]).encode()
        except subprocess.TimeoutExpired:
            if not requested and ends():
                requested = True
                process.send_signal(signal.SIGTERM)
