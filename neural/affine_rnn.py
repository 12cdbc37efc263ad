"""Affine networks, which have a matrix and a bias for each symbol (Chung et al. 2026).

>>> network = AffineRNN(2 * torch.eye(2)[None], torch.ones(1, 2), torch.zeros(2), torch.tensor([1.0, 0.0]))
>>> network(torch.zeros(1, 3, dtype=torch.long)).tolist()
[[0.0, 1.0, 3.0, 7.0]]
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class AffineRNN(nn.Module):
    """A network with h_t = h_{t-1} A[x_t] + b[x_t], and the outputs h_t omega.

    Args:
        matrices: A, one matrix for each symbol, shape ``(V, K, K)``.
        biases: b, shape ``(V, K)``.
        initial: h_0, shape ``(K,)``.
        final: omega, shape ``(K,)``.
    """

    def __init__(self, matrices: Tensor, biases: Tensor, initial: Tensor, final: Tensor) -> None:
        super().__init__()
        self.matrices, self.biases = map(nn.Parameter, (matrices, biases))
        self.initial, self.final = map(nn.Parameter, (initial, final))

    def forward(self, symbols: Tensor) -> Tensor:
        """Return the output of each prefix: symbol indices of shape ``(B, T)`` give ``(B, T + 1)``."""
        states = [self.initial.expand(len(symbols), -1)]
        for x in symbols.unbind(1):
            states.append(torch.einsum("bi,bij->bj", states[-1], self.matrices[x]) + self.biases[x])
        return torch.stack(states, 1) @ self.final
