"""The base class of models whose state is one tensor."""

import torch

from ratproof.laws.models.model import StatefulModel


class TensorState(StatefulModel):
    """A model whose state is a tensor with one row for each row of the batch."""

    def reorder(self, state, rows):
        return state[rows]

    def clear(self, state):
        return torch.zeros_like(state)
