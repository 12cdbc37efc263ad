"""Elman networks with the Heaviside function, as language models (Svete and Cotterell 2023)."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class HeavisideElmanRNN(nn.Module):
    """A network with h_t = H(W h_{t-1} + U[x_t] + b), whose output is a product of probabilities.

    H(z) is 1 if z is positive, and 0 otherwise. The probabilities of the next symbol, and of the end, are
    linear in h.

    Args:
        recurrent: W, shape ``(D, D)``.
        inputs: U, one row for each symbol, shape ``(V, D)``.
        bias: b, shape ``(D,)``.
        initial: h_0, shape ``(D,)``.
        probabilities: the weights of each symbol's probability, shape ``(V + 1, D)``; the last row is for the
            end of the string.
    """

    def __init__(
        self, recurrent: Tensor, inputs: Tensor, bias: Tensor, initial: Tensor, probabilities: Tensor
    ) -> None:
        super().__init__()
        self.recurrent, self.inputs, self.bias = map(nn.Parameter, (recurrent, inputs, bias))
        self.initial, self.probabilities = map(nn.Parameter, (initial, probabilities))

    def forward(self, symbols: Tensor) -> Tensor:
        """Return the probability of each prefix: symbol indices of shape ``(B, T)`` give ``(B, T + 1)``."""
        h = self.initial.expand(len(symbols), -1)
        product = h.new_ones(len(symbols))
        results = [product * (h @ self.probabilities[-1])]
        for x in symbols.unbind(1):
            product = product * (h * self.probabilities[x]).sum(-1)
            h = (h @ self.recurrent.T + self.inputs[x] + self.bias > 0).to(h.dtype)
            results.append(product * (h @ self.probabilities[-1]))
        return torch.stack(results, 1)
