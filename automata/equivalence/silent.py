"""Epsilon transitions of a sparse representation, taken into its steps: lambda E* and M(a) E*."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from automata.aliases import Weights
from automata.components import components
from automata.epsilon import SilentClosure
from automata.equivalence.links import Link
from automata.equivalence.rationals import Sparse, fraction, of_rows
from automata.equivalence.representation import Representation
from automata.errors import LimitReached
from automata.semirings import REAL
from automata.table import Table

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
            raise LimitReached(
                f"epsilon transitions lead between more than {MOST_ENTRIES:,} pairs of states"
            )
        rows.append((int(q), dict(zip(places.tolist(), weights.tolist(), strict=True))))
    stays = np.flatnonzero(~leads)
    star = of_rows((n, n), rows) + Sparse(
        (n, n), stays, stays, Sparse.identity(n).weights[: len(stays)]
    )
    steps = tuple(step @ star for step in of.steps)
    return Link("epsilon", Representation(of.initial @ star, steps, of.final), bound=_bound(silent))


def _bound(silent: Sparse) -> Weights | None:
    """V = abs(E)* 1, so v > 0 and abs(E) v = v - 1; ``None`` where E has no cycle."""
    n = silent.shape[0]
    part, _ = components(n, silent.rows, silent.columns)
    if not (part[silent.rows] == part[silent.columns]).any():
        return None
    back = Table.of_entries(n, silent.columns, silent.rows, _fractions(abs(silent.weights)))
    ones: Weights = np.full(n, Fraction(1), dtype=object)
    _, bound = SilentClosure(REAL, back, True).sparse_product((np.arange(n), ones))
    return bound


def _fractions(weights: Weights) -> Weights:
    array: Weights = np.empty(len(weights), dtype=object)
    array[:] = [fraction(w) for w in weights]
    return array
