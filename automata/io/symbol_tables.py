"""Read and write the symbol tables beside AT&T text, and resolve the labels of a text to symbols.

A symbol table is OpenFst's: each line is a name and its number. With a table, labels are its names, whatever
they look like, as for OpenFst's compiler: ``2`` is the symbol named 2. If no label is a name and all labels
are numbers, they are the numbers of the table, as ``fstprint`` writes them without a table. Number 0 is
epsilon.

Without a table, labels are names. Epsilon is ``<epsilon>``, ``<eps>``, ``@0@``, ``@_EPSILON_SYMBOL_@`` or
``0``, whichever of them the text has; ``-1`` and HFST's names for unknown symbols are refused.
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
"""Epsilon in texts without a table: OpenFst's names, and those of foma and HFST."""
FOREIGN = {
    "-1": "k2 writes at the arcs into its final state; leave these out and give their sources final weights",
    "@_IDENTITY_SYMBOL_@": "HFST writes for any symbol that is not named; list the symbols",
    "@_UNKNOWN_SYMBOL_@": "HFST writes for any symbol that is not named; list the symbols",
    "@": "foma writes for any symbol that is not named; list the symbols",
}
"""Labels that are no symbols in the text that other programs write, and what to do."""
LOOKS_SILENT = re.compile("eps|^ε$|^<.*>$|^[-_0]$", re.IGNORECASE)
"""Names that nobody would take for a symbol where they have number 0."""


def dumps_symbols(automaton: WFSA) -> str:
    """Return the symbol table: epsilon is 0, and the alphabet follows in its order."""
    names = map(label, (EPSILON, *automaton.alphabet))
    return "".join(f"{name}\t{i}\n" for i, name in enumerate(names))


def label(symbol: object) -> str:
    """Return the symbol as AT&T text with a table writes it; raise InputError if it cannot."""
    if symbol == EPSILON:
        return EPSILON_NAMES[0]
    if not isinstance(symbol, str):
        why = "it is no string"
    elif symbol in EPSILON_NAMES:
        why = "without its table it would be epsilon"
    elif re.search(r"[ \t\n\r\0]", symbol):
        why = "it has a blank, tab, line break or NUL in it"
    elif has_half_a_character(symbol):
        why = "it has half of a character in it"
    elif len(symbol.encode()) > LONGEST // 3:
        why = f"it has more than {LONGEST // 3} bytes, and OpenFst reads no longer lines"
    else:
        return symbol
    raise InputError(f"symbol {shorten(symbol)} cannot be written as AT&T text: {why}; .json keeps it")


def loads_symbols(text: str, where: str = "symbols") -> dict[str, int]:
    """Return the symbols' numbers; raise FormatError for a bad line or anything given twice."""
    table: dict[str, int] = {}
    named: dict[int, str] = {}
    for line, parts in columns(text):
        here = f"{where}: line {line}"
        if len(parts) != 2 or not re.fullmatch(r"\d{1,18}", parts[1], re.ASCII):
            raise FormatError(f"{here}: must be a symbol and its number, got {shorten(' '.join(parts))}")
        name, number = parts[0], int(parts[1])
        if name in table or number in named:
            raise FormatError(f"{here}: gives {shorten(name)} or its number a second time")
        if number == 0 and not LOOKS_SILENT.search(name):
            warnings.warn(f"{here}: {shorten(name)} is epsilon, since its number is 0", stacklevel=3)
        table[name], named[number] = number, name
    return table


def symbols_of(labels: Mapping[str, int], table: Mapping[str, int] | None, where: str) -> dict[str, str]:
    """For each label of a text its symbol.

    Raises :class:`~automata.errors.FormatError`, with the line, for a label that is in no table, or that may
    be epsilon or may not.
    """
    return _without_table(labels, where) if table is None else _with_table(labels, table, where)


def alphabet_of(symbols: Iterable[str], table: Mapping[str, int] | None) -> list[str]:
    """Return the symbols in the table's order, unread ones too; without a table, in reading order."""
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
                f"{where}: line {line}: reads {shorten(text)}, which is a number of the symbol table and no"
                f" name, where line {labels[named]} reads the name {shorten(named)}; all labels are names, or"
                " all are numbers"
            )
        raise FormatError(f"{where}: line {line}: reads {shorten(text)}, which is not in the symbol table")
    if labels and named is None:
        warnings.warn(
            f"{where}: the labels are read as numbers of the symbol table, since none of them is a name",
            stacklevel=4,
        )
    names_of = {text: text if named is not None else names[text] for text in labels}
    return {text: name if table[name] else EPSILON for text, name in names_of.items()}


def _without_table(labels: Mapping[str, int], where: str) -> dict[str, str]:
    for text, line in labels.items():
        if text in FOREIGN:
            raise FormatError(
                f"{where}: line {line}: reads {text!r}, which {FOREIGN[text]}, or give a symbol table (.syms)"
            )
    silent = [text for text in EPSILON_NAMES if text in labels]
    unsure = "without a symbol table (.syms), which gives epsilon number 0"
    if len(silent) > 1:
        one, other = sorted(silent, key=lambda text: labels[text])[:2]
        raise FormatError(
            f"{where}: line {labels[other]}: reads {other!r}, and line {labels[one]} reads {one!r}: which of"
            " them is epsilon is not known " + unsure
        )
    if silent == ["0"]:
        name = next((text for text in labels if not re.fullmatch(r"-?\d+", text, re.ASCII)), None)
        if name is not None:
            raise FormatError(
                f"{where}: line {labels['0']}: reads '0', which may be epsilon or a symbol beside"
                f" {shorten(name)}: it is not known {unsure}"
            )
        warnings.warn(f"{where}: '0' is read as epsilon, since there is no symbol table", stacklevel=4)
    for text in silent:
        if text.startswith("@"):
            warnings.warn(f"{where}: {text!r} is read as epsilon", stacklevel=4)
    return {text: EPSILON if text in silent else text for text in labels}
