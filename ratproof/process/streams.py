"""Standard output and standard error of every command, with control characters escaped.

A user's text therefore cannot control the terminal. A failed write to standard output raises
:class:`~automata.errors.OutputError`, because the exit status must not be that of a result. Failed writes to
standard error are ignored, because no result is printed there.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from automata.errors import OutputError
from automata.text.printable_text import printable

STDOUT, STDERR = 1, 2
WIDTH = 80
"""Maximum width of tables and reports, also in a pipe. Text that users copy is not wrapped."""


class ClosedPipeError(OutputError):
    """Raised if the reader of standard output is closed, such as ``head`` after its last line."""


class GuardedStream:
    """A text stream that raises :class:`~automata.errors.OutputError` if writing fails.

    If ``drop_errors`` is true, failures are ignored. Control characters are not escaped.
    """

    def __init__(self, stream: IO[str], drop_errors: bool) -> None:
        self._stream, self._drop_errors = stream, drop_errors

    def write(self, text: str) -> int:
        """Write the text and return its length."""
        with self._raising_output_error():
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Flush the stream."""
        with self._raising_output_error():
            self._stream.flush()

    @contextmanager
    def _raising_output_error(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            if not self._drop_errors:
                raise ClosedPipeError("cannot write the output: the reader has closed the pipe") from None
        except (OSError, ValueError) as error:  # a closed file raises ValueError
            if not self._drop_errors:
                raise OutputError(
                    f"cannot write the output: {getattr(error, 'strerror', None) or error}"
                ) from None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class EscapedStream(GuardedStream):
    """A guarded stream that escapes every control character except line feeds and tabs."""

    def write(self, text: str) -> int:
        """Write the text with control characters escaped."""
        if not isinstance(text, str):  # click detects binary streams by an attempt to write bytes
            raise TypeError(f"a text stream requires a str, got {type(text).__name__}")
        return super().write(printable(text, keep="\n\t"))

    @property
    def styled(self) -> GuardedStream:
        """Return the stream without escaping, for a writer that escapes users' text itself."""
        return GuardedStream(self._stream, self._drop_errors)


def styled(stream: Any) -> Any:
    """Return the stream without escaping, for a console with colours."""
    return stream.styled if isinstance(stream, EscapedStream) else stream


@contextmanager
def guarded() -> Iterator[None]:
    """Escape control characters and report failed writes on standard output and error within the block.

    Characters that the stream's encoding cannot represent are also escaped.

    Raises:
        OutputError: If standard output is closed.
    """
    before = sys.stdout, sys.stderr
    if sys.stderr is None:  # otherwise print(file=sys.stderr) would print to standard output
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (for as long as the program runs)
    if sys.stdout is None:
        raise OutputError("cannot write the output: standard output is closed")
    for stream in (sys.stdout, sys.stderr):
        if getattr(stream, "errors", None) in ("strict", "surrogateescape") and hasattr(
            stream, "reconfigure"
        ):
            stream.reconfigure(errors="backslashreplace")
    sys.stdout, sys.stderr = (
        EscapedStream(sys.stdout, drop_errors=False),
        EscapedStream(sys.stderr, drop_errors=True),
    )
    try:
        yield
        sys.stdout.flush()
    finally:
        sys.stdout, sys.stderr = before


@contextmanager
def output_to_stderr() -> Iterator[None]:
    """Send everything that is written to standard output within the block to standard error.

    This includes the output of C libraries and of child processes. Commands that execute a user's file use
    it, because its output is not part of their answer.
    """
    try:
        sys.stdout.flush()
        before = os.dup(STDOUT)
        os.dup2(STDERR, STDOUT)
    except (OSError, ValueError):  # a descriptor is closed
        with contextlib.redirect_stdout(sys.stderr):
            yield
        return
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        with contextlib.suppress(OSError, ValueError, AttributeError):
            sys.__stdout__.flush()  # type: ignore[union-attr]  # the except clause covers None
        with contextlib.suppress(OSError, TypeError, AttributeError):  # no handle of the C library
            ctypes.CDLL(None).fflush(None)
        os.dup2(before, STDOUT)
        os.close(before)


def forget_output() -> None:
    """Drop buffered output of a stream that cannot be written.

    Otherwise Python would report the failure at exit, with its own exit status.
    """
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
