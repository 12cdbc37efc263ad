"""Stored certificates from older versions, one of each kind, and functions that run the checkers on them."""

import copy
import json
import warnings
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from automata.equivalence import Different, Equivalent, equivalent
from automata.io.json_format import from_json
from automata.minimise import minimise
from automata.semirings import REAL
from ratproof.checkers.table import checker_of

FILES = {
    path.stem: path
    for path in sorted((Path(__file__).parents[1] / "certificates" / "version_1").glob("*.json"))
}
"""The files, keyed by name; an older version of ratproof wrote them as certificates of version 1."""
SMALL = [
    name for name in FILES if name != "hankel-every-size-of-verify" and FILES[name].stat().st_size < 2000
]
"""Certificates of every kind that are checked in milliseconds."""


def certificate(name: str) -> dict[str, Any]:
    """Return the certificate in a file."""
    return json.loads(FILES[name].read_text())


def automaton(
    semiring: str = "real", states: int = 1, alphabet: Sequence[str] = ("a",), **lists: list[Any]
) -> dict[str, Any]:
    """Return an automaton of a certificate; ``initial``, ``final`` and ``transitions`` default to none."""
    empty = {"initial": [], "final": [], "transitions": []}
    return {"semiring": semiring, "states": states, "alphabet": list(alphabet), **empty, **lists}


def paths_in(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of all values in a JSON value, including the path of the value itself."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(inner for key, part in inside for inner in paths_in(part, (*path, key)))]


def at(value: Any, path: tuple[Any, ...]) -> Any:
    """Return the value at a path."""
    for key in path:
        value = value[key]
    return value


def changed(data: Any, path: tuple[Any, ...], new: Any) -> Any:
    """Return a copy with another value at a path; parts beside the path are shared, to save time."""
    if not path:
        return new
    copied, (key, *rest) = copy.copy(data), path
    copied[key] = changed(data[key], tuple(rest), new) if rest else new
    return copied


def run_program(path: Path, capsys: Any, program: ModuleType | None = None) -> tuple[int, str]:
    """Return the exit status of a checker for the certificate in a file, and the line that it prints.

    If there is no certificate, the checker prints the line on standard error.
    """
    status = (program or checker_of(json.loads(path.read_text()))).main([str(path)])
    out, err = capsys.readouterr()
    printed, other = (err, out) if status == 2 else (out, err)
    is_line = printed.endswith("\n") and printed[:-1].isprintable() and printed.isascii()
    assert other == "" and is_line, (out, err)
    return status, printed


def holds(data: dict[str, Any]) -> bool:
    """Return whether the claim of a certificate is true, decided without using the certificate."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the certificate contains a transition twice
        a, b = (from_json(data[side]) for side in "AB")
    if data["claims"] == "minimal":
        a, b = (side.replace(semiring=REAL) for side in (a, b))
    answer = equivalent(a, b.over(a.alphabet))
    if data["claims"] == "different":
        return isinstance(answer, Different)
    return isinstance(answer, Equivalent) and (
        data["claims"] == "equivalent" or minimise(b).automaton.states == b.states
    )
