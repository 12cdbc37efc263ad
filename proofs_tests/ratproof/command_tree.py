"""Every command and group of the command line, keyed by its full name."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import typer

from ratproof.commands.app import app


@cache
def commands() -> dict[str, Any]:
    """Return each imported command and group by its full name."""
    return dict(_below(typer.main.get_command(app), ()))


def is_group(command: Any) -> bool:
    return hasattr(command, "list_commands")


def _below(group: Any, path: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        yield " ".join((*path, name)), command
        if is_group(command):
            yield from _below(command, (*path, name))
