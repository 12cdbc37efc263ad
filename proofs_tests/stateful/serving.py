"""Models like those in servers, with stored prefixes, rewound and restored states, and rows of unequal
lengths.
"""

from itertools import pairwise

import torch
from torch import nn

from ratproof import StatefulModel, Tokens, Vectors

SIZE = 3


class PrefixServer(StatefulModel):
    """A decaying sum of embeddings that stores the state of every prompt and resumes from the longest prefix.

    Args:
        vocabulary: Number of tokens.
        mistake: ``"one token more"`` if every stored state has read one token more than its key; ``"blocks"``
            if only states of prompts whose length is 1 modulo 16 have this error; empty for no mistake.
    """

    without, longest = frozenset({"padding", "gradient"}), 66

    def __init__(self, vocabulary, mistake=""):
        self.inputs, self.module = Tokens(vocabulary), nn.Embedding(vocabulary, SIZE)
        self.mistake, self.kept = mistake, {}

    def run(self, inputs, state=None, mask=None):
        rows = [self._row(row.tolist(), None if state is None else state[i]) for i, row in enumerate(inputs)]
        outputs, states = zip(*rows, strict=True)
        return torch.stack(outputs), list(states)

    def _row(self, ids, state):
        prompt, outputs = state is None, ()
        if prompt:
            state = self.module.weight.new_zeros(SIZE)
            for length in range(len(ids), 0, -1):
                if tuple(ids[:length]) in self.kept:
                    state, outputs = self.kept[tuple(ids[:length])]
                    break
        for token in ids[len(outputs) :]:
            state = 0.9 * state + self.module.weight[token]
            outputs = (*outputs, state)
        if prompt:
            late = self.mistake == "one token more" or (self.mistake == "blocks" and len(ids) % 16 == 1)
            key = len(ids) - (late and len(ids) > 1)
            self.kept[tuple(ids[:key])] = state, outputs[:key]
        return torch.stack(outputs), state

    def reorder(self, state, rows):
        return [state[row] for row in rows]

    def clear(self, state):
        return None


class Drafting(StatefulModel):
    """A decaying sum that keeps the states of all tokens in a list, and rewinds by removing the last.

    Args:
        mistake: The mistake in the model, if any.
    """

    inputs, without = Vectors(SIZE), frozenset({"padding", "state-twice"})  # the list is extended in place

    def __init__(self, mistake=""):
        self.mistake, self.module = mistake, nn.Linear(SIZE, SIZE)

    def run(self, inputs, state=None, mask=None):
        states = [inputs.new_zeros(len(inputs), SIZE)] if state is None else state
        read = self.module(inputs)
        for token in read.unbind(1):
            before = states[-1]
            if self.mistake == "the gradient of the state is lost" and state is not None:
                before = before.detach()
            states.append(0.9 * before + token)
        return torch.stack(states[-inputs.shape[1] :], 1), states

    def reorder(self, state, rows):
        return [part[rows] for part in state]

    def clear(self, state):
        return None

    def rewind(self, state, tokens):
        if self.mistake == "one token too few is rewound":
            tokens -= 1
        if self.mistake == "only the last token is rewound":
            tokens = 1
        return state[: len(state) - tokens]

    def snapshot(self, state):
        return state if self.mistake == "a snapshot is not a copy" else list(state)

    def restore(self, snapshot):
        return snapshot if self.mistake == "a snapshot is restored once" else list(snapshot)


def sum_with_mask(inputs, state, mask=None, position_ids=None):
    """Return decaying sums of tokens times their positions modulo 3; padding preserves the state."""
    kept = torch.ones(inputs.shape[:2], dtype=torch.bool) if mask is None else mask
    state = inputs.new_zeros(len(inputs), inputs.shape[2]) if state is None else state
    outputs = []
    for t, token in enumerate(inputs.unbind(1)):
        position = 1 if position_ids is None else 1 + position_ids[:, t, None] % 3
        state = torch.where(kept[:, t, None], 0.9 * state + position * token, state)
        outputs.append(state)
    return torch.stack(outputs, 1), state


def sum_with_lengths(inputs, state, lengths=None):
    """Return decaying sums of rows that are padded on the right to a common length."""
    positions = torch.arange(inputs.shape[1])
    return sum_with_mask(inputs, state, None if lengths is None else positions < lengths[:, None])


def sum_with_offsets(inputs, state, cu_seqlens=None):
    """Return decaying sums of rows that are packed into one row."""
    if cu_seqlens is None:
        return sum_with_mask(inputs, state)
    outputs, states = [], []
    for row, (begin, end) in enumerate(pairwise(cu_seqlens)):
        own = None if state is None else state[row : row + 1]
        result, last = sum_with_mask(inputs[:, begin:end], own)
        outputs.append(result)
        states.append(last)
    return torch.cat(outputs, 1), torch.cat(states)


def last_length_for_all(inputs, state, lengths=None):
    """Return decaying sums with the mistake that all rows have the length of the last row."""
    return sum_with_lengths(inputs, state, None if lengths is None else lengths[-1:].expand(len(lengths)))


def offsets_ignored(inputs, state, cu_seqlens=None):
    """Return decaying sums with the mistake that each packed row continues from the previous row's state."""
    outputs, last = sum_with_mask(inputs, None if state is None else state[: len(inputs)])
    return outputs, last if cu_seqlens is None else last.expand(len(cu_seqlens) - 1, -1)


def one_position(inputs, state, mask=None):
    """Return decaying sums with the mistake that all rows share one position counter."""
    begin, own = (0, None) if state is None else state
    positions = (begin + torch.arange(inputs.shape[1])).expand(inputs.shape[:2])
    outputs, own = sum_with_mask(inputs, own, mask, positions)
    return outputs, (begin + inputs.shape[1], own)
