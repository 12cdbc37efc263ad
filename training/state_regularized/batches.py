"""Labelled strings as tensors; and what a network in training says of them: logits after the end, and gaps on
the way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import torch
from torch import Tensor

from neural.state_regularized import unrolled_gru
from neural.state_regularized.acceptor import Acceptor
from training.state_regularized.strings import LabelledStrings

AT_ONCE = 512


class BatchRows:
    """Strings as tensors, shortest first.

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

    def up_to(self, length: int) -> int:
        """How many strings are at most that long: they are the first ones."""
        return int((self.lengths <= length).sum())

    def packed(self, chosen: Tensor) -> unrolled_gru.Packed:
        """Rows, longest first, step by step."""
        lengths = self.lengths[chosen]
        return unrolled_gru.packed(self.padded[chosen, : int(lengths[0])], lengths)


class BatchAnswer(Protocol):
    """Has logits, shape ``(B,)``: positive means accept."""

    @property
    def logits(self) -> Tensor: ...


class Said(NamedTuple):
    """What a network says of B strings with N symbols in all.

    Attributes:
        logits: positive means accept, shape ``(B,)``.
        gaps: of the two largest logits of the stochastic component, noise left out: after the start token
            first, then after each symbol; shape ``(1 + N,)``.
    """

    logits: Tensor
    gaps: Tensor


def said(
    network: Acceptor,
    rows: BatchRows,
    chosen: Tensor,
    noise: float = 0.0,
    generator: torch.Generator | None = None,
) -> Said:
    """What it says of some rows.

    Args:
        network: an SR-GRU of one layer, with a start token.
        rows: the strings.
        chosen: places of rows, falling, so that the longest string comes first; shape ``(B,)``.
        noise: standard deviation of the noise on the logits of the stochastic component.
        generator: where it comes from.
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
    return Said(network.classify([(h,)]), top[:, 0] - top[:, 1])


def mistakes(
    network: Acceptor,
    rows: BatchRows,
    length: int | None = None,
    answer: Callable[[Acceptor, BatchRows, Tensor], BatchAnswer] = said,
) -> list[int]:
    """The places of the strings (up to that length) that it classifies wrong, without noise.

    Args:
        network: which.
        rows: the strings.
        length: the longest ones.
        answer: what it says of rows: the network, or its recurrent part alone.
    """
    count = len(rows.lengths) if length is None else rows.up_to(length)
    wrong: list[int] = []
    with torch.no_grad():
        for part in torch.split(torch.arange(count - 1, -1, -1), AT_ONCE):
            if len(part):
                wrong += part[(answer(network, rows, part).logits > 0) != rows.labels[part]].tolist()
    return wrong


def accuracy(network: Acceptor, rows: BatchRows) -> float:
    """The share of strings that it classifies right; 1 where there are none."""
    return 1 - len(mistakes(network, rows)) / len(rows.lengths) if len(rows.lengths) else 1.0
