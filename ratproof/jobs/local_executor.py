"""Tasks that threads of this process do, each of which waits for a process of its own."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol


class WorkerDied(RuntimeError):
    """The process that did a task ended before it was done."""


@dataclass(eq=False)
class ExecutorTask:
    """A call that a worker makes.

    Attributes:
        function: of a module that workers have.
        arguments: its arguments.
        times: so often it was handed in, since schedulers that go away forget it.
    """

    function: Callable[..., bytes]
    arguments: tuple[str, ...]
    times: int = 0


class Executor(Protocol):
    """Has tasks done.

    Attributes:
        notes: what happened to the workers.
        is_gone: has what hands out the tasks gone away?
    """

    notes: list[str]

    @property
    def is_gone(self) -> bool: ...

    def __len__(self) -> int:
        """How many tasks have not ended."""

    def threads(self) -> int:
        """How many tasks can be done at once; 0 if it is not known now."""

    def submit(self, function: Callable[..., bytes], *arguments: str) -> ExecutorTask:
        """Have a worker do it."""

    def ready(self, seconds: float) -> Iterator[tuple[ExecutorTask, bytes | None]]:
        """Yield what ended within so long: a task and its answer; ``None`` if its worker died."""

    def drop_unbegun(self) -> list[ExecutorTask]:
        """Take back what no worker is at."""

    def close(self) -> None:
        """Take back what has not ended."""


class LocalExecutor:
    """Threads of this process, a task each at a time.

    Args:
        jobs: how many.
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
        """How many there are."""
        return self.jobs

    def submit(self, function: Callable[..., bytes], *arguments: str) -> ExecutorTask:
        """Have it done as soon as a thread is free."""
        task = ExecutorTask(function, arguments, times=1)
        future = self._pool.submit(function, *arguments)
        self._out[future] = task
        future.add_done_callback(self._ended.put)
        return task

    def ready(self, seconds: float) -> Iterator[tuple[ExecutorTask, bytes | None]]:
        """Yield what ended within so long; raise what a task raised, unless its worker died."""
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
        """Take back what no thread is at."""
        return [self._out.pop(future) for future in list(self._out) if future.cancel()]

    def close(self) -> None:
        """Take back what is not begun, and wait for the rest."""
        self._pool.shutdown(cancel_futures=True)
