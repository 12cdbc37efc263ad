"""Tasks of a Dask cluster, and what becomes of them where a worker dies or the scheduler goes away and comes
back: hunts and campaigns hand in their work here.

A task is a function with texts for arguments, and its answer is bytes, which nothing here unpickles. Dask
itself trusts its members: who can reach a scheduler can run anything on its workers, and on its clients.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from automata.errors import InputError
from ratproof.jobs.cluster_client import GONE_AWAY, connect, connected
from ratproof.jobs.local_executor import ExecutorTask, WorkerDied

TRY = 5.0
"""Seconds to wait for a scheduler that has gone away, at each try."""
PAUSE = 0.5
"""Seconds between two tries."""
GONE = 900.0
"""So long a scheduler that has gone away may take to come back."""
WENT_AWAY = "the scheduler went away; what it had been handed is handed in again when it is back"


class DaskExecutor:
    """What a cluster was handed.

    Args:
        where: the scheduler's file, or its address, ``tcp://host:8786``.
        kept: what goes on by the same command where the scheduler stays away.

    Raises :class:`~automata.errors.InputError`: Dask is not installed, or there is no such scheduler.
    """

    def __init__(self, where: str, kept: str) -> None:
        self.client = connected(where)
        self.where, self.kept = where, kept
        self.notes: list[str] = []
        self.out: dict[str, tuple[Any, ExecutorTask]] = {}
        """Futures and tasks, by Dask's keys."""
        self.again: list[ExecutorTask] = []
        """To be handed in."""
        self.ended: queue.Queue[Any] = queue.Queue()
        """Futures that have ended."""
        self.gone_since: float | None = None

    def __len__(self) -> int:
        """How many have not ended."""
        return len(self.out) + len(self.again)

    @property
    def is_gone(self) -> bool:
        """Has the scheduler gone away?"""
        return self.gone_since is not None

    def threads(self) -> int:
        """How many tasks the workers can do at once; 0 where the scheduler has gone away."""
        if self.is_gone:
            return 0
        try:
            return sum(self.client.nthreads().values())
        except GONE_AWAY:
            self._lose()
            return 0

    def submit(self, function: Callable[..., bytes], *arguments: str) -> ExecutorTask:
        """Have a worker do it."""
        task = ExecutorTask(function, arguments)
        self.again.append(task)
        self._hand_in()
        return task

    def ready(self, seconds: float) -> Iterator[tuple[ExecutorTask, bytes | None]]:
        """What was said within so long: a task and its answer; a task and ``None``, where its worker died,
        which takes the task with it: it is not tried again here.

        Raises :class:`~automata.errors.InputError`: the scheduler stays away, or a worker cannot do it.
        """
        self._come_back()
        self._hand_in()
        try:
            ended = [self.ended.get(timeout=seconds)]
        except queue.Empty:
            return
        while not self.ended.empty():
            ended.append(self.ended.get())
        for future in ended:
            _, task = self.out.pop(future.key, (None, None))
            if task is not None:
                yield from self._said(future, task)

    def drop_unbegun(self) -> list[ExecutorTask]:
        """Take back what no worker is at; all, where the scheduler has gone away."""
        begun: set[str] = set()
        if not self.is_gone:
            try:
                begun = {key for keys in self.client.processing().values() for key in keys}
            except GONE_AWAY:
                self._lose()
        dropped, self.again = self.again, []
        for key in [key for key in self.out if key not in begun]:
            future, task = self.out.pop(key)
            with suppress(*GONE_AWAY):
                future.cancel()
            dropped.append(task)
        return dropped

    def close(self) -> None:
        """Take back what has not ended, and leave the cluster as it was."""
        with suppress(*GONE_AWAY):
            for future, _ in self.out.values():
                future.cancel()
            self.client.close(timeout=2)

    def _said(self, future: Any, task: ExecutorTask) -> Iterator[tuple[ExecutorTask, bytes | None]]:
        """What came of a future; of one that the scheduler has lost, nothing: it is handed in again."""
        from distributed.scheduler import KilledWorker

        problem = future.exception() if future.status == "error" else None
        if future.status == "finished":
            try:
                yield task, _bytes(future.result(timeout=TRY))
                return
            except GONE_AWAY:
                problem = None
        if problem is None:
            self._note()
            self.again.append(task)
        elif not isinstance(problem, KilledWorker | WorkerDied):
            why = " ".join(str(problem).split())
            raise InputError(f"a worker of the cluster: {type(problem).__name__}: {why:.200}")
        else:
            yield task, None

    def _hand_in(self) -> None:
        while self.again and not self.is_gone:
            task = self.again.pop()
            try:
                future = self.client.submit(task.function, *task.arguments, pure=False, retries=0)
            except GONE_AWAY:
                self.again.append(task)
                self._lose()
                return
            task.times += 1
            self.out[future.key] = future, task
            future.add_done_callback(self.ended.put)

    def _lose(self) -> None:
        """The scheduler has gone away: all that it had been handed is to be handed in again."""
        self.gone_since = time.monotonic()
        self.again += [task for _, task in self.out.values()]
        self.out.clear()
        self._note()

    def _note(self) -> None:
        if WENT_AWAY not in self.notes:
            self.notes.append(WENT_AWAY)

    def _come_back(self) -> None:
        """Try once to find the scheduler again, where it has gone away.

        Raises :class:`~automata.errors.InputError` where it stays away.
        """
        if self.gone_since is None:
            return
        try:
            with suppress(*GONE_AWAY):
                self.client.close(timeout=1)
            self.client = connect(self.where, TRY)
        except GONE_AWAY:
            if time.monotonic() - self.gone_since > GONE:
                raise InputError(
                    f"--cluster {self.where}: the scheduler went away and did not come back; the same"
                    f" command goes on from what {self.kept} has"
                ) from None
            time.sleep(PAUSE)
            return
        self.gone_since = None


def _bytes(said: Any) -> bytes:
    """Raises :class:`~automata.errors.InputError` where a worker sent something else."""
    if not isinstance(said, bytes):
        raise InputError(f"a worker of the cluster sent {type(said).__name__}, where bytes are right")
    return said
