"""The terminal: a console that never gets wider than the report, and a line that says what is being done."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook, RenderResult
from rich.segment import Segment
from rich.text import Text

from automata.aliases import JsonObject
from automata.errors import FormatError, InputError
from automata.text.printable_text import printable
from ratproof.process.json_answers import print_json
from ratproof.process.streams import WIDTH, styled
from ratproof.process.supervisor import note


def console(*, error: bool = False) -> Console:
    """A console that never gets wider than the report.

    Text is printed as it is: no markup (``rich.text.Text`` has styles), no emoji codes, and control
    characters escaped.
    """
    stream = styled(sys.stderr if error else sys.stdout)
    made = Console(file=stream, highlight=False, soft_wrap=False, markup=False, emoji=False)
    made.push_render_hook(_Printable())
    if made.width > WIDTH or not made.is_terminal:
        made.width = WIDTH
    return made


@contextmanager
def progress(what: str) -> Iterator[Callable[[str], None]]:
    """Show what is being done on a terminal's line, and tell it to the supervisor."""
    screen = console(error=True)
    if not screen.is_terminal:
        yield note
        return
    with screen.status(Text(what)) as status:

        def tell(stage: str) -> None:
            note(stage)
            status.update(Text(f"{what}: {stage}"))

        yield tell


def print_answer(as_json: bool, data: JsonObject, text: str) -> None:
    """Print an answer as one JSON object, or as text."""
    if as_json:
        print_json(data)
    else:
        print(text)


def tell_unwritten(file: str, why: str) -> None:
    """Note on standard error why a file is not written."""
    console(error=True).print(f"ratproof: note: {file} is not written: {why}", soft_wrap=True)


@contextmanager
def naming(*paths: str) -> Iterator[None]:
    """Say in an error which files it is about."""
    try:
        yield
    except FormatError:
        raise
    except InputError as error:
        raise error.about(*paths) from None


def headed(head: str, rest: str) -> Text:
    """A line that begins in bold."""
    return Text.assemble((head, "bold"), rest)


class _Printable(RenderHook):
    """Escapes control characters in the text that is printed."""

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        """The same, each escaped as it is rendered."""
        return [_Escaped(one) for one in renderables]


class _Escaped:
    def __init__(self, inner: ConsoleRenderable) -> None:
        self.inner = inner

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self.inner, options):
            yield segment if segment.control else Segment(printable(segment.text, keep="\n"), segment.style)
