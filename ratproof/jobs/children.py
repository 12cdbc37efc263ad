"""Processes that run chunks of a hunt.

Their parent is a worker of a Dask cluster, or the process of the hunt. They end when the parent ends.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection

from ratproof.jobs.local_executor import WorkerDied


@dataclass
class _Child:
    process: subprocess.Popen[bytes]
    pipe: Connection
    says: bytes = b""


_free: dict[str, list[_Child]] = defaultdict(list)
_busy: set[int] = set()
"""The processes that are busy or starting."""
_lock = threading.Lock()


def first_message(arguments: str) -> bytes:
    """Return the first message of a child process: its installation, and the names of the hunt's targets.

    ``arguments`` are the arguments of :func:`ratproof.hunting.worker.work`, as JSON.

    Raises:
        WorkerDied: If the process ends before it sends the message.
    """
    child = _start(arguments)
    _give_back(arguments, child)
    return child.says


def run_chunk(arguments: str, chunk: str) -> bytes:
    """Run a chunk of a hunt's rounds in a child process, and return its results as JSON: a row per round.

    Raises:
        WorkerDied: If the process ends before it sends the rows.
    """
    child = _take(arguments)
    try:
        child.pipe.send_bytes(chunk.encode())
        rows = child.pipe.recv_bytes()
    except (EOFError, OSError):
        _end(child)
        raise WorkerDied("the process that ran the chunk ended") from None
    _give_back(arguments, child)
    return rows


def _take(arguments: str) -> _Child:
    with _lock:
        if _free[arguments]:
            child = _free[arguments].pop()
            _busy.add(child.process.pid)
            return child
        idle = [child for other in list(_free) if other != arguments for child in _free.pop(other)]
    for child in idle:  # the hunt of these processes has ended, or can start new ones
        _end(child)
    return _start(arguments)


def _give_back(arguments: str, child: _Child) -> None:
    with _lock:
        _busy.discard(child.process.pid)
        _free[arguments].append(child)


def end_children() -> None:
    """End all processes that this module started; their current tasks raise :class:`WorkerDied`."""
    with _lock:
        for pid in _busy:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        idle = [child for children in _free.values() for child in children]
        _free.clear()
    for child in idle:
        _end(child)


def _end(child: _Child) -> None:
    with _lock:
        _busy.discard(child.process.pid)
    child.process.kill()
    child.process.wait()
    child.pipe.close()


def _start(arguments: str) -> _Child:
    ours, theirs = socket.socketpair()
    process = subprocess.Popen(
        [sys.executable, "-m", __name__, str(theirs.fileno()), str(os.getpid()), arguments],
        pass_fds=[theirs.fileno()],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    )
    theirs.close()
    child = _Child(process, Connection(ours.detach()))
    with _lock:
        _busy.add(process.pid)
    try:
        child.says = child.pipe.recv_bytes()
        return child
    except (EOFError, OSError):
        _end(child)
        raise WorkerDied("the process ended before it found the targets") from None


def main(argv: list[str]) -> None:
    """Run a child process with the given pipe end, parent and arguments."""
    from ratproof.process.orphans import run_with

    descriptor, parent, arguments = int(argv[0]), int(argv[1]), json.loads(argv[2])
    run_with(parent, "ratproof.hunting.worker", "work", Connection(descriptor), *arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
