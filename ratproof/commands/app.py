"""The command line's application, to which commands add themselves, and options that many commands have."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer
from typer import Option

import ratproof
from automata.errors import InputError
from automata.text.number_text import shorten
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

SHELLS = ("bash", "zsh", "fish", "powershell", "pwsh")
COMPLETING = "_RATPROOF_COMPLETE"
"""The variable by which a shell asks for completions."""

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
HtmlFile = Annotated[
    str | None,
    Option("--html", metavar="FILE", help="write a report as one HTML file, which needs no network"),
]
JunitFile = Annotated[str | None, Option("--junit", help="write a JUnit file for CI")]
RoundWeights = Annotated[
    bool, Option("--round", help="write weights without a finite decimal as the nearest float64 in .att")
]
SymbolTable = Annotated[
    str | None, Option("--symbols", help="of a .att, .txt or .fst file (default: .syms beside it)")
]


def example(*commands: str) -> str:
    """Return the end of a command's help: examples of its use, one per line."""
    lines = [f"  ratproof {command}" for command in commands]
    return "\n".join(["\b", "Example:" if len(lines) == 1 else "Examples:", *lines])


def command_line(context: typer.Context) -> str:
    """Return the command as it was typed, to be pasted; empty if it was not started by the command line."""
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
        print(f"{path}: completion for {shell}; it works in the next terminal")
        raise typer.Exit


def _known(shell: str) -> str:
    if shell not in SHELLS:
        raise InputError(f"there is no completion for {shorten(shell)}; there is for {', '.join(SHELLS)}")
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
            help=f"print the script that completes commands and options in a shell: {', '.join(SHELLS)}",
        ),
    ] = None,
    install_completion: Annotated[
        str | None,
        Option(
            "--install-completion",
            metavar="SHELL",
            callback=_install_completion,
            is_eager=True,
            help="install that script for your account",
        ),
    ] = None,
) -> None:
    """Check whether a recurrent network computes what an automaton computes."""
