"""Standard output and standard error as every command writes to them: what a user named cannot steer the
terminal, and a write that fails is reported.

An answer that could not be written must not leave with the exit status of another answer: a write to standard
output that fails raises
:class:`~automata.errors.OutputError`. Standard error carries no answer: a write to it that fails is dropped.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from automata.errors import OutputError
from automata.text.printable_text import printable

WIDTH = 80
"""No line of tables and reports has more columns, in a pipe neither; what can be pasted is not broken."""


class NobodyReadsError(OutputError):
    """The program that read standard output has ended, as ``head`` does when it has its lines."""


class GuardedStream:
    """A text stream whose failures are an :class:`~automata.errors.OutputError`, or (``drop_errors``)
    nothing. It leaves control characters alone.
    """

    def __init__(self, stream: IO[str], drop_errors: bool) -> None:
        self._stream, self._drop_errors = stream, drop_errors

    def write(self, text: str) -> int:
        """As the stream's own."""
        with self._raising_output_error():
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """As the stream's own."""
        with self._raising_output_error():
            self._stream.flush()

    @contextmanager
    def _raising_output_error(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            if not self._drop_errors:
                raise NobodyReadsError("the answer could not be written: its reader has gone") from None
        except (OSError, ValueError) as error:  # ValueError: of a closed file
            if not self._drop_errors:
                raise OutputError(
                    f"the answer could not be written: {getattr(error, 'strerror', None) or error}"
                ) from None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class EscapedStream(GuardedStream):
    """A guarded stream with every control character escaped but line feeds and tabs."""

    def write(self, text: str) -> int:
        """The text, printable."""
        if not isinstance(
            text, str
        ):  # what the command line's library tries, to see whether bytes can be written
            raise TypeError(f"a text stream takes text, no {type(text).__name__}")
        return super().write(printable(text, keep="\n\t"))

    @property
    def styled(self) -> GuardedStream:
        """The stream for a writer of colours that escapes a user's text itself."""
        return GuardedStream(self._stream, self._drop_errors)


def styled(stream: Any) -> Any:
    """The stream for a console with colours."""
    return stream.styled if isinstance(stream, EscapedStream) else stream


@contextmanager
def guarded() -> Iterator[None]:
    """Standard output and error guarded and escaped; a character that their encoding lacks is escaped too.

    Raises :class:`~automata.errors.OutputError` where standard output is closed.
    """
    before = sys.stdout, sys.stderr
    if sys.stderr is None:  # else print(file=sys.stderr) would print to standard output
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (for as long as the program runs)
    if sys.stdout is None:
        raise OutputError("standard output is closed, so no answer could be written")
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


def forget_output() -> None:
    """Drop the output that is still in buffers: without this, Python complains about it at exit, with an exit
    status of its own.
    """
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
