"""Runs of a program that reads files, in this process: a command, a stand-alone checker, or a loader."""

import contextlib
import importlib.util
import io
import resource
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from types import CodeType, FrameType
from unittest.mock import patch

import typer.main

from automata.errors import InputError
from ratproof.main import run as run_command

GUARDS = ((signal.ITIMER_PROF, signal.SIGPROF, 60), (signal.ITIMER_REAL, signal.SIGALRM, 900))
"""Timers with their signals and limits in seconds: for computing time and for elapsed time.

A program that exceeds a limit is considered to hang. The machine may be busy, so the limits are generous.
"""
MOST_MEMORY = 6 << 30
"""Memory limit in bytes for reading a mutant, so that other programs are not affected."""


COMMANDS = cache(typer.main.get_command)
"""A cache of the command line, because building it takes ten times as long as reading a small file."""


@dataclass(frozen=True)
class RunResult:
    """The result of a program.

    Attributes:
        status: Exit status.
        out, err: Standard output and standard error.
    """

    status: int
    out: str
    err: str


class Hangs(BaseException):
    """Raised if a program does not end in time."""


def result(program: str, arguments: list[str]) -> RunResult:
    """Return the result of running a program in this process.

    Args:
        program: ``ratproof``, the module name of a checker such as ``check_boxes``, or a loader: ``corpus``
            or ``vectors``.
        arguments: the command-line arguments.
    """
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        patch("typer.main.get_command", COMMANDS),
        _guarded(),
    ):
        status = PROGRAMS[program](arguments)
    texts = [stream.buffer.getvalue().decode() for stream in (out, err)]  # type: ignore[attr-defined]
    return RunResult(status, *texts)


def _stands_alone(module: str, arguments: list[str]) -> int:
    """Run a program as ``python FILE ARGUMENTS`` would."""
    path, code = _code(module)
    with patch.object(sys, "argv", [path, *arguments]):
        try:
            exec(code, {"__name__": "__main__", "__file__": path, "__doc__": ""})
        except SystemExit as left:
            if isinstance(left.code, str):
                print(left.code, file=sys.stderr)
                return 1
            return int(left.code or 0)
    return 0


@cache
def _code(module: str) -> tuple[str, CodeType]:
    spec = importlib.util.find_spec(f"ratproof.checkers.{module}")
    assert spec is not None and spec.origin is not None
    return spec.origin, compile(Path(spec.origin).read_text(), spec.origin, "exec")


def _corpus(arguments: list[str]) -> int:
    """Load the files of ``ratproof verify --text FILE --embeddings FILE`` without verifying."""
    from ratproof.implementations.corpus import load_corpus

    def load() -> None:
        corpus = load_corpus(*arguments)
        assert corpus.vectors.shape[0] == len(corpus.words) and corpus.sentences

    return _refusing(load)


def _vectors(arguments: list[str]) -> int:
    """Load the file of ``ratproof train fa-rnn --vectors FILE`` without training."""
    from training.classification_with_rules.vectors import vectors

    def load() -> None:
        table = vectors(arguments[0], ("BOS", "a", "b", "EOS")).table
        assert table.shape[0] == 4 and bool(table.isfinite().all())

    return _refusing(load)


def _refusing(load: Callable[[], None]) -> int:
    try:
        load()
    except InputError as error:
        print(f"ratproof: {error}", file=sys.stderr)
        return 2
    return 0


CHECKERS = ("bisimulation", "boxes", "certificate", "chain", "counter", "hankel", "invariant", "regions")
PROGRAMS: dict[str, Callable[[list[str]], int]] = {
    "ratproof": run_command,
    "corpus": _corpus,
    "vectors": _vectors,
    **{f"check_{name}": partial(_stands_alone, f"check_{name}") for name in CHECKERS},
}


@contextlib.contextmanager
def _guarded() -> Iterator[None]:
    """Set an alarm for a hanging program and a memory limit, if the system supports them."""
    with contextlib.ExitStack() as stack:
        if threading.current_thread() is threading.main_thread():
            for timer, number, seconds in GUARDS:
                stack.callback(signal.signal, number, signal.signal(number, _too_long))
                signal.setitimer(timer, seconds)
                stack.callback(signal.setitimer, timer, 0)
        statm = Path("/proc/self/statm")
        if statm.exists():
            soft, hard = resource.getrlimit(resource.RLIMIT_AS)
            most = int(statm.read_text().split()[0]) * resource.getpagesize() + MOST_MEMORY
            resource.setrlimit(
                resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard)
            )
            stack.callback(resource.setrlimit, resource.RLIMIT_AS, (soft, hard))
        yield


def _too_long(number: int, frame: FrameType | None) -> None:
    raise Hangs("it did not end")
