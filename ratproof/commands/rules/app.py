"""The command group ``rules``, to which other packages can add commands."""

from __future__ import annotations

import typer

from ratproof.commands.app import app

rules = typer.Typer(
    name="rules", help="Rules on labelled sentences, and their networks.", no_args_is_help=True
)


@rules.callback()
def frame() -> None:
    """Rules on labelled sentences, and their networks."""


app.add_typer(rules, name="rules")
