"""Workers on this machine, one process a core."""

from __future__ import annotations

import json
import multiprocessing
import os
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import Any

from ratproof.hunting.rounds import Round
from ratproof.process.interpreter import without_main_program
from ratproof.process.orphans import run_with

Chunk = list[Round]
AHEAD = 2
"""Chunks a worker that are handed out or wait."""
STARTS = 3
"""So often a worker may end before it has said a word."""


@dataclass
class _Hand:
    """A process, its pipe, and the chunk that it is at."""

    process: Any
    pipe: Any
    chunk: Chunk | None = None
    is_ready: bool = False


class LocalCrew:
    """Processes that run chunks; one that dies is replaced.

    Args:
        jobs: how many.
        arguments: of :func:`ratproof.hunting.worker.work`, besides the pipe.
    """

    seconds_a_chunk = 1.0
    """So long a chunk should take."""

    def __init__(self, jobs: int, arguments: Sequence[Any]) -> None:
        self.jobs, self.arguments = jobs, tuple(arguments)
        self.context = multiprocessing.get_context("spawn")
        # Each worker is one process on one core: the libraries below should not start threads of their own.
        os.environ.update(OMP_NUM_THREADS="1", NUMBA_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
        self.waiting: deque[Chunk] = deque()
        self.failed_starts = 0
        self.notes: list[str] = []
        with without_main_program():
            self.hands = [self._hire() for _ in range(jobs)]

    def room(self) -> int:
        """How many more chunks may be handed in."""
        busy = sum(hand.chunk is not None for hand in self.hands)
        return AHEAD * self.jobs - busy - len(self.waiting)

    def submit(self, chunk: Chunk) -> None:
        """Have a worker run it, as soon as one is free."""
        self.waiting.append(chunk)
        self._hand_out()

    def ready(self, seconds: float) -> Iterator[tuple[Chunk | None, bytes | None]]:
        """What was said within so long: a chunk and its rows; a chunk and ``None``, where its worker died;
        ``None`` and what a worker says of itself.
        """
        pipes = {hand.pipe: place for place, hand in enumerate(self.hands)}
        for pipe in wait(list(pipes), timeout=seconds):
            place = pipes[pipe]
            hand = self.hands[place]
            try:
                said = hand.pipe.recv_bytes()
            except (EOFError, OSError):
                yield from self._replace(place)
                continue
            chunk, hand.chunk = hand.chunk, None
            hand.is_ready = True
            yield chunk, said
        self._hand_out()

    def close(self) -> None:
        """End all workers."""
        for hand in self.hands:
            hand.process.terminate()

    def _replace(self, place: int) -> Iterator[tuple[Chunk | None, bytes | None]]:
        hand = self.hands[place]
        hand.process.terminate()
        self.failed_starts += not hand.is_ready
        if hand.chunk is not None:
            yield hand.chunk, None
        if self.failed_starts >= STARTS:
            yield None, json.dumps({"error": "a worker ended before it said why"}).encode()
            return
        with without_main_program():
            self.hands[place] = self._hire()

    def _hire(self) -> _Hand:
        ours, theirs = self.context.Pipe()
        own = os.getpid(), "ratproof.hunting.worker", "work"
        process = self.context.Process(target=run_with, args=(*own, theirs, *self.arguments), daemon=True)
        process.start()
        theirs.close()  # so that its end is seen here
        return _Hand(process, ours)

    def _hand_out(self) -> None:
        for hand in self.hands:
            if self.waiting and hand.is_ready and hand.chunk is None:
                hand.chunk = self.waiting.popleft()
                chunk = [[one.target, one.number] for one in hand.chunk]
                with suppress(OSError):  # where it has died, which is seen when its pipe is read
                    hand.pipe.send_bytes(json.dumps(chunk).encode())
