"""Conversion of exact numbers to and from text."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from unicodedata import is_normalized

from automata.errors import WeightError

_NUMBER = re.compile(r"[+-]?(\d+/\d+|(\d+(\.\d*)?|\.\d+)([eE](?P<exponent>[+-]?\d+))?)", re.ASCII)
_INFINITIES = {"inf": math.inf, "+inf": math.inf, "-inf": -math.inf}
MOST_DIGITS = 4300  # Python's own limit for reading an integer in quadratic time
MOST_EXPONENT = 4300


def parse_number(text: str) -> Fraction | float:
    """Parse a number exactly, as a fraction or an infinity.

    >>> parse_number("-3/7"), parse_number("0.25"), parse_number("-inf")
    (Fraction(-3, 7), Fraction(1, 4), -inf)

    Raises:
        WeightError: If the text is anything else, including NaN.
    """
    if text in _INFINITIES:
        return _INFINITIES[text]
    if len(text) > MOST_DIGITS:
        raise WeightError(f"weight {shorten(text)} must have at most {MOST_DIGITS} digits")
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise WeightError(
            'a weight must be a number such as "2", "-3/7", "0.25", "1e-3", "inf" or "-inf", got'
            f" {shorten(text)}"
        )
    if abs(int(match["exponent"] or 0)) > MOST_EXPONENT:
        raise WeightError(f"weight {shorten(text)} must have at most {MOST_DIGITS} digits")
    try:
        return Fraction(text)
    except ZeroDivisionError:
        raise WeightError(f"weight {shorten(text)} must not divide by zero") from None


def shorten(text: object, most: int = 60) -> str:
    """Quote ``text`` and truncate it to ``most`` characters; return only its type if it has no repr.

    Text that is not in Unicode's composed form is escaped, because it looks like composed text.
    """
    start = text[:most] if isinstance(text, str | list | tuple) and len(text) > most else text
    try:
        quoted = repr(start)
        quoted = quoted if is_normalized("NFC", quoted) else ascii(start)
    except (RecursionError, ValueError):
        quoted = f"<{type(text).__name__}>"
    if start is not text:
        quoted += "..."
    return quoted if len(quoted) <= most else quoted[: most - 3] + "..."


def plural(count: int, noun: str) -> str:
    """Return the count with its noun, such as ``1 state`` or ``2 states``."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def write_number(value: Fraction | float) -> str:
    """Return the text that :func:`parse_number` reads back: ``"-3/7"``, ``"2"``, ``"-inf"``.

    >>> write_number(Fraction(6, -14))
    '-3/7'
    """
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    fraction = Fraction(value)
    top = _digits(fraction.numerator)
    return top if fraction.denominator == 1 else f"{top}/{_digits(fraction.denominator)}"


def _digits(value: int) -> str:
    if value.bit_length() < 4 * MOST_DIGITS // 2:
        return str(value)
    # Python rejects str() of a huge integer, because it takes quadratic time; an exact score may be huge.
    import flint

    return str(flint.fmpz(value))
