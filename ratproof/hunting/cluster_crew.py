"""Workers of a Dask cluster. Its scheduler is somebody else's: a file that it wrote, or an address.

What workers send back is JSON, as bytes, which nothing here unpickles. Dask itself trusts its members: who
can reach a scheduler can run anything on its workers, and on its clients.
"""

from __future__ import annotations

import json
import queue
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from automata.errors import InputError
from ratproof.hunting.cluster_client import GONE_AWAY, connect, connected
from ratproof.hunting.cluster_worker import WorkerDied, greeting, run_chunk
from ratproof.hunting.local_crew import AHEAD, Chunk

TRY = 5.0
"""Seconds to wait for a scheduler that has gone away, at each try."""
GONE = 900.0
"""So long a scheduler that has gone away may take to come back."""


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
        self.client = connected(where)
        self.where, self.arguments = where, json.dumps(list(arguments))
        self.notes: list[str] = []
        self.jobs = 1
        self.chunks: dict[str, tuple[Any, Chunk]] = {}
        self.again: list[Chunk] = []
        """To be handed in."""
        self.ended: queue.Queue[Any] = queue.Queue()
        """Futures, and the greeting."""
        self.gone_since: float | None = None
        threading.Thread(target=self._greet, daemon=True).start()

    def room(self) -> int:
        """How many more chunks may be handed in."""
        if self.gone_since is not None:
            return 0
        try:
            self.jobs = sum(self.client.nthreads().values()) or self.jobs
        except GONE_AWAY:
            self._lose()
            return 0
        return AHEAD * self.jobs - len(self.chunks) - len(self.again)

    def submit(self, chunk: Chunk) -> None:
        """Have a worker run it. A worker that dies takes the chunk with it: it is not tried again here."""
        self.again.append(chunk)
        self._hand_in()

    def ready(self, seconds: float) -> Iterator[tuple[Chunk | None, bytes | None]]:
        """As :meth:`ratproof.hunting.local_crew.LocalCrew.ready`."""
        self._come_back()
        self._hand_in()
        try:
            ended = [self.ended.get(timeout=seconds)]
        except queue.Empty:
            return
        while not self.ended.empty():
            ended.append(self.ended.get())
        for future in ended:
            if isinstance(future, bytes):
                yield None, future
                continue
            _, chunk = self.chunks.pop(future.key, (None, None))
            if chunk is not None:
                yield from self._said(future, chunk)

    def close(self) -> None:
        """Take back what was not begun, and leave the cluster as it was."""
        with suppress(*GONE_AWAY):
            for future, _ in self.chunks.values():
                future.cancel()
            self.client.close(timeout=2)

    def _greet(self) -> None:
        """Which targets there are is asked here: a worker that named few would have the others left out."""
        try:
            says = greeting(self.arguments)
        except WorkerDied as error:
            says = json.dumps({"error": f"on this machine, {error}"}).encode()
        self.ended.put(says)

    def _said(self, future: Any, chunk: Chunk) -> Iterator[tuple[Chunk | None, bytes | None]]:
        """What came of a future; of one that the scheduler has lost, nothing: it is handed in again."""
        from distributed.scheduler import KilledWorker

        problem = future.exception() if future.status == "error" else None
        if future.status == "finished":
            try:
                yield chunk, _bytes(future.result(timeout=TRY))
                return
            except GONE_AWAY:
                problem = None
        if problem is None:
            self._note()
            self.again.append(chunk)
        elif not isinstance(problem, KilledWorker | WorkerDied):
            why = " ".join(str(problem).split())
            raise InputError(f"a worker of the cluster: {type(problem).__name__}: {why:.200}")
        else:
            yield chunk, None

    def _hand_in(self) -> None:
        while self.again and self.gone_since is None:
            chunk = self.again.pop()
            payload = json.dumps([[one.target, one.number] for one in chunk])
            try:
                future = self.client.submit(run_chunk, self.arguments, payload, pure=False, retries=0)
            except GONE_AWAY:
                self.again.append(chunk)
                self._lose()
                return
            self.chunks[future.key] = future, chunk
            future.add_done_callback(self.ended.put)

    def _lose(self) -> None:
        """The scheduler has gone away: all that it had been handed is to be handed in again."""
        self.gone_since = time.monotonic()
        self.again += [chunk for _, chunk in self.chunks.values()]
        self.chunks.clear()
        self._note()

    def _note(self) -> None:
        says = "the scheduler went away; what it had been handed is handed in again when it is back"
        if says not in self.notes:
            self.notes.append(says)

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
                    " command goes on from what the ledger has"
                ) from None
            time.sleep(1)
            return
        self.gone_since = None


def _bytes(said: Any) -> bytes:
    """Raises :class:`~automata.errors.InputError` where a worker sent something else."""
    if not isinstance(said, bytes):
        raise InputError(f"a worker of the cluster sent {type(said).__name__}, where bytes are right")
    return said
