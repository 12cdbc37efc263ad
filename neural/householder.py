"""Layers whose matrices are products of I - beta k k^T (Grazzi et al. 2025, Siems et al. 2025).

>>> swap = torch.tensor([[[1.0, -1.0]]])  # one symbol with one key, which exchanges both components
>>> layer = HouseholderRNN(swap, torch.ones(1, 1), torch.tensor([1.0, 0.0]), torch.tensor([1.0, 0.0]))
>>> layer(torch.zeros(1, 3, dtype=torch.long)).item()
0.0
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class HouseholderRNN(nn.Module):
    """A layer whose output is c h_T, with the steps of DeltaNet.

    For each of the H keys of a symbol, the first one first, h <- h + beta k (v - k h), where v is 0 without
    values.

    Args:
        keys: The keys k of each symbol, shape ``(V, H, N)``.
        betas: The factor of each key, shape ``(V, H)``.
        initial: h_0, shape ``(N,)``.
        output: c, shape ``(N,)``.
        values: v for each key, shape ``(V, H)``.
    """

    def __init__(
        self, keys: Tensor, betas: Tensor, initial: Tensor, output: Tensor, values: Tensor | None = None
    ) -> None:
        super().__init__()
        values = torch.zeros_like(betas) if values is None else values
        self.keys, self.betas, self.values = map(nn.Parameter, (keys, betas, values))
        self.initial, self.output = map(nn.Parameter, (initial, output))

    def forward(self, symbols: Tensor) -> Tensor:
        """Return the output after the last symbol: symbol indices of shape ``(B, T)`` give ``(B,)``."""
        h = self.initial.expand(len(symbols), -1)
        for x in symbols.unbind(1):
            for i in range(self.keys.shape[1]):
                h = self.changed(h, self.keys[x, i], self.betas[x, i], self.values[x, i])
        return h @ self.output

    @staticmethod
    def changed(h: Tensor, key: Tensor, beta: Tensor, value: Tensor) -> Tensor:
        """Return h + beta k (v - k h) for a batch."""
        return h + (beta * (value - (h * key).sum(-1)))[:, None] * key
