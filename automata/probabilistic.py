"""Probabilistic finite automata (PFAs), exact or in float64."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from automata.aliases import String, Symbols, Weights
from automata.checks import checked_alphabet, checked_state, listed
from automata.dfa import DFA
from automata.drawing import Drawable
from automata.errors import InputError, ShapeError
from automata.forward import forward
from automata.semirings import REAL
from automata.symbols import known_symbols, unknown_symbol
from automata.text.number_text import shorten
from automata.weights import checked, has_floats, raw_array
from automata.wfsa import WFSA

UNIT = 2.0**-53
"""The unit roundoff of float64."""


@dataclass(frozen=True)
class Tie:
    """A tie for the most probable state after ``state`` and ``symbol``; both are ``None`` at the start.

    The states ``best`` are equally probable, and every other state is less probable.
    """

    state: int | None
    symbol: Hashable | None
    best: tuple[int, ...]


@dataclass(frozen=True)
class MostProbable:
    """The limit DFA of Theorem 3.2 (Wang & Niepert 2019), which a tie leaves undetermined.

    Attributes:
        dfa: a DFA with the states of the PFA. It moves to the most probable state; in a tie, to the one with
            the lowest number.
        ties: the ties for the most probable state, by exact equality of float64 or fractions. A tie at the
            start comes first; the other ties are in the order of their states.
    """

    dfa: DFA
    ties: tuple[Tie, ...]

    @property
    def reached_ties(self) -> tuple[Tie, ...]:
        """The ties at the start and at reachable states of ``dfa``.

        If there are none, the limit DFA is determined on all strings.
        """
        reached = self.dfa.reachable()[1]
        return tuple(t for t in self.ties if t.state is None or t.state in reached)


class PFA(Drawable):
    """An immutable PFA in Rabin's sense (1963), as in Theorem 3.1 of Wang & Niepert 2019.

    >>> lossy = PFA("a", initial=[1, 0], tables=[[["1/2", "1/2"], [0, 1]]])
    >>> lossy.distribution("aa")
    array([Fraction(1, 4), Fraction(3, 4)], dtype=object)

    Args:
        alphabet: m symbols, any hashable values except ``""``.
        initial: the probability of each state before the first symbol, shape ``(k,)``.
        tables: the matrix of each symbol from row to column, in the alphabet's order, shape ``(m, k, k)``.

    Integers, fractions and strings give an exact PFA, whose distributions must sum to exactly one. If a value
    is a float, the PFA is float64. Its sums may differ from one by gamma_(k+1) + k 2**-1074, with gamma_r = r
    u / (1 - r u) and u = 2**-53. This tolerance bounds the error of k nonnegative numbers divided by their
    sum, in any order of summation: k - 1 roundings for the sum, one for the quotient, and one for the sum
    computed here. The second term covers underflow.

    Raises:
        ShapeError: If the shapes do not match.
        InputError: If a probability is negative, infinite or NaN, or a row does not sum to one; the message
            names the row.

    Attributes:
        alphabet: the symbols, in order.
        initial, tables: read-only arrays of fractions or float64.
        exact: whether they are fractions.
    """

    probabilistic: ClassVar[bool] = True
    alphabet: Symbols
    initial: Weights
    tables: Weights
    exact: bool

    def __init__(self, alphabet: Iterable[Hashable], initial: ArrayLike, tables: ArrayLike) -> None:
        symbols = checked_alphabet(alphabet)
        start, steps = raw_array(initial, "initial", 1), raw_array(tables, "tables", 3)
        m, k = len(symbols), len(start)
        steps = steps.reshape(0, k, k) if m == steps.size == 0 else steps
        if steps.shape != (m, k, k):
            raise ShapeError(
                f"tables must have shape {(m, k, k)} for {m} symbols and {k} states, got {steps.shape}"
            )
        exact = not (has_floats(start) or has_floats(steps))
        start = checked(REAL, start, exact, "initial")
        _require_distribution(start, "initial")
        steps = (
            np.stack(
                [
                    checked(REAL, t, exact, f"the matrix of symbol {shorten(s)}")
                    for s, t in zip(symbols, steps, strict=True)
                ]
            )
            if m
            else REAL.zeros(0, k, k, exact=exact)
        )
        for symbol, table in zip(symbols, steps, strict=True):
            for q, row in enumerate(table):
                _require_distribution(row, f"state {q}, symbol {shorten(symbol)}")
        for array in (start, steps):
            array.flags.writeable = False
        for name, value in [("alphabet", symbols), ("initial", start), ("tables", steps), ("exact", exact)]:
            object.__setattr__(self, name, value)

    @classmethod
    def from_table(cls, alphabet: Iterable[Hashable], initial: ArrayLike, table: ArrayLike) -> PFA:
        """Return a PFA from one table: ``table[i, a, j]`` leads from state i by symbol a to state j."""
        return cls(alphabet, initial, raw_array(table, "the table", 3).swapaxes(0, 1))

    @property
    def states(self) -> int:
        """The number of states, k."""
        return len(self.initial)

    def table(self, symbol: Hashable) -> Weights:
        """Return the matrix of a symbol, shape ``(k, k)``."""
        if symbol not in self.alphabet:
            raise unknown_symbol(self.alphabet, symbol)
        return np.asarray(self.tables[self.alphabet.index(symbol)])

    def to_wfsa(self, final: Collection[int]) -> WFSA:
        """Return the real automaton whose score is the probability of being in one of the states ``final``.

        It has the same states and numbers. Its Forward vector is the distribution over states.
        """
        last = REAL.zeros(self.states, exact=self.exact)
        last[sorted({checked_state(q, self.states, "final") for q in listed(final, "final")})] = REAL.exact(1)
        return WFSA(REAL, self.initial, last, dict(zip(self.alphabet, self.tables, strict=True)))

    def weighted_form(self, final: Collection[int] = ()) -> WFSA:
        """Return the real automaton of the probability of being in ``final``; see :meth:`to_wfsa`."""
        return self.to_wfsa(final)

    def state_automata(self) -> tuple[WFSA, ...]:
        """Return, for each state j, the real automaton whose score is the probability of being in j."""
        automaton = self.to_wfsa([])
        return tuple(automaton.replace(final=row) for row in REAL.identity(self.states, exact=self.exact))

    def distribution(self, string: String) -> Weights:
        """Return the probability of each state after the string, shape ``(k,)``, by the Forward algorithm."""
        return np.asarray(forward(self.to_wfsa([]), string)[-1])

    def sample(self, string: String, rng: np.random.Generator) -> list[int]:
        """Draw a sequence of states as in eq. 4 of Wang & Niepert 2019: T + 1 states for T symbols.

        Fractions are rounded to float64 before a state is drawn.

        >>> PFA("a", [1, 0], [[[0, 1], [1, 0]]]).sample("aa", np.random.default_rng(0))
        [0, 1, 0]
        """
        states = [_drawn(self.initial, rng)]
        for symbol in known_symbols(self.alphabet, string):
            states.append(_drawn(self.table(symbol)[states[-1]], rng))
        return states

    def most_probable(self, final: Collection[int] = ()) -> MostProbable:
        """Return the DFA that always moves to the most probable state, and the list of ties.

        >>> limit = PFA("a", [1, 0], [[["1/3", "2/3"], ["1/2", "1/2"]]]).most_probable(final=[1])
        >>> limit.dfa.table, limit.ties
        (((1,), (0,)), (Tie(state=1, symbol='a', best=(0, 1)),))
        """
        ties: list[Tie] = []

        def best(row: Weights, state: int | None, symbol: Hashable | None) -> int:
            most = np.flatnonzero(row == row.max()).tolist()
            if len(most) > 1:
                ties.append(Tie(state, symbol, tuple(most)))
            return int(most[0])

        start = best(self.initial, None, None)
        steps = tuple(
            tuple(best(self.tables[a, q], q, s) for a, s in enumerate(self.alphabet))
            for q in range(self.states)
        )
        dfa = DFA(self.alphabet, start, steps, frozenset(listed(final, "final")))
        return MostProbable(dfa, tuple(ties))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("an automaton is immutable; construct a new one with PFA(...)")

    def __eq__(self, other: object) -> bool:
        """Compare probabilities, states and alphabets in order."""
        if not isinstance(other, PFA):
            return NotImplemented
        return (
            (self.alphabet, self.exact, self.states) == (other.alphabet, other.exact, other.states)
            and bool((self.initial == other.initial).all())
            and bool((self.tables == other.tables).all())
        )

    def __hash__(self) -> int:
        return hash((self.alphabet, self.exact, self.states))

    def __reduce__(self) -> tuple[object, ...]:
        return PFA, (self.alphabet, self.initial, self.tables)

    def __repr__(self) -> str:
        kind = "exact" if self.exact else "float64"
        return f"<PFA: {self.states} state(s), {len(self.alphabet)} symbol(s), {kind}>"


def _require_distribution(row: Weights, where: str) -> None:
    for j, p in enumerate(row):
        if p < 0:
            raise InputError(f"{where}: the probability of state {j} must not be negative, got {p}")
    if row.dtype == object:
        total, slack = sum(row.tolist()), 0.0
    else:
        r = len(row) + 1
        total, slack = math.fsum(row.tolist()), r * UNIT / (1 - r * UNIT) + len(row) * 2.0**-1074
    if not abs(total - 1) <= slack:
        raise InputError(f"{where}: the probabilities must sum to 1, got {total}; divide them by their sum")


def _drawn(row: Weights, rng: np.random.Generator) -> int:
    shares = row.astype(np.float64)
    return int(rng.choice(len(shares), p=shares / shares.sum()))
