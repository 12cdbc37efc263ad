"""The command line's reference: what each command says with ``--help``."""

from __future__ import annotations

import typer
from typer.testing import CliRunner

from ratproof.commands.app import app

PATH = "api/command-line.md"


def pages() -> dict[str, str]:
    """The page, by path."""
    group = typer.main.get_command(app)
    parts = [
        "# The command line\n",
        "What each command says of itself. Exit statuses and file formats: [formats](/formats.md).\n",
        _block("ratproof --help", _help([])),
    ]
    for name in group.list_commands(None):  # type: ignore[attr-defined]
        parts += [f"## {name}\n", _block(f"ratproof {name} --help", _help([name]))]
    return {PATH: "\n".join(parts)}


def _help(command: list[str]) -> str:
    run = CliRunner().invoke(
        app,
        [*command, "--help"],
        prog_name="ratproof",
        env={"COLUMNS": "80", "TERM": "dumb", "NO_COLOR": "1"},
    )
    return run.output.strip()


def _block(command: str, text: str) -> str:
    return f"```console\n$ {command}\n{text}\n```\n"
