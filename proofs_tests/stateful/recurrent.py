"""A decaying sum with a readout, a typical model with a state, and mistakes for it."""

from typing import ClassVar

import torch
from torch import nn

from ratproof import StatefulModel, Vectors

SIZE, CHUNK = 3, 16


class RecurrentModel(StatefulModel):
    """A network h = d h + W x with outputs tanh(h); padding preserves the state.

    Args:
        mistake: The mistake in the model, if any.
        dtype: The dtype of the parameters.
    """

    def __init__(self, mistake="", dtype=torch.float32):
        self.mistake, self.inputs = mistake, Vectors(SIZE)
        self.module = nn.Linear(SIZE, SIZE).to(dtype)
        self.decay = 0.9
        self.left = None

    def run(self, inputs, state=None, mask=None):
        first = state is None
        if self.mistake in ("a state that survives", "a step that leaves its state") and first:
            state = self.left
        if mask is not None and self.mistake == "a token of padding too many is read":
            mask = mask | mask.roll(-1, 1)
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
            if self.mistake == "one state for all rows":
                state = state.mean(0, keepdim=True).expand(state.shape)
            outputs.append(self._read(state, t))
        if self.mistake != "a step that leaves its state" or not first:
            self.left = state.clone()
        result = torch.stack(outputs, 1)
        if self.mistake == "rows exchanged in a later call" and not first:
            result = result.flip(0)
        return result, state

    def _read(self, state, t):
        if self.mistake == "the largest of the batch":
            return (state - state.amax(0)).tanh()
        return torch.tanh(state)

    def reorder(self, state, rows):
        return state[rows.flip(0)] if self.mistake == "rows exchanged" else state[rows]

    def clear(self, state):
        return state if self.mistake == "nothing cleared" else torch.zeros_like(state)


class StepModel(StatefulModel):
    """A :class:`RecurrentModel` that counts its steps of one token, with a mistake in this additional state.

    Args:
        mistake: The mistake in the model.
    """

    inputs, without = Vectors(SIZE), frozenset({"padding"})

    def __init__(self, mistake):
        self.mistake, self.one = mistake, RecurrentModel()
        self.module = self.one.module

    def run(self, inputs, state=None, mask=None):
        own, begun, steps = (None, None, 0) if state is None else state
        outputs, own = self.one.run(inputs, own)
        steps = steps + 1 if inputs.shape[1] == 1 else 0
        if self.mistake == "nothing kept after 100 steps" and steps == 100:
            own = torch.zeros_like(own)
        if self.mistake == "read late, and never reordered":
            outputs = outputs if begun is None or steps < 2 else outputs + 0.1 * begun[:, None]
            begun = own if begun is None else begun
        return outputs, (own, begun, steps)

    def reorder(self, state, rows):
        return (self.one.reorder(state[0], rows), *state[1:])

    def clear(self, state):
        return None


class Shared(RecurrentModel):
    """A model whose states persist in an object that all copies share."""

    everywhere: ClassVar[list] = [None]

    def run(self, inputs, state=None, mask=None):
        outputs, state = super().run(inputs, self.everywhere[0] if state is None else state, mask)
        self.everywhere[0] = state.clone()
        return outputs, state
