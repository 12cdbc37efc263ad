"""Validation of the rows in the tables of a hunt's ledger.

A row is invalid if a hunt cannot have written it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from automata.errors import FormatError
from ratproof.hunting.rounds import is_text, require_row, shown

COLUMNS = (
    "seed",
    "target",
    "number",
    "digest",
    "verdict",
    "cases",
    "seconds",
    "way",
    "corners",
    "counterexample",
    "why",
)
"""The columns of the table of rounds."""
Values = tuple[Any, ...]


def require_round(row: Values, path: Path) -> None:
    """Raise :class:`~automata.errors.FormatError` if a row of the table of rounds is invalid.

    A row must have a counterexample if its verdict is ``refuted``, and only then.
    """
    values = dict(zip(COLUMNS, row, strict=True))
    try:
        corners = json.loads(values["corners"])
    except (ValueError, TypeError, RecursionError):
        corners = None
    require_row({**values, "corners": corners}, f"{path} has")
    name = values["counterexample"]
    is_file = isinstance(name, str) and Path(name).name == name and name.endswith(".json")
    if not (is_file if values["verdict"] == "refuted" else name is None) or type(values["seed"]) is not int:
        raise FormatError(
            f"{path}: the row of {values['target']}, {values['number']}, must have an integer seed, and a"
            " counterexample file if and only if the verdict is 'refuted', got the verdict"
            f" '{values['verdict']}', the seed {shown(values['seed'], quoted=True)} and the counterexample"
            f" {shown(name, quoted=True)}"
        )


def require_count(row: Values, path: Path) -> None:
    """Raise :class:`~automata.errors.FormatError` if a row of planned or abandoned rounds is invalid.

    Such a row begins with a seed, a target and a number.
    """
    seed, target, number = row[:3]
    if not (type(seed) is int and is_text(target) and target and type(number) is int and number >= 0):
        raise FormatError(
            f"{path}: the row of {shown(target)} must have a valid seed and number, got"
            f" {shown(seed, quoted=True)} and {shown(number, quoted=True)}"
        )
    if not all(map(is_text, row[3:])):
        raise FormatError(f"{path}: the row of {shown(target)}, {number}: the reason must be a string")


def unequal(one: Values, other: Values) -> tuple[str, str, str] | None:
    """Return the first of the columns ``digest`` and ``verdict`` in which two rows differ, and both values.

    Return None if the rows agree in both columns.
    """
    for what in ("digest", "verdict"):
        column = COLUMNS.index(what)
        if one[column] != other[column]:
            return what, one[column], other[column]
    return None


def key_of(row: Values) -> str:
    """Return the seed, target and number of a row's round as a text for messages."""
    return f"seed {row[0]}, {row[1]}, round {row[2]}"
