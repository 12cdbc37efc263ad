"""The states of a network on parentheses along one string, for figures.

The data are hidden and cell states. For a network with centroids, they include the centroids and the
transition probabilities (Figures 6 and 11 to 13, Wang & Niepert 2019).

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
"""A balanced string of depth 8; the network is trained on depths up to 5."""
UNITS = 20
"""The maximum number of units in the result: the units that vary most along the string."""
RANKED_OVER = 1000


def along(network: TrainedAcceptor, many: Strings) -> dict[str, Any]:
    """Return the states of a network along one string.

    Args:
        network: a network of any model.
        many: strings over which ``ranked`` is averaged; only the first :data:`RANKED_OVER` are read.

    Returns:
        An object with these fields:

        - ``string``: the string.
        - ``units``: the indices of the units.
        - ``h`` and ``c``: a row for each unit, with a column for each step, as text (:func:`written`).
        - ``alpha``: a row for each centroid, in the same form. This field and the next two require centroids.
        - ``centroids``: a row for each centroid, with the values of these units.
        - ``ranked``: the mean probability of the most probable centroid, of the next one, and so on, over all
          steps of many strings.
    """
    tokens = torch.tensor([parentheses.ALPHABET.index(symbol) for symbol in STRING])[:, None]
    h, c, alpha = _run(network, tokens)
    moved = _moves(h) if c is None else _moves(h) + _moves(c)
    units = moved.argsort(descending=True, stable=True)[:UNITS].sort().values
    result: dict[str, Any] = {"string": STRING, "units": units.tolist(), "h": _rows(h[:, 0, units])}
    if c is not None:
        result["c"] = _rows(c[:, 0, units])
    if alpha is not None and isinstance(network.cell, SRCell):
        result["alpha"] = _rows(alpha[:, 0])
        result["centroids"] = written(network.cell.component.centroids.detach()[units].T.tolist())
        result["ranked"] = [round(share, 4) for share in _ranked(network, many)]
    return result


def _moves(state: Tensor) -> Tensor:
    """Return the range (maximum minus minimum) of each unit along the string, shape ``(d,)``."""
    return state[:, 0].amax(dim=0) - state[:, 0].amin(dim=0)


@torch.no_grad()
def _run(network: TrainedAcceptor, tokens: Tensor) -> tuple[Tensor, Tensor | None, Tensor | None]:
    """Return h, c and alpha after the start token and each symbol, each of shape ``(T + 1, B, size)``."""
    cell = network.cell
    if not fast_steps.computes(cell):  # a GRU without centroids
        (h,) = network.states(tokens)
        return h, None, None
    steps = fast_steps.steps(cell, network.embedded(tokens), cell.start(tokens.shape[1]))
    return steps.h, steps.c, steps.alpha


def _ranked(network: TrainedAcceptor, many: Strings) -> list[float]:
    tokens, lengths, _ = many.at(torch.arange(0, len(many), max(1, len(many) // RANKED_OVER)))
    alpha = _run(network, tokens)[2]
    assert alpha is not None
    there = torch.arange(len(alpha))[:, None] <= lengths
    ranked: list[float] = alpha[there].double().sort(dim=-1, descending=True).values.mean(dim=0).tolist()
    return ranked


def _rows(states: Tensor) -> list[str]:
    """Return states of shape ``(T + 1, size)`` as one row of text for each unit."""
    return written(states.T.tolist())


def written(rows: Iterable[Sequence[float]]) -> list[str]:
    """Format rows of numbers as short texts."""
    return [" ".join(f"{value:.3g}" for value in row) for row in rows]


def read(rows: Iterable[str]) -> list[list[float]]:
    """Parse the rows that :func:`written` formatted."""
    return [[float(value) for value in row.split()] for row in rows]
