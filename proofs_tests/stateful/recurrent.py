"""A decaying sum with a readout, as one writes a model with a state; and mistakes for it."""

from __future__ import annotations

import torch
from torch import nn

from ratproof import StatefulModel, Vectors

SIZE, CHUNK = 3, 16


class Recurrent(StatefulModel):
    """h = d h + W x, of which the outputs are tanh; padding keeps the state.

    Args:
        mistake: what is wrong with it, if anything.
        dtype: of its parameters.
    """

    def __init__(self, mistake="", dtype=torch.float32):
        self.mistake, self.inputs = mistake, Vectors(SIZE)
        self.module = nn.Linear(SIZE, SIZE).to(dtype)
        self.decay = 0.9
        self.left = None

    def run(self, inputs, state=None, mask=None):
        if self.mistake == "a state that survives" and state is None:
            state = self.left
        state = inputs.new_zeros(len(inputs), SIZE) if state is None else state
        read = self.module(inputs)
        outputs = []
        for t in range(inputs.shape[1]):
            if self.mistake == "a state lost at a chunk's edge" and t and t % CHUNK == 0:
                state = torch.zeros_like(state)
            new = self.decay * state + read[:, t]
            if self.mistake == "the state updated in place":
                new = state.mul_(self.decay).add_(read[:, t])
            state = new if mask is None else torch.where(mask[:, t, None], new, state)
            outputs.append(self._read(state, t))
        self.left = state.clone()
        return torch.stack(outputs, 1), state

    def _read(self, state, t):
        if self.mistake == "the largest of the batch":
            return (state - state.amax(0)).tanh()
        return torch.tanh(state)

    def reorder(self, state, rows):
        return state[rows.flip(0)] if self.mistake == "rows exchanged" else state[rows]

    def clear(self, state):
        return state if self.mistake == "nothing cleared" else torch.zeros_like(state)
