"""The DFA that always moves to the most probable state of a PFA, and its ties."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import dataclass

import numpy as np

from automata.aliases import Weights
from automata.checks import listed
from automata.dfa import DFA


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


def most_probable(
    alphabet: tuple[Hashable, ...], initial: Weights, tables: Weights, final: Collection[int]
) -> MostProbable:
    """The DFA of the most probable states, and its ties; :meth:`automata.probabilistic.PFA.most_probable`
    calls it.

    Args:
        alphabet: m symbols.
        initial: shape ``(k,)``.
        tables: shape ``(m, k, k)``.
        final: the accept states.
    """
    ties: list[Tie] = []

    def best(row: Weights, state: int | None, symbol: Hashable | None) -> int:
        most = np.flatnonzero(row == row.max()).tolist()
        if len(most) > 1:
            ties.append(Tie(state, symbol, tuple(most)))
        return int(most[0])

    start = best(initial, None, None)
    steps = tuple(
        tuple(best(tables[a, q], q, s) for a, s in enumerate(alphabet)) for q in range(len(initial))
    )
    return MostProbable(DFA(alphabet, start, steps, frozenset(listed(final, "final"))), tuple(ties))
