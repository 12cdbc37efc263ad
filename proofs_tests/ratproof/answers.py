"""Runs of commands in this process, with checks of the streams to which they write."""

import json
from typing import Any

from ratproof.main import run


def run_json(capsys: Any, line: str, *more: str) -> tuple[int, Any]:
    """Run a command with ``--json``; return the exit status and the JSON object on standard output.

    Args:
        capsys: Pytest's fixture.
        line: Words of the command, separated by spaces.
        more: Further words, which may contain spaces.
    """
    status = run([*line.split(), *more, "--json"])
    out, err = capsys.readouterr()
    assert err == "" and out.count("\n") == 1
    return status, json.loads(out)


def refused(capsys: Any, line: str, *more: str) -> str:
    """Run a command as :func:`run_json` does, and return its one-line error message without its name."""
    capsys.readouterr()
    assert run([*line.split(), *more]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("ratproof: ") and err.count("\n") == 1, (out, err)
    return err.removeprefix("ratproof: ").strip()
