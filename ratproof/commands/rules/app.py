"""The command line's ``rules``; what stands above ratproof adds its own commands to it."""

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
