"""The terminal: a console that never gets wider than the report, and a line that says what is being done."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook, RenderResult
from rich.segment import Segment
from rich.text import Text

from automata.shown import printable
from ratproof.streams import styled

WIDTH = 100


def console(*, error: bool = False) -> Console:
    """A console that never gets wider than the report; of what it prints, its own colours alone reach the terminal.

    Text is printed as it is: ``[b]`` and ``:cat:`` in a user's words are no markup. What is to be bold is a ``Text``, as of :func:`titled`.
    """
    made = Console(file=styled(sys.stderr if error else sys.stdout), highlight=False, soft_wrap=False, markup=False, emoji=False)
    made.push_render_hook(_Printable())
    if made.width > WIDTH or not made.is_terminal:
        made.width = WIDTH
    return made


def titled(title: str, text: str, before: str = "") -> Text:
    """A line whose title is bold."""
    return Text.assemble(before, (title, "bold"), text)


@contextmanager
def progress(what: str) -> Iterator[Callable[[str], None]]:
    """A line on the terminal that says what is being done, where there is one."""
    screen = console(error=True)
    if not screen.is_terminal:
        yield lambda stage: None
        return
    with screen.status(Text(what)) as status:
        yield lambda stage: status.update(Text(f"{what}: {printable(stage)}"))


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
