"""The terminal: a console that never gets wider than the report, and a line that says what is being done."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console

WIDTH = 100


def console(*, error: bool = False) -> Console:
    """A console that never gets wider than the report."""
    made = Console(stderr=error, highlight=False, soft_wrap=False)
    if made.width > WIDTH or not made.is_terminal:
        made.width = WIDTH
    return made


@contextmanager
def progress(what: str) -> Iterator[Callable[[str], None]]:
    """A line on the terminal that says what is being done, where there is one."""
    screen = console(error=True)
    if not screen.is_terminal:
        yield lambda stage: None
        return
    with screen.status(what) as status:
        yield lambda stage: status.update(f"{what}: {stage}")
