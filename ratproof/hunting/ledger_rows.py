"""Validation of the rows of a ledger's tables; rows that a hunt cannot have written are invalid."""

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

    Invalid rows include a refutation without a counterexample, and a counterexample with another verdict,
    because both would be overlooked.
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
            f"{path}: the row of {values['target']}, {values['number']}: the seed or the counterexample must"
            f" match the verdict {values['verdict']}"
        )


def require_count(row: Values, path: Path) -> None:
    """Raise :class:`~automata.errors.FormatError` for an invalid row of planned or abandoned rounds."""
    seed, target, number = row[:3]
    if not (type(seed) is int and is_text(target) and target and type(number) is int and number >= 0):
        raise FormatError(
            f"{path}: the row of {shown(target)} must have a valid seed and number, got"
            f" {shown(seed, quoted=True)} and {shown(number, quoted=True)}"
        )
    if not all(map(is_text, row[3:])):
        raise FormatError(f"{path}: the row of {shown(target)}, {number}: the reason must be a string")


def unequal(one: Values, other: Values) -> tuple[str, str, str] | None:
    """Return which of ``digest`` and ``verdict`` first differs between two rows, and both values."""
    for what in ("digest", "verdict"):
        column = COLUMNS.index(what)
        if one[column] != other[column]:
            return what, one[column], other[column]
    return None


def key_of(row: Values) -> str:
    """Return the description of a row's round."""
    return f"seed {row[0]}, {row[1]}, round {row[2]}"
