"""Execution of tasks in threads of this process; a task can wait for a child process."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol


class WorkerDied(RuntimeError):
    """Raised if the process of a task ended before the task was finished."""


@dataclass(eq=False)
class ExecutorTask:
    """A function call for a worker.

    Attributes:
        function: A function from a module that workers can import.
        arguments: Its arguments.
        times: Number of submissions; a task is submitted again if its scheduler is lost.
    """

    function: Callable[..., bytes]
    arguments: tuple[str, ...]
    times: int = 0


class Executor(Protocol):
    """An executor of tasks.

    Attributes:
        notes: Messages about events of the workers.
        is_gone: Whether the scheduler is lost.
    """

    notes: list[str]

    @property
    def is_gone(self) -> bool: ...

    def __len__(self) -> int:
        """Return the number of tasks that have not ended."""

    def threads(self) -> int:
        """Return the number of tasks that can run at once; 0 if it is currently unknown."""

    def submit(self, function: Callable[..., bytes], *arguments: str) -> ExecutorTask:
        """Submit a task."""

    def ready(self, seconds: float) -> Iterator[tuple[ExecutorTask, bytes | None]]:
        """Yield tasks that end within ``seconds``, with their results, or ``None`` if their worker died."""

    def drop_unbegun(self) -> list[ExecutorTask]:
        """Cancel and return tasks that no worker runs."""

    def close(self) -> None:
        """Cancel unfinished tasks."""


class LocalExecutor:
    """An executor with threads of this process, one task per thread at a time.

    Args:
        jobs: Number of threads.
    """

    is_gone = False

    def __init__(self, jobs: int) -> None:
        self.jobs, self.notes = jobs, list[str]()
        self._pool = ThreadPoolExecutor(jobs)
        self._out: dict[Future[bytes], ExecutorTask] = {}
        self._ended: queue.Queue[Future[bytes]] = queue.Queue()

    def __len__(self) -> int:
        return len(self._out)

    def threads(self) -> int:
        """Return the number of threads."""
        return self.jobs

    def submit(self, function: Callable[..., bytes], *arguments: str) -> ExecutorTask:
        """Submit a task, which runs as soon as a thread is free."""
        task = ExecutorTask(function, arguments, times=1)
        future = self._pool.submit(function, *arguments)
        self._out[future] = task
        future.add_done_callback(self._ended.put)
        return task

    def ready(self, seconds: float) -> Iterator[tuple[ExecutorTask, bytes | None]]:
        """Yield tasks that end within ``seconds`` with their results, or with ``None`` if their worker died.

        Any other exception of a task is raised.
        """
        try:
            ended = [self._ended.get(timeout=seconds)] if seconds else []
        except queue.Empty:
            return
        while not self._ended.empty():
            ended.append(self._ended.get())
        for future in ended:
            task = self._out.pop(future, None)
            if task is not None:
                died = isinstance(future.exception(), WorkerDied)
                yield task, None if died else future.result()

    def drop_unbegun(self) -> list[ExecutorTask]:
        """Cancel and return tasks that no thread runs."""
        return [self._out.pop(future) for future in list(self._out) if future.cancel()]

    def close(self) -> None:
        """Cancel pending tasks, and wait for running tasks."""
        self._pool.shutdown(cancel_futures=True)
