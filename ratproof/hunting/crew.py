"""The workers of a hunt: processes of this machine, or the workers of a Dask cluster."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from ratproof.hunting.rounds import Round
from ratproof.jobs.children import end_children, greeting, run_chunk
from ratproof.jobs.local_executor import Executor, ExecutorTask, LocalExecutor

Chunk = list[Round]
AHEAD = 2
"""Chunks a worker that are handed out or wait."""
STARTS = 3
"""So often a worker may end before it has said a word."""


class Crew:
    """Workers, each of which runs a chunk at a time in a process of its own.

    Args:
        executor: has the chunks run.
        arguments: of :func:`ratproof.hunting.worker.work`, besides the pipe.
        seconds_a_chunk: so long a chunk should take.
    """

    def __init__(self, executor: Executor, arguments: Sequence[Any], seconds_a_chunk: float) -> None:
        self.executor, self.seconds_a_chunk = executor, seconds_a_chunk
        self.arguments = json.dumps(list(arguments))
        self.notes, self.jobs, self.failed_starts = executor.notes, 1, 0
        self.chunks: dict[ExecutorTask, Chunk] = {}
        # which targets there are is asked here: a far worker that named few would have the others left out
        self.here = executor if isinstance(executor, LocalExecutor) else LocalExecutor(1)
        for _ in range(self.here.threads()):
            self.here.submit(greeting, self.arguments)

    def room(self) -> int:
        """How many more chunks may be handed in."""
        self.jobs = self.executor.threads() or self.jobs
        return 0 if self.executor.is_gone else AHEAD * self.jobs - len(self.executor)

    def submit(self, chunk: Chunk) -> None:
        """Have a worker run it. A worker that dies takes the chunk with it: it is not tried again here."""
        payload = json.dumps([[one.target, one.number] for one in chunk])
        self.chunks[self.executor.submit(run_chunk, self.arguments, payload)] = chunk

    def ready(self, seconds: float) -> Iterator[tuple[Chunk | None, bytes | None]]:
        """What was said within so long: a chunk and its rows; a chunk and ``None``, where its worker died;
        ``None`` and what a worker says of itself.
        """
        ended = list(self.executor.ready(seconds))
        if self.here is not self.executor:
            ended += self.here.ready(0)
        for task, said in ended:
            chunk = self.chunks.pop(task, None)
            if chunk is not None:
                yield chunk, said
            elif said is None and self.failed_starts < STARTS - 1:
                self.failed_starts += 1
                self.here.submit(greeting, self.arguments)
            elif said is None:
                yield None, json.dumps({"error": "a worker ended before it said why"}).encode()
            else:
                yield None, said
                if self.here is not self.executor:
                    end_children()

    def close(self) -> None:
        """Take back what was not begun, end the processes, and leave a cluster as it was."""
        self.here.drop_unbegun()
        end_children()
        for executor in {self.here, self.executor}:
            executor.close()
