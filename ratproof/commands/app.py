"""The command line's frame, and how every command prints."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

import ratproof

app = typer.Typer(
    name="ratproof",
    help="Does this recurrent network compute what this automaton computes?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

AsJson = Annotated[
    bool, typer.Option("--json", help="one JSON object on standard output, nothing else there")
]
SemiringName = Annotated[
    str | None, typer.Option("--semiring", help="of a .att file, which does not say it (default: min-plus)")
]
SymbolTable = Annotated[
    str | None, typer.Option("--symbols", help="of a .att file (default: the .syms file beside it)")
]


SCHEMA_VERSION = 1
"""Of the objects that ``--json`` prints: a field that goes or changes its meaning makes it one more, a new
field does not.
"""


def print_json(data: dict[str, Any]) -> None:
    """One JSON object, on one line, in ASCII: whatever the terminal's encoding, it is read back as the same
    object.
    """
    print(json.dumps({"schema_version": SCHEMA_VERSION, **data}).replace("\x7f", "\\u007f"))


def _version(wanted: bool) -> None:
    if wanted:
        print(f"ratproof {ratproof.__version__}")
        raise typer.Exit


@app.callback()
def frame(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="print the version")
    ] = False,
) -> None:
    """Does this recurrent network compute what this automaton computes?"""
