"""Automata as lists of arrows, for decisions that follow paths: every symbol that does the same on both sides is one symbol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from automata.wfsa import WFSA


@dataclass(frozen=True)
class Arrows:
    """One automaton without epsilon.

    Attributes:
        initial, final: weights other than zero, by state.
        out: for each symbol's place, for each state, its arrows: pairs of a target and a weight.
    """

    initial: dict[int, Any]
    final: dict[int, Any]
    out: list[list[list[tuple[int, Any]]]]


def arrows(automata: Sequence[WFSA]) -> tuple[list[Arrows], list[Any]]:
    """Automata over one alphabet as arrows, and the first symbol of each kind, in the first one's order."""
    kinds: dict[tuple[int, ...], Any] = {}
    for symbol in automata[0].index:
        kinds.setdefault(tuple(a.index[symbol] for a in automata), symbol)
    return [_of(a, [kind[i] for kind in kinds]) for i, a in enumerate(automata)], list(kinds.values())


def _of(automaton: WFSA, places: list[int]) -> Arrows:
    zero = automaton.semiring.zero
    exact = automaton.semiring.exact if not automaton.semiring.float_only else _dyadic
    out = []
    for place in places:
        table = automaton.matrices[place]
        rows: list[list[tuple[int, Any]]] = [[] for _ in range(automaton.states)]
        for q, r in np.argwhere(table != zero).tolist():
            rows[q].append((r, exact(table[q, r])))
        out.append(rows)
    vectors = [{q: exact(w) for q, w in enumerate(part.tolist()) if w != zero} for part in (automaton.initial, automaton.final)]
    return Arrows(vectors[0], vectors[1], out)


def _dyadic(weight: float) -> Any:
    """A logarithm as the fraction that it is: along one path they are only added, which fractions do exactly."""
    from fractions import Fraction

    return Fraction(weight)
