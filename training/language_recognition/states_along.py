"""What a network on parentheses does along one string, for pictures: hidden and cell states, and of one with
centroids these and the transition probabilities (Figures 6 and 11 to 13, Wang & Niepert 2019).

>>> read(written([[0.25, -1.0], [0.5, 0.0]]))
[[0.25, -1.0], [0.5, 0.0]]
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch import Tensor

from neural.state_regularized import fast_steps
from neural.state_regularized.layers import SRCell
from training.language_recognition import parentheses
from training.language_recognition.network import TrainedAcceptor
from training.language_recognition.strings import Strings

STRING = "ab(c(de)f((g)h)i)j(k((l(m)n)o)p)q((((((((r))))))))s()t"
"""Balanced, of depth 8: trained are depths up to 5."""
UNITS = 20
"""So many units at most are kept: those that move most along the string."""
RANKED_OVER = 1000


def along(network: TrainedAcceptor, many: Strings) -> dict[str, Any]:
    """The string, and what the network does after its start token and after each symbol.

    Args:
        network: of any model.
        many: strings over which ranked probabilities are averaged; as many as :data:`RANKED_OVER` are read.

    Returns:
        ``string``; ``units``, which units there are of ``h`` and ``c``: a row for each, a column for each
        step, as text (:func:`written`). With centroids also ``alpha``, a row for each centroid;
        ``centroids``, a row of those units for each; and ``ranked``: the mean probability of the most
        probable centroid, of the next one, and so on, over all steps of many strings.
    """
    tokens = torch.tensor([parentheses.ALPHABET.index(symbol) for symbol in STRING])[:, None]
    h, c, alpha = _run(network, tokens)
    moved = _moves(h) if c is None else _moves(h) + _moves(c)
    units = moved.argsort(descending=True, stable=True)[:UNITS].sort().values
    said: dict[str, Any] = {"string": STRING, "units": units.tolist(), "h": _rows(h[:, 0, units])}
    if c is not None:
        said["c"] = _rows(c[:, 0, units])
    if alpha is not None and isinstance(network.cell, SRCell):
        said["alpha"] = _rows(alpha[:, 0])
        said["centroids"] = written(network.cell.component.centroids.detach()[units].T.tolist())
        said["ranked"] = [round(share, 4) for share in _ranked(network, many)]
    return said


def _moves(state: Tensor) -> Tensor:
    """By how much each unit moves, shape ``(d,)``."""
    return state[:, 0].amax(dim=0) - state[:, 0].amin(dim=0)


@torch.no_grad()
def _run(network: TrainedAcceptor, tokens: Tensor) -> tuple[Tensor, Tensor | None, Tensor | None]:
    """H, c and alpha after the start token and each symbol, each of shape ``(T + 1, B, size)``."""
    cell = network.cell
    if not fast_steps.computes(cell):  # a GRU alone
        (h,) = network.states(tokens)
        return h, None, None
    made = fast_steps.steps(cell, network.embedded(tokens), cell.start(tokens.shape[1]))
    return made.h, made.c, made.alpha


def _ranked(network: TrainedAcceptor, many: Strings) -> list[float]:
    tokens, lengths, _ = many.at(torch.arange(0, len(many), max(1, len(many) // RANKED_OVER)))
    alpha = _run(network, tokens)[2]
    assert alpha is not None
    there = torch.arange(len(alpha))[:, None] <= lengths
    ranked: list[float] = alpha[there].double().sort(dim=-1, descending=True).values.mean(dim=0).tolist()
    return ranked


def _rows(states: Tensor) -> list[str]:
    """Of states ``(T + 1, size)`` a row for each unit."""
    return written(states.T.tolist())


def written(rows: Iterable[Sequence[float]]) -> list[str]:
    """Rows of numbers as texts, which are short in a file."""
    return [" ".join(f"{value:.3g}" for value in row) for row in rows]


def read(rows: Iterable[str]) -> list[list[float]]:
    """What :func:`written` wrote."""
    return [[float(value) for value in row.split()] for row in rows]
