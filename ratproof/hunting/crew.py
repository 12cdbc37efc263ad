"""The workers of a hunt: local processes, or workers of a Dask cluster."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from ratproof.hunting.rounds import Round
from ratproof.jobs.children import end_children, first_message, run_chunk
from ratproof.jobs.local_executor import Executor, ExecutorTask, LocalExecutor

Chunk = list[Round]
AHEAD = 2
"""Maximum number of chunks per worker that are running or waiting."""
STARTS = 3
"""Maximum number of workers that may die before they send their first message."""


class Crew:
    """The workers of a hunt. Each worker is a process that runs one chunk of rounds at a time.

    Args:
        executor: The executor that runs the chunks.
        arguments: Arguments of :func:`ratproof.hunting.worker.work`, except the pipe.
        seconds_a_chunk: Target duration of a chunk in seconds.
    """

    def __init__(self, executor: Executor, arguments: Sequence[object], seconds_a_chunk: float) -> None:
        self.executor, self.seconds_a_chunk = executor, seconds_a_chunk
        self.arguments = json.dumps(list(arguments))
        self.notes, self.jobs, self.failed_starts = executor.notes, 1, 0
        self.chunks: dict[ExecutorTask, Chunk] = {}
        # a local process lists the targets, because a remote worker could omit some
        self.here = executor if isinstance(executor, LocalExecutor) else LocalExecutor(1)
        for _ in range(self.here.threads()):
            self.here.submit(first_message, self.arguments)

    def free_slots(self) -> int:
        """Return how many more chunks of rounds may be submitted now."""
        self.jobs = self.executor.threads() or self.jobs
        return 0 if self.executor.is_gone else AHEAD * self.jobs - len(self.executor)

    def submit(self, chunk: Chunk) -> None:
        """Submit a chunk of rounds. If its worker dies, the chunk is not submitted again."""
        payload = json.dumps([[one.target, one.number] for one in chunk])
        self.chunks[self.executor.submit(run_chunk, self.arguments, payload)] = chunk

    def ready(self, seconds: float) -> Iterator[tuple[Chunk | None, bytes | None]]:
        """Yield the messages that arrive within the given number of seconds.

        Each item is a pair of a chunk and a message. The message contains the results of the chunk; it is
        ``None`` if the worker of the chunk died. With the first message of a worker, the chunk is ``None``.
        """
        ended = list(self.executor.ready(seconds))
        if self.here is not self.executor:
            ended += self.here.ready(0)
        for task, message in ended:
            chunk = self.chunks.pop(task, None)
            if chunk is not None:
                yield chunk, message
            elif message is None and self.failed_starts < STARTS - 1:
                self.failed_starts += 1
                self.here.submit(first_message, self.arguments)
            elif message is None:
                yield None, json.dumps({"error": "a worker ended without an error message"}).encode()
            else:
                yield None, message
                if self.here is not self.executor:
                    end_children()

    def close(self) -> None:
        """Cancel the pending chunks, and end the local processes. A Dask cluster continues to run."""
        self.here.drop_unbegun()
        end_children()
        for executor in {self.here, self.executor}:
            executor.close()


def cluster_crew(address: str, arguments: Sequence[object]) -> Crew:
    """Return a crew of workers on the Dask cluster with this address."""
    from ratproof.jobs.dask_executor import DaskExecutor  # needs the extra "cluster"

    # Dask spends about a thousandth of a second on each chunk
    return Crew(DaskExecutor(address, kept="the ledger"), arguments, seconds_a_chunk=30.0)
