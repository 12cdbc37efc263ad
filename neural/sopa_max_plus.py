"""SoPa over the max-plus semiring (Schwartz et al. 2018): the maximum score of a match.

>>> layer = SopaMaxPlus(3, 2, words=2)
>>> c, state = layer(torch.zeros(5, 1, 3))
>>> bool((c < 0).all()), layer.to_automata(torch.eye(3), "abc")[0]
(True, <WFSA: 4 states, 3 symbols, max-plus semiring, exact, with epsilon>)
"""

from __future__ import annotations

import torch
from hypothesis import strategies as st
from torch import Tensor

from automata.semirings import MAX_PLUS
from neural.layer import Recurrent
from neural.layer_kind import LayerKind
from neural.scan import max_plus
from neural.sopa import OPTIONS, SopaCell, weights


class SopaMaxPlusCell(SopaCell):
    """A SoPa cell over max-plus, whose weights are logarithms of sigmoids."""

    semiring = MAX_PLUS

    def weight(self, score: Tensor) -> Tensor:
        """Return the weight of a transition: the logarithm of the sigmoid of its score."""
        return torch.nn.functional.logsigmoid(score)

    def times(self, a: Tensor, b: Tensor) -> Tensor:
        """Return the sum, which is the product of max-plus."""
        return a + b

    def plus(self, a: Tensor, b: Tensor) -> Tensor:
        """Return the maximum, which is the sum of max-plus."""
        return torch.maximum(a, b)

    def recurrence(self, forget: Tensor, update: Tensor, start: Tensor) -> Tensor:
        """Compute x_1, ..., x_T of x_t = max(forget_t + x_{t-1}, update_t), where x_0 is ``start``."""
        return max_plus(forget, update, start)


class SopaMaxPlus(Recurrent):
    """A layer of soft patterns over max-plus, whose outputs are c_t.

    Args:
        bias, words: as in :class:`neural.sopa.Sopa`.
    """

    cell_class = SopaMaxPlusCell


KIND = LayerKind("sopa-max-plus", SopaMaxPlus, options=OPTIONS, starts=st.none(), weights=weights)
