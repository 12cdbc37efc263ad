"""Links: from one linear representation to another that gives every string the same score, by a sparse
matrix, and checked exactly.

By a right link X, of shape ``(n, m)``: M(a) X = X M'(a) for every symbol a, rho = X rho', and lambda' =
lambda X. Then lambda M(w) rho = lambda M(w) X rho' = lambda X M'(w) rho' = lambda' M'(w) rho' for every
string w. A left link is one of the mirrored representations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from automata.aliases import Weights
from automata.equivalence.rationals import RationalMatrix
from automata.equivalence.representation import Representation
from automata.sparse_matrix import Places

Kind = Literal["right", "left", "epsilon"]


@dataclass(frozen=True)
class ChainLink:
    """A link to a representation with the same scores.

    Attributes:
        kind: what the matrix satisfies; ``"epsilon"``: the epsilon transitions are taken into the steps.
        to: the representation that it goes to, with m states.
        matrix: X, shape ``(n, m)`` of a right link and ``(m, n)`` of a left one; ``None`` for epsilon.
        bound: only for epsilon transitions E with cycles: v > 0 with abs(E) v < v.
    """

    kind: Kind
    to: Representation
    matrix: RationalMatrix | None = None
    bound: Weights | None = None

    @property
    def mirrored(self) -> ChainLink:
        """The link between the mirrored representations."""
        assert self.matrix is not None
        return ChainLink(
            "left" if self.kind == "right" else "right", self.to.mirrored, self.matrix.transposed
        )


def right_link(of: Representation, matrix: RationalMatrix, kept: Places) -> ChainLink | None:
    """The right link by a matrix whose rows ``kept`` are those of the identity, if it is one; checked
    exactly.

    Args:
        of: with n states.
        matrix: X, shape ``(n, m)``.
        kept: m states, increasing.
    """
    steps = []
    for step in of.steps:
        image = step @ matrix
        smaller = image.chosen(kept)
        if not (matrix @ smaller).same(image):
            return None
        steps.append(smaller)
    final = of.final.chosen(kept)
    if not (matrix @ final).same(of.final):
        return None
    return ChainLink("right", Representation(of.initial @ matrix, tuple(steps), final), matrix)


def link_to_nothing(of: Representation) -> ChainLink:
    """The link to no state at all, from a representation without initial, or without final weights."""

    def empty(rows: int, columns: int) -> RationalMatrix:
        return RationalMatrix.summed((rows, columns), [], [], [])

    to = Representation(empty(1, 0), (empty(0, 0),) * len(of.steps), empty(0, 1))
    if not len(of.initial):
        return ChainLink("left", to, empty(0, of.states))
    return ChainLink("right", to, empty(of.states, 0))


def live_link(of: Representation) -> ChainLink | None:
    """The right link to the states that lead to some final weight; ``None`` where all do."""
    known = np.zeros(of.states, dtype=bool)
    new = np.unique(of.final.rows)
    back = [step.transposed for step in of.steps]
    while len(new):
        known[new] = True
        before = [step.columns[step.spans(new)[1]] for step in back]
        joined = np.unique(np.concatenate([np.zeros(0, dtype=np.intp), *before]))
        new = joined[~known[joined]]
    kept = np.flatnonzero(known)
    if len(kept) == of.states:
        return None
    return right_link(of, RationalMatrix.selection((of.states, len(kept)), kept), kept)
