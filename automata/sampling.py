"""Random strings, drawn in proportion to what their paths weigh."""

from __future__ import annotations

import math

import numpy as np

from automata.aliases import Floats, Symbol, Symbols, Weight, Weights
from automata.errors import InputError
from automata.operations import remove_epsilon
from automata.semirings import BOOLEAN, LOG, MAX_PLUS, MIN_PLUS
from automata.wfsa import WFSA

MOST_STRINGS = 10_000_000


def sample(automaton: WFSA, count: int, longest: int, rng: np.random.Generator) -> list[Symbols]:
    """Strings of at most ``longest`` symbols, each drawn by drawing one path in proportion to its weight.

    Over real, counting and max-times weights a path weighs its score; over log and max-plus e to the score,
    over min-plus e to minus the score; over boolean 1.

    >>> from automata.semirings import BOOLEAN
    >>> only_ab = WFSA(BOOLEAN, [True, False, False], [False, False, True],
    ...     {"a": [[False, True, False], [False] * 3, [False] * 3],
    ...      "b": [[False] * 3, [False, False, True], [False] * 3]})
    >>> sample(only_ab, 2, longest=5, rng=np.random.default_rng(0))
    [('a', 'b'), ('a', 'b')]

    Raises:
        InputError: there are more than 10,000,000 to draw, a weight is negative, no string that short has a
            path, or the paths' weights overflow float64.
    """
    if count > MOST_STRINGS:
        raise InputError(f"{count:,} strings are asked for; at most {MOST_STRINGS:,} are drawn at once")
    initial, final, matrices = _likelihoods(remove_epsilon(automaton))
    names = list(automaton.index)
    tables = matrices[list(automaton.index.values())] if names else matrices[:0]
    step = tables.sum(axis=0) if len(tables) else np.zeros((len(final), len(final)))
    # rest[k]: for each state the weight of all ways to end after exactly k more symbols
    rest = [final]
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(longest):
            rest.append(step @ rest[-1])
        totals = np.array([initial @ r for r in rest])
    if not np.isfinite(totals).all():
        raise InputError(
            f"the weights of all paths of up to {longest} symbols overflow; ask for shorter strings"
        )
    if not totals.sum() > 0:
        raise InputError(f"no string of at most {longest} symbols has a path, so there is nothing to sample")
    lengths = rng.choice(len(totals), size=count, p=totals / totals.sum())
    return [_draw(initial, tables, rest, int(length), names, rng) for length in lengths]


def _draw(
    initial: Floats,
    tables: Floats,
    rest: list[Floats],
    length: int,
    names: list[Symbol],
    rng: np.random.Generator,
) -> Symbols:
    state = choose(initial * rest[length], rng)
    string = []
    for left in range(length - 1, -1, -1):
        ways = tables[:, state, :] * rest[left]
        symbol, state = divmod(choose(ways.reshape(-1), rng), len(initial))
        string.append(names[symbol])
    return tuple(string)


def choose(weights: Floats, rng: np.random.Generator) -> int:
    """A place, drawn in proportion to what stands there."""
    return int(rng.choice(len(weights), p=weights / weights.sum()))


def _likelihoods(automaton: WFSA) -> tuple[Floats, Floats, Floats]:
    k = automaton.semiring

    def likelihood(weight: Weight) -> float:
        try:
            if k is BOOLEAN:
                return float(weight)
            if k in (LOG, MAX_PLUS, MIN_PLUS):
                return math.exp(-weight if k is MIN_PLUS else weight)
            value = float(weight)
        except OverflowError:
            raise InputError(
                f"weight {k.format(weight)} is too large for sampling, which computes in float64"
            ) from None
        if value < 0:
            raise InputError(
                f"weight {k.format(weight)} is negative, and strings can only be drawn where all paths weigh"
                " 0 or more"
            )
        return value

    def all_of(weights: Weights) -> Floats:
        return np.array([likelihood(w) for w in weights.flat], dtype=np.float64).reshape(weights.shape)

    return all_of(automaton.initial), all_of(automaton.final), all_of(automaton.matrices)
