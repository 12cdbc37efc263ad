"""The recurrent layers of the language models, and the widths that fit a budget of parameters."""

from __future__ import annotations

from functools import cache

import torch
from torch import nn

from neural.rrnn_b import RRNNB
from neural.rrnn_b_max_plus import RRNNBMaxPlus
from neural.rrnn_c import RRNNC
from neural.rrnn_f import RRNNF

RATIONAL = {"rrnn-b": RRNNB, "rrnn-b-max-plus": RRNNBMaxPlus, "rrnn-c": RRNNC, "rrnn-f": RRNNF}
WORDS = 10_000
"""The size of the Penn Treebank's vocabulary."""


def layer_of(model: str, size: int, hidden: int) -> nn.Module:
    """Return a layer; the rational layers have output gates (equations 23d, 24d, 25e and 26h)."""
    return nn.LSTM(size, hidden) if model == "lstm" else RATIONAL[model](size, hidden, output_gate=True)


def enlarge_updates(layer: nn.Module, gain: float) -> None:
    """Scale the update weights of a new RRNN(C), so that its outputs are about ``gain`` times its inputs.

    An output is a product of two updates, u1 and u2, each linear in an input. Torch initialises weights with
    variance 1/(3d), and gates are near 1/2. If inputs have norm 1, each output is then about 1/(18 d). The
    outputs of two layers would be so small that only the biases of the words are learned.
    """
    with torch.no_grad():
        for name, weights in layer.named_parameters():
            if "update_" in name:
                weights.mul_((18 * gain * weights.shape[0] ** 0.5) ** 0.5)


def size_of(model: str, layers: int, hidden: int) -> int:
    """Return the number of parameters of a language model of :data:`WORDS` words."""
    with torch.device("meta"):
        layer = layer_of(model, hidden, hidden)
    return WORDS * (hidden + 1) + layers * sum(tensor.numel() for tensor in layer.parameters())


@cache
def largest_width(model: str, layers: int, budget: int) -> int:
    """Return the largest width of a language model with at most ``budget`` million parameters.

    >>> [largest_width(model, 2, 10) for model in ("rrnn-b", "rrnn-c", "rrnn-f", "lstm")]
    [702, 617, 617, 536]
    """
    low, high = 0, budget * 10**6 // WORDS + 1  # at `high`, word vectors exceed the budget
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if size_of(model, layers, middle) <= budget * 10**6 else (low, middle)
    return low
