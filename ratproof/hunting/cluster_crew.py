"""Workers of a Dask cluster, as a hunt's crew. Its scheduler is somebody else's: a file that it wrote, or an
address.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from typing import Any

from ratproof.hunting.cluster_tasks import ClusterTask, ClusterTasks
from ratproof.hunting.cluster_worker import WorkerDied, greeting, run_chunk
from ratproof.hunting.local_crew import AHEAD, Chunk


class ClusterCrew:
    """A Dask cluster's workers, each of which runs a chunk at a time in a process of its own.

    Args:
        where: the scheduler's file, or its address, ``tcp://host:8786``.
        arguments: of :func:`ratproof.hunting.worker.work`, besides the pipe.

    Raises :class:`~automata.errors.InputError`: Dask is not installed, or there is no such scheduler.
    """

    seconds_a_chunk = 30.0
    """So long a chunk should take: Dask spends about a thousandth of a second on each."""

    def __init__(self, where: str, arguments: Sequence[Any]) -> None:
        self.tasks = ClusterTasks(where, kept="the ledger")
        self.arguments = json.dumps(list(arguments))
        self.notes = self.tasks.notes
        self.jobs = 1
        self.chunks: dict[ClusterTask, Chunk] = {}
        threading.Thread(target=self._greet, daemon=True).start()

    def room(self) -> int:
        """How many more chunks may be handed in."""
        self.jobs = self.tasks.threads() or self.jobs
        return 0 if self.tasks.is_gone else AHEAD * self.jobs - len(self.tasks)

    def submit(self, chunk: Chunk) -> None:
        """Have a worker run it. A worker that dies takes the chunk with it: it is not tried again here."""
        payload = json.dumps([[one.target, one.number] for one in chunk])
        self.chunks[self.tasks.submit(run_chunk, self.arguments, payload)] = chunk

    def ready(self, seconds: float) -> Iterator[tuple[Chunk | None, bytes | None]]:
        """As :meth:`ratproof.hunting.local_crew.LocalCrew.ready`."""
        for task, said in self.tasks.ready(seconds):
            yield None if task is None else self.chunks.pop(task), said

    def close(self) -> None:
        """Take back what was not begun, and leave the cluster as it was."""
        self.tasks.close()

    def _greet(self) -> None:
        """Which targets there are is asked here: a worker that named few would have the others left out."""
        try:
            says = greeting(self.arguments)
        except WorkerDied as error:
            says = json.dumps({"error": f"on this machine, {error}"}).encode()
        self.tasks.ended.put(says)
