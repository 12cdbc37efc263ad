"""Formatting of the labels of drawings: symbols, weights and probabilities."""

from __future__ import annotations

import json
import math
from collections.abc import Hashable
from decimal import Decimal
from fractions import Fraction

from automata.aliases import Weight
from automata.semirings import Semiring
from automata.symbols import EPSILON
from automata.text.printable_text import looks_like_another, quoted

MOST_NAMES = 4
SILENT, ALL = "ε", "all"


def symbols(names: list[Hashable], alphabet: int) -> str:
    """Format the symbols of an arrow, shortened if there are many.

    "all" stands for the full alphabet if it has more than two symbols.
    """
    texts = [symbol_text(name) for name in names]
    readers = len(texts) - texts.count(SILENT)
    if readers == alphabet > 2:
        return ", ".join([*([SILENT] if SILENT in texts else []), ALL])
    if len(texts) > MOST_NAMES:
        return ", ".join(texts[: MOST_NAMES - 1]) + f" and {len(texts) - MOST_NAMES + 1} more"
    return ", ".join(texts)


def symbol_text(name: Hashable) -> str:
    r"""Return the symbol, quoted if it is ambiguous or not visible in a drawing.

    >>> print(*map(symbol_text, ["", "ε", "and/or", "a, b", "/", "all", "\\N", "\u0301"]))
    ε "ε" and/or "a, b" "/" "all" \N "\u0301"
    """
    if name == EPSILON or not isinstance(name, str):
        return SILENT if name == EPSILON else str(name)
    if looks_like_another(name):
        return json.dumps(name)
    plain = (
        name.isprintable()
        and " " not in name
        and name not in (SILENT, ALL, "/")
        and not {name[0], name[-1]} & {",", '"'}
    )
    return name if plain else quoted(name)


def weight_text(k: Semiring, weight: Weight) -> str:
    """Return the label of a weight in a drawing; the weight one has an empty label.

    The label is exact if it has at most 12 characters. Otherwise it is ``≈`` and six digits.
    """
    if weight == k.one:
        return ""
    text = k.format(weight)
    if len(text) <= 12:
        return text
    exact = Fraction(k.exact(weight)) if not k.float_only else Fraction(weight)
    return f"≈{Decimal(exact.numerator) / Decimal(exact.denominator):.6g}"


def probability_text(probability: Weight, least: float = 0.01) -> str:
    """Return a probability as a label with two decimals.

    It has more decimals if the smallest probability to show, ``least``, is less than 0.01. A value that would
    round to one or zero without being equal is written with ``>`` or ``<``.

    >>> [probability_text(p) for p in (0.934, 1, 0.9999, Fraction(1, 3), 1e-9)]
    ['0.93', '1', '>0.99', '0.33', '<0.01']
    """
    if probability in (0, 1):
        return str(int(probability))
    digits = max(2, math.ceil(-math.log10(least))) if least > 0 else 2
    text = f"{float(probability):.{digits}f}"
    if float(text) == 1:
        return ">0." + "9" * digits
    return "<0." + "0" * (digits - 1) + "1" if float(text) == 0 else text
