"""Attention with a cache of keys and values, and a claim about it."""

import torch
from torch import nn

from ratproof import StatefulModel, Tokens, model_claim

WIDTH, LONGEST = 16, 300
torch.manual_seed(0)


class Attention(StatefulModel):
    """One head. The state is the keys, values and mask of all tokens so far."""

    inputs, longest = Tokens(50), LONGEST

    def __init__(self):
        self.module = nn.ModuleDict(
            {
                "tokens": nn.Embedding(50, WIDTH),
                "positions": nn.Embedding(LONGEST, WIDTH),
                "read": nn.Linear(WIDTH, 3 * WIDTH),
                "write": nn.Linear(WIDTH, 50),
            }
        )

    def run(self, inputs, state=None, mask=None):
        parts = self.module
        time, past = inputs.shape[1], 0 if state is None else state[0].shape[1]
        mask = torch.ones_like(inputs, dtype=torch.bool) if mask is None else mask
        positions = torch.arange(past, past + time)  # padding also has positions
        x = parts["tokens"](inputs) + parts["positions"](positions)
        query, *new = parts["read"](x).chunk(3, -1)
        new.append(mask)
        if state is not None:
            new = [torch.cat(pair, 1) for pair in zip(state, new, strict=True)]
        keys, values, mask = new
        scores = query @ keys.transpose(1, 2) / WIDTH**0.5
        seen = torch.ones(time, past + time, dtype=torch.bool).tril(past) & mask[:, None]
        scores = scores.masked_fill(~seen, torch.finfo(scores.dtype).min)
        return parts["write"](scores.softmax(-1) @ values), tuple(new)

    def reorder(self, state, rows):
        return tuple(part[rows] for part in state)

    def clear(self, state):
        return None


claim = model_claim("my-cache", model=Attention(), says="attention with a cache equals attention without")
