"""The options ``--limit-seconds`` and ``--limit-memory``, which end a command as ``unknown`` (exit status 3).

:func:`add` adds the options to all commands. A separate process does the work of each command, and
:mod:`ratproof.process.supervisor` watches it. Therefore, a limit holds even if a file makes a library hang.
"""

from __future__ import annotations

import errno
import inspect
import math
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Annotated

import typer

from automata.errors import InputError
from automata.text.number_text import shorten
from ratproof.process import supervisor
from ratproof.process.exit_statuses import UNKNOWN
from ratproof.process.json_answers import print_json
from ratproof.process.memory import free_memory, memory_held
from ratproof.process.streams import styled
from ratproof.process.supervisor import ChildExit, Limits

SECONDS = 600.0
"""The default of ``--limit-seconds``."""
SHARE = 0.8
"""The default of ``--limit-memory``, as a share of the memory that is free when a command starts."""
ROOM = 64 << 20
"""Minimum of ``--limit-memory`` in bytes, in addition to the memory that ratproof itself uses."""
VERDICTS = frozenset({"equivalent", "check-certificate", "certify", "not-rational", "replay", "rules decide"})
"""Commands whose result is a verdict; at a limit, they print ``unknown`` on standard output.

Other commands print a message on standard error.
"""
OTHERS = "score convert draw sample minimise rank compile extract figures"
AUTOMATA = "intersect union difference complement reverse determinise trim regex enumerate count shortest"
RULES = "zero-shot read-back show add disable"
LIMITED = VERDICTS | {*OTHERS.split(), *AUTOMATA.split()} | {f"rules {command}" for command in RULES.split()}
"""Commands with limits: those that read a file and compute."""
UNLIMITED = {"claims", "doctor", "examples", "verify", "check", "hunt", "prove", "results", "rules"}
"""Commands without limits, because they are fast or have an option for their duration."""
UNLIMITED_GROUPS = {"train", "campaign"}
"""Groups of commands without limits, so that a new experiment needs no entry."""
CRASHES = {
    *(signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGFPE, signal.SIGILL, signal.SIGTRAP),
    *(signal.SIGSYS, signal.SIGKILL),
}
"""The signals of crashes of libraries and of the out-of-memory killer; users do not send them."""
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}

_main_program = False

_SECONDS_HELP = "time limit, after which the result is unknown (exit status 3); inf for no limit"
_MEMORY_HELP = "memory limit, such as 500M or 4G (default: 80 % of the free memory)"
OPTIONS = (
    inspect.Parameter(
        "limit_seconds",
        inspect.Parameter.KEYWORD_ONLY,
        default=SECONDS,
        annotation=Annotated[float, typer.Option("--limit-seconds", metavar="S", help=_SECONDS_HELP)],
    ),
    inspect.Parameter(
        "limit_memory",
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[str | None, typer.Option("--limit-memory", metavar="M", help=_MEMORY_HELP)],
    ),
)


def supervise() -> None:
    """Run later commands with limits in separate processes.

    Only the main program calls this function. A command that a Python program calls runs in the program's
    process.
    """
    global _main_program
    _main_program = True


def add(app: typer.Typer, path: str = "") -> None:
    """Add the two options to those commands of an app and its groups that are in :data:`LIMITED`.

    Commands that already have the options are not changed.
    """
    for command in app.registered_commands:
        callback = command.callback
        if callback is None:
            continue
        name = f"{path} {command.name or callback.__name__.replace('_', '-')}".strip()
        if name in LIMITED and not hasattr(callback, "is_limited"):
            command.callback = limited(callback, name)
    for group in app.registered_groups:
        if group.typer_instance is not None:
            add(group.typer_instance, f"{path} {group.name or group.typer_instance.info.name}".strip())


def limited(command: Callable[..., int | None], name: str) -> Callable[..., int | None]:
    """Return the command with the options ``--limit-seconds`` and ``--limit-memory``."""
    signature = inspect.signature(command, eval_str=True)

    @wraps(command)
    def run(
        *arguments: object, limit_seconds: float = SECONDS, limit_memory: str | None = None, **options: object
    ) -> int | None:
        limits = Limits(_seconds(limit_seconds), _memory(limit_memory))
        as_json = bool(options.get("as_json"))
        if not _main_program:
            return _call(command, arguments, options)
        if not supervisor.can_fork():
            with _watched_by_a_thread(limits, name, as_json):
                return _call(command, arguments, options)
        ended = supervisor.fork_child(limits)
        if ended is None:
            with supervisor.stoppable():
                try:
                    return _call(command, arguments, options)
                except (MemoryError, RuntimeError, OSError) as error:
                    if not _is_lack_of_memory(error):
                        raise
                size = _size(limits.memory)
                why = f"an allocation failed, with a limit of {size}{_doing()}"
                return _report_unknown(name, f"{why}; use --limit-memory to allow more", "memory", as_json)
        _leave(ended, limits, name, as_json)
        return None  # not reached

    run.__signature__ = signature.replace(parameters=[*signature.parameters.values(), *OPTIONS])  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in run.__signature__.parameters.values()}  # type: ignore[attr-defined]
    run.is_limited = True  # type: ignore[attr-defined]
    return run


def _call(
    command: Callable[..., int | None], arguments: tuple[object, ...], options: dict[str, object]
) -> int | None:
    try:
        return command(*arguments, **options)
    except RecursionError:
        raise InputError("the input is nested too deeply; use fewer nested parentheses or lists") from None


def _leave(ended: ChildExit, limits: Limits, name: str, as_json: bool) -> None:
    """End the waiting process with the same exit status or signal as the child process."""
    if ended.signal == signal.SIGINT:
        raise KeyboardInterrupt
    if ended.signal is not None and ended.signal not in CRASHES:  # a user or a service ended it
        signal.signal(ended.signal, signal.SIG_DFL)
        os.kill(os.getpid(), ended.signal)
        os._exit(128 + ended.signal)  # for the first process of a container, which the signal does not end
    status = ended.status
    if status is None:
        if sys.stderr.isatty():
            styled(sys.stderr).write("\r\x1b[2K\x1b[?25h")  # clear the progress line and show the cursor
        status = _report_unknown(name, _why(ended, limits), ended.limit, as_json, ended.printed)
        sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # without cleanup, which the child process has done


def _report_unknown(name: str, why: str, limit: str | None, as_json: bool, printed: bool = False) -> int:
    """Report that the result is unknown, and return the exit status."""
    if printed:
        print(f"ratproof: unknown, and the printed output is incomplete: {why}", file=sys.stderr)
    elif as_json:
        print_json({"verdict": "unknown", "why": why, "limit": limit})
    elif name in VERDICTS:
        print(f"unknown: {why}")
    else:
        print(f"ratproof: unknown: {why}", file=sys.stderr)
    return UNKNOWN


def _why(ended: ChildExit, limits: Limits) -> str:
    if ended.limit == "seconds":
        seconds = f"{limits.seconds:g} second{'' if limits.seconds == 1 else 's'}"
        return f"the command needs more than {seconds}{_doing()}; use --limit-seconds to allow more"
    if ended.limit == "memory":
        memory = f"{_size(limits.memory)} of memory"
        return f"the command needs more than {memory}{_doing()}; use --limit-memory to allow more"
    assert ended.signal is not None
    kill = signal.Signals(ended.signal).name
    if ended.signal == signal.SIGKILL:
        return (
            f"the system killed the process ({kill}), probably because memory ran out; set a lower"
            " --limit-memory"
        )
    if ended.signal == signal.SIGABRT:
        return f"a library aborted ({kill}), probably because memory ran out"
    return f"a library crashed ({kill}); please report this bug with the files"


def _doing() -> str:
    stage = supervisor.last_note()
    return f" (stage: {stage})" if stage else ""


def _is_lack_of_memory(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return error.errno == errno.ENOMEM
    return isinstance(error, MemoryError) or "allocate memory" in str(error)  # torch's message


def _seconds(seconds: float) -> float:
    if not seconds > 0:
        raise InputError(f"--limit-seconds must be positive, got {seconds:g}")
    return seconds


def _memory(text: str | None) -> int:
    own = memory_held()
    if text is None:
        return own + int(SHARE * free_memory())
    form = r"(\d{1,15}(?:\.\d{1,6})?)\s*([KMGT]?)(?:i?B)?"
    match = re.fullmatch(form, text.strip(), re.ASCII | re.IGNORECASE)
    if match is None:
        raise InputError(
            "--limit-memory must be a number of bytes, or a number followed by K, M, G or T, such as 500M or"
            f" 4G, got {shorten(text)}"
        )
    memory = int(float(match[1]) * UNITS[match[2].upper()])
    if memory < own + ROOM:
        raise InputError(
            f"--limit-memory must be at least {_size(own + ROOM)}, got {shorten(text)}; ratproof itself uses"
            f" {_size(own)}"
        )
    return memory


def _size(memory: int) -> str:
    return f"{memory / UNITS['G']:.3g} GB" if memory >= UNITS["G"] else f"{math.ceil(memory / UNITS['M'])} MB"


@contextmanager
def _watched_by_a_thread(limits: Limits, name: str, as_json: bool) -> Iterator[None]:
    """Watch the limits in a thread, if processes cannot be forked; libraries can delay the thread."""
    import resource

    done = threading.Event()
    until = time.monotonic() + limits.seconds
    unit = 1 if sys.platform == "darwin" else 1 << 10

    def watch() -> None:
        while not done.wait(supervisor.LOOK_EVERY):
            seconds = time.monotonic() > until
            if seconds or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit > limits.memory:
                ended = ChildExit(limit="seconds" if seconds else "memory")
                status = _report_unknown(name, _why(ended, limits), ended.limit, as_json)
                sys.stdout.flush()
                os._exit(status)

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        done.set()
