"""Output on the terminal: a console that is never wider than the report, and progress lines."""

from __future__ import annotations

import logging
import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from threading import Event, Thread

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook, RenderResult
from rich.segment import Segment
from rich.text import Text

from automata.aliases import JsonObject
from automata.errors import FormatError, InputError
from automata.text.printable_text import printable
from ratproof.process.json_answers import print_json
from ratproof.process.streams import WIDTH, styled
from ratproof.process.supervisor import note

LOGGER = logging.getLogger("ratproof")
LOGGER.addHandler(logging.NullHandler())
VERBOSITY: ContextVar[int | None] = ContextVar("verbosity", default=None)
"""1 with ``-v``, -1 with ``-q``, 0 without either; ``None`` if the command does not have these options."""
LINE_EVERY, LOG_EVERY = 30.0, 1.0
"""Seconds between two progress lines on standard error, and between two records of the logger."""


def console(*, error: bool = False) -> Console:
    """Return a console that is never wider than the report.

    Text is printed without markup and emoji codes, and control characters are escaped. Use ``rich.text.Text``
    for styles.
    """
    stream = styled(sys.stderr if error else sys.stdout)
    result = Console(file=stream, highlight=False, soft_wrap=False, markup=False, emoji=False)
    result.push_render_hook(_Printable())
    if result.width > WIDTH or not result.is_terminal:
        result.width = WIDTH
    return result


class StageLog:
    """A log of the stages of a task, at level INFO and at most once per second.

    >>> log = StageLog("verify", clock=iter([0.0, 90.0]).__next__)
    >>> log.stage = "12 of 62 claims done, running proposition-7 sampled"
    >>> log.line()
    'verify: 12 of 62 claims done, running proposition-7 sampled, 90 s'
    """

    def __init__(self, what: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.what, self.clock, self.stage = what, clock, ""
        self.begun, self.logged = clock(), -math.inf

    def __call__(self, stage: str) -> None:
        """Record a stage."""
        self.stage = stage
        if self.clock() >= self.logged + LOG_EVERY:
            self.logged = self.clock()
            LOGGER.info("%s", printable(self.line()))

    def line(self) -> str:
        """Format the task, the stage and the elapsed seconds."""
        return f"{self.what}: {self.stage + ', ' if self.stage else ''}{self.clock() - self.begun:.0f} s"


@contextmanager
def progress_lines(
    what: str, wait: Callable[[Event], bool] = lambda done: done.wait(LINE_EVERY)
) -> Iterator[StageLog]:
    """Print a progress line on standard error every 30 seconds while the block runs.

    No line is printed if a progress bar is shown or ``-q`` is passed, or if the command has no option ``-q``.

    Args:
        what: Name of the task.
        wait: Function that waits until the next line is due, and returns whether the task is done.
    """
    log, done = StageLog(what), Event()

    def repeat() -> None:
        while not wait(done):
            print(printable(log.line()), file=sys.stderr, flush=True)

    lines = VERBOSITY.get() in (0, 1) and not shows_bar()
    if lines:
        Thread(target=repeat, daemon=True).start()
    try:
        yield log
    finally:
        done.set()


def shows_bar() -> bool:
    """Return whether to show a progress bar. It is shown on a terminal, unless ``-v`` or ``-q`` is passed."""
    return console(error=True).is_terminal and VERBOSITY.get() in (None, 0)


@contextmanager
def progress(what: str) -> Iterator[Callable[[str], None]]:
    """Show progress on a terminal or in a log, and report it to the supervisor."""
    with ExitStack() as shown:
        log = shown.enter_context(progress_lines(what))
        status = shown.enter_context(console(error=True).status(Text(what))) if shows_bar() else None

        def report_progress(stage: str) -> None:
            note(stage)
            log(stage)
            if status is not None:
                status.update(Text(f"{what}: {stage}"))

        yield report_progress


def print_answer(as_json: bool, data: JsonObject, text: str) -> None:
    """Print a result as one JSON object, or as text."""
    if as_json:
        print_json(data)
    else:
        print(text)


def note_unwritten(file: str, why: str) -> None:
    """Note on standard error why a file is not written."""
    console(error=True).print(f"ratproof: note: {file} is not written: {why}", soft_wrap=True)


@contextmanager
def naming(*paths: str) -> Iterator[None]:
    """Add the names of the files to an InputError of the block, unless it is a FormatError."""
    try:
        yield
    except FormatError:
        raise
    except InputError as error:
        raise error.about(*paths) from None


def headed(head: str, rest: str) -> Text:
    """Return a line of text that begins with a bold heading."""
    return Text.assemble((head, "bold"), rest)


class _Printable(RenderHook):
    """A render hook that escapes control characters in printed text."""

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        """Return the renderables, each wrapped so that it is escaped when it is rendered."""
        return [_Escaped(one) for one in renderables]


class _Escaped:
    def __init__(self, inner: ConsoleRenderable) -> None:
        self.inner = inner

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self.inner, options):
            yield segment if segment.control else Segment(printable(segment.text, keep="\n"), segment.style)
