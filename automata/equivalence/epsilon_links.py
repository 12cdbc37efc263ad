"""Removal of epsilon transitions E from a sparse representation, by multiplication with E*."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from automata.aliases import Weights
from automata.epsilon import EpsilonClosure
from automata.equivalence.links import ChainLink
from automata.equivalence.rationals import RationalMatrix, fraction, of_rows
from automata.equivalence.representation import Representation, difference
from automata.errors import LimitReached
from automata.reachability import components
from automata.semirings import REAL
from automata.sparse_matrix import SparseMatrix
from automata.wfsa import WFSA

MOST_WORDS = 10_000_000
"""Memory limit for the weights of E*, in 8-byte words."""
FEW_WORDS = 1_000_000
"""Up to this size in 8-byte words, E* is computed before other methods are tried."""
FEW_FOR_EACH = 16
"""A size in 8-byte words per state and transition; its total replaces FEW_WORDS if it is larger."""


def few_words(of: Representation, epsilon: RationalMatrix) -> int:
    """Return the size of E*, in 8-byte words, above which other methods are tried before it is computed."""
    return min(max(FEW_WORDS, FEW_FOR_EACH * (of.states + of.transitions + len(epsilon))), MOST_WORDS)


def epsilon_link(of: Representation, epsilon: RationalMatrix, most: int | None = None) -> ChainLink:
    """Return the link from a representation and its epsilon transitions to one without epsilon transitions.

    Raises:
        LimitReached: If E* takes more than ``most`` 8-byte words (default: :data:`MOST_WORDS`).
    """
    n, most = of.states, MOST_WORDS if most is None else most
    table = SparseMatrix.of_entries(n, epsilon.rows, epsilon.columns, _fractions(epsilon.weights))
    closure = EpsilonClosure(REAL, table, True)
    # compute only the rows of E* that a product uses
    entered = np.zeros(n, dtype=bool)
    for matrix in (of.initial, *of.steps):
        entered[matrix.columns] = True
    leads = np.zeros(n, dtype=bool)
    leads[epsilon.rows] = True
    rows, words = [], 0
    for q in np.flatnonzero(entered & leads).tolist():
        row = closure.row_product({q: Fraction(1)})
        words += sum(1 + (w.numerator.bit_length() + w.denominator.bit_length()) // 64 for w in row.values())
        if words > most:
            raise LimitReached(
                "the sums over epsilon transitions, from state to state, take more than"
                f" {most:,} 8-byte words of memory"
            )
        rows.append((q, row))
    stays = np.flatnonzero(entered & ~leads)
    star = of_rows((n, n), rows) + RationalMatrix(
        (n, n), stays, stays, RationalMatrix.identity(n).weights[: len(stays)]
    )
    steps = tuple(step @ star for step in of.steps)
    return ChainLink(
        "epsilon", Representation(of.initial @ star, steps, of.final), bound=bound_of_cycles(epsilon)
    )


def without_epsilon(automaton: WFSA) -> tuple[WFSA, Weights]:
    """Return the rational automaton without its epsilon transitions E, and a vector.

    The vector is abs(E)* applied to the all-ones vector.
    """
    k, alphabet = automaton.semiring, automaton.alphabet
    alone = difference(automaton, WFSA.from_edges(k, 0, alphabet, [], [], []))
    assert alone.epsilon is not None
    plain = epsilon_link(alone.joint, alone.epsilon).to
    return plain.automaton(k, alphabet, [alone.index[s] for s in alphabet]), _bound(alone.epsilon)


def bound_of_cycles(epsilon: RationalMatrix) -> Weights | None:
    return _bound(epsilon) if _has_cycle(epsilon) else None


def _has_cycle(epsilon: RationalMatrix) -> bool:
    part, _ = components(epsilon.shape[0], epsilon.rows, epsilon.columns)
    return bool((part[epsilon.rows] == part[epsilon.columns]).any())


def _bound(epsilon: RationalMatrix) -> Weights:
    """Return abs(E)* applied to the all-ones vector, shape ``(n,)``.

    E is the matrix of epsilon transitions.
    """
    n = epsilon.shape[0]
    back = SparseMatrix.of_entries(n, epsilon.columns, epsilon.rows, _fractions(abs(epsilon.weights)))
    ones: Weights = np.full(n, Fraction(1), dtype=object)
    _, bound = EpsilonClosure(REAL, back, True).sparse_product((np.arange(n), ones))
    return bound


def _fractions(weights: Weights) -> Weights:
    array: Weights = np.empty(len(weights), dtype=object)
    array[:] = [fraction(w) for w in weights]
    return array
