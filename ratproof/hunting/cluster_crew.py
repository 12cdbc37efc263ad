"""Workers of a Dask cluster. Its scheduler is somebody else's: a file that it wrote, or an address.

What workers send back is JSON, as bytes, which nothing here unpickles. Dask itself trusts its members: who
can reach a scheduler can run anything on its workers, and on its clients.
"""

from __future__ import annotations

import json
import queue
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from automata.errors import InputError
from ratproof.hunting.cluster_worker import WorkerDied, greeting, run_chunk
from ratproof.hunting.local_crew import AHEAD, Chunk

CONNECT = 30.0
"""Seconds to wait for the scheduler."""


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
        try:
            from distributed import Client
        except ImportError:
            raise InputError("--cluster needs Dask: pip install 'ratproof[cluster]'") from None
        file = Path(where)
        if "://" not in where and not file.is_file():
            raise InputError(
                f"--cluster {where}: is no file of a scheduler (dask scheduler --scheduler-file {where}), and"
                " no address such as tcp://host:8786"
            )
        place = {"scheduler_file": where} if "://" not in where else {"address": where}
        try:
            untyped: Any = Client
            self.client: Any = untyped(**place, timeout=CONNECT, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            why = " ".join(str(error).split())
            raise InputError(f"--cluster {where}: no scheduler answers ({why:.120})") from None
        self.arguments = json.dumps(list(arguments))
        self.chunks: dict[str, tuple[Any, Chunk]] = {}
        self.ended: queue.Queue[Any] = queue.Queue()
        self.notes: list[str] = []
        self.jobs = 1
        self._greet()

    def room(self) -> int:
        """How many more chunks may be handed in."""
        self.jobs = sum(self.client.nthreads().values()) or self.jobs
        return AHEAD * self.jobs - len(self.chunks)

    def submit(self, chunk: Chunk) -> None:
        """Have a worker run it. A worker that dies takes the chunk with it: it is not tried again here."""
        payload = json.dumps([[one.target, one.number] for one in chunk])
        self._submit(run_chunk, chunk, self.arguments, payload)

    def ready(self, seconds: float) -> Iterator[tuple[Chunk | None, bytes | None]]:
        """As :meth:`ratproof.hunting.local_crew.LocalCrew.ready`."""
        from distributed.scheduler import KilledWorker

        try:
            ended = [self.ended.get(timeout=seconds)]
        except queue.Empty:
            return
        while not self.ended.empty():
            ended.append(self.ended.get())
        for future in ended:
            _, chunk = self.chunks.pop(future.key, (None, None))
            if chunk is None:
                continue
            if future.status == "finished":
                yield chunk or None, _bytes(future.result())
            elif future.status == "error":
                problem = future.exception()
                if not isinstance(problem, KilledWorker | WorkerDied):
                    why = " ".join(str(problem).split())
                    raise InputError(f"a worker of the cluster: {type(problem).__name__}: {why:.200}")
                if chunk:
                    yield chunk, None
                else:
                    self._greet()
            else:  # the scheduler has lost it: it was restarted
                self._note("the scheduler lost what it had been handed; it is handed in again")
                self.submit(chunk) if chunk else self._greet()

    def close(self) -> None:
        """Take back what was not begun, and leave the cluster as it was."""
        for future, _ in self.chunks.values():
            future.cancel()
        self.client.close(timeout=2)

    def _greet(self) -> None:
        self._submit(greeting, [], self.arguments)

    def _submit(self, function: Any, chunk: Chunk, *arguments: Any) -> None:
        future: Any = self.client.submit(function, *arguments, pure=False, retries=0)
        self.chunks[future.key] = future, chunk
        future.add_done_callback(self.ended.put)

    def _note(self, says: str) -> None:
        if says not in self.notes:
            self.notes.append(says)


def _bytes(said: Any) -> bytes:
    """Raises :class:`~automata.errors.InputError` where a worker sent something else."""
    if not isinstance(said, bytes):
        raise InputError(f"a worker of the cluster sent {type(said).__name__}, where bytes are right")
    return said
