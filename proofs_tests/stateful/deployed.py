"""Correct models, and models with mistakes in deployment: dtypes, beams, padding, long inputs, many calls."""

import torch
from torch import nn

from proofs_tests.stateful.tensor_state import TensorState
from ratproof import StatefulModel, Vectors

SIZE = 3


class Narrow(TensorState):
    """A decaying sum through a layer, partly in a lower-precision dtype.

    Args:
        where: The part that is rounded to ``narrow``: a side path of small weight (``side``), a mask of ones
            (``mask``), an unused parameter (``parameter``), the state at the end of each call (``state``), or
            the input of the sum (``inside``). If empty, nothing is rounded.
        share: Relative error of the first token of each call after the first.
        dtype: The dtype of the layer.
        narrow: The lower-precision dtype.
    """

    inputs = Vectors(SIZE)
    without = frozenset({"padding"})

    def __init__(self, where="", share=0.0, dtype=torch.float32, narrow=torch.bfloat16):
        self.where, self.share, self.narrow = where, share, narrow
        self.module = nn.Linear(SIZE, SIZE).to(dtype)
        if where == "parameter":
            self.module = nn.ModuleList([nn.Linear(1, 1).to(narrow), self.module])

    def run(self, inputs, state=None, mask=None):
        layer = self.module[1] if self.where == "parameter" else self.module
        first = state is None
        state = inputs.new_zeros(len(inputs), SIZE) if first else state
        read = layer(inputs)
        if self.where == "inside":
            read = read.to(self.narrow).to(read.dtype)
        outputs = []
        for token in read.unbind(1):
            state = 0.9 * state + token
            outputs.append(state)
        result = torch.stack(outputs, 1)
        if self.where == "side":
            result = result + 1e-3 * result.to(self.narrow).to(result.dtype)
        if self.where == "mask":
            result = result * torch.ones_like(result, dtype=self.narrow)
        if not first:
            result = torch.cat([result[:, :1] * (1 + self.share), result[:, 1:]], 1)
        return result, state.to(self.narrow).to(state.dtype) if self.where == "state" else state


class Deployed(StatefulModel):
    """A decaying sum of a layer's outputs, with optional mistakes that only appear in deployment.

    Padding preserves the state.

    Args:
        mistake: The mistake in the model, if any.
    """

    inputs = Vectors(SIZE)

    def __init__(self, mistake=""):
        self.mistake, self.module, self.calls, self.begun = mistake, nn.Linear(SIZE, SIZE), 0, 0

    def run(self, inputs, state=None, mask=None):
        self.calls += 1
        self.begun += state is None
        batch, time = inputs.shape[:2]
        state, seen, rows = (inputs.new_zeros(batch, SIZE), 0, batch) if state is None else state
        if self.mistake == "the state of a batch that has grown is lost" and batch > rows:
            state = torch.zeros_like(state)
        read = self.module(inputs)
        if self.mistake == "wrong from the 300th call on" and self.calls >= 300:
            read = read * 1.1
        if self.mistake == "wrong from the 300th use on" and self.begun >= 300:
            read = read * 1.1
        outputs = []
        for t in range(time):
            new = 0.9 * state + read[:, t]
            if self.mistake == "wrong after 257 tokens in a call" and t >= 257:
                new = new * 1.1
            if self.mistake == "the state is lost after 257 tokens" and seen + t == 257 and seen:
                new = read[:, t]
            if mask is not None:
                kept = mask[:, t]
                if self.mistake == "padding on the right is read" and t:
                    kept = kept | mask[:, :t].any(1)
                new = torch.where(kept[:, None], new, state)
            state = new
            outputs.append(state)
        result = torch.stack(outputs, 1)
        if mask is not None and bool(mask.all()):
            later = " of a later call" if seen else ""
            if self.mistake == f"a mask that masks nothing changes the outputs{later}":
                result = result * 1.01
        if self.mistake == "padding on the right is in the outputs" and mask is not None:
            result = result + 0.1 * (~mask[:, -1:, None]) * read
        return result, (state, seen + time, batch)

    def reorder(self, state, rows):
        part, seen, batch = state
        if self.mistake == "a state that grows is not repeated" and len(rows) > batch:
            new = part.new_zeros(len(rows), SIZE)
            new[: len(part)] = part
            return new, seen, len(rows)
        times, rest = divmod(len(rows), len(part))
        if self.mistake == "rows that grow are repeated in another order" and times > 1 and not rest:
            return part.repeat(times, 1), seen, len(rows)
        return part[rows], seen, len(rows) if self.mistake == "" else batch

    def clear(self, state):
        return None
