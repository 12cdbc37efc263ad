"""Execution of tasks on a Dask cluster, which continues after a worker dies or the scheduler restarts.

A task is a function with string arguments. Its result is bytes, which this module does not unpickle. Dask
itself has no such protection: anyone who can reach a scheduler can run code on its workers and clients.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from automata.errors import InputError
from ratproof.jobs.cluster_client import GONE_AWAY, connect, connected
from ratproof.jobs.local_executor import ExecutorTask, WorkerDied

TRY = 5.0
"""Seconds to wait for a lost scheduler in each attempt to reconnect."""
PAUSE = 0.5
"""Seconds between two attempts to reconnect."""
GONE = 900.0
"""Seconds after which a lost scheduler that is still unavailable is an error."""
WENT_AWAY = "the connection to the scheduler was lost; its tasks are submitted again after reconnecting"


class DaskExecutor:
    """An executor of tasks on a cluster.

    Args:
        where: The scheduler's file, or its address, ``tcp://host:8786``.
        kept: Name of the record from which the same command resumes, for the message if the scheduler remains
            unavailable.

    Raises:
        InputError: If Dask is not installed, or there is no such scheduler.
    """

    def __init__(self, where: str, kept: str) -> None:
        self.client = connected(where)
        self.where, self.kept = where, kept
        self.notes: list[str] = []
        self.out: dict[str, tuple[Any, ExecutorTask]] = {}
        """Futures and tasks, by Dask's keys."""
        self.again: list[ExecutorTask] = []
        """Tasks that wait for submission."""
        self.ended: queue.Queue[Any] = queue.Queue()
        """Futures that have ended."""
        self.gone_since: float | None = None

    def __len__(self) -> int:
        """Return the number of tasks that have not ended."""
        return len(self.out) + len(self.again)

    @property
    def is_gone(self) -> bool:
        """Return whether the scheduler is lost."""
        return self.gone_since is not None

    def threads(self) -> int:
        """Return the number of tasks that can run at once, or 0 if the scheduler is lost."""
        if self.is_gone:
            return 0
        with self._may_lose():
            return sum(self.client.nthreads().values())
        return 0

    def submit(self, function: Callable[..., bytes], *arguments: str) -> ExecutorTask:
        """Submit a task to the workers."""
        task = ExecutorTask(function, arguments)
        self.again.append(task)
        self._submit_waiting()
        return task

    def ready(self, seconds: float) -> Iterator[tuple[ExecutorTask, bytes | None]]:
        """Yield tasks that end within ``seconds`` with their results, or with ``None`` if their worker died.

        This function does not resubmit a task whose worker died.

        Raises:
            InputError: If the scheduler remains unavailable, or a worker cannot run the task.
        """
        self._reconnect()
        self._submit_waiting()
        try:
            ended = [self.ended.get(timeout=seconds)]
        except queue.Empty:
            return
        while not self.ended.empty():
            ended.append(self.ended.get())
        for future in ended:
            _, task = self.out.pop(future.key, (None, None))
            if task is not None:
                yield from self._result(future, task)

    def drop_unbegun(self) -> list[ExecutorTask]:
        """Cancel and return the tasks that no worker runs, or all tasks if the scheduler is lost."""
        begun: set[str] = set()
        if not self.is_gone:
            with self._may_lose():
                begun = {key for keys in self.client.processing().values() for key in keys}
        dropped, self.again = self.again, []
        for key in [key for key in self.out if key not in begun]:
            future, task = self.out.pop(key)
            with suppress(*GONE_AWAY):
                future.cancel()
            dropped.append(task)
        return dropped

    def close(self) -> None:
        """Cancel unfinished tasks, and leave the cluster unchanged."""
        with suppress(*GONE_AWAY):
            for future, _ in self.out.values():
                future.cancel()
            self.client.close(timeout=2)

    def _result(self, future: Any, task: ExecutorTask) -> Iterator[tuple[ExecutorTask, bytes | None]]:
        """Yield the result of a future; resubmit the task if the scheduler lost it."""
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
            raise InputError(f"a cluster worker failed: {type(problem).__name__}: {why:.200}")
        else:
            yield task, None

    def _submit_waiting(self) -> None:
        while self.again and not self.is_gone:
            with self._may_lose():
                task = self.again[-1]
                future = self.client.submit(task.function, *task.arguments, pure=False, retries=0)
                self.again.pop()
                task.times += 1
                self.out[future.key] = future, task
                future.add_done_callback(self.ended.put)

    @contextmanager
    def _may_lose(self) -> Iterator[None]:
        """If a call of the client fails, mark the scheduler as lost, and queue its tasks for resubmission.

        A client that cannot reconnect closes itself, and its methods then raise other exceptions.
        """
        try:
            yield
        except Exception as error:
            if not isinstance(error, GONE_AWAY) and self.client.status != "closed":
                raise
            self.gone_since = time.monotonic()
            self.again += [task for _, task in self.out.values()]
            self.out.clear()
            self._note()

    def _note(self) -> None:
        if WENT_AWAY not in self.notes:
            self.notes.append(WENT_AWAY)

    def _reconnect(self) -> None:
        """Try once to reconnect to a lost scheduler.

        Raises:
            InputError: If the scheduler has been unavailable for too long.
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
                    f"--cluster {self.where}: the connection to the scheduler was lost; run the same command"
                    f" again to resume from {self.kept}"
                ) from None
            time.sleep(PAUSE)
            return
        self.gone_since = None


def _bytes(message: object) -> bytes:
    """Check that a worker returned bytes, and return them."""
    if not isinstance(message, bytes):
        raise InputError(f"a cluster worker must return bytes, got {type(message).__name__}")
    return message
