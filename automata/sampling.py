"""Sampling of random strings in proportion to the weights of their paths."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from automata.aliases import Floats, Symbol, Symbols, Weight, Weights
from automata.errors import InputError
from automata.operations import remove_epsilon
from automata.wfsa import WFSA

MOST_STRINGS = 10_000_000


def sample(automaton: WFSA, count: int, longest: int, rng: np.random.Generator) -> list[Symbols]:
    """Draw strings of at most ``longest`` symbols by drawing paths in proportion to their weights.

    The weight of a path depends on its score s and on the semiring: s for real, counting and max-times,
    exp(s) for log and max-plus, exp(-s) for min-plus, and 1 for boolean.

    >>> from automata.semirings import BOOLEAN
    >>> only_ab = WFSA(BOOLEAN, [True, False, False], [False, False, True],
    ...     {"a": [[False, True, False], [False] * 3, [False] * 3],
    ...      "b": [[False] * 3, [False, False, True], [False] * 3]})
    >>> sample(only_ab, 2, longest=5, rng=np.random.default_rng(0))
    [('a', 'b'), ('a', 'b')]

    Raises:
        InputError: If ``count`` exceeds 10,000,000, a weight is negative or infinite, the logarithm of a
            path's weight is beyond the range of float64, or no string of at most ``longest`` symbols has a
            path.
    """
    if count > MOST_STRINGS:
        raise InputError(f"the number of strings must be at most {MOST_STRINGS:,}, got {count:,}")
    plain = remove_epsilon(automaton)
    # a factor that all paths share does not matter
    initial, final = (_scaled(_logarithms(plain, part)) for part in (plain.initial, plain.final))
    arrows = _SamplingArrows(plain)
    # rest[k]: for each state, the log of the total weight of its paths with exactly k symbols
    rest = [final]
    for _ in range(longest):
        rest.append(arrows.before(rest[-1]))
    totals = np.array([np.logaddexp.reduce(_sum(initial, r), initial=-np.inf) for r in rest])
    if not (totals > -np.inf).any():
        raise InputError(f"no string of at most {longest} symbols has a path, so there is nothing to sample")
    lengths = rng.choice(len(totals), size=count, p=_shares(totals))
    return [_draw(initial, arrows, rest, int(length), rng) for length in lengths]


def _draw(
    initial: Floats, arrows: _SamplingArrows, rest: list[Floats], length: int, rng: np.random.Generator
) -> Symbols:
    state = _choose(initial + rest[length], rng)
    string = []
    for left in range(length - 1, -1, -1):
        symbol, state = arrows.choose(state, rest[left], rng)
        string.append(symbol)
    return tuple(string)


class _SamplingArrows:
    """All transitions with the logarithms of their weights, sorted by source."""

    def __init__(self, automaton: WFSA) -> None:
        self.names, self.states = list(automaton.index), automaton.states
        logarithms = [_logarithms(automaton, table.weights) for table in automaton.tables]
        indices = list(automaton.index.values())
        none = [np.zeros(0, dtype=np.intp)]
        tables = [automaton.tables[index] for index in indices]
        sources = np.concatenate([*none, *(table.rows for table in tables)])
        order = np.argsort(sources, kind="stable")
        self.sources = sources[order]
        self.targets = np.concatenate([*none, *(table.columns for table in tables)])[order]
        self.symbols = np.repeat(np.arange(len(tables)), [len(table) for table in tables])[order]
        self.weights: Floats = np.concatenate([np.zeros(0), *(logarithms[index] for index in indices)])[order]
        self.starts = np.searchsorted(self.sources, np.arange(self.states + 1))

    def before(self, rest: Floats) -> Floats:
        """Return, for each state, the log of the total weight of its paths with k + 1 symbols.

        Args:
            rest: the log of the total weight of each state's paths with k symbols, shape ``(n,)``.
        """
        each = _sum(self.weights, rest[self.targets])
        largest = np.full(self.states, -np.inf)
        np.maximum.at(largest, self.sources, each)
        largest[largest == -np.inf] = 0.0  # no continuation: the logarithm of a sum of zeros
        ways = np.bincount(self.sources, np.exp(each - largest[self.sources]), minlength=self.states)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(ways) + largest, dtype=np.float64)

    def choose(self, state: int, rest: Floats, rng: np.random.Generator) -> tuple[Symbol, int]:
        """Draw a transition from a state, in proportion to its weight times ``exp(rest)`` of its target."""
        of_state = slice(self.starts[state], self.starts[state + 1])
        index = self.starts[state] + _choose(self.weights[of_state] + rest[self.targets[of_state]], rng)
        return self.names[self.symbols[index]], int(self.targets[index])


def _scaled(logarithms: Floats) -> Floats:
    """Return the logarithms after a division of all weights by the largest."""
    largest = logarithms.max(initial=-np.inf)
    return logarithms - largest if largest > -np.inf else logarithms


def _sum(one: Floats, other: Floats) -> Floats:
    """Return the sum of two arrays of logarithms, or raise InputError if a number overflows."""
    with np.errstate(over="ignore"):
        total = one + other
    if (np.isinf(total) & np.isfinite(one) & np.isfinite(other)).any():
        raise InputError("sampling: the logarithm of each path's weight must be in the range of float64")
    return total


def _choose(logarithms: Floats, rng: np.random.Generator) -> int:
    """Draw an index in proportion to weights that are given as logarithms."""
    return int(rng.choice(len(logarithms), p=_shares(logarithms)))


def _shares(logarithms: Floats) -> Floats:
    weights = np.exp(logarithms - logarithms.max())
    return np.asarray(weights / weights.sum())


def _logarithms(automaton: WFSA, weights: Weights) -> Floats:
    """Return the natural logarithms of the weights; fractions may exceed the range of float64."""
    k = automaton.semiring

    def logarithm(weight: Weight) -> float:
        if k.log_sign:
            try:
                value = float(k.log_sign * weight)
            except OverflowError:
                raise InputError(
                    f"sampling: weights must be in the range of float64, got {k.format(weight)}"
                ) from None
        elif weight < 0:
            raise InputError(f"sampling: weights must not be negative, got {k.format(weight)}")
        elif isinstance(weight, Fraction):  # possibly beyond float64's range
            value = math.log(weight.numerator) - math.log(weight.denominator) if weight else -math.inf
        else:
            value = math.log(weight) if weight else -math.inf
        if value == math.inf:
            raise InputError(f"sampling: weights must be finite, got {k.format(weight)}")
        return value

    return np.array([logarithm(w) for w in weights.tolist()], dtype=np.float64)
