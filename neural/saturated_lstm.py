"""LSTMs whose weights are so large that floats saturate all gates and candidates (Merrill et al. 2020).

>>> inputs = torch.tensor([[1.0], [1.0], [1.0], [1.0]])  # all gates are open, and the candidate is 1
>>> network = SaturatedLSTM(inputs, torch.zeros(4, 1))
>>> network(torch.zeros(1, 3, dtype=torch.long)).tolist()
[[[0.0], [1.0], [2.0], [3.0]]]
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

SCALE = 2000
"""If the magnitude of a pre-activation is at least half of this, its gate is exactly 0 or 1 in floats."""


class SaturatedLSTM(nn.Module):
    """A network whose outputs are the cell states of torch's LSTM with a one-hot input and no bias.

    All weights are multiplied by :data:`SCALE`.

    Args:
        inputs: the weights of each symbol in the gates i, f, the candidate g, and the gate o, in this order,
            shape ``(4 K, V)``.
        recurrent: the weights of the previous outputs, shape ``(4 K, K)``.
    """

    def __init__(self, inputs: Tensor, recurrent: Tensor) -> None:
        super().__init__()
        self.lstm = nn.LSTM(inputs.shape[1], recurrent.shape[1], bias=False, batch_first=True).to(inputs)
        with torch.no_grad():
            self.lstm.get_parameter("weight_ih_l0").copy_(SCALE * inputs)
            self.lstm.get_parameter("weight_hh_l0").copy_(SCALE * recurrent)

    def forward(self, symbols: Tensor) -> Tensor:
        """Return the cell state after each prefix.

        Symbol indices of shape ``(B, T)`` give ``(B, T + 1, K)``.
        """
        weight = self.lstm.get_parameter("weight_ih_l0")
        zeros = weight.new_zeros(1, len(symbols), self.lstm.hidden_size)
        state, cells = (zeros, zeros), [zeros[0]]
        for x in nn.functional.one_hot(symbols, weight.shape[1]).to(weight).unbind(1):
            _, state = self.lstm(x[:, None], state)
            cells.append(state[1][0])
        return torch.stack(cells, 1)
