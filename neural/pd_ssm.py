"""PD-SSM layers without an input term, which are automata (Terzic et al. 2025).

>>> one = torch.tensor([1.0, 0.0])
>>> layer = PDSSM(torch.tensor([[1, 0]]), torch.ones(1, 2), one, one)
>>> layer(torch.zeros(1, 3, dtype=torch.long)).tolist()  # the symbol exchanges two states
[[1.0, 0.0, 1.0, 0.0]]
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class PDSSM(nn.Module):
    """A layer with x_t = P(u_t) D(u_t) x_{t-1}, and the outputs c x_t.

    Column i of P(u) has one 1, in row ``rows[u, i]``, so a step costs O(N).

    Args:
        rows: The row of the 1 in each column, for each symbol, shape ``(V, N)``.
        diagonal: The diagonal of D for each symbol, shape ``(V, N)``.
        initial: x_0, shape ``(N,)``.
        output: c, shape ``(N,)``.
    """

    rows: Tensor

    def __init__(self, rows: Tensor, diagonal: Tensor, initial: Tensor, output: Tensor) -> None:
        super().__init__()
        self.register_buffer("rows", rows)
        self.diagonal, self.initial, self.output = map(nn.Parameter, (diagonal, initial, output))

    def forward(self, symbols: Tensor) -> Tensor:
        """Return the output of each prefix: symbol indices of shape ``(B, T)`` give ``(B, T + 1)``."""
        states = [self.initial.expand(len(symbols), -1)]
        for u in symbols.unbind(1):
            x = states[-1]
            states.append(torch.zeros_like(x).scatter_add(1, self.rows[u], self.diagonal[u] * x))
        return torch.stack(states, 1) @ self.output
