"""The lines of AT&T text: which columns are states, labels and weights.

Lines end with a line feed and columns are parted by blanks and tabs, as OpenFst's compiler has it; every
other character, such as a no-break space, is part of a label. OpenFst is told by an option whether an arc has
one label or two. The text does not say it, so it is read where one of the two fits, and refused where both
do: ``0 1 5 5`` is the labels 5 and 5, or the label 5 with the weight 5.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from automata.errors import FormatError, InputError
from automata.text.number_text import parse_number, shorten

LONGEST = 8095
"""Bytes of a line; OpenFst takes a longer one for the end of the file."""


class Line(NamedTuple):
    """A line's number and columns; no ``labels`` for a final state, no ``weight`` if left out."""

    number: int
    states: tuple[int, ...]
    labels: tuple[str, ...]
    weight: str | None


def columns(text: str) -> list[tuple[int, list[str]]]:
    r"""Return the number and the columns of each line that is not blank.

    >>> columns("0 1\ta\u00a0b\r\n\n1\n")
    [(1, ['0', '1', 'a\xa0b']), (3, ['1'])]
    """
    parts = re.compile(r"[ \t]+").split
    split = [parts(line.removesuffix("\r").strip(" \t")) for line in text.split("\n")]
    return [(number, parts) for number, parts in enumerate(split, 1) if parts != [""]]


def lines(text: str, where: str) -> list[Line]:
    """Return the lines of AT&T text; raise FormatError for one that is no arc and no final state."""
    rows = columns(text)
    for number, line in enumerate(text.split("\n"), 1):
        bare = line.removesuffix("\r")
        if bare.strip(" \t") and re.search(r"^\t|\t\t|\t$", bare):
            raise FormatError(
                f"{where}: line {number}: has an empty column, which may be epsilon or a weight that is left"
                " out; write <epsilon> or remove the tab"
            )
    _require_no_header(rows, where)
    for number, parts in rows:
        if len(parts) > 5:
            raise FormatError(
                f"{where}: line {number}: must have at most the columns source, target, symbol, symbol,"
                f" weight, got {len(parts)}"
            )
    labels = 2 if _has_output_labels([row for row in rows if len(row[1]) > 2], where) else 1
    return [_line(number, parts, labels, f"{where}: line {number}") for number, parts in rows]


def _require_no_header(rows: list[tuple[int, list[str]]], where: str) -> None:
    """Refuse gtn's text, whose first two lines are the start states and the final states."""
    heads = [parts for _, parts in rows[:2] if len(parts) < 3]
    if len(heads) == 2 and any(len(parts) > 2 and parts[0] == heads[0][0] for _, parts in rows[2:]):
        raise FormatError(
            f"{where}: line 1: begins two lines of states, as gtn writes start and final states; AT&T text"
            " begins with an arc of the start state"
        )


def _line(number: int, parts: list[str], labels: int, here: str) -> Line:
    arc = len(parts) > 2
    states, rest = (parts[:2], parts[2:]) if arc else (parts[:1], parts[1:])
    for state in states:
        if not (len(state) <= 9 and state.isascii() and state.isdecimal()):
            raise FormatError(f"{here}: a state must be a number, got {shorten(state)}")
    labels = labels if arc else 0
    return Line(
        number, tuple(map(int, states)), tuple(rest[:labels]), rest[labels] if len(rest) > labels else None
    )


def _has_output_labels(arcs: list[tuple[int, list[str]]], where: str) -> bool:
    """Do the arcs have two labels, as ``fstprint`` writes them, or one, as ``fstprint --acceptor`` does?"""

    def refused(number: int, message: str) -> FormatError:
        return FormatError(f"{where}: line {number}: {message}")

    one = [number for number, parts in arcs if len(parts) == 3]
    two = [number for number, parts in arcs if len(parts) == 5]
    either = [(number, parts) for number, parts in arcs if len(parts) == 4]
    for number, parts in either:
        if not (one or two or parts[2] == parts[3] or _may_be_a_weight(parts[3])):
            raise refused(
                number,
                f"must end with the label {shorten(parts[2])} again or a weight, got {shorten(parts[3])}",
            )
    if not (one or two):
        one = [number for number, parts in either if parts[2] != parts[3]]
        two = [number for number, parts in either if not _may_be_a_weight(parts[3])]
    if one and two:
        raise refused(
            max(one[0], two[0]),
            f"{_LABELS[two > one]}, where line {min(one[0], two[0])} {_LABELS[one > two]}",
        )
    if either and not (one or two):
        number, (_, _, label, weight) = either[0]
        raise refused(
            number,
            f"is the labels {shorten(label)} and {shorten(weight)}, or the label {shorten(label)} with the"
            f" weight {shorten(weight)}; write the label twice and then the weight",
        )
    return bool(two)


_LABELS = ("has one label", "has two labels")


def _may_be_a_weight(text: str) -> bool:
    try:
        parse_number(text)
    except InputError:
        try:
            float(text)
        except ValueError:
            return False
    return True
