"""Commands of other packages that extend ratproof, which are found by their entry points."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

import typer

from automata import extras
from automata.errors import InputError
from ratproof.namesakes import hidden

GROUP = "ratproof.commands"
EXPECTED = ("train", "results", "campaign")
"""Commands in separate packages that ship with ratproof, which are reported if they are not installed."""
SHIPPED = ("training",)
"""Packages of these commands, which a folder of the user may shadow."""


def entries() -> dict[str, EntryPoint]:
    """Return the installed commands by name."""
    return {entry.name: entry for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name)}


def add(name: str, to: typer.Typer) -> None:
    """Add the installed command of that name, or a command that reports that it is not installed.

    An entry may refer to one of ratproof's own groups, to which its module adds commands. A group whose only
    command has the entry's name is replaced by that command.
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
