"""The terminal: a console that never gets wider than the report."""

from __future__ import annotations

from rich.console import Console

WIDTH = 100


def console(*, error: bool = False) -> Console:
    """A console that never gets wider than the report."""
    made = Console(stderr=error, highlight=False, soft_wrap=False)
    if made.width > WIDTH or not made.is_terminal:
        made.width = WIDTH
    return made
