"""SoPa with at most one epsilon transition after each symbol, as the dynamic program of Schwartz et al.
(2018) has it.

A place has two states then: one where the last transition has read a symbol, and one where it has not.

>>> layer = SopaOneEpsilon(3, 2, words=2)
>>> c, state = layer(torch.zeros(5, 1, 3))
>>> c.shape, layer.to_automata(torch.eye(3), "abc")[0]
(torch.Size([5, 1, 2]), <WFSA: 6 states, 3 symbols, real semiring, exact, with epsilon>)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from hypothesis import strategies as st
from torch import Tensor

from neural.cell import AutomatonCell
from neural.layer import Recurrent
from neural.layer_kind import LayerKind
from neural.pattern import ONE, START, ZERO, Pattern
from neural.sopa import OPTIONS, SopaCell, weights


def two_rows(words: int) -> Pattern:
    """State 0; 1 to n, which symbols lead to; n + 1 to 2n, which epsilon leads to and symbols alone lead out
    of; and 2n + 1, where a match stays.
    """
    n, end = words, 2 * words + 1
    reads = [arrow for j in range(1, n + 1) for arrow in ((j - 1, j, f"m{j}"), (j, j, f"s{j}"))]
    late = [(n + j, j, f"s{j}") for j in range(1, n + 1)] + [(n + j - 1, j, f"m{j}") for j in range(2, n + 1)]
    return Pattern(
        initial=(ONE, *[START] * n, *[ZERO] * n, START),
        final=(*[ZERO] * end, ONE),
        arrows=((0, 0, ONE), *reads, *late, (end, end, ONE)),
        silent=(*((j - 1, n + j, f"e{j}") for j in range(1, n + 1)), (n, end, ONE), (2 * n, end, ONE)),
    )


class SopaOneEpsilonCell(SopaCell):
    """The same gates; h'_j = h_{j-1} m_j + h_j s_j of the step before, and h_j = h'_j + h'_{j-1} e_j, where
    h'_0 = 1.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        words: int = 3,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, words, device, dtype)
        self.pattern = two_rows(words)

    def start(self, batch: int, value: float | Tensor | None = None) -> tuple[Tensor, ...]:
        """``value`` (zero without it) in every place and in c, and what one epsilon transition makes of
        it.
        """
        *places, c = AutomatonCell.start(self, batch, value)
        h = _left_out(torch.stack(places, -1), torch.stack(self.left_out(), -1))
        return (*h.unbind(-1), c + h[..., -1])

    def steps(self, gates: dict[str, Tensor], state: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """One step after another, all places at once."""
        moves, loops, skips = (
            torch.stack([gates[f"{name}{j}"] for j in range(1, self.words + 1)], -1) for name in "mse"
        )
        h, c, states = torch.stack(tuple(state[:-1]), -1), state[-1], []
        for move, loop in zip(moves.unbind(0), loops.unbind(0), strict=True):
            h = _left_out(_before(h) * move + h * loop, skips)
            c = c + h[..., -1]
            states.append(torch.cat([h, c.unsqueeze(-1)], -1))
        none = moves.new_empty(0, *c.shape, self.words + 1)
        return (torch.stack(states) if states else none).unbind(-1)


def _before(places: Tensor) -> Tensor:
    """h_0, ..., h_{n-1} from h_1, ..., h_n, along the last axis."""
    return torch.cat([torch.ones_like(places[..., :1]), places[..., :-1]], -1)


def _left_out(read: Tensor, skips: Tensor) -> Tensor:
    return read + _before(read) * skips


class SopaOneEpsilon(Recurrent):
    """A layer of soft patterns with one epsilon transition in a row; its outputs are c_t. Options: ``words``,
    ``bias``, as :class:`neural.sopa.Sopa` has them.
    """

    cell_class = SopaOneEpsilonCell


KIND = LayerKind("sopa-one-epsilon", SopaOneEpsilon, options=OPTIONS, starts=st.none(), weights=weights)
