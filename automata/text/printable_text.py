"""Symbols, strings and other text of a user as messages show them: so that they can be pasted back, and
nothing in them steers a terminal.

A string of symbols is shown as commands take it, between quotation marks: ``"a b"`` is the string of ``a``
and ``b``, ``"ab"`` that of the one symbol ``ab``. Where white space cannot part the symbols, or a terminal
would not show them as they are, it is a JSON list, which commands take with ``--lists``. So is one with a
symbol that is not in Unicode's composed form: it is escaped, as it looks like another one.

>>> print(write_string(["a", "b"]), write_string(["ab"]), write_string(["New York", "b"]))
"a b" "ab" '["New York", "b"]'
"""

from __future__ import annotations

import json
import shlex
import unicodedata

from automata.aliases import String
from automata.errors import InputError
from automata.text.number_text import shorten

EMPTY = "the empty string"
EXPANDED = frozenset('"$`\\!')
"""What a shell would not leave as it is between double quotation marks."""
SEPARATORS = frozenset(",;:\"'")
"""What sentences put between symbols."""


def printable(text: object, keep: str = "") -> str:
    r"""The text with every character escaped that is not printed, but those of ``keep``: terminal escapes,
    bells, marks that turn lines.

    >>> print(printable("a\x1b[2Jb"))
    a\x1b[2Jb
    """
    return "".join(c if c.isprintable() or c in keep else ascii(c)[1:-1] for c in str(text))


def has_half_a_character(text: str) -> bool:
    """Is a surrogate in it, which UTF-8 has no bytes for?"""
    return any("\ud800" <= character <= "\udfff" for character in text)


def write_string(symbols: String) -> str:
    """A string of symbols as a person pastes it back into a command; ``the empty string`` for none."""
    if not len(symbols):
        return EMPTY
    text = " ".join(map(str, symbols))
    if is_plain(symbols) and not text.startswith("-"):  # a command would take it for an option
        return shlex.quote(text) if EXPANDED.intersection(text) else f'"{text}"'
    return shlex.quote(write_list(symbols))


def is_plain(symbols: String) -> bool:
    """Do blanks part the symbols, so that what they join is read back, and a terminal shows it as it is?"""
    names = [str(s) for s in symbols]
    text = " ".join(names)
    shown = text.isprintable() and not any(map(looks_like_another, names))
    return shown and text.split() == names and not text.startswith("[")


def looks_like_another(symbol: str) -> bool:
    r"""Return whether a symbol looks like another one: it is not in Unicode's composed form (NFC), or begins
    with a mark that is drawn over what stands before it.

    >>> looks_like_another("\u00e9"), looks_like_another("e\u0301"), looks_like_another("\u0301")
    (False, True, True)
    """
    return not unicodedata.is_normalized("NFC", symbol) or unicodedata.category(symbol[:1] or "a")[0] == "M"


def write_list(symbols: String) -> str:
    r"""The symbols as a JSON list, which commands take with ``--lists``; what is not printed is escaped.

    >>> print(write_list(["New York", "b\u202e"]))
    ["New York", "b\u202e"]
    """
    return f"[{', '.join(_as_json(str(s)) for s in symbols)}]"


def quoted(text: str) -> str:
    r"""The text between quotation marks, as JSON has it, with what is not printed escaped.

    >>> print(quoted('a "b"\n'))
    "a \"b\"\n"
    """
    return _as_json(text)


def write_symbol(symbol: object) -> str:
    """One symbol in a sentence or a list: as it is where that is plain, else as JSON.

    >>> print(*map(write_symbol, ["a", "$", "a b", "b:", ""]))
    a $ "a b" "b:" ""
    """
    text = str(symbol)
    plain = text.isprintable() and text.split() == [text] and not SEPARATORS.intersection(text)
    return text if plain and not looks_like_another(text) else _as_json(text)


def read_string(text: str, as_list: bool = False) -> tuple[str, ...]:
    """The symbols of a string as a command gets it: split at white space, or those of a JSON list.

    >>> read_string("a  b"), read_string('["New York", "b"]', as_list=True)
    (('a', 'b'), ('New York', 'b'))

    Raises :class:`~automata.errors.InputError` where ``as_list`` asks for a JSON list of strings, and it is
    none.
    """
    if not as_list:
        return tuple(text.split())
    try:
        symbols = json.loads(text)
    except (ValueError, RecursionError):
        symbols = None
    if not isinstance(symbols, list) or not all(isinstance(s, str) for s in symbols):
        raise InputError(f'the string {shorten(text)} is no JSON list of symbols, such as ["New York", "b"]')
    return tuple(symbols)


def _as_json(text: str) -> str:
    if looks_like_another(text):
        return json.dumps(text)
    text = json.dumps(text, ensure_ascii=False)
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)
