"""The command line's ``rules``."""

from __future__ import annotations

import typer

app = typer.Typer(
    name="rules",
    help="Rules on labelled sentences, and the networks that are made from them.",
    no_args_is_help=True,
)


@app.callback()
def frame() -> None:
    """Rules on labelled sentences, and the networks that are made from them."""
