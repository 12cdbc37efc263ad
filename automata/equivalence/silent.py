"""Epsilon transitions of a sparse representation, taken into its steps: lambda E* and M(a) E*."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from automata.aliases import Weights
from automata.components import components
from automata.epsilon import SilentClosure
from automata.equivalence.links import Link
from automata.equivalence.rationals import Sparse, fraction, of_rows
from automata.equivalence.representation import Representation, difference
from automata.errors import LimitReached
from automata.semirings import REAL
from automata.table import Table
from automata.wfsa import WFSA

MOST_ENTRIES = 10_000_000
"""The most pairs of states that epsilon transitions lead from one to the other of."""


def epsilon_link(of: Representation, silent: Sparse) -> Link:
    """The link to the representation without epsilon transitions.

    Raises :class:`~automata.errors.LimitReached` where epsilon leads from too many states to too many.
    """
    n = of.states
    table = Table.of_entries(n, silent.rows, silent.columns, _fractions(silent.weights))
    closure, one = SilentClosure(REAL, table, True), np.array([Fraction(1)], dtype=object)
    rows, count = [], 0
    leads = np.zeros(n, dtype=bool)
    leads[silent.rows] = True
    for q in np.flatnonzero(leads):
        places, weights = closure.sparse_product((np.array([q]), one))
        count += len(places)
        if count > MOST_ENTRIES:
            raise LimitReached(f"epsilon transitions lead between more than {MOST_ENTRIES:,} pairs of states")
        rows.append((int(q), dict(zip(places.tolist(), weights.tolist(), strict=True))))
    stays = np.flatnonzero(~leads)
    star = of_rows((n, n), rows) + Sparse((n, n), stays, stays, Sparse.identity(n).weights[: len(stays)])
    steps = tuple(step @ star for step in of.steps)
    return Link(
        "epsilon",
        Representation(of.initial @ star, steps, of.final),
        bound=_bound(silent) if _has_cycle(silent) else None,
    )


def without_epsilon(automaton: WFSA) -> tuple[WFSA, Weights]:
    """An exact automaton over the rationals without its epsilon transitions E, and v = abs(E)* 1: then v > 0
    and abs(E) v = v - 1 < v, so all sums over silent ways converge.
    """
    k, alphabet = automaton.semiring, automaton.alphabet
    alone = difference(automaton, WFSA.from_edges(k, 0, alphabet, [], [], []))
    assert alone.silent is not None
    plain = epsilon_link(alone.joint, alone.silent).to
    return plain.automaton(k, alphabet, [alone.index[s] for s in alphabet]), _bound(alone.silent)


def _has_cycle(silent: Sparse) -> bool:
    part, _ = components(silent.shape[0], silent.rows, silent.columns)
    return bool((part[silent.rows] == part[silent.columns]).any())


def _bound(silent: Sparse) -> Weights:
    """V = abs(E)* 1, shape ``(n,)``."""
    n = silent.shape[0]
    back = Table.of_entries(n, silent.columns, silent.rows, _fractions(abs(silent.weights)))
    ones: Weights = np.full(n, Fraction(1), dtype=object)
    _, bound = SilentClosure(REAL, back, True).sparse_product((np.arange(n), ones))
    return bound


def _fractions(weights: Weights) -> Weights:
    array: Weights = np.empty(len(weights), dtype=object)
    array[:] = [fraction(w) for w in weights]
    return array
