"""The command line's application, to which commands add themselves, and options that many commands have."""

from __future__ import annotations

from typing import Annotated

import typer
from typer import Option

import ratproof
from ratproof.commands.loading import SETTINGS, Commands

app = typer.Typer(
    name="ratproof",
    cls=Commands,
    help="Does this recurrent network compute what this automaton computes?",
    epilog="ratproof COMMAND --help has an example of each.",
    no_args_is_help=True,
    **SETTINGS,
)

Commands.application = app

AsJson = Annotated[bool, Option("--json", help="one JSON object on standard output, nothing else there")]
SemiringName = Annotated[
    str | None,
    Option("--semiring", help="of a file that does not say it: .att, .txt, .fst (default: min-plus)"),
]
FormatName = Annotated[
    str | None, Option("--format", help="read files as json, att, fst or dot, whatever their names end in")
]
CertificateFile = Annotated[
    str | None, Option("--certificate", help="write what shows it, for check-certificate")
]
Device = Annotated[str, Option("--device", help="where the networks run: cpu or cuda")]
JunitFile = Annotated[str | None, Option("--junit", help="write a JUnit file for CI")]
RoundWeights = Annotated[
    bool, Option("--round", help="write weights without a finite decimal as the nearest float64 in .att")
]
SymbolTable = Annotated[
    str | None, Option("--symbols", help="of a .att, .txt or .fst file (default: .syms beside it)")
]


def example(*commands: str) -> str:
    """The end of a command's help: how it is used, a line each."""
    lines = [f"  ratproof {command}" for command in commands]
    return "\n".join(["\b", "Example:" if len(lines) == 1 else "Examples:", *lines])


def _version(wanted: bool) -> None:
    if wanted:
        print(f"ratproof {ratproof.__version__}")
        raise typer.Exit


@app.callback()
def frame(
    version: Annotated[
        bool, Option("--version", callback=_version, is_eager=True, help="print the version")
    ] = False,
) -> None:
    """Does this recurrent network compute what this automaton computes?"""
