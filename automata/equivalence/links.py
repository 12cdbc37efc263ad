"""Links between sparse linear representations with the same scores, checked exactly.

A right link is a matrix X of shape ``(n, m)`` with M(a) X = X M'(a) for every symbol a, rho = X
rho', and lambda' = lambda X. Then lambda M(w) rho = lambda M(w) X rho' = lambda X M'(w) rho' =
lambda' M'(w) rho' for every string w. A left link is a right link of the mirrored representations.
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
        kind: ``"right"`` or ``"left"``, or ``"epsilon"`` if the link removes epsilon transitions.
        to: the target representation, with m states.
        matrix: X, shape ``(n, m)`` for a right link and ``(m, n)`` for a left link; ``None`` for
            an epsilon link.
        bound: a vector v > 0 with abs(E) v < v, if the link removes epsilon transitions E that have cycles;
            otherwise ``None``.
    """

    kind: Kind
    to: Representation
    matrix: RationalMatrix | None = None
    bound: Weights | None = None

    @property
    def mirrored(self) -> ChainLink:
        """The corresponding link between the reversed representations."""
        assert self.matrix is not None
        return ChainLink(
            "left" if self.kind == "right" else "right", self.to.mirrored, self.matrix.transposed
        )


def right_link(of: Representation, matrix: RationalMatrix, kept: Places) -> ChainLink | None:
    """Return the right link with the matrix X, or ``None`` if X does not satisfy its equations exactly.

    Args:
        of: the source, with n states.
        matrix: X, shape ``(n, m)``; its rows ``kept`` are the rows of the identity.
        kept: m states, in increasing order.
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
    """Return the link to the representation without states.

    The given representation must have no initial weights or no final weights, so that all scores are zero.
    """

    def empty(rows: int, columns: int) -> RationalMatrix:
        return RationalMatrix.summed((rows, columns), [], [], [])

    to = Representation(empty(1, 0), (empty(0, 0),) * len(of.steps), empty(0, 1))
    if not len(of.initial):
        return ChainLink("left", to, empty(0, of.states))
    return ChainLink("right", to, empty(of.states, 0))


def live_link(of: Representation) -> ChainLink | None:
    """Return the right link to the representation without states from which no final weight is reachable.

    Return ``None`` if there are no such states.
    """
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
