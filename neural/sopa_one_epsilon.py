"""SoPa with at most one epsilon transition after each symbol, as in Schwartz et al. (2018).

The paper's dynamic program does not allow more. Each position has two states: one for paths whose last
transition read a symbol, and one for paths whose last transition was an epsilon transition.

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
    """Return the pattern of a unit's automaton, where n is the number of words.

    A path at position j of the soft pattern is in state j if its last transition read a symbol, and in state
    n + j if its last transition was an epsilon transition. A complete match moves from state n or 2n to the
    final state 2n + 1 by an epsilon transition, and stays there.
    """
    n, end = words, 2 * words + 1
    reads = [arrow for j in range(1, n + 1) for arrow in ((j - 1, j, f"m{j}"), (j, j, f"s{j}"))]
    late = [(n + j, j, f"s{j}") for j in range(1, n + 1)] + [(n + j - 1, j, f"m{j}") for j in range(2, n + 1)]
    return Pattern(
        initial=(ONE, *[START] * n, *[ZERO] * n, START),
        final=(*[ZERO] * end, ONE),
        arrows=((0, 0, ONE), *reads, *late, (end, end, ONE)),
        epsilon=(*((j - 1, n + j, f"e{j}") for j in range(1, n + 1)), (n, end, ONE), (2 * n, end, ONE)),
    )


class SopaOneEpsilonCell(SopaCell):
    """A SoPa cell with at most one epsilon transition after each symbol.

    The gates are those of SoPa. The cell computes h_j = h'_j + h'_{j-1} e_j, where h'_0 = 1 and
    h'_j = h_{j-1} m_j + h_j s_j with h of the previous step.
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
        """Return the initial state (h_1, ..., h_n, c).

        It is the state after at most one epsilon transition from a state whose components are all ``value``,
        by default zero.
        """
        *scores, c = AutomatonCell.start(self, batch, value)
        h = _left_out(torch.stack(scores, -1), torch.stack(self.left_out(), -1))
        return (*h.unbind(-1), c + h[..., -1])

    def steps(self, gates: dict[str, Tensor], state: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Compute h_1, ..., h_n and c at one time step after another."""
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


def _before(scores: Tensor) -> Tensor:
    """Return h_0 = 1, h_1, ..., h_{n-1} from h_1, ..., h_n along the last axis."""
    return torch.cat([torch.ones_like(scores[..., :1]), scores[..., :-1]], -1)


def _left_out(read: Tensor, skips: Tensor) -> Tensor:
    return read + _before(read) * skips


class SopaOneEpsilon(Recurrent):
    """A layer of soft patterns, in which a path uses at most one epsilon transition after each symbol.

    Its outputs are c_t.

    Args:
        bias, words: as in :class:`neural.sopa.Sopa`.
    """

    cell_class = SopaOneEpsilonCell


KIND = LayerKind("sopa-one-epsilon", SopaOneEpsilon, options=OPTIONS, starts=st.none(), weights=weights)
