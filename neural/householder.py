"""Layers whose matrices are products of I - beta k k^T (Grazzi et al. 2025, Siems et al. 2025).

>>> swap = torch.tensor([[[1.0, -1.0]]])  # one symbol with one key, which exchanges both components
>>> layer = HouseholderRNN(swap, torch.ones(1, 1), torch.tensor([1.0, 0.0]), torch.tensor([1.0, 0.0]))
>>> layer(torch.zeros(1, 3, dtype=torch.long)).tolist()
[[1.0, 0.0, 1.0, 0.0]]
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class HouseholderRNN(nn.Module):
    """A layer whose outputs are c h_t, with the steps of DeltaNet.

    For each symbol, the step h <- h + beta k (v - k h) is applied for each of its H keys in order. Without
    values, v is 0.

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

    def products(self) -> tuple[Tensor, Tensor]:
        """Return A and b of each symbol's step h <- A h + b, shapes ``(V, N, N)`` and ``(V, N)``."""
        n = self.keys.shape[-1]
        a = torch.eye(n, dtype=self.keys.dtype, device=self.keys.device).expand(len(self.keys), n, n)
        b = self.keys.new_zeros(len(self.keys), n)
        parts = zip(self.keys.unbind(1), self.betas.unbind(1), self.values.unbind(1), strict=True)
        for key, beta, value in parts:
            scaled = beta[:, None] * key
            a = a - scaled[:, :, None] * (key[:, None] @ a)
            b = b + scaled * (value - (key * b).sum(-1))[:, None]
        return a, b

    def forward(self, symbols: Tensor) -> Tensor:
        """Return the output of each prefix: symbol indices of shape ``(B, T)`` give ``(B, T + 1)``."""
        a, b = self.products()
        states = [self.initial.expand(len(symbols), -1)]
        for x in symbols.unbind(1):
            states.append(torch.einsum("bij,bj->bi", a[x], states[-1]) + b[x])
        return torch.stack(states, 1) @ self.output
