"""Commands that other packages add to ratproof by entry points of the group ``ratproof.commands``."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

import typer

from automata import extras
from automata.errors import InputError
from ratproof.namesakes import hidden

GROUP = "ratproof.commands"
EXPECTED = ("train", "results", "campaign")
"""Commands from packages that ship with ratproof. Without its package, such a command reports an error."""
SHIPPED = ("training",)
"""Packages that define these commands. A folder of the user with the same name may shadow such a package."""


def entries() -> dict[str, EntryPoint]:
    """Return the entry points of the installed commands by the command's name."""
    return {entry.name: entry for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name)}


def add(name: str, to: typer.Typer) -> None:
    """Add the installed command with this name to an application.

    If the command cannot be imported, or ships with ratproof and is not installed, a command that reports
    this is added instead. The object of an entry point is a group of commands. If it has a single command,
    with the name of the entry point, then the command is added without its group. The object may also be a
    group of ratproof, such as ``rules``, to which the other package has added commands.
    """
    entry = entries().get(name)
    if entry is not None:
        try:
            group = entry.load()
        except ImportError as error:
            package = entry.module.partition(".")[0]
            why = hidden([package]) if package in SHIPPED else ""
            needs = extras.needs(error, name) if isinstance(error, ModuleNotFoundError) and not why else ""
            why = why or f"{entry.value} cannot be imported ({error})"
            _absent(to, name, needs or f"{name} is not installed: {why}")
            return
        own = group.registered_commands
        if len(own) == 1 and own[0].name == name and group.registered_callback is None:  # a single command
            if own[0] not in to.registered_commands:
                to.registered_commands.append(own[0])
        elif group not in [known.typer_instance for known in to.registered_groups]:
            to.add_typer(group, name=name)
    elif name in EXPECTED:
        why = f'no installed package provides it (entry point group "{GROUP}"); reinstall ratproof'
        _absent(to, name, f"{name} is not installed: {why}")


def _absent(to: typer.Typer, name: str, sentence: str) -> None:
    @to.command(name, context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
    def missing(context: typer.Context) -> None:
        raise InputError(sentence)
