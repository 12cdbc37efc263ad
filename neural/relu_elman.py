"""Elman networks with ReLU, a one-hot input, and a linear output.

>>> inputs = torch.eye(2)  # the units count the two symbols
>>> network = ReLUElmanRNN(torch.eye(2), inputs, torch.zeros(2), torch.tensor([1.0, -1.0]))
>>> network(torch.tensor([[0, 0, 1, 0]])).tolist()
[[0.0, 1.0, 2.0, 1.0, 2.0]]
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class ReLUElmanRNN(nn.Module):
    """Torch's RNN with h_t = relu(h_{t-1} W + u[x_t]), and the outputs h_t r.

    Args:
        recurrent: W, shape ``(K, K)``.
        inputs: u, shape ``(V, K)``.
        initial: h_0, shape ``(K,)``.
        final: r, shape ``(K,)``.
    """

    def __init__(self, recurrent: Tensor, inputs: Tensor, initial: Tensor, final: Tensor) -> None:
        super().__init__()
        self.rnn = nn.RNN(*inputs.shape, nonlinearity="relu", bias=False, batch_first=True).to(inputs)
        with torch.no_grad():
            self.rnn.get_parameter("weight_ih_l0").copy_(inputs.T)
            self.rnn.get_parameter("weight_hh_l0").copy_(recurrent.T)
        self.initial, self.final = map(nn.Parameter, (initial, final))

    def forward(self, symbols: Tensor) -> Tensor:
        """Return the output of each prefix: symbol indices of shape ``(B, T)`` give ``(B, T + 1)``."""
        h = self.initial.expand(1, len(symbols), -1).contiguous()
        states = h.transpose(0, 1)
        if symbols.shape[1]:
            later, _ = self.rnn(nn.functional.one_hot(symbols, self.rnn.input_size).to(h), h)
            states = torch.cat([states, later], 1)
        return states @ self.final
