"""Second-order sigmoid networks that are constructed from a DFA (Omlin and Giles 1996).

>>> network = SigmoidAutomatonRNN(torch.tensor([[1, 0]]), 8.0)  # a letter that exchanges two states
>>> network(torch.zeros(1, 99, dtype=torch.long))[0, -2:].tolist()
[[True, False], [False, True]]
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class SigmoidAutomatonRNN(nn.Module):
    """A network with one unit for each state of a DFA; state 0 is the start state.

    The step is h <- sigmoid(h W[x] - H/2). W[x][i, j] is H if x leads from state i to state j, -H if i = j
    and x leads from i to another state, and 0 otherwise.

    Args:
        delta: the next state for each symbol and state, shape ``(V, N)``.
        gain: H.
        dtype: the dtype of the weights.
    """

    def __init__(self, delta: Tensor, gain: float, dtype: torch.dtype | None = None) -> None:
        super().__init__()
        leads = nn.functional.one_hot(delta, delta.shape[1]).to(dtype or torch.get_default_dtype())
        leaves = torch.diag_embed(1 - leads.diagonal(dim1=1, dim2=2))
        self.weight = nn.Parameter(gain * (leads - leaves))
        self.bias = -gain / 2

    def forward(self, symbols: Tensor) -> Tensor:
        """Return whether each unit exceeds 1/2 after each prefix.

        Symbol indices of shape ``(B, T)`` give ``(B, T + 1, N)``.
        """
        h = self.weight.new_zeros(len(symbols), self.weight.shape[1])
        h[:, 0] = 1
        states = [h]
        for x in symbols.unbind(1):
            states.append(torch.sigmoid(torch.einsum("bi,bij->bj", states[-1], self.weight[x]) + self.bias))
        return torch.stack(states, 1) > 0.5
