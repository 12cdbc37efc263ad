"""Commands run in this process, with the command line put together once and its output caught."""

from __future__ import annotations

import io
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from unittest.mock import patch

import typer.main

from ratproof.main import run

_once = cache(typer.main.get_command)


def command(*arguments: str) -> tuple[int, str, str]:
    """The exit status, what stands on standard output, and what on standard error."""
    out, err = io.StringIO(), io.StringIO()
    with patch("typer.main.get_command", _once), redirect_stdout(out), redirect_stderr(err):
        status = run(list(arguments))
    return status, out.getvalue(), err.getvalue()
