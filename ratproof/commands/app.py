"""The application of the command line, and options that several commands share."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer
from typer import Argument, Option

import ratproof
from automata.errors import InputError
from automata.text.number_text import shorten
from ratproof.commands.loading import SETTINGS, Commands

app = typer.Typer(
    name="ratproof",
    cls=Commands,
    help="Does this recurrent network compute what this automaton computes?",
    epilog="ratproof COMMAND --help shows examples.",
    no_args_is_help=True,
    **SETTINGS,
)

Commands.application = app

SHELLS = ("bash", "zsh", "fish", "powershell", "pwsh")
COMPLETING = "_RATPROOF_COMPLETE"
"""The environment variable with which a shell requests completions."""

ClaimNames = Annotated[list[str] | None, Argument(metavar="CLAIM", help="names of claims (default: all)")]
AsJson = Annotated[bool, Option("--json", help="print a single JSON object on standard output")]
SemiringName = Annotated[
    str | None, Option("--semiring", help="the semiring of a .att, .txt or .fst file (default: min-plus)")
]
FormatName = Annotated[
    str | None, Option("--format", help="read files as json, att, fst or dot, regardless of their extensions")
]
CertificateFile = Annotated[
    str | None, Option("--certificate", help="write a certificate, for check-certificate")
]
Device = Annotated[str, Option("--device", help="the device of the networks: cpu or cuda")]
HtmlFile = Annotated[
    str | None,
    Option(
        "--html", metavar="FILE", help="write the report as a single HTML file without external resources"
    ),
]
JunitFile = Annotated[str | None, Option("--junit", help="write a JUnit file for CI")]
RoundWeights = Annotated[
    bool, Option("--round", help="write weights without a finite decimal as the nearest float64 in .att")
]
SymbolTable = Annotated[
    str | None,
    Option(
        "--symbols", help="the symbol table of a .att, .txt or .fst file (default: the .syms file next to it)"
    ),
]


def example(*commands: str) -> str:
    """Format the examples for the end of a command's help, one per line."""
    lines = [f"  ratproof {command}" for command in commands]
    return "\n".join(["\b", "Example:" if len(lines) == 1 else "Examples:", *lines])


def command_line(context: typer.Context) -> str:
    """Return the command line as it was typed, quoted for a shell; "" outside the command line."""
    arguments = context.find_root().obj
    return shlex.join(["ratproof", *arguments]) if arguments is not None else ""


def _version(wanted: bool) -> None:
    if wanted:
        print(f"ratproof {ratproof.__version__}")
        raise typer.Exit


def _show_completion(shell: str | None) -> None:
    if shell is not None:
        from typer._completion_shared import get_completion_script

        print(get_completion_script(prog_name="ratproof", complete_var=COMPLETING, shell=_known(shell)))
        raise typer.Exit


def _install_completion(shell: str | None) -> None:
    if shell is not None:
        from typer._completion_shared import install

        _, path = install(shell=_known(shell), prog_name="ratproof", complete_var=COMPLETING)
        print(f"{path}: completion for {shell}; open a new terminal to use it")
        raise typer.Exit


def _known(shell: str) -> str:
    if shell not in SHELLS:
        raise InputError(f"the shell must be one of {', '.join(SHELLS)}, got {shorten(shell)}")
    return shell


@app.callback()
def frame(
    version: Annotated[
        bool, Option("--version", callback=_version, is_eager=True, help="print the version")
    ] = False,
    show_completion: Annotated[
        str | None,
        Option(
            "--show-completion",
            metavar="SHELL",
            callback=_show_completion,
            is_eager=True,
            help=f"print the completion script for a shell: {', '.join(SHELLS)}",
        ),
    ] = None,
    install_completion: Annotated[
        str | None,
        Option(
            "--install-completion",
            metavar="SHELL",
            callback=_install_completion,
            is_eager=True,
            help="install the completion script for your account",
        ),
    ] = None,
) -> None:
    """Check whether a recurrent network computes what an automaton computes."""
