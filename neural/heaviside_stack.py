"""Heaviside networks that keep a stack of brackets and generate strings (Hewitt et al. 2020)."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class HeavisideStackRNN(nn.Module):
    """A network with h_t = H(W h_{t-1} + U[x_t] - 1), whose output is the product of the symbols' weights.

    H(z) is 1 if z is positive, and 0 otherwise. h_0 is 0. Each symbol has an affine function of h_{t-1}; if
    its value is not positive, the symbol's weight is 0. The end of the string has two weights; the sign of
    another affine function selects one of them.

    Args:
        recurrent: W, shape ``(D, D)``.
        inputs: U, one row for each symbol, shape ``(V, D)``.
        thresholds: the affine functions of the symbols, and of the end in the last row, shape
            ``(V + 1, D + 1)``. The last column contains their biases.
        weights: the weight of each symbol, shape ``(V,)``.
        ends: the weights of the end, shape ``(2,)``: first if its function is positive, then if it is not.
    """

    def __init__(
        self, recurrent: Tensor, inputs: Tensor, thresholds: Tensor, weights: Tensor, ends: Tensor
    ) -> None:
        super().__init__()
        self.recurrent, self.inputs, self.thresholds = map(nn.Parameter, (recurrent, inputs, thresholds))
        self.weights, self.ends = map(nn.Parameter, (weights, ends))

    def forward(self, symbols: Tensor) -> Tensor:
        """Return the weight of each prefix: symbol indices of shape ``(B, T)`` give ``(B, T + 1)``."""
        h = self.recurrent.new_zeros(len(symbols), len(self.recurrent))
        product = self.weights.new_ones(len(symbols))
        results = [product * self._end(h)]
        for x in symbols.unbind(1):
            product = product * self.weights[x] * self._is_positive(h, self.thresholds[x])
            h = (h @ self.recurrent.T + self.inputs[x] > 1).to(h.dtype)
            results.append(product * self._end(h))
        return torch.stack(results, 1)

    def _end(self, h: Tensor) -> Tensor:
        empty = self._is_positive(h, self.thresholds[-1])
        return empty * self.ends[0] + (1 - empty) * self.ends[1]

    @staticmethod
    def _is_positive(h: Tensor, threshold: Tensor) -> Tensor:
        return ((h * threshold[..., :-1]).sum(-1) + threshold[..., -1] > 0).to(h.dtype)
