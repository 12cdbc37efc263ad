"""A probabilistic finite automaton (PFA), exact or in float64."""

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
from automata.symbols import unknown_symbol
from automata.text.number_text import shorten
from automata.weights import checked, has_floats, raw_array
from automata.wfsa import WFSA

UNIT = 2.0**-53
"""The unit roundoff of float64."""


@dataclass(frozen=True)
class Tie:
    """States that are equally probable after ``state`` and ``symbol`` (both ``None`` at the start)."""

    state: int | None
    symbol: Hashable | None
    best: tuple[int, ...]


@dataclass(frozen=True)
class MostProbable:
    """The limit DFA of Theorem 3.2 (Wang & Niepert 2019), where there is one: ties leave it open.

    Attributes:
        dfa: moves to the most probable state, of several to the one of the least number. It keeps all states
            and their numbers.
        ties: where several are the most probable, by float64's or the fractions' own equality; first the
            start's, then by state.
    """

    dfa: DFA
    ties: tuple[Tie, ...]

    @property
    def reached_ties(self) -> tuple[Tie, ...]:
        """The ties at the start and at states that are reached in ``dfa``; without any, no choice matters."""
        reached = self.dfa.reachable()[1]
        return tuple(t for t in self.ties if t.state is None or t.state in reached)


class PFA(Drawable):
    """A PFA in Rabin's sense (1963), the "probabilistic finite automaton" of Theorem 3.1, Wang & Niepert
    2019; immutable.

    >>> lossy = PFA("a", initial=[1, 0], tables=[[["1/2", "1/2"], [0, 1]]])
    >>> lossy.distribution("aa")
    array([Fraction(1, 4), Fraction(3, 4)], dtype=object)

    Args:
        alphabet: m symbols, any hashable values but ``""``.
        initial: the probability of each state before the first symbol, shape ``(k,)``.
        tables: for each symbol, in the alphabet's order, its matrix from row to column, shape ``(m, k, k)``.

    Integers, fractions and strings make an exact PFA, whose distributions sum to exactly one. One float makes
    a float64 PFA. There a sum may miss one by gamma_(k+1) + k 2**-1074, where gamma_r = r u / (1 - r u) and u
    = 2**-53: so much do k numbers, none negative, miss that were divided by their sum, in any order of
    summation (k - 1 roundings for the sum, one for the quotient, one for the sum that is taken here; the
    second term is underflow).

    Raises:
        ShapeError: the shapes do not fit together.
        InputError: a probability is negative, infinite or NaN, or those of a row do not sum to one; it says
            which row.

    Attributes:
        alphabet: the symbols, in order.
        initial, tables: read-only arrays of fractions or float64.
        exact: are they fractions?
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
                f"tables has shape {steps.shape}, where {m} symbols and {k} states ask for {(m, k, k)}"
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
        """A PFA from one table: ``table[i, a, j]`` leads from state i by the a-th symbol to state j."""
        return cls(alphabet, initial, raw_array(table, "the table", 3).swapaxes(0, 1))

    @property
    def states(self) -> int:
        """The number of states, k."""
        return len(self.initial)

    def table(self, symbol: Hashable) -> Weights:
        """The matrix of a symbol, shape ``(k, k)``."""
        if symbol not in self.alphabet:
            raise unknown_symbol(self.alphabet, symbol)
        return np.asarray(self.tables[self.alphabet.index(symbol)])

    def to_wfsa(self, final: Collection[int]) -> WFSA:
        """Return the real automaton on these states and numbers whose score is the probability to be in one
        of the states ``final``; its Forward vector is the distribution over states.
        """
        last = REAL.zeros(self.states, exact=self.exact)
        last[sorted({checked_state(q, self.states, "final") for q in listed(final, "final")})] = REAL.exact(1)
        return WFSA(REAL, self.initial, last, dict(zip(self.alphabet, self.tables, strict=True)))

    def weighted_form(self, final: Collection[int] = ()) -> WFSA:
        """The real automaton of the probability to be in one of the states ``final``: :meth:`to_wfsa`."""
        return self.to_wfsa(final)

    def state_automata(self) -> tuple[WFSA, ...]:
        """For each state j the real automaton that scores the probability to be in j after the string."""
        whole = self.to_wfsa([])
        return tuple(whole.replace(final=row) for row in REAL.identity(self.states, exact=self.exact))

    def distribution(self, string: String) -> Weights:
        """Return the probability of each state after the string, shape ``(k,)``, by the Forward algorithm."""
        return np.asarray(forward(self.to_wfsa([]), string)[-1])

    def sample(self, string: String, rng: np.random.Generator) -> list[int]:
        """States drawn one after the other, as eq. 4 of Wang & Niepert 2019 does: T + 1 of them for T
        symbols.

        Fractions are rounded to float64 before a state is drawn.

        >>> PFA("a", [1, 0], [[[0, 1], [1, 0]]]).sample("aa", np.random.default_rng(0))
        [0, 1, 0]
        """
        states = [_drawn(self.initial, rng)]
        for place, symbol in enumerate(string):
            if symbol not in self.alphabet:
                raise unknown_symbol(self.alphabet, symbol, f"place {place}: ")
            states.append(_drawn(self.table(symbol)[states[-1]], rng))
        return states

    def most_probable(self, final: Collection[int] = ()) -> MostProbable:
        """The DFA that always moves to the most probable state, with its ties; see :class:`MostProbable`.

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
        raise AttributeError("an automaton is immutable; make another with PFA(...)")

    def __eq__(self, other: object) -> bool:
        """The same probabilities on the same states and the same alphabet in the same order."""
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
            raise InputError(
                f"{where}: the probability of state {j} is {p}, where probabilities are 0 or more"
            )
    if row.dtype == object:
        total, slack = sum(row.tolist()), 0.0
    else:
        r = len(row) + 1
        total, slack = math.fsum(row.tolist()), r * UNIT / (1 - r * UNIT) + len(row) * 2.0**-1074
    if not abs(total - 1) <= slack:
        raise InputError(
            f"{where}: the probabilities sum to {total}, where they have to sum to 1; divide them by"
            " their sum"
        )


def _drawn(row: Weights, rng: np.random.Generator) -> int:
    shares = row.astype(np.float64)
    return int(rng.choice(len(shares), p=shares / shares.sum()))
