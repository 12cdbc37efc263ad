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
    plain = remove_epsilon(automaton)
    initial, final = (_likelihoods(plain, part) for part in (plain.initial, plain.final))
    arrows = _Arrows(plain)
    # rest[k]: for each state the weight of all ways to end after exactly k more symbols
    rest = [final]
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(longest):
            rest.append(arrows.before(rest[-1]))
        totals = np.array([initial @ r for r in rest])
    if not np.isfinite(totals).all():
        raise InputError(
            f"the weights of all paths of up to {longest} symbols overflow; ask for shorter strings"
        )
    if not totals.sum() > 0:
        raise InputError(f"no string of at most {longest} symbols has a path, so there is nothing to sample")
    lengths = rng.choice(len(totals), size=count, p=totals / totals.sum())
    return [_draw(initial, arrows, rest, int(length), rng) for length in lengths]


def _draw(
    initial: Floats, arrows: _Arrows, rest: list[Floats], length: int, rng: np.random.Generator
) -> Symbols:
    state = choose(initial * rest[length], rng)
    string = []
    for left in range(length - 1, -1, -1):
        symbol, state = arrows.choose(state, rest[left], rng)
        string.append(symbol)
    return tuple(string)


class _Arrows:
    """All transitions with their likelihoods, by source, symbol and target."""

    def __init__(self, automaton: WFSA) -> None:
        self.names, self.states = list(automaton.index), automaton.states
        likelihoods = [_likelihoods(automaton, table.weights) for table in automaton.tables]
        places = list(automaton.index.values())
        none = [np.zeros(0, dtype=np.intp)]
        tables = [automaton.tables[place] for place in places]
        sources = np.concatenate([*none, *(table.rows for table in tables)])
        order = np.argsort(sources, kind="stable")
        self.sources = sources[order]
        self.targets = np.concatenate([*none, *(table.columns for table in tables)])[order]
        self.symbols = np.repeat(np.arange(len(tables)), [len(table) for table in tables])[order]
        self.weights: Floats = np.concatenate([np.zeros(0), *(likelihoods[place] for place in places)])[order]
        self.starts = np.searchsorted(self.sources, np.arange(self.states + 1))

    def before(self, rest: Floats) -> Floats:
        """For each state the weight of all ways to go on, with that weight for each state that follows."""
        ways = np.bincount(self.sources, self.weights * rest[self.targets], minlength=self.states)
        return np.asarray(ways, dtype=np.float64)

    def choose(self, state: int, rest: Floats, rng: np.random.Generator) -> tuple[Symbol, int]:
        """A transition from a state, drawn in proportion to its weight and to that of its target."""
        of_state = slice(self.starts[state], self.starts[state + 1])
        place = self.starts[state] + choose(self.weights[of_state] * rest[self.targets[of_state]], rng)
        return self.names[self.symbols[place]], int(self.targets[place])


def choose(weights: Floats, rng: np.random.Generator) -> int:
    """A place, drawn in proportion to what stands there."""
    return int(rng.choice(len(weights), p=weights / weights.sum()))


def _likelihoods(automaton: WFSA, weights: Weights) -> Floats:
    """The automaton's weights as factors of a probability."""
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

    return np.array([likelihood(w) for w in weights.tolist()], dtype=np.float64)
