"""Printable text of symbols and strings, which can be pasted back and contains no terminal escapes.

A string of symbols is written as commands accept it, in quotation marks: ``"a b"`` is the string of ``a`` and
``b``, ``"ab"`` is the string of the one symbol ``ab``. If white space cannot separate the symbols, or a
terminal would not show them literally, it is a JSON list, which commands accept with ``--lists``.

This also applies if a symbol is not in Unicode's composed form: it is escaped, because it looks like another
one.

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
"""Characters that a shell would expand in double quotation marks."""
SEPARATORS = frozenset(",;:\"'")
"""Characters that separate symbols in sentences."""


def printable(text: object, keep: str = "") -> str:
    r"""Escape unprintable characters, such as terminal escapes and bidi marks, except those in ``keep``.

    >>> print(printable("a\x1b[2Jb"))
    a\x1b[2Jb
    """
    return "".join(c if c.isprintable() or c in keep else ascii(c)[1:-1] for c in str(text))


def has_half_a_character(text: str) -> bool:
    """Return whether the text contains a surrogate, which UTF-8 cannot encode."""
    return any("\ud800" <= character <= "\udfff" for character in text)


def write_string(symbols: String) -> str:
    """Return a string of symbols as commands accept it; ``the empty string`` if there are none."""
    if not len(symbols):
        return EMPTY
    text = " ".join(map(str, symbols))
    if is_plain(symbols) and not text.startswith("-"):  # a command would parse it as an option
        return shlex.quote(text) if EXPANDED.intersection(text) else f'"{text}"'
    return shlex.quote(write_list(symbols))


def is_plain(symbols: String) -> bool:
    """Return whether the symbols joined by blanks are read back unchanged and are printable."""
    names = [str(s) for s in symbols]
    text = " ".join(names)
    shown = text.isprintable() and not any(map(looks_like_another, names))
    return shown and text.split() == names and not text.startswith("[")


def looks_like_another(symbol: str) -> bool:
    r"""Return whether a symbol can look like another one.

    This is so if it is not in Unicode's composed form (NFC), or begins with a mark that is drawn over the
    preceding character.

    >>> looks_like_another("\u00e9"), looks_like_another("e\u0301"), looks_like_another("\u0301")
    (False, True, True)
    """
    return not unicodedata.is_normalized("NFC", symbol) or unicodedata.category(symbol[:1] or "a")[0] == "M"


def write_list(symbols: String) -> str:
    r"""Return the symbols as a JSON list with escapes, the form that commands accept with ``--lists``.

    >>> print(write_list(["New York", "b\u202e"]))
    ["New York", "b\u202e"]
    """
    return f"[{', '.join(_as_json(str(s)) for s in symbols)}]"


def quoted(text: str) -> str:
    r"""Return the text as a quoted JSON string, with unprintable characters escaped.

    >>> print(quoted('a "b"\n'))
    "a \"b\"\n"
    """
    return _as_json(text)


def write_symbol(symbol: object) -> str:
    """Return a symbol for a sentence or a list: unchanged if it is plain, otherwise as JSON.

    >>> print(*map(write_symbol, ["a", "$", "a b", "b:", ""]))
    a $ "a b" "b:" ""
    """
    text = str(symbol)
    plain = text.isprintable() and text.split() == [text] and not SEPARATORS.intersection(text)
    return text if plain and not looks_like_another(text) else _as_json(text)


def read_string(text: str, as_list: bool = False) -> tuple[str, ...]:
    """Return the symbols of a command's string: split at white space, or from a JSON list.

    >>> read_string("a  b"), read_string('["New York", "b"]', as_list=True)
    (('a', 'b'), ('New York', 'b'))

    Raises:
        InputError: If ``as_list`` is true and the text is not a JSON list of strings.
    """
    if not as_list:
        return tuple(text.split())
    try:
        symbols = json.loads(text)
    except (ValueError, RecursionError):
        symbols = None
    if not isinstance(symbols, list) or not all(isinstance(s, str) for s in symbols):
        raise InputError(
            f'the string must be a JSON list of symbols, such as ["New York", "b"], got {shorten(text)}'
        )
    return tuple(symbols)


def _as_json(text: str) -> str:
    if looks_like_another(text):
        return json.dumps(text)
    text = json.dumps(text, ensure_ascii=False)
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)
