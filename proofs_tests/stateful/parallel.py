"""Linear attention with different orders of summation for one token and for several."""

import torch
from torch import nn

from proofs_tests.stateful.tensor_state import TensorState
from ratproof import Tokens


class LinearAttention(TensorState):
    """S = d S + k v^T, o = S^T q, between an embedding and a projection.

    Args:
        dtype: The dtype of the parameters.
        inside: The dtype of the recurrence. Defaults to the dtype of the parameters.
        width: The width of keys and values.
        decay: The decay d.
        chunk: Number of tokens that are read at a time.
    """

    without = frozenset({"padding"})

    def __init__(self, dtype=torch.float32, inside=None, width=16, decay=0.95, chunk=16):
        self.inputs = Tokens(20)
        self.module = nn.Sequential(nn.Embedding(20, width), nn.Linear(width, 3 * width), nn.Linear(width, 9))
        self.module.to(dtype)
        self.inside, self.width, self.decay, self.chunk = inside, width, decay, chunk

    def run(self, inputs, state=None, mask=None):
        embed, read, write = self.module
        q, k, v = (x.to(self.inside or x.dtype) for x in read(embed(inputs)).chunk(3, -1))
        if state is None:
            state = q.new_zeros(len(inputs), self.width, self.width)
        outputs = []
        for first in range(0, inputs.shape[1], self.chunk):
            part, state = self._chunk(*(x[:, first : first + self.chunk] for x in (q, k, v)), state)
            outputs.append(part)
        return write(torch.cat(outputs, 1).to(write.weight.dtype)), state

    def _chunk(self, q, k, v, state):
        time = q.shape[1]
        powers = self.decay ** torch.arange(time + 1, dtype=torch.float64)
        ages = torch.arange(time)[:, None] - torch.arange(time)
        decays = torch.where(ages >= 0, powers[ages.clamp(min=0)], 0).to(q.dtype)
        powers = powers.to(q.dtype)[:, None]
        outputs = ((q @ k.transpose(1, 2)) * decays) @ v + powers[1:] * (q @ state)
        state = powers[time] * state + (k * powers[:time].flip(0)).transpose(1, 2) @ v
        return outputs, state
