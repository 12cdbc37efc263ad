"""Linear second-order RNNs (Rabusseau, Li and Precup 2019).

>>> network = SecondOrderRNN(torch.ones(2, 3, 2), torch.ones(2), torch.tensor([1.0, 0.0]))
>>> network(torch.eye(3)[None]).tolist()  # three one-hot vectors, each of which doubles the state
[[1.0, 2.0, 4.0, 8.0]]
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class SecondOrderRNN(nn.Module):
    """A network with h_t[j] = sum over i, s of h_{t-1}[i] A[i, s, j] x_t[s], and the outputs h_t omega.

    Args:
        tensor: A, shape ``(K, d, K)``.
        initial: h_0, shape ``(K,)``.
        final: omega, shape ``(K,)``.
    """

    def __init__(self, tensor: Tensor, initial: Tensor, final: Tensor) -> None:
        super().__init__()
        self.tensor, self.initial, self.final = map(nn.Parameter, (tensor, initial, final))

    def forward(self, vectors: Tensor) -> Tensor:
        """Return the output of each prefix: vectors of shape ``(B, T, d)`` give ``(B, T + 1)``."""
        states = [self.initial.expand(len(vectors), -1)]
        for x in vectors.unbind(1):
            states.append(torch.einsum("bi,isj,bs->bj", states[-1], self.tensor, x))
        return torch.stack(states, 1) @ self.final
