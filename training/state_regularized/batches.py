"""Labelled strings as tensors, and the outputs of a network in training."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor

from neural.state_regularized import unrolled_gru
from neural.state_regularized.acceptor import Acceptor
from training.state_regularized.strings import LabelledStrings

AT_ONCE = 512


class BatchRows:
    """Strings as tensors, sorted by length.

    Attributes:
        padded: tokens, shape ``(N, T)``.
        lengths: shape ``(N,)``.
        labels: shape ``(N,)``, boolean.
    """

    def __init__(self, strings: LabelledStrings) -> None:
        self.lengths = torch.tensor([len(x) for x in strings.tokens], dtype=torch.long)
        self.padded = torch.zeros(
            len(strings), int(self.lengths.max()) if len(strings) else 0, dtype=torch.long
        )
        for row, string in enumerate(strings.tokens):
            self.padded[row, : len(string)] = torch.tensor(string, dtype=torch.long)
        self.labels = torch.tensor(strings.labels, dtype=torch.bool)

    def count_up_to(self, length: int) -> int:
        """Return the number of strings of at most ``length`` symbols; these strings come first."""
        return int((self.lengths <= length).sum())

    def packed(self, chosen: Tensor) -> unrolled_gru.Packed:
        """Pack the chosen rows, which must be sorted by decreasing length."""
        lengths = self.lengths[chosen]
        return unrolled_gru.packed(self.padded[chosen, : int(lengths[0])], lengths)


class BatchEvaluation(NamedTuple):
    """The output of a network on B strings with N symbols in total.

    Attributes:
        logits: positive means accept, shape ``(B,)``.
        gaps: the differences between the two largest logits of the stochastic component, without noise, shape
            ``(1 + N,)``: first after the start token, then after each symbol.
    """

    logits: Tensor
    gaps: Tensor


def evaluate(
    network: Acceptor,
    rows: BatchRows,
    chosen: Tensor,
    noise: float = 0.0,
    generator: torch.Generator | None = None,
) -> BatchEvaluation:
    """Run the network on some rows.

    Args:
        network: an SR-GRU of one layer, with a start token.
        rows: the strings.
        chosen: indices of rows in decreasing order, so that the longest string comes first; shape ``(B,)``.
        noise: the standard deviation of the noise on the logits of the stochastic component.
        generator: the generator of the noise.
    """
    cell, tokens = network.cells[0], network.embedding.weight
    component, symbols, batch = cell.component, len(network.alphabet), len(chosen)
    strings = rows.packed(chosen)

    def drawn(size: int) -> Tensor | None:
        return noise * torch.randn(size, component.k, generator=generator) if noise else None

    (u,) = cell.part.step(cell.part.read(tokens[symbols : symbols + 1]), cell.start(1))
    start = component.similarities(u) / component.temperature
    at_start, on_the_way = drawn(batch), drawn(len(strings.tokens))
    first = torch.softmax(start.expand(batch, -1) if at_start is None else start + at_start, dim=1)
    logits, alpha = unrolled_gru.run(cell, tokens[:symbols], strings, first, on_the_way)
    h = strings.last(alpha, first) @ component.centroids.T
    top = torch.cat([start, logits]).topk(2, dim=1).values
    return BatchEvaluation(network.classify([(h,)]), top[:, 0] - top[:, 1])


def mistakes(
    network: Acceptor,
    rows: BatchRows,
    length: int | None = None,
    answer: Callable[[Acceptor, BatchRows, Tensor], Any] = evaluate,
) -> list[int]:
    """Return the indices of the strings up to a length that are misclassified without noise.

    Args:
        network: the network.
        rows: the strings.
        length: the maximum length of strings.
        answer: a function whose result has the ``logits`` of rows: :func:`evaluate`, or
            :func:`~training.state_regularized.clusters.alone`.
    """
    count = len(rows.lengths) if length is None else rows.count_up_to(length)
    wrong: list[int] = []
    with torch.no_grad():
        for part in torch.split(torch.arange(count - 1, -1, -1), AT_ONCE):
            if len(part):
                wrong += part[(answer(network, rows, part).logits > 0) != rows.labels[part]].tolist()
    return wrong


def accuracy(network: Acceptor, rows: BatchRows) -> float:
    """Return the share of strings that are classified correctly, or 1 if there are no strings."""
    return 1 - len(mistakes(network, rows)) / len(rows.lengths) if len(rows.lengths) else 1.0
