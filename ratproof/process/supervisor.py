"""Execution in a child process with limits on time and memory, which can always be stopped.

A thread or a signal handler of the same process could not stop a library that holds the interpreter lock. It
could also not report anything if a library aborts the process.

The child is forked, so that all modules are already imported. It has its own process group, and it ends when
its parent ends. Signals that ask the parent to end or to pause are passed on to the child. When the child
ends, the parent ends with the same exit status or by the same signal. If the child crashed or reached a
limit, the parent reports an unknown result instead.
"""

from __future__ import annotations

import math
import mmap
import os
import resource
import select
import signal
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import Any, Literal

from ratproof.process.memory import memory_held, status_of
from ratproof.process.orphans import PR_SET_CHILD_SUBREAPER, end_with, prctl

LOOK_EVERY = 0.05
"""Interval in seconds between two checks of the memory."""
AT_ITS_END = 0.002
"""Interval in seconds between two checks when the child is about to end."""
GRACE = 2.0
"""Time in seconds that the child process has for its cleanup after it is asked to end."""
SLACK = 64 << 20, 16 << 20
"""Bytes beyond the memory limit, per process and per core, for stacks and buffers that are hardly used."""
PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
LONGEST_STAGE = 256
"""Maximum size in bytes of the description of the current stage."""
Limit = Literal["seconds", "memory"]
_stage: mmap.mmap | None = None
_until = math.inf  # the time of the limit, by time.monotonic()


@dataclass(frozen=True)
class Limits:
    """The limits of a command.

    Attributes:
        seconds: Wall-clock time until the command begins to print.
        memory: Memory of all processes of the command in bytes, without pages of files.
    """

    seconds: float
    memory: int


@dataclass(frozen=True)
class ChildExit:
    """The reason why the child process ended: an exit status, a limit, or a signal.

    Attributes:
        status: Exit status of the process; ``None`` if it was killed.
        limit: The limit that the process reached, if any.
        signal: The signal that killed the process, unless it reached a limit.
        printed: Whether the process had begun to print.
    """

    status: int | None = None
    limit: Limit | None = None
    signal: int | None = None
    printed: bool = False


class StopRequest(BaseException):
    """An exception that ends the work, so that ``with`` and ``finally`` clean up."""


def can_fork() -> bool:
    """Return whether work can be supervised on this machine.

    After libraries are loaded, a fork is only safe on Linux.
    """
    return sys.platform == "linux"


def fork_child(limits: Limits) -> ChildExit | None:
    """Fork a child, wait for it in the parent, and return how it ended.

    In the child, which does the work, the function returns ``None``. The child must run its work within
    :func:`stoppable`.
    """
    global _stage, _until
    sys.stdout.flush()
    sys.stderr.flush()
    _stage = mmap.mmap(-1, LONGEST_STAGE)  # shared with the child
    prctl(PR_SET_CHILD_SUBREAPER, 1)  # orphaned processes of the child become children of this process
    read_fd, write_fd = os.pipe()
    parent = os.getpid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # waitpid fails if SIGCHLD is ignored
    signal.pthread_sigmask(signal.SIG_BLOCK, PASSED_ON)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the threads of BLAS libraries support forks
        child = os.fork()
    if child == 0:
        end_with(parent)
        os.setpgid(0, 0)
        os.close(read_fd)
        _until = time.monotonic() + limits.seconds
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)  # so that a background group may write to the terminal
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        _bound_allocations(limits.memory)
        _report_when_printing(write_fd)
        return None
    with suppress(OSError):
        os.setpgid(child, child)  # both processes set the group, because either may be first
    os.close(write_fd)
    with _forwarding_signals(child) as (requests, paused):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, PASSED_ON)
        ended = _watch(child, read_fd, limits, paused)
    os.close(read_fd)
    return replace(ended, signal=requests[0]) if requests and ended.signal is not None else ended


class OutOfTime(Exception):
    """Raised if a program that a command calls does not end before the limit of the command's time."""


def seconds_left() -> float:
    """Return the time until the limit of this process ends it; infinity if it has no limit."""
    return _until - time.monotonic()


def note(stage: str) -> None:
    """Record the child's current stage of work, which the parent reports if the child reaches a limit."""
    if _stage is not None:
        _stage[:] = stage.encode("utf-8", "replace")[:LONGEST_STAGE].ljust(LONGEST_STAGE, b"\0")


def last_note() -> str:
    """Return the stage that the child recorded last, or an empty string if there is none."""
    return "" if _stage is None else _stage[:].rstrip(b"\0").decode("utf-8", "ignore")


@contextmanager
def stoppable() -> Iterator[None]:
    """Convert a request to end into an exception within the block, in the child.

    Cleanup code can then remove partial files.
    """

    def stop(number: int, frame: FrameType | None) -> None:
        raise StopRequest(number)

    asking = [n for n in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(n) != signal.SIG_IGN]
    for number in asking:
        signal.signal(number, stop)
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, PASSED_ON)  # a request may have arrived in the meantime
        yield
    except StopRequest as stopped:
        signal.signal(stopped.args[0], signal.SIG_DFL)
        os.kill(os.getpid(), stopped.args[0])
    finally:
        for number in asking:
            signal.signal(number, signal.SIG_DFL)


def _watch(child: int, read_fd: int, limits: Limits, paused: list[float]) -> ChildExit:
    """Wait until the child ends or reaches a limit, and return how it ended."""
    start_time, printed, listening = time.monotonic(), False, [read_fd]
    while True:
        left = limits.seconds - (time.monotonic() - start_time - sum(paused)) if not printed else LOOK_EVERY
        pause = max(0.0, min(LOOK_EVERY if listening else AT_ITS_END, left))
        if select.select(listening, [], [], pause)[0]:
            if os.read(read_fd, 1):
                printed = True
            else:
                listening = []  # the child has ended, or is about to
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        over: Limit | None = None
        if not printed and time.monotonic() - start_time - sum(paused) >= limits.seconds:
            over = "seconds"
        elif sum(map(memory_held, _descendants())) > limits.memory:
            over = "memory"
        if over is not None:
            _end(child)
            return ChildExit(limit=over, printed=printed)
    if os.WIFSIGNALED(status):
        _kill(child)
        return ChildExit(signal=os.WTERMSIG(status), printed=printed)
    return ChildExit(status=os.WEXITSTATUS(status), printed=printed)


def _descendants() -> list[int]:
    """Return the child processes of this process, their children, and so on."""
    processes = [os.getpid()]
    for process in processes:
        with suppress(OSError):
            for task in os.listdir(f"/proc/{process}/task"):
                processes += map(int, Path(f"/proc/{process}/task/{task}/children").read_text().split())
    return processes[1:]


def _end(child: int) -> None:
    """Ask the child to end, and kill it and its processes if it does not."""
    with suppress(ProcessLookupError):
        os.kill(child, signal.SIGTERM)
        os.kill(child, signal.SIGCONT)
    until = time.monotonic() + GRACE
    while time.monotonic() < until:
        if os.waitpid(child, os.WNOHANG)[0]:
            return _kill(child)
        time.sleep(0.005)
    _kill(child)
    os.waitpid(child, 0)
    return None


def _kill(child: int) -> None:
    """Kill the child's process group, and processes that have left the group."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    for process in _descendants():
        with suppress(ProcessLookupError, PermissionError):
            os.kill(process, signal.SIGKILL)


@contextmanager
def _forwarding_signals(child: int) -> Iterator[tuple[list[int], list[float]]]:
    """Pass signals on to the child within the block.

    A second request to end kills the child. The block receives two lists: the signals that requested an end,
    and the durations of the pauses in seconds.
    """
    requests: list[int] = []
    paused: list[float] = []

    def pass_on(number: int, frame: FrameType | None) -> None:
        requests.append(number)
        with suppress(ProcessLookupError):
            os.killpg(child, number if len(requests) == 1 else signal.SIGKILL)

    def pause(number: int, frame: FrameType | None) -> None:
        begun = time.monotonic()
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGSTOP)
            os.kill(os.getpid(), signal.SIGSTOP)
            os.killpg(child, signal.SIGCONT)
        paused.append(time.monotonic() - begun)

    handlers = dict.fromkeys(PASSED_ON, pass_on) | {signal.SIGTSTP: pause}
    handled = [n for n in handlers if signal.getsignal(n) != signal.SIG_IGN]
    before = {n: signal.signal(n, handlers[n]) for n in handled}
    try:
        yield requests, paused
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _bound_allocations(memory: int) -> None:
    """Limit the data segment, so that a single huge allocation fails immediately.

    ``RLIMIT_DATA`` does not count memory that is only reserved, as CUDA does.
    """
    with suppress(OSError, ValueError, KeyError, OverflowError):
        now, slack = status_of()["VmData"], SLACK[0] + SLACK[1] * (os.cpu_count() or 1)
        most = now + max(0, memory - memory_held()) + slack
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


def _report_when_printing(write_fd: int) -> None:
    """Notify the parent of the first text on standard output.

    When a command begins to print, its result is complete, and only the reader of the output can delay its
    end.
    """
    out: Any = sys.__stdout__  # the stream without escaping
    if out is None:
        return
    write = out.write

    def first(text: str) -> int:
        out.write = write
        with suppress(OSError):
            os.write(write_fd, b"p")
        return int(write(text))

    with suppress(AttributeError):
        out.write = first
