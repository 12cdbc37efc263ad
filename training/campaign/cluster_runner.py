"""A campaign's runs on the workers of a Dask cluster that see the campaign's folder and the data."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import threading
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from automata.errors import FormatError
from automata.io.files import write_whole
from ratproof.hunting.cluster_tasks import ClusterTask, ClusterTasks
from ratproof.process.exit_statuses import INTERRUPTED
from training.campaign.installation import installation
from training.campaign.job import STOP, TAKEN
from training.campaign.runners import start

UNKNOWN_END = -9
"""The exit status of a run whose worker ended again and again."""
MOST_SAID = 20_000
"""Characters of what a run said that a worker sends."""
LOST = 3
"""So often a run goes on on another worker, where its own died."""
PATIENCE = 120.0
"""Seconds that a run waits for the worker that lost it to end."""
LOOK_EVERY = 0.2
"""Seconds between two looks at the runs, and at a worker's own end."""


@dataclass
class _Run:
    """A run that was asked for.

    Attributes:
        name: of the run.
        said: the words of :mod:`training.campaign.job`.
        ended: its exit status and what it said.
        deaths: of workers that were at it.
    """

    name: str
    said: dict[str, Any]
    ended: Future[tuple[int, str]] = field(default_factory=Future)
    deaths: int = 0


class ClusterRunner:
    """Workers of a Dask cluster, a run each at a time. A run whose worker died goes on on another one; where
    the scheduler went away, all go on when it is back.

    Args:
        where: the scheduler's file, or its address.
        folder: of the campaign.

    Raises :class:`~automata.errors.InputError`: Dask is not installed, or there is no such scheduler.
    """

    def __init__(self, where: str, folder: Path) -> None:
        self.tasks = ClusterTasks(where, kept="the campaign's folder")
        self.notes = self.tasks.notes
        self.folder = folder
        self.jobs = max(1, self.tasks.threads())
        self._installation = installation()
        self._asked: queue.Queue[_Run] = queue.Queue()
        self._going: dict[ClusterTask, _Run] = {}
        self._ending = self._closed = False
        (folder / STOP).unlink(missing_ok=True)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def run(self, name: str, said: dict[str, Any]) -> tuple[int, str]:
        """On a worker."""
        asked = _Run(name, {**said, "installation": self._installation})
        self._asked.put(asked)
        return asked.ended.result()

    def end(self) -> None:
        """By a file in the campaign's folder, at which runs look; those that no worker is at are dropped."""
        write_whole(self.folder / STOP, "")
        self._ending = True

    def close(self) -> None:
        """Nothing more is to be run."""
        self._closed = True
        self._thread.join()
        self.tasks.close()

    def _serve(self) -> None:
        """The one thread that speaks with the scheduler."""
        problem: Exception | None = None
        while not self._closed:
            try:
                if problem is None:
                    self._look()
                else:
                    self._fail(problem)
            except Exception as error:  # it is raised where a run is waited for
                problem = error

    def _fail(self, problem: Exception) -> None:
        """All runs that wait, and will, end with it."""
        while self._going:
            self._going.popitem()[1].ended.set_exception(problem)
        with suppress(queue.Empty):
            self._asked.get(timeout=LOOK_EVERY).ended.set_exception(problem)

    def _look(self) -> None:
        while not self._asked.empty():
            self._submit(self._asked.get())
        for task, said in self.tasks.ready(LOOK_EVERY):
            if task is not None:
                self._take(task, self._going[task], said)
                del self._going[task]
        self.jobs = self.tasks.threads() or self.jobs
        if self._ending:
            for task in self.tasks.drop_unbegun():
                self._going.pop(task).ended.set_result((INTERRUPTED, ""))

    def _submit(self, run: _Run) -> None:
        self._going[self.tasks.submit(on_a_worker, json.dumps(run.said))] = run

    def _take(self, task: ClusterTask, run: _Run, answer: bytes | None) -> None:
        """What came of it, unless it is to go on on another worker."""
        if answer is None:
            run.deaths += 1
            if run.deaths == LOST:
                run.ended.set_result(
                    (UNKNOWN_END, f"{LOST} workers died of it; its folder has what it had kept")
                )
                return
        else:
            status, words = read(answer, run.name)
            if not self._goes_on(status, task, run):
                run.ended.set_result((status, words))
                return
        run.said = {**run.said, "patience": PATIENCE}
        self._submit(run)

    def _goes_on(self, status: int, task: ClusterTask, run: _Run) -> bool:
        """Is it to be handed in once more? Where its worker ended and had it keep what it has; and where the
        scheduler went away: the worker that had it may take a while to end, and is at it until then.
        """
        if status == INTERRUPTED:
            return not (self._ending or (self.folder / STOP).exists())
        return status == TAKEN and task.times > 1 and "patience" not in run.said


def read(answer: bytes, name: str) -> tuple[int, str]:
    """The exit status of a run, and what it said, as a worker sends them: a JSON list.

    Raises :class:`~automata.errors.FormatError`: it is nothing of the kind.

    >>> read(b'[0, "done"]', "cr/rrnn-b/seed-0")
    (0, 'done')
    """
    try:
        said = json.loads(answer)
    except (ValueError, RecursionError):
        said = None
    if not (isinstance(said, list) and len(said) == 2 and type(said[0]) is int and isinstance(said[1], str)):
        raise FormatError(f"{name}: a worker of the cluster sent no exit status and text")
    return said[0], said[1]


def on_a_worker(said: str) -> bytes:
    """A run, in a process of the worker's, which ends with it: its exit status, and what it said.

    Where the worker is about to end, the run is asked to keep what it has.
    """
    from distributed import get_worker
    from distributed.worker import WORKER_ANY_RUNNING

    worker: Any = get_worker()
    process = start({**json.loads(said), "parent": os.getpid()})
    asked = False
    while True:
        try:
            _, words = process.communicate(timeout=LOOK_EVERY)
            return json.dumps([process.returncode, words[-MOST_SAID:]]).encode()
        except subprocess.TimeoutExpired:
            if worker.status not in WORKER_ANY_RUNNING and not asked:
                asked = True
                process.send_signal(signal.SIGTERM)
