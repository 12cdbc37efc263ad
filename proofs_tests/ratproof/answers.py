"""Runs of commands in this process, with checks of the streams to which they write."""

import json
from typing import Any

from ratproof.main import run


def run_json(capsys: Any, *arguments: str) -> tuple[int, Any]:
    """Return the exit status and the JSON object on standard output."""
    status = run([*arguments, "--json"])
    out, err = capsys.readouterr()
    assert err == "" and out.count("\n") == 1
    return status, json.loads(out)


def refused(capsys: Any, *arguments: str) -> str:
    """Return the one-line error message on standard error, without the program's name."""
    capsys.readouterr()
    assert run(list(arguments)) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("ratproof: ") and err.count("\n") == 1, (out, err)
    return err.removeprefix("ratproof: ").strip()
