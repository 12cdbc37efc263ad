"""Commands of packages that stand above this one: known by their entry points, never imported by name."""

from __future__ import annotations

from importlib.metadata import entry_points

import typer

from automata.errors import InputError
from ratproof.process import limits

GROUP = "ratproof.commands"
EXPECTED = {
    "train": (
        "Train a network, extract its automaton, compare, and certify (comes with the package training)."
    )
}
"""Commands that ship with ratproof, by what they do: said where their package is not installed."""


def add(to: typer.Typer) -> None:
    """Add the commands that are installed; of those expected that are not, one that says so.

    An entry may name a group of ratproof's own, to which loading it has added its commands.
    """
    installed = {entry.name: entry for entry in entry_points(group=GROUP)}
    for name, entry in sorted(installed.items()):
        try:
            group = entry.load()
            if group not in [known.typer_instance for known in to.registered_groups]:
                to.add_typer(group, name=name)
        except ImportError as error:
            _absent(
                to,
                name,
                EXPECTED.get(name, f"Of {entry.value}."),
                f"{entry.value} cannot be imported ({error})",
            )
    for name in EXPECTED.keys() - installed.keys():
        _absent(
            to,
            name,
            EXPECTED[name],
            f'no installed package offers it (entry point group "{GROUP}"): install ratproof again',
        )
    limits.add(to)


def _absent(to: typer.Typer, name: str, does: str, why: str) -> None:
    @to.command(name, help=does, context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
    def missing(context: typer.Context) -> None:
        raise InputError(f"{name} is not installed: {why}")
