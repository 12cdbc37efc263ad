"""Parser for the lines of AT&T text, whose columns are states, labels and weights.

As in OpenFst's compiler, lines end with a line feed, and blanks and tabs separate columns. Every other
character, such as a no-break space, is part of a label. An option of OpenFst specifies whether an arc has one
label or two. The text does not contain this information, so it is inferred. A text for which both are
possible is rejected: ``0 1 5 5`` is either the labels 5 and 5, or the label 5 with the weight 5.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from automata.errors import FormatError, InputError
from automata.text.number_text import parse_number, shorten

LONGEST = 8095
"""Maximum number of bytes in a line; OpenFst treats a longer line as the end of the file."""


class Line(NamedTuple):
    """A line of AT&T text: its number and its columns.

    The line of a final state has one state and no labels. The weight is ``None`` if it is omitted.
    """

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
    """Return the lines of AT&T text; raise FormatError if one is neither an arc nor a final state."""
    rows = columns(text)
    for number, line in enumerate(text.split("\n"), 1):
        bare = line.removesuffix("\r")
        if bare.strip(" \t") and re.search(r"^\t|\t\t|\t$", bare):
            raise FormatError(
                f"{where}: line {number}: a column must not be empty, because it could mean epsilon or an"
                " omitted weight; write <epsilon> or remove the tab"
            )
    _require_no_header(rows, where)
    for number, parts in rows:
        if len(parts) > 5:
            raise FormatError(
                f"{where}: line {number}: the columns must be at most source, target, symbol, symbol,"
                f" weight, got {len(parts)}"
            )
    labels = 2 if _has_output_labels([row for row in rows if len(row[1]) > 2], where) else 1
    return [_line(number, parts, labels, f"{where}: line {number}") for number, parts in rows]


def _require_no_header(rows: list[tuple[int, list[str]]], where: str) -> None:
    """Reject gtn's text, whose first two lines are the start states and the final states."""
    heads = [parts for _, parts in rows[:2] if len(parts) < 3]
    if len(heads) == 2 and any(len(parts) > 2 and parts[0] == heads[0][0] for _, parts in rows[2:]):
        raise FormatError(
            f"{where}: line 1: the first line must be an arc of the start state, got two lines of states, as"
            " gtn writes start and final states"
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
    """Return whether arcs have two labels (``fstprint``) instead of one (``fstprint --acceptor``)."""

    def refused(number: int, message: str) -> FormatError:
        return FormatError(f"{where}: line {number}: {message}")

    one = [number for number, parts in arcs if len(parts) == 3]
    two = [number for number, parts in arcs if len(parts) == 5]
    either = [(number, parts) for number, parts in arcs if len(parts) == 4]
    for number, parts in either:
        if not (one or two or parts[2] == parts[3] or _may_be_a_weight(parts[3])):
            raise refused(
                number,
                f"the last column must be the label {shorten(parts[2])} again or a weight, got"
                f" {shorten(parts[3])}",
            )
    if not (one or two):
        one = [number for number, parts in either if parts[2] != parts[3]]
        two = [number for number, parts in either if not _may_be_a_weight(parts[3])]
    if one and two:
        raise refused(
            max(one[0], two[0]),
            f"an arc {_LABELS[two > one]}, but line {min(one[0], two[0])} {_LABELS[one > two]}",
        )
    if either and not (one or two):
        number, (_, _, label, weight) = either[0]
        raise refused(
            number,
            f"the arc may have the labels {shorten(label)} and {shorten(weight)}, or the label"
            f" {shorten(label)} with the weight {shorten(weight)}; write the label twice and then the weight",
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
