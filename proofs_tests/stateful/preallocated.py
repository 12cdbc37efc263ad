"""Correct float32 models that keep their state in buffers of torch's default dtype."""

import torch
from torch import nn

from proofs_tests.stateful.tensor_state import TensorState
from ratproof import StatefulModel, Tokens, Vectors

SIZE, STATES, LONGEST = 4, 16, 70


class MovingAverage(TensorState):
    """A moving average with a normalised output, whose state is copied into a buffer after each call.

    Calls continue from the buffer, so only the states between two calls are rounded to the buffer's dtype.
    """

    inputs, without = Vectors(SIZE), frozenset({"padding", "gradient"})

    def __init__(self):
        norm = nn.Sequential(nn.LayerNorm(STATES), nn.Linear(STATES, SIZE))
        self.module = nn.ModuleList([nn.Linear(SIZE, STATES), norm])
        self.decay = 0.98 + 0.01 * torch.rand(STATES)

    def run(self, inputs, state=None, mask=None):
        read, write = self.module
        buffer = torch.zeros(len(inputs), STATES) if state is None else state.clone()
        average, averages = buffer, []
        for token in read(inputs).unbind(1):
            average = self.decay.to(token.dtype) * average + token
            averages.append(average)
        buffer.copy_(average)
        return write(torch.stack(averages, 1)), buffer


class Attention(StatefulModel):
    """Attention whose first call reads the new keys and values, and whose later calls read the buffers."""

    inputs, without, longest = Tokens(20), frozenset({"padding"}), LONGEST

    def __init__(self):
        self.module = nn.Sequential(nn.Embedding(20, STATES), nn.Linear(STATES, 3 * STATES))

    def run(self, inputs, state=None, mask=None):
        query, key, value = self.module(inputs).chunk(3, -1)
        past, keys, values = self._buffers(len(inputs)) if state is None else state
        end, keys, values = past + inputs.shape[1], keys.clone(), values.clone()
        keys[:, past:end], values[:, past:end] = key, value
        if past:
            key, value = keys[:, :end], values[:, :end]
        visible = torch.ones(inputs.shape[1], end, dtype=torch.bool).tril(past)
        scores = (query @ key.transpose(1, 2)).masked_fill(~visible, -torch.inf)
        return scores.softmax(-1) @ value, (end, keys, values)

    def _buffers(self, rows):
        return 0, torch.zeros(rows, LONGEST, STATES), torch.zeros(rows, LONGEST, STATES)

    def reorder(self, state, rows):
        past, keys, values = state
        return past, keys[rows], values[rows]

    def clear(self, state):
        return None
