"""Reading and writing of symbol tables for AT&T text, and resolution of labels to symbols.

A symbol table has OpenFst's format: each line is a name and its number. If there is a table, labels are names
in the table, even if they are digits, as in OpenFst's compiler: ``2`` is the symbol named 2. If no label is a
name and all labels are numbers, they are numbers in the table, as ``fstprint`` writes them without a table.
Number 0 is epsilon.

Without a table, labels are names. Epsilon is the one of ``<epsilon>``, ``<eps>``, ``@0@``,
``@_EPSILON_SYMBOL_@`` and ``0`` that the text contains. ``-1`` and HFST's names for unknown symbols are
rejected.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping

from automata.errors import FormatError, InputError
from automata.io.att_lines import LONGEST, columns
from automata.symbols import EPSILON
from automata.text.number_text import shorten
from automata.text.printable_text import has_half_a_character
from automata.wfsa import WFSA

EPSILON_NAMES = ("<epsilon>", "<eps>", "0", "@0@", "@_EPSILON_SYMBOL_@")
"""Names of epsilon in texts without a symbol table: those of OpenFst, foma and HFST."""
FOREIGN = {
    "-1": "k2 writes on the arcs into its final state; remove these arcs and give their sources final"
    " weights",
    "@_IDENTITY_SYMBOL_@": "HFST writes for any other symbol; list the symbols",
    "@_UNKNOWN_SYMBOL_@": "HFST writes for any other symbol; list the symbols",
    "@": "foma writes for any other symbol; list the symbols",
}
"""Labels that other programs write and that are not symbols, each with an explanation and a remedy."""
LOOKS_SILENT = re.compile("eps|^ε$|^<.*>$|^[-_0]$", re.IGNORECASE)
"""Names of epsilon that need no warning if they have the number 0."""


def dumps_symbols(automaton: WFSA) -> str:
    """Return the symbol table as text: epsilon is 0, and symbols are numbered in alphabet order."""
    names = map(label, (EPSILON, *automaton.alphabet))
    return "".join(f"{name}\t{i}\n" for i, name in enumerate(names))


def label(symbol: object) -> str:
    """Return the symbol as written in AT&T text with a table; raise InputError if it cannot be written."""
    if symbol == EPSILON:
        return EPSILON_NAMES[0]
    if not isinstance(symbol, str):
        why = "it is not a string"
    elif symbol in EPSILON_NAMES:
        why = "without its table it would be epsilon"
    elif re.search(r"[ \t\n\r\0]", symbol):
        why = "it contains a blank, tab, line break or NUL"
    elif has_half_a_character(symbol):
        why = "it contains a lone surrogate"
    elif len(symbol.encode()) > LONGEST // 3:
        why = f"it has more than {LONGEST // 3} bytes, and OpenFst does not read longer lines"
    else:
        return symbol
    raise InputError(f"symbol {shorten(symbol)} cannot be written as AT&T text: {why}; use .json")


def loads_symbols(text: str, where: str = "symbols") -> dict[str, int]:
    """Return the number of each symbol in the text of a symbol table.

    Raises:
        FormatError: If a line is invalid, or a name or number occurs twice.
    """
    table: dict[str, int] = {}
    named: dict[int, str] = {}
    for line, parts in columns(text):
        here = f"{where}: line {line}"
        if len(parts) != 2 or not re.fullmatch(r"\d{1,18}", parts[1], re.ASCII):
            raise FormatError(
                f"{here}: a line must be a symbol and its number, got {shorten(' '.join(parts))}"
            )
        name, number = parts[0], int(parts[1])
        if name in table or number in named:
            raise FormatError(
                f"{here}: names and numbers must be unique, got {shorten(name)} or its number twice"
            )
        if number == 0 and not LOOKS_SILENT.search(name):
            warnings.warn(f"{here}: {shorten(name)} is epsilon because its number is 0", stacklevel=3)
        table[name], named[number] = number, name
    return table


def symbols_of(labels: Mapping[str, int], table: Mapping[str, int] | None, where: str) -> dict[str, str]:
    """Return the symbol of each label of a text.

    Raises :class:`~automata.errors.FormatError`, with the line, if a label is not in the table, or if it is
    unknown whether it is epsilon.
    """
    return _without_table(labels, where) if table is None else _with_table(labels, table, where)


def alphabet_of(symbols: Iterable[str], table: Mapping[str, int] | None) -> list[str]:
    """Return the alphabet in the order of the table, or without a table in the order of reading."""
    names = symbols if table is None else [name for name, number in table.items() if number]
    return [symbol for symbol in dict.fromkeys(names) if symbol != EPSILON]


def _with_table(labels: Mapping[str, int], table: Mapping[str, int], where: str) -> dict[str, str]:
    names = {str(number): name for name, number in table.items()}
    named = next((text for text in labels if text in table), None)
    for text, line in labels.items():
        if text in table or (named is None and text in names):
            continue
        if text in names and named is not None:
            raise FormatError(
                f"{where}: line {line}: the labels must be all names or all numbers of the symbol table, got"
                f" the number {shorten(text)} and, in line {labels[named]}, the name {shorten(named)}"
            )
        raise FormatError(f"{where}: line {line}: label {shorten(text)} is not in the symbol table")
    if labels and named is None:
        warnings.warn(
            f"{where}: the labels are interpreted as numbers of the symbol table, because none of them is a"
            " name",
            stacklevel=4,
        )
    names_of = {text: text if named is not None else names[text] for text in labels}
    return {text: name if table[name] else EPSILON for text, name in names_of.items()}


def _without_table(labels: Mapping[str, int], where: str) -> dict[str, str]:
    for text, line in labels.items():
        if text in FOREIGN:
            raise FormatError(
                f"{where}: line {line}: label {text!r} is not a symbol, but one that {FOREIGN[text]}, or"
                " pass a symbol table (.syms)"
            )
    epsilons = [text for text in EPSILON_NAMES if text in labels]
    unsure = "without a symbol table (.syms), in which epsilon has the number 0"
    if len(epsilons) > 1:
        one, other = sorted(epsilons, key=lambda text: labels[text])[:2]
        raise FormatError(
            f"{where}: line {labels[other]}: it is unknown whether {other!r} or {one!r} (line {labels[one]})"
            " is epsilon " + unsure
        )
    if epsilons == ["0"]:
        name = next((text for text in labels if not re.fullmatch(r"-?\d+", text, re.ASCII)), None)
        if name is not None:
            raise FormatError(
                f"{where}: line {labels['0']}: it is unknown whether '0' is epsilon or a symbol like"
                f" {shorten(name)} {unsure}"
            )
        warnings.warn(
            f"{where}: '0' is interpreted as epsilon, because there is no symbol table", stacklevel=4
        )
    for text in epsilons:
        if text.startswith("@"):
            warnings.warn(f"{where}: {text!r} is interpreted as epsilon", stacklevel=4)
    return {text: EPSILON if text in epsilons else text for text in labels}
