"""Conversion of a network to a probabilistic automaton (Wang & Niepert 2019, Theorem 3.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from automata.aliases import Floats, String
from automata.errors import InputError
from automata.probabilistic import PFA
from automata.text.number_text import shorten
from ratproof.certification.soft_networks.floats import Points
from ratproof.certification.soft_networks.numbers import Numbers


def indices(numbers: Numbers, string: String, where: str = "") -> list[int]:
    """Return the index of each symbol in the alphabet; an error message begins with ``where``."""
    index = {symbol: number for number, symbol in enumerate(numbers.alphabet)}
    for symbol in string:
        if symbol not in index:
            symbols = f"{', '.join(map(repr, numbers.alphabet)):.300}"
            raise InputError(f"{where}symbols must be among {symbols}, got {shorten(symbol)}")
    return [index[symbol] for symbol in string]


def table(numbers: Numbers) -> Floats:
    """Return the probability alpha of each next centroid after each centroid and symbol, in float64.

    The shape is ``(k, symbols, k)``. Each row sums to 1 up to rounding.
    """
    points, every = Points(numbers), np.eye(numbers.k)
    return np.stack([points.step(every, token) for token in range(len(numbers.alphabet))], axis=1)


def probabilistic(numbers: Numbers) -> PFA:
    """Return the probabilistic automaton of the network with sampled transitions (equation 4), in float64.

    The initial distribution is alpha after the start token, or centroid 0 if there is no start token.
    """
    return PFA.from_table(numbers.alphabet, Points(numbers).first()[0], table(numbers))


def over_temperatures(numbers: Numbers, temperatures: Sequence[float]) -> Floats:
    """Return the transition probabilities at each temperature, shape ``(temperatures, k, symbols, k)``."""
    return np.stack([table(replace(numbers, temperature=Fraction(tau))) for tau in temperatures])


def along(numbers: Numbers, string: String, temperatures: Sequence[float]) -> Floats:
    """Return the centroids' probabilities alpha along a string, at each temperature.

    alpha is that of the soft run after the start and after each of the T symbols. The shape is
    ``(temperatures, T + 1, k)``. Figure 3 (left) of the paper shows this for the string 100.
    """
    tokens, rows = indices(numbers, string), []
    for tau in temperatures:
        points = Points(replace(numbers, temperature=Fraction(tau)))
        alpha = [points.first()]
        for token in tokens:
            alpha.append(points.step(alpha[-1], token))
        rows.append(np.concatenate(alpha))
    return np.stack(rows)
