"""Runs of the ``automata`` commands in this process."""

import io
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from unittest.mock import patch

import typer.main

from ratproof.main import run

_once = cache(typer.main.get_command)


def command(*arguments: str) -> tuple[int, str, str]:
    """Run the command and return its exit status, standard output and standard error."""
    out, err = io.StringIO(), io.StringIO()
    with patch("typer.main.get_command", _once), redirect_stdout(out), redirect_stderr(err):
        status = run(list(arguments))
    return status, out.getvalue(), err.getvalue()
